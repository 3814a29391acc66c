"""The operation on account details, contract/account."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.core.lazy import lazy
from mockserver.core.workspaces.caller import Caller
from mockserver.web.endpoints.operations import Operations

if TYPE_CHECKING:
    from mockserver.resources.account import model, schemas
else:
    model, schemas = lazy(__package__, "model", "schemas")

ACCOUNT = Operations("account", "specification 4.4")


@ACCOUNT.operation(
    "getAccount", "GET", "/v3/account",
    summary="Read account details",
    answer=schemas.AccountOut,
)  # fmt: skip
def get_account(caller: Caller) -> dict[str, Any]:
    return model.details(caller.workspace, caller.account)

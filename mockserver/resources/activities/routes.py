"""The operation on activity logs, contract/activities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.core.contract import errors
from mockserver.core.contract.operation import proposed_error
from mockserver.core.lazy import lazy
from mockserver.core.workspaces.caller import Caller
from mockserver.web.endpoints.operations import Operations

if TYPE_CHECKING:
    from mockserver.resources.activities import model, schemas
else:
    model, schemas = lazy(__package__, "model", "schemas")

ACTIVITIES = Operations("account", "specification 4.4", page="activities")


@ACTIVITIES.operation(
    "getAccountActivity", "GET", "/v3/organization/activities",
    summary="Organization activity logs",
    sweeps="email",
    query=schemas.ActivityFilter,
    answer=schemas.Activities,
    errors=(
        proposed_error(errors.INVALID_PARAMETER, "a bad date, startDate after endDate"),
        proposed_error(errors.MISSING_PARAMETER, "one of the dates only"),
        proposed_error(errors.OUT_OF_RANGE, "over a month, older than 12 months, limit outside 1 to 100"),
        proposed_error(errors.PERMISSION_DENIED, "the account has no enterprise plan", "specification 4.4 and 7.1",
            status=400),
    ),
)  # fmt: skip
def get_account_activity(caller: Caller, query: dict[str, Any]) -> dict[str, Any]:
    return {"logs": model.select(caller, query)}

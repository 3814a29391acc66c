"""The operation on received e-mails, contract/inbound."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.core.contract import errors
from mockserver.core.contract.operation import proposed_error
from mockserver.core.lazy import lazy
from mockserver.core.workspaces.caller import Caller
from mockserver.web.endpoints.operations import Operations

if TYPE_CHECKING:
    from mockserver.resources.inbound import model, schemas
else:
    model, schemas = lazy(__package__, "model", "schemas")

INBOUND = Operations("inbound", "specification 4.6")


@INBOUND.operation(
    "getInboundEmailEvents", "GET", "/v3/inbound/events",
    summary="List received-mail events",
    sweeps="sender",
    query=schemas.InboundFilter,
    answer=schemas.InboundEvents,
    errors=(
        proposed_error(errors.INVALID_PARAMETER, "a bad date, startDate after endDate, a bad sort"),
        proposed_error(errors.MISSING_PARAMETER, "one of the dates only"),
        proposed_error(errors.OUT_OF_RANGE, "in the future, over 30 days, limit outside 0 to 500"),
    ),
)  # fmt: skip
def get_inbound_email_events(caller: Caller, query: dict[str, Any]) -> dict[str, Any]:
    return {"events": model.select(caller, query)}

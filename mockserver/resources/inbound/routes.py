"""The operations on received e-mails, contract/inbound."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from mockserver.core.contract import errors
from mockserver.core.contract.operation import documented_error, proposed_error
from mockserver.core.lazy import lazy
from mockserver.core.traffic.exchange import Reply
from mockserver.core.workspaces.caller import Caller
from mockserver.web.endpoints.operations import Operations
from mockserver.web.service.exchange import CONTENT_TYPE, CORS_HEADERS

if TYPE_CHECKING:
    from mockserver.resources.inbound import model, schemas
else:
    model, schemas = lazy(__package__, "model", "schemas")

INBOUND = Operations("inbound", "specification 4.6")
_SOURCE = "OpenAPI document of February 2026"
FURTHER_INBOUND = Operations("inbound", _SOURCE, are_further=True)

#: Maximum characters of a name in a header; chosen: what file systems take, and clients take the header.
_LONGEST_NAME = 255
#: The headers that keep a browser from showing an attachment, or running its scripts, as a page of the mock.
_INERT = (
    ("Content-Security-Policy", "sandbox; default-src 'none'"),
    ("X-Content-Type-Options", "nosniff"),
)


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


@FURTHER_INBOUND.operation(
    "getInboundEmailEventsByUuid", "GET", "/v3/inbound/events/{uuid}",
    summary="Read the history of a received mail",
    sweeps=True, params=schemas.InboundEventPath, answer=schemas.InboundHistory,
    errors=(
        proposed_error(errors.INVALID_PARAMETER, "not a UUID"),
        proposed_error(errors.DOCUMENT_NOT_FOUND, "no such mail, or of another account"),
    ),
)  # fmt: skip
def get_inbound_email_events_by_uuid(caller: Caller, uuid: str) -> dict[str, Any]:
    return model.history(caller, uuid)


@FURTHER_INBOUND.operation(
    "getInboundEmailAttachment", "GET", "/v3/inbound/attachments/{downloadToken}",
    summary="Read an attachment of a received mail",
    media="*/*", params=schemas.AttachmentPath,
    errors=(
        documented_error(errors.DOCUMENT_NOT_FOUND, "no attachment with this token, or no longer kept", _SOURCE),
    ),
    notes=("The bytes, with the Content-Type and the name of the attachment.",),
)  # fmt: skip
def get_inbound_email_attachment(caller: Caller, download_token: str) -> Reply:
    file, content = model.attachment(caller, download_token)
    return Reply(
        200, content, headers=(
            (CONTENT_TYPE, file.content_type), ("Content-Disposition", _disposition(file.name)), *_INERT, *CORS_HEADERS,
        )
    )  # fmt: skip


def _disposition(name: str) -> str:
    """Return a `Content-Disposition` header that saves a file, also with a name that is not ASCII (RFC 6266)."""
    name = name[:_LONGEST_NAME]
    plain = "".join(char if " " <= char <= "~" and char not in '"\\' else "_" for char in name)
    exact = "" if plain == name else f"; filename*=UTF-8''{quote(name, safe='', errors='replace')}"
    return f'attachment; filename="{plain}"{exact}' if name else "attachment"

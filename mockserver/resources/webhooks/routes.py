"""The operations on webhooks, contract/webhooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.core.contract import errors
from mockserver.core.contract.operation import documented_error, error_observed_in_code, observed_error, proposed_error
from mockserver.core.lazy import lazy
from mockserver.core.workspaces.caller import Caller
from mockserver.web.endpoints.operations import Operations

if TYPE_CHECKING:
    from mockserver.resources.webhooks import history, model, schemas
else:
    history, model, schemas = lazy(__package__, "history", "model", "schemas")

WEBHOOKS = Operations("webhooks", "specification 4.3")

_PATH = schemas.WebhookPath
_BAD_ID = proposed_error(errors.INVALID_PARAMETER, "webhookId is not an integer", "contract/webhooks#getWebhook")
_BAD_VALUE = observed_error(
    errors.INVALID_PARAMETER,
    "an inbound domain that is no authenticated one of the account; bad url, event, auth or header",
    "contract/webhooks#createWebhook",
)
_TWIN = error_observed_in_code(
    errors.DUPLICATE_PARAMETER,
    "another webhook has the url and the type, and behaviour.webhook_duplicates is refuse",
    "contract/webhooks#createWebhook",
    programs=2,
)
_UNKNOWN = documented_error(errors.DOCUMENT_NOT_FOUND, "unknown id", "specification 4.3, contract/webhooks#getWebhook")


@WEBHOOKS.operation(
    "getWebhooks", "GET", "/v3/webhooks",
    summary="List webhooks",
    query=schemas.WebhookFilter, answer=schemas.Webhooks,
    errors=(
        proposed_error(errors.INVALID_PARAMETER, "type or sort outside its values"),
        error_observed_in_code(
            errors.DOCUMENT_NOT_FOUND, "the account has no webhook of the type", programs=13, status=400
        ),
    ),
)  # fmt: skip
def get_webhooks(caller: Caller, query: dict[str, str]) -> dict[str, Any]:
    return {"webhooks": model.select(caller, query["type"], query["sort"])}


@WEBHOOKS.operation(
    "createWebhook", "POST", "/v3/webhooks",
    summary="Create a webhook",
    adds=True, status=201, body=schemas.NewWebhook, answer=schemas.WebhookCreated,
    errors=(
        proposed_error(errors.MISSING_PARAMETER, "url is absent; events, unless inbound; domain, if inbound"),
        _BAD_VALUE,
        _TWIN,
        proposed_error(errors.OUT_OF_RANGE, "more than 40 marketing and transactional webhooks"),
    ),
)  # fmt: skip
def create_webhook(caller: Caller, body: dict[str, Any]) -> model.Webhook:
    return model.create(caller, body)


@WEBHOOKS.operation(
    "getWebhook", "GET", "/v3/webhooks/{webhookId}",
    summary="Read a webhook",
    params=_PATH, answer=schemas.WebhookOut,
    errors=(_BAD_ID, _UNKNOWN),
)  # fmt: skip
def get_webhook(caller: Caller, webhook_id: int) -> model.Webhook:
    return model.get(caller, webhook_id)


@WEBHOOKS.operation(
    "updateWebhook", "PUT", "/v3/webhooks/{webhookId}",
    summary="Update a webhook",
    sweeps=True, status=204, params=_PATH, body=schemas.WebhookChanges,
    errors=(
        proposed_error(errors.INVALID_PARAMETER, f"as on creation: {_BAD_VALUE.when}", _BAD_VALUE.source),
        proposed_error(errors.DUPLICATE_PARAMETER, _TWIN.when, _TWIN.source),
        proposed_error(errors.MISSING_PARAMETER, "events is empty", "specification 6"),
        _UNKNOWN,
    ),
    notes=("type and channel cannot be changed; they are ignored.",),
)  # fmt: skip
def update_webhook(caller: Caller, webhook_id: int, body: dict[str, Any]) -> None:
    model.update(caller, webhook_id, body)


@WEBHOOKS.operation(
    "deleteWebhook", "DELETE", "/v3/webhooks/{webhookId}",
    summary="Delete a webhook",
    sweeps=True, status=204, params=_PATH,
    errors=(_BAD_ID, _UNKNOWN),
)  # fmt: skip
def delete_webhook(caller: Caller, webhook_id: int) -> None:
    model.delete(caller, webhook_id)


@WEBHOOKS.operation(
    "exportWebhooksHistory", "POST", "/v3/webhooks/export",
    summary="Export webhook history",
    sweeps=True, exports=True, adds=True, status=202, body=schemas.NewExport, answer=schemas.ExportAccepted,
    errors=(
        proposed_error(errors.MISSING_PARAMETER, "type, event, notifyURL or one of the dates is absent"),
        proposed_error(errors.INVALID_PARAMETER, "bad value, days beside dates, startDate after endDate"),
        proposed_error(errors.PERMISSION_DENIED, "the account is not an enterprise account",
            "specification 4.3 and 7.1", status=400),
    ),
)  # fmt: skip
def export_webhooks_history(caller: Caller, body: dict[str, Any]) -> dict[str, int]:
    return {"processId": history.export(caller, body)}

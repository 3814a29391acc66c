"""The operations on e-mail templates, contract/templates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.core.contract import errors
from mockserver.core.contract.operation import documented_error, error_observed_in_code, proposed_error
from mockserver.core.lazy import lazy
from mockserver.core.workspaces.caller import Caller
from mockserver.web.endpoints.operations import Operations
from mockserver.web.schemas.evidence import CLIENT, OPENAPI

if TYPE_CHECKING:
    from mockserver.resources.templates import model, schemas
else:
    model, schemas = lazy(__package__, "model", "schemas")

TEMPLATES = Operations("templates", OPENAPI, are_further=True)

_BAD_ID = proposed_error(errors.INVALID_PARAMETER, "templateId is not an integer")
_NO_TEMPLATE = documented_error(errors.DOCUMENT_NOT_FOUND, "the template is unknown", f"{OPENAPI}, but for the code")
_BAD_TEMPLATE = error_observed_in_code(
    errors.INVALID_PARAMETER, "a member is not valid; the sender is unknown or not verified",
    "contract/templates#createSmtpTemplate", programs=10,
)  # fmt: skip


@TEMPLATES.operation(
    "getSmtpTemplates", "GET", "/v3/smtp/templates",
    summary="List e-mail templates",
    sweeps=True, query=schemas.TemplateFilter, answer=schemas.Templates,
    errors=(
        proposed_error(errors.INVALID_PARAMETER, "templateStatus, limit, offset or sort is not valid"),
        proposed_error(errors.OUT_OF_RANGE, "limit outside 0 to 1,000, a negative offset"),
    ),
)  # fmt: skip
def get_smtp_templates(caller: Caller, query: dict[str, Any]) -> dict[str, Any]:
    found = model.select(caller, query)
    rows = found[query["offset"] : query["offset"] + query["limit"]]
    return {"count": len(found), "templates": [model.members(caller, row) for row in rows]}


@TEMPLATES.operation(
    "createSmtpTemplate", "POST", "/v3/smtp/templates",
    summary="Create an e-mail template",
    adds=True, status=201, body=schemas.NewTemplate, answer=schemas.MessageCreated,
    errors=(
        error_observed_in_code(
            errors.MISSING_PARAMETER, "no templateName; no subject, sender or content",
            "contract/templates#createSmtpTemplate", programs=1,
        ),
        _BAD_TEMPLATE,
    ),
)  # fmt: skip
def create_smtp_template(caller: Caller, body: dict[str, Any]) -> dict[str, int]:
    return {"id": model.create(caller, body).id}


@TEMPLATES.operation(
    "getSmtpTemplate", "GET", "/v3/smtp/templates/{templateId}",
    summary="Read an e-mail template",
    params=schemas.TemplatePath, answer=schemas.TemplateOut,
    errors=(_BAD_ID, _NO_TEMPLATE),
)  # fmt: skip
def get_smtp_template(caller: Caller, template_id: int) -> dict[str, Any]:
    row = model.get(caller, template_id)
    return {**model.members(caller, row), "is_optin": row.is_optin}


@TEMPLATES.operation(
    "updateSmtpTemplate", "PUT", "/v3/smtp/templates/{templateId}",
    summary="Update an e-mail template",
    status=204, params=schemas.TemplatePath, body=schemas.TemplateChanges,
    errors=(
        proposed_error(errors.MISSING_PARAMETER, "templateName or subject is empty; a sender without id and email"),
        _BAD_TEMPLATE, _NO_TEMPLATE,
    ),
)  # fmt: skip
def update_smtp_template(caller: Caller, template_id: int, body: dict[str, Any]) -> None:
    model.update(caller, template_id, body)


@TEMPLATES.operation(
    "deleteSmtpTemplate", "DELETE", "/v3/smtp/templates/{templateId}",
    summary="Delete an inactive e-mail template",
    status=204, params=schemas.TemplatePath,
    errors=(
        _BAD_ID, _NO_TEMPLATE,
        documented_error(errors.METHOD_NOT_ALLOWED, "the template is active", f"{CLIENT}, but for the code"),
    ),
)  # fmt: skip
def delete_smtp_template(caller: Caller, template_id: int) -> None:
    model.delete(caller, template_id)


@TEMPLATES.operation(
    "sendTestTemplate", "POST", "/v3/smtp/templates/{templateId}/sendTest",
    summary="Send a test e-mail of a template",
    status=204, params=schemas.TemplatePath, body=schemas.TestAddresses,
    errors=(
        documented_error(errors.INVALID_PARAMETER,
            "an address is of no contact, of a contact in no list, or blacklisted; the sender is not verified",
            f"{OPENAPI}, contract/templates#tests"),
        proposed_error(errors.OUT_OF_RANGE, "more than 50 test e-mails in a day", "contract/templates#tests"),
        _NO_TEMPLATE,
    ),
    notes=("413 `bad_request` if its e-mails would take more than 64 MB.",),
)  # fmt: skip
def send_test_template(caller: Caller, template_id: int, body: dict[str, Any]) -> None:
    model.send_test(caller, template_id, body.get("email_to", []))

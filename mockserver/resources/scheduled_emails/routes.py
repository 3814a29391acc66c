"""The operation on scheduled e-mails, contract/scheduled_emails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockserver.core.contract import errors
from mockserver.core.contract.operation import Mark, chosen_error, documented_error
from mockserver.core.lazy import lazy
from mockserver.core.workspaces.caller import Caller
from mockserver.web.endpoints.operations import Operations

if TYPE_CHECKING:
    from mockserver.resources.scheduled_emails import model, schemas
else:
    model, schemas = lazy(__package__, "model", "schemas")

SCHEDULED_EMAILS = Operations("scheduled_emails", "specification 4.8")


@SCHEDULED_EMAILS.operation(
    "deleteScheduledEmailById", "DELETE", "/v3/smtp/email/{identifier}",
    summary="Delete scheduled e-mails",
    sweeps=True, status=204, params=schemas.IdentifierPath,
    errors=(
        documented_error(errors.INVALID_PARAMETER, "neither a UUIDv4 nor a message id",
            "specification 4.8, contract/errors#codes"),
        documented_error(errors.DOCUMENT_NOT_FOUND, "nothing is scheduled under it",
            "specification 4.8, contract/errors#codes"),
        chosen_error(errors.INVALID_PARAMETERS_PASSED, "sentences", Mark.DOCUMENTED),
        chosen_error(errors.RECORDS_NOT_FOUND, "sentences", Mark.DOCUMENTED),
    ),
)  # fmt: skip
def delete_scheduled_email(caller: Caller, identifier: str) -> None:
    model.delete(caller, identifier)

"""The operations on transactional e-mails and on contacts that are blocked, contract/sending."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockserver.core.contract import errors
from mockserver.core.contract.operation import (
    Mark,
    OtherStatus,
    chosen_error,
    documented_error,
    error_observed_in_code,
    observed_error,
    proposed_error,
)
from mockserver.core.lazy import lazy
from mockserver.core.workspaces.caller import Caller
from mockserver.web.endpoints.operations import Operations
from mockserver.web.schemas.evidence import CLIENT

if TYPE_CHECKING:
    from mockserver.resources.sending import model, reports, schemas
else:
    model, reports, schemas = lazy(__package__, "model", "reports", "schemas")

SENDING = Operations("sending", are_further=True)


@SENDING.operation(
    "sendTransacEmail", "POST", "/v3/smtp/email",
    summary="Send a transactional e-mail",
    status=201, other_statuses=(202,), body=schemas.NewEmail, answer=schemas.Sent,
    errors=(
        observed_error(errors.MISSING_PARAMETER,
            "no input; sender, subject, to, a content or an address is missing; cc, bcc or params is empty",
            "contract/sending#empty"),
        error_observed_in_code(errors.INVALID_PARAMETER, "a member is not valid", programs=3),
        documented_error(errors.DUPLICATE_PARAMETER, "the idempotency key was used within the last 30 minutes",
            "page heterogenous-versions-batch-emails, contract/sending#idempotency"),
        error_observed_in_code(errors.PERMISSION_DENIED, "the relay of the account is not enabled", programs=8),
        error_observed_in_code(errors.NOT_ENOUGH_CREDITS, "fewer credits than recipients", programs=8, status=402),
    ),
    notes=("202 if the e-mail is scheduled.", "413 `bad_request` if its e-mails would take more than 64 MB."),
)  # fmt: skip
def send_transac_email(caller: Caller, body: dict[str, Any]) -> dict[str, Any] | OtherStatus:
    sent = model.send(caller, body)
    return OtherStatus(202, sent) if "batchId" in sent else sent


@SENDING.operation(
    "getScheduledEmailById", "GET", "/v3/smtp/emailStatus/{identifier}",
    summary="Read the status of scheduled e-mails",
    sweeps=True, params=schemas.IdentifierPath, query=schemas.ScheduledFilter, answer=schemas.Scheduled,
    errors=(
        proposed_error(errors.INVALID_PARAMETER, "neither a UUIDv4 nor a message id; a bad date, sort or status"),
        proposed_error(errors.MISSING_PARAMETER, "one of the dates only"),
        proposed_error(errors.OUT_OF_RANGE, "limit outside 1 to 500, a negative offset"),
        proposed_error(errors.DOCUMENT_NOT_FOUND, "nothing is scheduled under it"),
    ),
)  # fmt: skip
def get_scheduled_email(caller: Caller, identifier: str, query: dict[str, Any]) -> dict[str, Any]:
    return model.scheduled_status(caller, identifier, query)


@SENDING.operation(
    "getTransacBlockedContacts", "GET", "/v3/smtp/blockedContacts",
    summary="List blocked contacts",
    sweeps=True, query=schemas.BlockedFilter, answer=schemas.BlockedContacts,
    errors=(
        proposed_error(errors.INVALID_PARAMETER, "a bad date or sort, startDate after endDate"),
        proposed_error(errors.MISSING_PARAMETER, "one of the dates only"),
        proposed_error(errors.OUT_OF_RANGE, "a date in the future, limit outside 1 to 100, a negative offset"),
    ),
)  # fmt: skip
def get_transac_blocked_contacts(caller: Caller, query: dict[str, Any]) -> dict[str, Any]:
    return model.blocked_contacts(caller, query)


@SENDING.operation(
    "deleteSmtpBlockedContactsByEmail", "DELETE", "/v3/smtp/blockedContacts/{email}",
    summary="Unblock a contact",
    sweeps=True, status=204, params=schemas.EmailPath,
    errors=(
        documented_error(errors.INVALID_PARAMETER, "not an e-mail address", CLIENT),
        documented_error(errors.DOCUMENT_NOT_FOUND, "the contact is not blocked", CLIENT),
        chosen_error(errors.CONTACT_EMAIL_NOT_FOUND, "sentences", Mark.DOCUMENTED),
    ),
)  # fmt: skip
def delete_blocked_contact(caller: Caller, email: str) -> None:
    model.unblock(caller, email)


@SENDING.operation(
    "getEmailEventReport", "GET", "/v3/smtp/statistics/events",
    summary="List the events of sent e-mails",
    sweeps=True, query=schemas.EventFilter, answer=schemas.EmailEventReport,
    errors=(
        proposed_error(errors.INVALID_PARAMETER,
            "a bad date, sort, event or tags; startDate after endDate; days beside dates"),
        proposed_error(errors.MISSING_PARAMETER, "one of the dates only"),
        proposed_error(errors.OUT_OF_RANGE,
            "days outside 1 to 90, dates over 90 days apart, limit outside 0 to 5,000, a negative offset"),
    ),
)  # fmt: skip
def get_email_event_report(caller: Caller, query: dict[str, Any]) -> dict[str, Any]:
    return reports.events(caller, query)


@SENDING.operation(
    "getTransacEmailsList", "GET", "/v3/smtp/emails",
    summary="List sent e-mails",
    sweeps=True, query=schemas.EmailFilter, answer=schemas.SentEmails,
    errors=(
        proposed_error(errors.INVALID_PARAMETER, "a bad date or sort, startDate after endDate"),
        proposed_error(errors.MISSING_PARAMETER, "none of email, templateId and messageId; one of the dates only"),
        proposed_error(errors.OUT_OF_RANGE, "over one month, limit outside 0 to 1,000, a negative offset"),
    ),
)  # fmt: skip
def get_transac_emails_list(caller: Caller, query: dict[str, Any]) -> dict[str, Any]:
    return reports.emails(caller, query)


@SENDING.operation(
    "getTransacEmailContent", "GET", "/v3/smtp/emails/{uuid}",
    summary="Read a sent e-mail",
    sweeps=True, params=schemas.UuidPath, answer=schemas.EmailContent,
    errors=(
        proposed_error(errors.INVALID_PARAMETER, "not a UUID"),
        proposed_error(errors.DOCUMENT_NOT_FOUND, "the account has sent no such e-mail"),
    ),
)  # fmt: skip
def get_transac_email_content(caller: Caller, uuid: str) -> dict[str, Any]:
    return reports.content(caller, uuid)

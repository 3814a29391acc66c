"""Sending e-mails, and the status of scheduled ones (contract/sending)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from mockserver.core.contract.errors import MISSING_PARAMETER, NOT_ENOUGH_CREDITS, PERMISSION_DENIED
from mockserver.core.state import reasons
from mockserver.core.text.addresses import domain_of
from mockserver.core.traffic.mail import MailContent
from mockserver.core.workspaces.caller import Caller
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.account import spending
from mockserver.resources.account.model import Profile
from mockserver.resources.scheduled_emails import model as scheduled
from mockserver.resources.scheduled_emails import sending
from mockserver.resources.scheduled_emails.model import ScheduledEmail
from mockserver.resources.sending import checks, idempotency
from mockserver.resources.sending.composing import compose
from mockserver.resources.sending.request import SendRequest
from mockserver.resources.webhooks import events


def scheduled_status(caller: Caller, identifier: str, query: dict[str, Any]) -> dict[str, Any]:
    """Return the status of the e-mail with a message id, or a page of what was scheduled under a batch id.

    Raises:
        ServiceError: 400 if the identifier is neither, or one day is missing; 404 if nothing is scheduled under it.
    """
    is_batch = scheduled.is_batch_id(identifier)
    if is_batch and ("startDate" in query) is not ("endDate" in query):
        period = reasons.period(query.get("startDate"), query.get("endDate"))
        raise MISSING_PARAMETER("startDate and endDate are required together").because(period)
    emails = scheduled.find(caller, identifier, scheduled.SCHEDULED, scheduled.SENT)
    rows = [_row(email, caller.workspace.state.clock.start) for email in emails]
    return _batches(rows, query) if is_batch else rows[0]


def _batches(rows: list[dict[str, Any]], query: dict[str, Any]) -> dict[str, Any]:
    """Return a page of batches: one for each request that has scheduled something, the newest first."""
    batches = {tuple(row.values()): row for row in rows if _is_wanted(row, query)}
    found = sorted(batches.values(), key=lambda row: row["createdAt"], reverse=query["sort"] == "desc")
    return {"count": len(found), "batches": found[query["offset"] : query["offset"] + query["limit"]]}


def _is_wanted(row: dict[str, Any], query: dict[str, Any]) -> bool:
    day = row["createdAt"].date()
    is_within = "startDate" not in query or query["startDate"].date() <= day <= query["endDate"].date()
    return bool(is_within and query.get("status", row["status"]) == row["status"])


def _row(email: ScheduledEmail, start: datetime) -> dict[str, Any]:
    """Return an e-mail as the API tells it; one that a scenario has without a moment was there from the start."""
    status = "error" if email.rejected is not None else "processed"
    return {
        "scheduledAt": email.scheduled_at,
        "createdAt": email.created_at or start,
        "status": "queued" if email.state == scheduled.SCHEDULED else status,
    }


#: How long after a request webhooks are told that its sender is not valid (contract/sending#senders).
_REJECTED_AFTER = timedelta(seconds=1)


def send(caller: Caller, body: Mapping[str, Any]) -> dict[str, Any]:
    """Send the e-mails of a body, or schedule them; the answer has a `batchId` if they are scheduled.

    Raises:
        ServiceError: nothing was sent: 403 if the account may not send, 400 for a bad body or a repeated idempotency
            key, 402 if credits are missing, 413 if the e-mails are too large.
    """
    _check_relay(caller)
    request = checks.read(caller, body)
    contents = compose(request)
    key = request.by_header.get(idempotency.HEADER.lower())
    if key:
        idempotency.check(caller, key)
    if not request.is_dry:
        _check_means(caller, request, contents)
        if key:
            idempotency.note(caller, key)
    contents = [content._replace(message_id=_draw_id(caller.workspace)) for content in contents]
    ids = [content.message_id for content in contents]
    found: dict[str, Any] = {"messageIds": ids} if request.is_batch else {"messageId": ids[0]}
    if request.scheduled_at is not None:
        found["batchId"] = request.body.get("batchId") or caller.workspace.state.random.uuid("batch")
    _act(caller, request, contents, found.get("batchId", ""))
    return found


def _check_relay(caller: Caller) -> None:
    if not (caller.account.record(Profile).relay or {}).get("enabled", True):
        message = (
            "Unable to send email. Your SMTP account is not yet activated. "
            "Please contact us at contact@brevo.com to request activation"
        )
        reason = f"account {caller.account.name} may not send yet: its relay is not enabled"
        raise PERMISSION_DENIED(message).because(reason)


def _check_means(caller: Caller, request: SendRequest, contents: Sequence[MailContent]) -> None:
    """Check that there is room for e-mails that wait, or credits for those that are sent.

    Raises:
        ServiceError: 400 `out_of_range`, or 402 `not_enough_credits`.
    """
    if request.scheduled_at is not None:
        scheduled.check_room(caller.workspace, contents)
        return
    amount = sending.cost(contents)
    if request.rejected is None and not spending.are_left(caller.workspace, caller.account, "email", amount):
        left = spending.left(caller.workspace, caller.account, "email")
        reason = f"not enough email credits: {amount:,} required, account {caller.account.name} has {left:,}"
        raise NOT_ENOUGH_CREDITS(status=402).because(reason)


def _draw_id(workspace: Workspace) -> str:
    found = events.draw_message_id(workspace)
    while scheduled.is_taken(workspace, found):
        found = events.draw_message_id(workspace)
    return found


def _act(caller: Caller, request: SendRequest, contents: Sequence[MailContent], batch_id: str) -> None:
    """Do with e-mails what the request asks for; the journal says why, if nothing is sent."""
    workspace, account = caller.workspace, caller.account
    if request.is_dry:
        caller.warn("nothing is sent: X-Sib-Sandbox: drop in headers makes this a dry run")
        return
    if request.rejected is not None:
        _warn_of_sender(caller, request, request.sender.email)
    if request.scheduled_at is not None:
        _schedule(caller, request, request.scheduled_at, contents, batch_id)
    elif request.rejected is not None:
        sending.reject(workspace, account, contents, request.rejected, after=_REJECTED_AFTER)
    elif not sending.send(workspace, account, contents, request=workspace.cause_request):
        caller.warn(
            "the attachments are too large for the mailbox: their contents are not kept (--mailbox-bytes-limit)"
        )


def _warn_of_sender(caller: Caller, request: SendRequest, address: str) -> None:
    when = f" at {request.body['scheduledAt']}" if request.scheduled_at is not None else ""
    domain = f"{domain_of(address)} is not an authenticated domain of the account"
    told = "webhooks get the event error"
    caller.warn(f"nothing is sent{when}: {reasons.shown(address)} is not a verified sender, and {domain}; {told}")


def _schedule(
    caller: Caller, request: SendRequest, moment: datetime, contents: Sequence[MailContent], batch_id: str
) -> None:
    """Let e-mails wait for their moment; one that is over is now."""
    workspace = caller.workspace
    now = workspace.state.clock.now()
    for content in contents:
        row = ScheduledEmail(
            content.message_id, max(moment, now), content.recipients[0].party.email, content.subject,
            batch_id.lower(), mail=content, rejected=request.rejected, request=workspace.cause_request, created_at=now,
        )  # fmt: skip
        scheduled.schedule(workspace, caller.account, row)

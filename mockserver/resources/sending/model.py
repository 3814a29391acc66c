"""Sending e-mails, the status of scheduled e-mails, and blocked contacts (contract/sending)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Any

from mockserver.core.contract import errors
from mockserver.core.state import reasons
from mockserver.core.state.identifiers import Randomness
from mockserver.core.text.addresses import comparable, domain_of
from mockserver.core.traffic.mail import MailContent
from mockserver.core.workspaces.caller import Caller
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.account import spending
from mockserver.resources.account.model import Profile
from mockserver.resources.scheduled_emails import model as scheduled
from mockserver.resources.scheduled_emails.model import ScheduledEmail
from mockserver.resources.sending import checks
from mockserver.resources.sending.checks import KEY_HEADER
from mockserver.resources.sending.request import SendRequest, compose
from mockserver.resources.webhooks import events
from mockserver.resources.webhooks.blocked import BlockedContact

#: How long after a request the event `error` is raised for an invalid sender (contract/sending#senders).
_REJECTED_AFTER = timedelta(seconds=1)


def send(caller: Caller, body: Mapping[str, Any]) -> dict[str, Any]:
    """Send the e-mails of a body, or schedule them, answering with a `batchId`."""
    _check_relay(caller)
    request = checks.read(caller, body)
    # A refusal changes nothing: ids are drawn from a copy.
    random = caller.workspace.state.random.copy()
    contents = compose(caller.account, request, _new_ids(caller.workspace, random))
    key = request.by_header.get(KEY_HEADER.lower())
    if key:
        _check_key(caller, key)
    if not request.is_dry:
        _check_means(caller, request, contents)
        if key:
            keys = caller.account.table(IdempotencyKey)
            keys.pop(key, None)  # so that the keys stay in the order of their use
            keys[key] = IdempotencyKey(key, caller.workspace.state.clock.now(), caller.workspace.cause_request)
    caller.workspace.state.random.follow(random)
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
        raise errors.PERMISSION_DENIED(message).because(reason)


def _check_means(caller: Caller, request: SendRequest, contents: Sequence[MailContent]) -> None:
    """Refuse scheduled e-mails without room, and others without credits."""
    if request.scheduled_at is not None:
        scheduled.check_room(caller.workspace, contents)
        return
    if request.rejected is None:
        spending.check(caller.workspace, caller.account, "email", scheduled.cost(contents))


def _new_ids(workspace: Workspace, random: Randomness) -> Iterator[str]:
    """Yield new message ids, without end."""
    now = workspace.state.clock.now()
    while True:
        found = events.message_id(random, now)
        if not scheduled.is_taken(workspace, found):
            yield found


def _act(caller: Caller, request: SendRequest, contents: Sequence[MailContent], batch_id: str) -> None:
    """Send, schedule or reject e-mails, warning if nothing is sent."""
    workspace, account = caller.workspace, caller.account
    if request.is_dry:
        caller.warn("nothing is sent: X-Sib-Sandbox: drop in headers makes this a dry run")
        return
    if request.rejected is not None:
        address = request.sender.email
        when = f" at {request.body['scheduledAt']} unless the sender is valid by then" if request.scheduled_at else ""
        domain = f"{domain_of(address)} is not an authenticated domain of the account"
        invalid = f"{reasons.shown(address)} is not a verified sender, and {domain}"
        caller.warn(f"nothing is sent{when}: {invalid}; webhooks get the event error")
    if request.scheduled_at is not None:
        _schedule(caller, request, request.scheduled_at, contents, batch_id)
    elif request.rejected is not None:
        scheduled.reject(workspace, account, contents, request.rejected, after=_REJECTED_AFTER)
    elif not scheduled.send(workspace, account, contents, request=workspace.cause_request):
        caller.warn(
            "the attachments are too large for the mailbox: their contents are not kept (--mailbox-bytes-limit)"
        )


def _schedule(
    caller: Caller, request: SendRequest, moment: datetime, contents: Sequence[MailContent], batch_id: str
) -> None:
    workspace = caller.workspace
    now = workspace.state.clock.now()
    for content in contents:
        row = ScheduledEmail(
            content.message_id, max(moment, now), content.recipients[0].party.email, content.subject,
            batch_id.lower(), mail=content, request=workspace.cause_request, created_at=now,
        )  # fmt: skip
        scheduled.schedule(workspace, caller.account, row)


#: How long an idempotency key stays taken (contract/sending#idempotency).
LIFETIME = timedelta(minutes=30)


@dataclass(slots=True, eq=False)
class IdempotencyKey:
    """The idempotency key of an accepted request."""

    key: str
    used_at: datetime
    #: The id of the request; None if it came from a scenario.
    request: str | None = None

    def is_taken(self, now: datetime) -> bool:
        """Return whether repeating this key is refused."""
        return now - self.used_at < LIFETIME


def _check_key(caller: Caller, key: str) -> None:
    """Refuse a repeated key (`duplicate_parameter`) or a full workspace (`out_of_range`)."""
    now, rows = caller.workspace.state.clock.now(), caller.account.rows_of(IdempotencyKey)
    row = rows.get(key)
    if row is not None and row.is_taken(now):
        used = f"request {row.request} has used it" if row.request else "it is used"
        times = f"at {reasons.instant(row.used_at)}; it is free again at {reasons.instant(row.used_at + LIFETIME)}"
        refused = errors.DUPLICATE_PARAMETER(f"{KEY_HEADER} is already used")
        raise refused.because(f"duplicate {KEY_HEADER} {reasons.shown(key)}: {used} {times}; nothing was sent")
    for expired in list(takewhile(lambda row: not row.is_taken(now), rows.values())):  # the oldest come first
        del caller.account.table(IdempotencyKey)[expired.key]
    if full := caller.workspace.state.full(1):
        raise errors.no_room(full)


def scheduled_status(caller: Caller, identifier: str, query: dict[str, Any]) -> dict[str, Any]:
    """Return the status of a message id, or a page of a batch id's batches."""
    is_batch = scheduled.is_batch_id(identifier)
    if is_batch and ("startDate" in query) is not ("endDate" in query):
        period = reasons.period(query.get("startDate"), query.get("endDate"))
        raise errors.MISSING_PARAMETER("startDate and endDate are required together").because(period)
    emails = scheduled.find(caller, identifier, scheduled.SCHEDULED, scheduled.SENT, scheduled.REJECTED)
    rows = [_status(email, caller.workspace.state.clock.start) for email in emails]
    if not is_batch:
        return rows[0]
    # A batch for each request that has scheduled something, the newest first.
    batches = {tuple(row.values()): row for row in rows if _is_included(row, query)}
    found = sorted(batches.values(), key=lambda row: row["createdAt"], reverse=query["sort"] == "desc")
    return {"count": len(found), "batches": found[query["offset"] : query["offset"] + query["limit"]]}


def _is_included(row: dict[str, Any], query: dict[str, Any]) -> bool:
    day = row["createdAt"].date()
    is_within = "startDate" not in query or query["startDate"].date() <= day <= query["endDate"].date()
    return bool(is_within and query.get("status", row["status"]) == row["status"])


def _status(email: ScheduledEmail, start: datetime) -> dict[str, Any]:
    """Return an e-mail's API form; scenario e-mails without creation date use the clock's start."""
    return {
        "scheduledAt": email.scheduled_at,
        "createdAt": email.created_at or start,
        "status": {scheduled.SCHEDULED: "queued", scheduled.REJECTED: "error"}.get(email.state, "processed"),
    }


def blocked_contacts(caller: Caller, query: dict[str, Any]) -> dict[str, Any]:
    """Return a page of blocked contacts and their total number."""
    _check_period(caller, query)
    senders = {comparable(sender.strip()) for sender in query.get("senders", "").split(",") if sender.strip()}
    start, end = query.get("startDate"), query.get("endDate")
    rows = [
        row
        for row in caller.account.rows_of(BlockedContact).values()
        if not (senders and row.sender and comparable(row.sender) not in senders)
        and (start is None or end is None or start <= row.blocked_at < end + timedelta(days=1))
    ]
    rows.sort(key=lambda row: row.blocked_at, reverse=query["sort"] == "desc")
    contacts = [
        {
            "email": row.email,
            "senderEmail": row.sender or None,
            "reason": {"code": row.reason, "message": row.why},
            "blockedAt": row.blocked_at,
        }
        for row in rows[query["offset"] : query["offset"] + query["limit"]]
    ]
    return {"count": len(rows), "contacts": contacts}


def unblock(caller: Caller, email: str) -> None:
    wanted = comparable(email)
    blocked = caller.account.rows_of(BlockedContact)
    keys = [key for key, row in blocked.items() if comparable(row.email) == wanted]
    if not keys:
        known = reasons.listed(row.email for row in blocked.values())
        reason = f"account {caller.account.name} has no blocked contact {reasons.shown(email)} (it has {known})"
        raise errors.DOCUMENT_NOT_FOUND(sentence=errors.CONTACT_EMAIL_NOT_FOUND).because(reason)
    for key in keys:
        del caller.account.table(BlockedContact)[key]


def _check_period(caller: Caller, query: dict[str, Any]) -> None:
    start, end, clock = query.get("startDate"), query.get("endDate"), caller.workspace.state.clock
    reasons.check_period(start, end)
    if end is not None and end > clock.now():
        reason = f"the period ends in the future: {reasons.period(start, end)}; {reasons.clock(clock)}"
        raise errors.OUT_OF_RANGE("startDate and endDate must not be in the future").because(reason)

"""Sent e-mails and their events, as reports list them (contract/sending#getEmailEventReport)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from mockserver.core.contract import errors
from mockserver.core.state import reasons
from mockserver.core.text.addresses import equals_address
from mockserver.core.traffic.mail import EmailEvent, Mail
from mockserver.core.workspaces.caller import Caller
from mockserver.resources.webhooks.catalogue import BOUNCED, BOUNCES
from mockserver.resources.webhooks.history import bare_id, bounds, check_period

#: The event that a sent e-mail begins with.
_SENT = "requests"
#: The default period. The longest ones: of events, and of e-mails one month, in its longest reading.
_DAYS, _OF_EVENTS, _OF_EMAILS = 30, timedelta(days=90), timedelta(days=31)
#: The filters of which a list of e-mails needs one.
_NEEDED = ("email", "templateId", "messageId")


def events(caller: Caller, query: dict[str, Any]) -> dict[str, Any]:
    """Return a page of the events of a period, by default of the last 30 days."""
    name = query.get("event")
    names = BOUNCED if name == BOUNCES else (name,)
    tags = set(query["tags"]) if "tags" in query else None
    found = [
        row
        for row in _in_period(caller, query, _OF_EVENTS)
        if (name is None or row.event in names) and (tags is None or not tags.isdisjoint(row.tags))
    ]
    return {"events": [_event(row) for row in _page(found, query)]}


def emails(caller: Caller, query: dict[str, Any]) -> dict[str, Any]:
    """Return a page of the sent e-mails of a period, one row for each recipient, and their total number."""
    if query.keys().isdisjoint(_NEEDED):
        message = "At least one of email, templateId and messageId is required"
        raise errors.MISSING_PARAMETER(message).because(f"{message}: the request has none of these parameters")
    found = [row for row in _in_period(caller, query, _OF_EMAILS) if row.event == _SENT]
    return {"count": len(found), "transactionalEmails": [_email(row) for row in _page(found, query)]}


def content(caller: Caller, uuid: str) -> dict[str, Any]:
    """Return a sent e-mail with its events, oldest first, and its content while the mailbox has it."""
    rows = _happened(caller)
    sent = next((row for row in rows if row.event == _SENT and row.uuid == uuid.lower()), None)
    if sent is None:
        known = reasons.listed(row.uuid for row in rows if row.event == _SENT)
        reason = f"account {caller.account.name} has sent no e-mail {reasons.shown(uuid)} (it has {known})"
        raise errors.DOCUMENT_NOT_FOUND().because(reason)
    mail = _mail(caller, sent.message_id)
    kept = None if mail is None else mail.details
    return {
        **_email(sent),
        "events": [
            {"name": row.event, "time": row.date}
            for row in rows
            if (row.message_id, row.email) == (sent.message_id, sent.email)
        ],
        "body": None if kept is None else kept.html or kept.text or "",
        "attachmentCount": None if kept is None else len(kept.attachments),
    }


def _happened(caller: Caller) -> list[EmailEvent]:
    """Return the account's events up to now, oldest first."""
    state = caller.workspace.state
    return state.email_events.until(caller.account.id, state.clock.now())


def _mail(caller: Caller, message_id: str) -> Mail | None:
    own = (mail for mail in caller.workspace.state.mailbox if mail.account == caller.account.name)
    return next((mail for mail in own if mail.details.message_id == message_id), None)


def _in_period(caller: Caller, query: dict[str, Any], longest: timedelta) -> list[EmailEvent]:
    """Return the events of a query's period, recipient, template and message, oldest first."""
    start, end = _period(caller, query, longest)
    is_wanted = _filter(query)
    return [row for row in _happened(caller) if start <= row.date < end and is_wanted(row)]


def _filter(query: dict[str, Any]) -> Callable[[EmailEvent], bool]:
    is_recipient = equals_address(query["email"]) if "email" in query else None
    message_id = bare_id(query["messageId"]) if "messageId" in query else None
    return lambda row: (
        (is_recipient is None or is_recipient(row.email))
        and (message_id is None or bare_id(row.message_id) == message_id)
        and query.get("templateId", row.template_id) == row.template_id
    )


def _period(caller: Caller, query: dict[str, Any], longest: timedelta) -> tuple[datetime, datetime]:
    """Return the start and the exclusive end of a query's period, or refuse it."""
    check_period(query)
    if "startDate" not in query:
        return bounds({"days": _DAYS, **query}, caller.workspace.state.clock.now())
    start, end = query["startDate"], query["endDate"]
    if end - start > longest:
        reason = f"{reasons.period(start, end)}; endDate must be {reasons.instant(start + longest)} or earlier"
        message = f"The period from startDate to endDate must not be longer than {longest.days} days"
        raise errors.OUT_OF_RANGE(message).because(reason)
    return bounds(query, start)


def _page(rows: Sequence[EmailEvent], query: dict[str, Any]) -> Sequence[EmailEvent]:
    ordered = rows if query["sort"] == "asc" else rows[::-1]
    return ordered[query["offset"] : query["offset"] + query["limit"]]


def _event(row: EmailEvent) -> dict[str, Any]:
    return {
        "email": row.email, "date": row.date, "subject": row.subject, "messageId": row.message_id, "event": row.event,
        "reason": row.reason or None, "tag": ",".join(row.tags), "ip": row.ip or None, "link": row.link or None,
        "sender": row.sender, "templateId": row.template_id,
    }  # fmt: skip


def _email(row: EmailEvent) -> dict[str, Any]:
    return {
        "email": row.email, "subject": row.subject, "templateId": row.template_id, "messageId": row.message_id,
        "uuid": row.uuid, "date": row.date, "sender": row.sender, "tags": list(row.tags) or None,
    }  # fmt: skip

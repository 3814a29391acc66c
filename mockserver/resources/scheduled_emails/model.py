"""Sending e-mails with credits and events, and scheduled e-mails (contract/scheduled_emails)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from mockserver.core.contract import errors
from mockserver.core.state import reasons
from mockserver.core.state.state import Account
from mockserver.core.time.state_machine import ABSENT, StateMachine
from mockserver.core.traffic.mail import TO, Mail, MailContent, Party, Recipient
from mockserver.core.workspaces.caller import Caller
from mockserver.core.workspaces.lifecycle import Lifecycle, send_mail
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.account import spending
from mockserver.resources.senders.model import why_not_valid
from mockserver.resources.webhooks import events
from mockserver.resources.webhooks.catalogue import STORIES


def cost(contents: Sequence[MailContent]) -> int:
    """Return the credits for e-mails: one for each recipient (contract/sending#sendTransacEmail)."""
    return sum(len(content.recipients) for content in contents)


def send(workspace: Workspace, account: Account, contents: Sequence[MailContent], *, request: str | None) -> bool:
    """Send e-mails for which credits are left, and raise their events; return whether all attachments were kept."""
    spending.use(workspace, account, "email", cost(contents))
    are_kept = [deliver(workspace, account, content, request=request) for content in contents]
    for scene in STORIES["delivered"]:
        for content in contents:
            events.raise_for_recipients(workspace, account, content, scene.event, after=scene.after)
    return all(are_kept)


def reject(
    workspace: Workspace, account: Account, contents: Sequence[MailContent], reason: str,
    *, after: timedelta = timedelta(),
) -> None:  # fmt: skip
    """Raise `error` events for unsent e-mails, `after` from now."""
    for content in contents:
        events.raise_for_recipients(workspace, account, content, "error", after=after, overrides={"reason": reason})


def deliver(workspace: Workspace, account: Account, content: MailContent, *, request: str | None) -> bool:
    """Store an e-mail in the mailbox, and send it by SMTP if configured; `request` is its cause.

    Return whether its attachments were kept: if they are too large for the mailbox, they are only listed.
    """
    recipients = [row.party.email for row in content.recipients if row.kind == TO]
    mail = Mail(
        id=workspace.ids.mail(),
        at=workspace.state.clock.now(),
        to=", ".join(recipients),
        sender=str(content.sender),
        subject=content.subject,
        text=content.text or "",
        account=account.name,
        request=request,
        content=content,
    )
    fits = mail.size <= workspace.state.mailbox.largest
    send_mail(workspace, mail if fits else mail._replace(content=content.without_files()))
    return fits


def completed(workspace: Workspace, account: Account, content: MailContent) -> MailContent:
    sender = content.sender if content.sender.email else Party(events.default_sender(account))
    return content._replace(sender=sender, message_id=content.message_id or events.draw_message_id(workspace))


SCHEDULED, SENT, REJECTED, CANCELLED = "scheduled", "sent", "rejected", "cancelled"
MACHINE = StateMachine(
    "scheduled_email",
    ("schedule", ABSENT, SCHEDULED),
    ("fall_due", SCHEDULED, SENT),
    ("reject", SCHEDULED, REJECTED),
    ("cancel", SCHEDULED, CANCELLED),
    timed=frozenset({"fall_due", "reject"}),
)
#: Why a scheduled e-mail is rejected without credits, and by a control call; the words are proposed.
_NO_CREDITS = "Sending has been rejected because the account has not enough credits"
_BY_HAND = "Sending has been rejected"
#: Printable ASCII but `<`, `>` and `@`, which separate the parts of a message id.
_PART = "[!-;=?A-~]+"
_MESSAGE_ID = re.compile(f"<{_PART}@{_PART}>")
_HEX = "[0-9a-fA-F]"
_UUID4 = re.compile(f"{_HEX}{{8}}-{_HEX}{{4}}-4{_HEX}{{3}}-[89abAB]{_HEX}{{3}}-{_HEX}{{12}}")
#: The pattern of an identifier, for the OpenAPI document.
IDENTIFIER = f"^(?:{_MESSAGE_ID.pattern}|{_UUID4.pattern})$"


@dataclass(slots=True, eq=False)
class ScheduledEmail:
    """An e-mail with a moment for sending; the e-mails of one batch share `batch_id`."""

    message_id: str
    scheduled_at: datetime
    to: str
    subject: str = ""
    batch_id: str | None = None
    state: str = SCHEDULED
    #: The content; None if only the recipient is known, and after sending, rejecting or cancelling.
    mail: MailContent | None = None
    #: Why the service has rejected it, or will do so because a scenario says it; else None.
    rejected: str | None = None
    #: The id of the request that has scheduled it, if any.
    request: str | None = None
    #: When it was scheduled, if known.
    created_at: datetime | None = None


@dataclass(slots=True, eq=False)
class Waiting:
    """The bytes of an account's scheduled e-mails; one record per account."""

    bytes: int = 0


SCHEDULED_EMAIL = Lifecycle(MACHINE, ScheduledEmail, key="message_id", parse=str)


def is_message_id(text: str) -> bool:
    return _MESSAGE_ID.fullmatch(text) is not None


def is_batch_id(text: str) -> bool:
    return _UUID4.fullmatch(text) is not None


def await_moment(workspace: Workspace, account: Account, email: ScheduledEmail) -> None:
    workspace.set_timer(email.scheduled_at, account, MACHINE.name, email.message_id, "fall_due")


def schedule(workspace: Workspace, account: Account, email: ScheduledEmail) -> None:
    """Schedule an e-mail, for which `check_room` has found room."""
    SCHEDULED_EMAIL.begin(workspace, account, email)
    await_moment(workspace, account, email)
    count(account, email)


def count(account: Account, email: ScheduledEmail, sign: int = 1) -> None:
    """Add an e-mail's bytes to the account's record; -1 subtracts."""
    if email.mail is not None:
        account.record(Waiting).bytes += sign * email.mail.size


def check_room(workspace: Workspace, contents: Sequence[MailContent]) -> None:
    """Refuse more scheduled e-mails with 400 `out_of_range` if these contents exceed the limits."""
    if reason := workspace.state.full(len(contents)):
        raise errors.no_room(reason)
    accounts = (workspace.state.accounts[number] for number, _ in workspace.state.tables(ScheduledEmail))
    waiting = sum(account.record(Waiting).bytes for account in accounts)
    needed, most = waiting + sum(content.size for content in contents), workspace.limits.mailbox_bytes
    if needed > most:
        raise errors.no_room(f"scheduled e-mails take {needed:,} bytes, the limit is {most:,} (--mailbox-bytes-limit)")


def is_taken(workspace: Workspace, message_id: str) -> bool:
    return any(message_id in rows for _, rows in workspace.state.tables(ScheduledEmail))


def delete(caller: Caller, identifier: str) -> None:
    """Cancel all scheduled e-mails with a batch id or a message id, or refuse as `find`."""
    for row in find(caller, identifier, SCHEDULED):
        SCHEDULED_EMAIL.fire(caller.workspace, caller.account, row, "cancel")


def find(caller: Caller, identifier: str, *states: str) -> list[ScheduledEmail]:
    """Return e-mails in given states, by batch or message id."""
    if not is_message_id(identifier) and not is_batch_id(identifier):
        expected = "expected a UUID of version 4 or a message id <id@host>"
        message = "identifier must be a UUIDv4 batch id or a message id in angle brackets"
        raise errors.INVALID_PARAMETER(message, sentence=errors.INVALID_PARAMETERS_PASSED).because(
            f"invalid identifier {reasons.shown(identifier)}: {expected}"
        )
    named = _named(caller.account, identifier)
    found = [row for row in named if row.state in states]
    if not found:
        raise errors.DOCUMENT_NOT_FOUND(sentence=errors.RECORDS_NOT_FOUND).because(_why_none(caller, identifier, named))
    return found


def _named(account: Account, identifier: str) -> list[ScheduledEmail]:
    rows = account.table(ScheduledEmail).values()
    return [row for row in rows if identifier == row.message_id or identifier.lower() == row.batch_id]


def _why_none(caller: Caller, identifier: str, found: list[ScheduledEmail]) -> str:
    """Return an identifier's e-mail states, else its owner, else known identifiers."""
    if found:
        row = found[0]
        states = " and ".join(dict.fromkeys(row.state for row in found))
        due = f"it was due at {reasons.instant(row.scheduled_at)}; {reasons.clock(caller.workspace.state.clock)}"
        return f"e-mail {reasons.shown(identifier)} is already {states}; {due}"
    owner = next((other.name for other in caller.workspace.state.accounts.values() if _named(other, identifier)), None)
    known = [row.message_id for row in caller.account.rows_of(ScheduledEmail).values() if row.state == SCHEDULED]
    instead = f"account {owner} has it" if owner else f"it has {reasons.listed(known)}"
    return f"account {caller.account.name} has no scheduled e-mail {reasons.shown(identifier)} ({instead})"


@SCHEDULED_EMAIL.on("cancel")
def _forget(workspace: Workspace, account: Account, email: ScheduledEmail) -> None:
    workspace.state.timers.cancel(MACHINE.name, email.message_id)
    count(account, email, -1)
    email.mail = None


@SCHEDULED_EMAIL.guard("fall_due")
def _send_or_reject(workspace: Workspace, account: Account, email: ScheduledEmail) -> str:
    return "fall_due" if _why_rejected(workspace, account, email) is None else "reject"


def _why_rejected(workspace: Workspace, account: Account, email: ScheduledEmail) -> str | None:
    """Return why an e-mail cannot be sent at this moment, or None (contract/sending#scheduled)."""
    sender = email.mail.sender.email if email.mail is not None else ""
    # An e-mail of a scenario may name no sender: the account's default sender is used, and is not checked.
    reason = email.rejected or (why_not_valid(account, sender) if sender else None)
    if reason is None and not spending.are_left(workspace, account, "email", cost([_content(email)])):
        return _NO_CREDITS
    return reason


def _content(email: ScheduledEmail) -> MailContent:
    recipients = (Recipient(TO, Party(email.to)),)
    return email.mail or MailContent(Party(""), recipients, email.subject, message_id=email.message_id)


@SCHEDULED_EMAIL.on("fall_due")
def _fall_due(workspace: Workspace, account: Account, email: ScheduledEmail) -> None:
    content = email.mail
    _forget(workspace, account, email)
    if content is None:
        spending.use(workspace, account, "email")
        events.raise_story(workspace, account, "delivered", email.to, email.message_id, email.subject)
    else:
        send(workspace, account, [completed(workspace, account, content)], request=email.request)


@SCHEDULED_EMAIL.on("reject")
def _reject(workspace: Workspace, account: Account, email: ScheduledEmail) -> None:
    email.rejected, content = _why_rejected(workspace, account, email) or _BY_HAND, _content(email)
    _forget(workspace, account, email)
    reject(workspace, account, [completed(workspace, account, content)], email.rejected)

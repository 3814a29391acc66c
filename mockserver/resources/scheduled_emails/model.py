"""Scheduled transactional e-mails: they are sent at their moment, unless they are deleted before
(contract/scheduled_emails).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from mockserver.core.contract.errors import (
    DOCUMENT_NOT_FOUND,
    INVALID_PARAMETER,
    INVALID_PARAMETERS_PASSED,
    RECORDS_NOT_FOUND,
    no_room,
)
from mockserver.core.state import reasons
from mockserver.core.state.state import Account
from mockserver.core.time.state_machine import ABSENT, StateMachine
from mockserver.core.traffic.mail import MailContent
from mockserver.core.workspaces.caller import Caller
from mockserver.core.workspaces.lifecycle import Lifecycle
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.account import spending
from mockserver.resources.scheduled_emails import sending
from mockserver.resources.webhooks import events

SCHEDULED, SENT, CANCELLED = "scheduled", "sent", "cancelled"

MACHINE = StateMachine(
    "scheduled_email",
    ("schedule", ABSENT, SCHEDULED),
    ("fall_due", SCHEDULED, SENT),
    ("cancel", SCHEDULED, CANCELLED),
    timed=frozenset({"fall_due"}),
)

#: Why an e-mail is not sent for which credits are missing when it falls due; the words are proposed.
_NO_CREDITS = "Sending has been rejected because the account has not enough credits"
#: Printable ASCII but `<`, `>` and `@`, which separate the parts of a message id.
_PART = "[!-;=?A-~]+"
_MESSAGE_ID = re.compile(f"<{_PART}@{_PART}>")
_HEX = "[0-9a-fA-F]"
_UUID4 = re.compile(f"{_HEX}{{8}}-{_HEX}{{4}}-4{_HEX}{{3}}-[89abAB]{_HEX}{{3}}-{_HEX}{{12}}")
#: The pattern of an identifier, for the OpenAPI document.
IDENTIFIER = f"^(?:{_MESSAGE_ID.pattern}|{_UUID4.pattern})$"


@dataclass(slots=True, eq=False)
class ScheduledEmail:
    """An e-mail that is to be sent at a moment; those of one batch share `batch_id`."""

    message_id: str
    scheduled_at: datetime
    to: str
    subject: str = ""
    batch_id: str | None = None
    state: str = SCHEDULED
    #: What is sent; None: only to whom it goes is known, or it was sent or cancelled.
    mail: MailContent | None = None
    #: Why the service will not send it after all; None: it will.
    rejected: str | None = None
    #: The id of the request that has scheduled it; None: none has.
    request: str | None = None
    #: When it was scheduled; None: nobody knows.
    created_at: datetime | None = None


@dataclass(slots=True, eq=False)
class Waiting:
    """How many bytes the e-mails of an account take that wait to be sent; one record of each account."""

    bytes: int = 0


SCHEDULED_EMAIL = Lifecycle(MACHINE, ScheduledEmail, key="message_id", parse=str)


def is_message_id(text: str) -> bool:
    """Whether a text is a message id, `<id@host>`."""
    return _MESSAGE_ID.fullmatch(text) is not None


def is_batch_id(text: str) -> bool:
    """Whether a text is a batch id, a UUID of version 4."""
    return _UUID4.fullmatch(text) is not None


def await_moment(workspace: Workspace, account: Account, email: ScheduledEmail) -> None:
    """Set the timer that sends an e-mail when it is due."""
    workspace.set_timer(email.scheduled_at, account, MACHINE.name, email.message_id, "fall_due")


def schedule(workspace: Workspace, account: Account, email: ScheduledEmail) -> None:
    """Begin the life of an e-mail, which is sent at its moment; there has to be room for it (`check_room`)."""
    SCHEDULED_EMAIL.begin(workspace, account, email)
    await_moment(workspace, account, email)
    count(account, email)


def count(account: Account, email: ScheduledEmail, sign: int = 1) -> None:
    """Count the bytes of an e-mail among those that wait, or with -1 no longer."""
    if email.mail is not None:
        account.record(Waiting).bytes += sign * email.mail.size


def check_room(workspace: Workspace, contents: Sequence[MailContent]) -> None:
    """Check that so many e-mails with these contents can wait besides those that do.

    Raises:
        ServiceError: 400 `out_of_range`; the workspace has no room for them.
    """
    if reason := workspace.state.full(len(contents)):
        raise no_room(reason)
    accounts = (workspace.state.accounts[number] for number, _ in workspace.state.tables(ScheduledEmail))
    waiting = sum(account.record(Waiting).bytes for account in accounts)
    needed, most = waiting + sum(content.size for content in contents), workspace.limits.mailbox_bytes
    if needed > most:
        raise no_room(f"scheduled e-mails would take {needed:,} bytes, the limit is {most:,} (--mailbox-bytes-limit)")


def is_taken(workspace: Workspace, message_id: str) -> bool:
    """Whether an e-mail of this message id was scheduled by any account."""
    return any(message_id in rows for _, rows in workspace.state.tables(ScheduledEmail))


def delete(caller: Caller, identifier: str) -> None:
    """Cancel all e-mails that are scheduled under a batch id or a message id.

    Raises:
        ServiceError: 400 if the identifier is neither; 404 if nothing is scheduled under it.
    """
    for row in find(caller, identifier, SCHEDULED):
        SCHEDULED_EMAIL.fire(caller.workspace, caller.account, row, "cancel")


def find(caller: Caller, identifier: str, *states: str) -> list[ScheduledEmail]:
    """Return the e-mails in some states with a batch id or a message id.

    Raises:
        ServiceError: 400 if the identifier is neither; 404 if there are none.
    """
    if not is_message_id(identifier) and not is_batch_id(identifier):
        reason = (
            f"invalid identifier {reasons.shown(identifier)}: expected a UUID of version 4 or a message id <id@host>"
        )
        message = "identifier must be a UUIDv4 batch id or a message id in angle brackets"
        raise INVALID_PARAMETER(message, sentence=INVALID_PARAMETERS_PASSED).because(reason)
    named = _named(caller.account, identifier)
    found = [row for row in named if row.state in states]
    if not found:
        raise DOCUMENT_NOT_FOUND(sentence=RECORDS_NOT_FOUND).because(_why_none(caller, identifier, named))
    return found


def _named(account: Account, identifier: str) -> list[ScheduledEmail]:
    """The e-mails with a batch id or a message id, in whatever state."""
    rows = account.table(ScheduledEmail).values()
    return [row for row in rows if identifier == row.message_id or identifier.lower() == row.batch_id]


def _why_none(caller: Caller, identifier: str, found: list[ScheduledEmail]) -> str:
    """What became of the e-mails with an identifier, of which none is scheduled any more, or which account has some."""
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
def _let_go(workspace: Workspace, account: Account, email: ScheduledEmail) -> None:
    """End the waiting of an e-mail, of which only the content is forgotten."""
    workspace.state.timers.cancel(MACHINE.name, email.message_id)
    count(account, email, -1)
    email.mail = None


@SCHEDULED_EMAIL.on("fall_due")
def _send(workspace: Workspace, account: Account, email: ScheduledEmail) -> None:
    """Send an e-mail: it costs credits, and webhooks are told of the request and, soon after, of the delivery."""
    content = email.mail
    _let_go(workspace, account, email)
    if content is None:
        spending.use(workspace, account, "email")
        events.tell_story(workspace, account, "delivered", email.to, email.message_id, email.subject)
        return
    if email.rejected is None and not spending.are_left(workspace, account, "email", sending.cost([content])):
        email.rejected = _NO_CREDITS
    if email.rejected is None:
        sending.send(workspace, account, [content], request=email.request)
    else:
        sending.reject(workspace, account, [content], email.rejected)

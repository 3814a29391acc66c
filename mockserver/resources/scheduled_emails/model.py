"""Scheduled transactional e-mails: they are sent at their moment, unless they are deleted before
(contract/scheduled_emails).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from mockserver.core.contract.errors import DOCUMENT_NOT_FOUND, INVALID_PARAMETER
from mockserver.core.state import reasons
from mockserver.core.state.account import Account
from mockserver.core.time.state_machine import ABSENT, StateMachine
from mockserver.core.workspaces.caller import Caller
from mockserver.core.workspaces.lifecycle import Lifecycle
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.corporate import pool
from mockserver.resources.webhooks import events

SCHEDULED, SENT, CANCELLED = "scheduled", "sent", "cancelled"

MACHINE = StateMachine(
    "scheduled_email",
    ("schedule", ABSENT, SCHEDULED),
    ("fall_due", SCHEDULED, SENT),
    ("cancel", SCHEDULED, CANCELLED),
    timed=frozenset({"fall_due"}),
)

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


SCHEDULED_EMAIL = Lifecycle(MACHINE, ScheduledEmail, key="message_id", parse=str)


def is_message_id(text: str) -> bool:
    """Whether a text is a message id, `<id@host>`."""
    return _MESSAGE_ID.fullmatch(text) is not None


def is_batch_id(text: str) -> bool:
    """Whether a text is a batch id, a UUID of version 4."""
    return _UUID4.fullmatch(text) is not None


def await_moment(workspace: Workspace, account: Account, email: ScheduledEmail) -> None:
    """Set the timer that sends an e-mail when it is due."""
    workspace.state.timers.set(email.scheduled_at, account.id, MACHINE.name, email.message_id, "fall_due")


def delete(caller: Caller, identifier: str) -> None:
    """Cancel all e-mails that are scheduled under a batch id or a message id.

    Raises:
        ServiceError: 400 if the identifier is neither; 404 if nothing is scheduled under it.
    """
    if not is_message_id(identifier) and not is_batch_id(identifier):
        reason = f"{reasons.shown(identifier)} is neither a UUID of version 4 nor of the form <id@host>"
        refused = INVALID_PARAMETER("identifier must be a UUIDv4 batch id or a message id in angle brackets")
        raise refused.because(reason)
    found = _named(caller.account, identifier)
    scheduled = [row for row in found if row.state == SCHEDULED]
    if not scheduled:
        raise DOCUMENT_NOT_FOUND("Record(s) for identifier not found").because(_why_none(caller, identifier, found))
    for row in scheduled:
        SCHEDULED_EMAIL.fire(caller.workspace, caller.account, row, "cancel")


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
        return f"what was scheduled under {reasons.shown(identifier)} is {states} already; {due}"
    owner = next((other.name for other in caller.workspace.state.accounts.values() if _named(other, identifier)), None)
    known = [row.message_id for row in caller.account.table(ScheduledEmail).values() if row.state == SCHEDULED]
    instead = f"account {owner} has it" if owner else f"of those scheduled, {reasons.there(known)}"
    return f"account {caller.account.name} has no e-mail under {reasons.shown(identifier)}; {instead}"


@SCHEDULED_EMAIL.on("cancel")
def _cancel_timer(workspace: Workspace, account: Account, email: ScheduledEmail) -> None:
    workspace.state.timers.cancel(MACHINE.name, email.message_id)


@SCHEDULED_EMAIL.on("fall_due")
def _send(workspace: Workspace, account: Account, email: ScheduledEmail) -> None:
    """Send an e-mail: it costs a credit, and webhooks are told of the request and, soon after, of the delivery."""
    _cancel_timer(workspace, account, email)
    pool.use(workspace, account, "email")
    events.tell_story(workspace, account, "delivered", email.to, email.message_id, email.subject)

"""Scheduled transactional e-mails: they are sent at their moment, unless they are deleted before (SPEC 4.8)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from mockserver.core.account import Account
from mockserver.core.caller import Caller
from mockserver.core.errors import DOCUMENT_NOT_FOUND, INVALID_PARAMETER
from mockserver.core.lifecycle import Lifecycle
from mockserver.core.state_machine import OUTSIDE, StateMachine
from mockserver.core.workspace import Workspace

SCHEDULED, SENT, CANCELLED = "scheduled", "sent", "cancelled"

MACHINE = StateMachine(
    "scheduled_email",
    ("schedule", OUTSIDE, SCHEDULED),
    ("fall_due", SCHEDULED, SENT),
    ("cancel", SCHEDULED, CANCELLED),
    timed=frozenset({"fall_due"}),
)

#: Printable ASCII but the three signs that give a message id its form.
_PART = "[!-;=?A-~]+"
_MESSAGE_ID = re.compile(f"<{_PART}@{_PART}>")
_HEX = "[0-9a-fA-F]"
_UUID4 = re.compile(f"{_HEX}{{8}}-{_HEX}{{4}}-4{_HEX}{{3}}-[89abAB]{_HEX}{{3}}-{_HEX}{{12}}")
#: What an identifier looks like, for whoever reads the contract.
IDENTIFIER = f"^(?:{_MESSAGE_ID.pattern}|{_UUID4.pattern})$"


@dataclass(slots=True, eq=False)
class ScheduledEmail:
    """An e-mail that waits for its moment, alone or in a batch."""

    message_id: str
    scheduled_at: datetime
    to: str
    subject: str = ""
    batch_id: str | None = None
    state: str = SCHEDULED


SCHEDULED_EMAIL = Lifecycle(MACHINE, ScheduledEmail, key="message_id", parse=str)


def is_message_id(text: str) -> bool:
    return _MESSAGE_ID.fullmatch(text) is not None


def is_batch_id(text: str) -> bool:
    return _UUID4.fullmatch(text) is not None


def await_moment(workspace: Workspace, account: Account, email: ScheduledEmail) -> None:
    """Let the e-mail be sent when its time has come."""
    workspace.timers.set(email.scheduled_at, account.id, MACHINE.name, email.message_id, "fall_due")


def delete(caller: Caller, identifier: str) -> None:
    """Delete all that is scheduled under a batch id or a message id.

    Raises:
        ServiceError: 400 for what is neither; 404, nothing is scheduled under it.
    """
    if not is_message_id(identifier) and not is_batch_id(identifier):
        raise INVALID_PARAMETER("identifier must be a UUIDv4 batch id or a message id in angle brackets")
    rows = [row for row in caller.account.table(ScheduledEmail).values() if row.state == SCHEDULED]
    meant = [row for row in rows if identifier == row.message_id or identifier.lower() == row.batch_id]
    if not meant:
        raise DOCUMENT_NOT_FOUND("Record(s) for identifier not found")
    for row in meant:
        SCHEDULED_EMAIL.fire(caller.workspace, caller.account, row, "cancel")


@SCHEDULED_EMAIL.on("cancel", "fall_due")
def _settle(workspace: Workspace, account: Account, email: ScheduledEmail) -> None:
    workspace.timers.cancel(MACHINE.name, email.message_id)

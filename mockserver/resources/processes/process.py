"""Processes that import contacts, their content and state machine (contract/processes#machine)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime

from mockserver.core.state.state import Account
from mockserver.core.time.state_machine import ABSENT, StateMachine
from mockserver.core.traffic.ring import weight
from mockserver.core.workspaces.lifecycle import Lifecycle
from mockserver.core.workspaces.workspace import Workspace

QUEUED, PROCESSING, COMPLETED, FAILED, CANCELLED = "queued", "processing", "completed", "failed", "cancelled"
MACHINE = StateMachine(
    "process",
    ("request", ABSENT, QUEUED),
    ("start", QUEUED, PROCESSING),
    ("complete", PROCESSING, COMPLETED),
    *(
        (event, source, end)
        for event, end in (("fail", FAILED), ("cancel", CANCELLED))
        for source in (QUEUED, PROCESSING)
    ),
    timed=frozenset({"start", "complete", "fail"}),
)
#: The event of the timer that imports the next rows. The state machine does not have it, as the state stays.
CONTINUE = "continue"
#: The documented counts of an import.
COUNTS = (
    "invalid_emails", "duplicate_contact_id", "duplicate_ext_id", "duplicate_email_id", "duplicate_phone_id",
    "duplicate_whatsapp_id", "duplicate_landline_number_id",
)  # fmt: skip


@dataclass(slots=True, eq=False)
class Process:
    """An import of contacts, running or finished."""

    id: int
    requested_at: datetime
    list_ids: list[int] = field(default_factory=list)
    #: Whether existing contacts are updated, and whether empty cells remove their attributes.
    updates: bool = True
    erases: bool = False
    email_blacklisted: bool = False
    sms_blacklisted: bool = False
    #: Whether the account gets an e-mail at the end.
    sends_mail: bool = True
    notify_url: str = ""
    #: The address of a file that is still to be fetched.
    file_url: str = ""
    #: Whether the source has a JSON object in each line, and is no CSV.
    is_json: bool = False
    state: str = QUEUED
    #: The earliest moment of completion, and the moment of the next step; None during a fetch and at the end.
    due_at: datetime | None = None
    next_at: datetime | None = None
    completed_at: datetime | None = None
    #: How many characters of the source were read.
    position: int = 0
    #: The number of rows that created or changed a contact.
    imported: int = 0
    #: The ids of the contacts of an unfinished import as keys.
    contact_ids: dict[int, None] = field(default_factory=dict)
    #: Refused and duplicate rows, by the names of `COUNTS`.
    counts: dict[str, int] = field(default_factory=dict)
    error: str | None = None

    def __copy__(self) -> Process:
        return replace(self, contact_ids=self.contact_ids.copy(), counts=self.counts.copy())

    def count(self, *names: str) -> None:
        for name in names:
            self.counts[name] = self.counts.get(name, 0) + 1


@dataclass(slots=True, eq=False)
class Source:
    """The content of an unfinished import, in a table without steps: each step saves the process again."""

    id: int
    text: str


PROCESS = Lifecycle(
    MACHINE,
    Process,
    key="id",
    parse=int,
    reveal=lambda row: {"imported": row.imported, "counts": row.counts, "error": row.error},
    registered_in=("mockserver.resources.contacts.imports",),
)


def await_next(workspace: Workspace, account: Account, row: Process) -> None:
    """Set the timer of a process's next step, if a step follows."""
    if row.next_at is not None:
        has_rest = row.file_url or row.id in account.rows_of(Source)
        event = "start" if row.state == QUEUED else CONTINUE if has_rest else "complete"
        workspace.set_timer(row.next_at, account, MACHINE.name, row.id, event)


def keep_source(account: Account, row: Process, text: str) -> None:
    """Keep the content of an import until its end, as stored bytes."""
    account.table(Source)[row.id] = Source(row.id, text)
    account.weigh_stored(weight(text))


def drop_source(account: Account, row: Process) -> None:
    if row.id in account.rows_of(Source):
        account.weigh_stored(-weight(account.table(Source).pop(row.id).text))

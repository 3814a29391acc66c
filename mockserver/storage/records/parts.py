"""The parts of a workspace: what is written as a whole whenever something in it has changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any, NamedTuple

from mockserver.core.state.keys import KeyringForm
from mockserver.core.traffic.coverage import Coverage
from mockserver.core.traffic.mail import Mail
from mockserver.core.traffic.mailbox import Mailbox, Sending
from mockserver.core.traffic.receivers import Receiver
from mockserver.core.traffic.ring import RingCounts
from mockserver.core.workspaces.origin import Origin, Snapshot
from mockserver.core.workspaces.workspace import Workspace
from mockserver.storage.records.logs import LOGS
from mockserver.storage.records.packing import pack_exactly, unpack

#: The names of the parts; those of accounts and snapshots go on with an id, or a name.
WORKSPACE, STATE, TIMERS, COVERAGE, ORIGIN, ACCOUNT, SNAPSHOT = (
    "workspace", "state", "timers", "coverage", "origin", "account/", "snapshot/",
)  # fmt: skip


def table_part(part: str, kind: str) -> str:
    """The name of the part that holds large rows of the state, or of an account, by the name of their type."""
    return f"{part}/{kind}"


class WorkspaceForm(NamedTuple):
    """What a workspace is beside its state, its snapshots and what has happened in it."""

    made_at: datetime
    counted: bool
    #: How many ids of requests, e-mails and control calls were drawn.
    ids: Mapping[str, int]
    keyring: KeyringForm | None
    #: The number of the last item of the feed.
    feed: int
    #: How many exchanges have got their answer after they were noted.
    completed: int
    receivers: Sequence[Receiver]
    #: How far each log has come.
    logs: Mapping[str, RingCounts]
    #: The names of the snapshots, in their order.
    snapshots: Sequence[str]


class CoverageForm(NamedTuple):
    """A coverage, whose members are those of `Coverage`."""

    answers: dict[tuple[str, int | None], int]
    codes: dict[tuple[str, str, bool], int]
    fields: dict[tuple[str, str], int]
    transitions: dict[tuple[str, str], int]
    beyond: dict[tuple[str, str], int]

    @classmethod
    def of(cls, coverage: Coverage) -> CoverageForm:
        return cls(**{row.name: getattr(coverage, row.name) for row in fields(Coverage)})

    def coverage(self) -> Coverage:
        counts: Any = (defaultdict(int, counts) for counts in self)
        return Coverage(*counts)


class OriginForm(NamedTuple):
    """An origin, without its keyring."""

    title: str
    seed: int | None
    #: The name of a scenario, or a document, packed exactly.
    scenario: bytes


class SnapshotForm(NamedTuple):
    """A snapshot."""

    at: datetime
    size: int
    #: The document, packed exactly.
    document: bytes
    #: The e-mails, oldest first, and how far they and their mailbox had come.
    mails: Sequence[Mail]
    sendings: Mapping[str, Sending]
    counts: RingCounts

    @classmethod
    def of(cls, snapshot: Snapshot) -> SnapshotForm:
        ring = snapshot.mailbox.ring
        return cls(
            snapshot.at,
            snapshot.size,
            pack_exactly(snapshot.document),
            [mail for _, mail in ring.since(0)],
            snapshot.mailbox.sendings,
            ring.counts,
        )

    def snapshot(self, name: str, empty: Callable[[], Mailbox]) -> Snapshot:
        """The snapshot, whose e-mails are put into an empty mailbox."""
        mailbox = empty()
        for mail in self.mails:
            mailbox.add(mail)
        mailbox.resume(self.sendings)
        mailbox.ring.resume(self.counts)
        return Snapshot(name, self.at, unpack(self.document, dict), mailbox, self.size)


def workspace_form_of(workspace: Workspace) -> WorkspaceForm:
    keyring = workspace.origin.keyring
    return WorkspaceForm(
        workspace.made_at,
        workspace.counted,
        workspace.ids.positions,
        None if keyring is None else keyring.form,
        workspace.feed.last,
        workspace.journal.completed,
        list(workspace.receivers),
        {name: log.things(workspace).counts for name, log in LOGS.items()},
        list(workspace.snapshots),
    )


def origin_form_of(origin: Origin) -> OriginForm:
    return OriginForm(origin.title, origin.seed, pack_exactly(origin.scenario))

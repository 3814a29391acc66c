"""Parts of a workspace as typed values; each part is one field, rewritten as a whole after a change."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from datetime import datetime
from typing import NamedTuple, TypeVar

from mockserver.core.effects import JobForm
from mockserver.core.state.behaviour import Behaviour
from mockserver.core.state.expected import Expected
from mockserver.core.state.faults import Fault, Faults, Latency
from mockserver.core.state.identifiers import KeyringForm, Randomness
from mockserver.core.state.state import State
from mockserver.core.state.stubs import Stub, Stubs
from mockserver.core.state.varied import Varied
from mockserver.core.time.clock import Clock, ClockSetting
from mockserver.core.traffic.coverage import Coverage
from mockserver.core.traffic.mail import Mail, Mailbox, Sending
from mockserver.core.traffic.match import ANYTHING
from mockserver.core.traffic.receivers import Receiver
from mockserver.core.traffic.ring import RingCounts
from mockserver.core.workspaces.workspace import Snapshot, Workspace
from mockserver.storage.engine import PART
from mockserver.storage.logs import LOGS
from mockserver.storage.packing import Rows, UnreadableError, pack, pack_exactly, unpack

#: The fields of the parts. The names of accounts and snapshots go on with an id or a name. `UNCOUNTED` is the coverage
#: of a workspace that does not count in the coverage of the server.
WORKSPACE, STATE, TIMERS, COVERAGE, UNCOUNTED, ORIGIN, ACCOUNT, SNAPSHOT = (
    f"{PART}{name}"
    for name in ("workspace", "state", "timers", "coverage", "uncounted", "origin", "account/", "snapshot/")
)

Rule = TypeVar("Rule", Fault, Stub)


class WorkspaceForm(NamedTuple):
    """A workspace without state, snapshots and logs."""

    made_at: datetime
    label: str
    outcome: str
    counted: bool
    #: How many ids of requests, e-mails and control calls were drawn.
    ids: Mapping[str, int]
    keyring: KeyringForm | None
    #: The number of the last item of the feed.
    feed: int
    #: How many exchanges have got their answer after they were noted.
    completed: int
    receivers: Sequence[Receiver]
    logs: Mapping[str, RingCounts]
    snapshots: Sequence[str]
    #: The number of state replacements.
    generation: int
    #: The calls that are under way, and the e-mails with the servers that send them.
    jobs: Sequence[JobForm]
    posting: Mapping[str, str]

    @classmethod
    def of(cls, workspace: Workspace) -> WorkspaceForm:
        keyring = workspace.origin.keyring
        return cls(
            workspace.made_at,
            workspace.label,
            workspace.outcome,
            workspace.counted,
            workspace.ids.positions,
            None if keyring is None else keyring.form,
            workspace.feed.last,
            workspace.journal.completed,
            list(workspace.receivers),
            {name: log.things(workspace).counts for name, log in LOGS.items()},
            list(workspace.snapshots),
            workspace.generation,
            workspace.jobs.forms(),
            workspace.posting,
        )


class StateForm(NamedTuple):
    """A state without accounts, keys, timers and e-mails."""

    clock: ClockSetting
    seed: int
    #: The name of the replica that draws; empty: the server is none.
    replica: str
    positions: dict[str, int]
    description: str
    solution: str
    strict: bool
    behaviour: Behaviour
    varied: Varied | None
    expected: Expected | None
    sendings: Mapping[str, Sending]
    faults: Sequence[Fault]
    stubs: Sequence[Stub]
    accounts: Sequence[int]
    names: dict[str, int]
    masters: dict[str, int]
    last_ids: dict[str, int]
    highest_id: int
    document_bytes: int
    evicted_deliveries: int
    #: Rows, bytes of weighed rows, and bytes stored by stubs, as the tally of the state counts them.
    tally: tuple[int, int, int]
    rows: Rows

    @classmethod
    def of(cls, state: State, rows: Rows) -> StateForm:
        return cls(
            clock=state.clock.setting,
            seed=state.random.seed,
            replica=state.random.replica,
            positions=state.random.positions,
            sendings=state.mailbox.sendings,
            faults=list(state.faults),
            stubs=list(state.stubs),
            accounts=list(state.accounts),
            last_ids=state.last_ids,
            tally=(state.tally.rows, state.tally.bytes, state.tally.stored),
            rows=rows,
            **{name: getattr(state, name) for name in _AS_THEY_ARE},
        )

    def state(self, before: State, workspace: str) -> State:
        """Return the state without rows; other parts are taken from the previous state."""
        random = Randomness(self.seed, workspace, self.replica)
        random.positions = self.positions
        state = replace(
            before, clock=Clock.of(self.clock), random=random, faults=Faults(map(_typed, self.faults)),
            stubs=Stubs(map(_typed, self.stubs)), last_ids=defaultdict(int, self.last_ids),
            **{name: getattr(self, name) for name in _AS_THEY_ARE},
        )  # fmt: skip
        state.mailbox.sendings = dict(self.sendings)
        tally = state.tally = before.tally
        tally.rows, tally.bytes, tally.stored = self.tally
        return state


#: State members that are stored unchanged.
_AS_THEY_ARE = (
    "description", "solution", "strict", "behaviour", "varied", "expected", "names", "masters", "highest_id",
    "document_bytes", "evicted_deliveries",
)  # fmt: skip


def _typed(rule: Rule) -> Rule:
    """Restore types that the fields of a fault or stub do not declare."""
    if isinstance(rule.match.json, bytes):
        rule.match = rule.match._replace(json=ANYTHING)
    if isinstance(rule, Fault) and "distribution" in rule.parameters:
        rule.parameters["distribution"] = unpack(pack(rule.parameters["distribution"]), Latency)
    return rule


class SnapshotForm(NamedTuple):
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
        mailbox, document = snapshot.mailbox, pack_exactly(snapshot.document)
        mails = [mail for _, mail in mailbox.since(0)]
        return cls(snapshot.at, snapshot.size, document, mails, mailbox.sendings, mailbox.counts)

    def snapshot(self, name: str, mailbox: Mailbox) -> Snapshot:
        """Return the snapshot, with its e-mails in an empty mailbox."""
        mailbox.sendings = dict(self.sendings)
        for mail in self.mails:
            mailbox.add(mail)
        mailbox.resume(self.counts)
        return Snapshot(name, self.at, unpack(self.document, dict), mailbox, self.size)


def counts_of(coverage: Coverage) -> dict[str, int]:
    """Return a coverage as counters by name, for addition by several servers; names are JSON of member and point."""
    return {
        json.dumps([member.name, *point], separators=(",", ":")): number
        for member in fields(Coverage)
        for point, number in getattr(coverage, member.name).copy().items()
    }


def coverage_of(counts: Mapping[str, int]) -> Coverage:
    """Return the coverage of counters, or raise UnreadableError for an invalid name."""
    found = Coverage()
    members = {member.name: getattr(found, member.name) for member in fields(Coverage)}
    for name, number in counts.items():
        try:
            member, *point = json.loads(name)
            members[member][tuple(point)] = number
        except (KeyError, TypeError, ValueError) as error:
            raise UnreadableError(f"{name!r} is not the name of a count of a coverage") from error
    return found

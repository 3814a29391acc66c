"""What was written of a workspace last, so that only what is new is written again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from mockserver.core.state.tables import Tables
from mockserver.core.workspaces.origin import Origin, Snapshot
from mockserver.core.workspaces.workspace import Workspace
from mockserver.storage.records.changes import Changes, Stored
from mockserver.storage.records.logs import LOGS, Mark, growth, mark_of
from mockserver.storage.records.packing import SEAL, pack, seal
from mockserver.storage.records.parts import (
    ACCOUNT,
    COVERAGE,
    ORIGIN,
    SNAPSHOT,
    STATE,
    TIMERS,
    WORKSPACE,
    CoverageForm,
    SnapshotForm,
    origin_form_of,
    table_part,
    workspace_form_of,
)
from mockserver.storage.records.rows import Known, Packing, Rows
from mockserver.storage.records.state import AccountForm, StateForm, form_of


class _Marks(NamedTuple):
    """How far all of a workspace was written."""

    #: The hash of each part: 64 bits with a secret of this process, and four times as fast as a digest.
    parts: dict[str, int]
    #: What a part was written of that is never changed, but replaced as a whole.
    lasting: Mapping[str, object]
    logs: dict[str, Mark]
    #: What was packed of the rows of each part that has some.
    rows: dict[str, Mapping[type, Known]]
    #: The version of the timers that were written.
    timers: int | None


class Written:
    """What an engine holds of a workspace: nothing at first, and what `changes` has given since then."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._marks = self._before = _Marks({}, {}, {}, {}, None)

    @classmethod
    def loaded(cls, workspace: Workspace, stored: Stored) -> Written:
        """Of a workspace that was just made from what an engine holds; the next changes are those since then."""
        found = cls(workspace)
        found._marks = found._before = _Marks(
            {name: hash(data[SEAL:]) for name, data in stored.parts.items()},
            dict(_lasting(workspace)),
            {name: mark_of(name, workspace, stored.logs.get(name, ())) for name in LOGS},
            {},
            None,
        )
        return found

    def changes(self) -> Changes:
        """What is new since the last call, which counts as written from now on; the caller holds the workspace's lock.

        It may be written once more, or upon what a later one has left: that leads to the same.
        """
        before = self._before = self._marks
        rows: dict[str, Mapping[type, Known]] = {}
        parts = dict(self._parts(rows))
        known = before.parts.items()
        lasting = dict(_lasting(self._workspace))
        digests = {name: before.parts[name] if data is None else hash(data) for name, data in parts.items()}
        grown = {name: growth(name, self._workspace, before.logs.get(name)) for name in LOGS}
        timers = self._workspace.state.timers.version
        self._marks = _Marks(digests, lasting, {name: mark for name, (_, mark) in grown.items()}, rows, timers)
        return Changes(
            {
                name: seal(data)
                for name, data in parts.items()
                if data is not None and (name, digests[name]) not in known
            },
            [name for name in before.parts if name not in parts],
            [change for change, _ in grown.values() if change is not None],
        )

    def take_back(self) -> None:
        """Give what the last `changes` gave once more with the next ones: it was not kept.

        Whoever takes changes keeps them, or takes them back, before taking the next ones; no lock is needed.
        """
        self._marks = self._before

    def _parts(self, known: dict[str, Mapping[type, Known]]) -> Iterator[tuple[str, bytes | None]]:
        """The parts by their names; None stands for one that cannot have changed since it was written.

        What was packed of their rows is put into `known`.
        """
        workspace, state = self._workspace, self._workspace.state
        yield WORKSPACE, pack(workspace_form_of(workspace))
        yield from self._with_rows(STATE, state, partial(form_of, state), known)
        for account in state.accounts.values():
            yield from self._with_rows(f"{ACCOUNT}{account.id}", account, partial(AccountForm, account), known)
        yield TIMERS, None if self._before.timers == state.timers.version else pack(state.timers.all())
        yield COVERAGE, pack(CoverageForm.of(workspace.coverage))
        for name, what in _lasting(workspace):
            yield name, None if self._before.lasting.get(name) is what else pack(_form_of(what))

    def _with_rows(
        self,
        name: str,
        tables: Tables,
        form: Callable[[Rows], StateForm | AccountForm],
        known: dict[str, Mapping[type, Known]],
    ) -> Iterator[tuple[str, bytes | None]]:
        """A part, and those of its rows that are parts of their own."""
        packing = Packing(self._before.rows.get(name, {}))
        yield name, pack(form(packing.rows_of(tables)))
        known[name] = packing.known
        for kind, data in packing.large.items():
            yield table_part(name, kind), data


def _lasting(workspace: Workspace) -> Iterator[tuple[str, Origin | Snapshot]]:
    """What is never changed, but replaced as a whole, by the names of the parts."""
    yield ORIGIN, workspace.origin
    for name, snapshot in workspace.snapshots.items():
        yield f"{SNAPSHOT}{name}", snapshot


def _form_of(lasting: Origin | Snapshot) -> object:
    return SnapshotForm.of(lasting) if isinstance(lasting, Snapshot) else origin_form_of(lasting)

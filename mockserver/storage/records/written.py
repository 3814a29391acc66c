"""What an engine holds of a workspace, so that only what has changed is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from mockserver.core.state.tables import Tables
from mockserver.core.traffic.coverage import Coverage
from mockserver.core.workspaces.workspace import Workspace
from mockserver.storage.engine import KEY, PART, Changes, Newer
from mockserver.storage.records import forms, logs
from mockserver.storage.records.forms import SnapshotForm, StateForm, WorkspaceForm
from mockserver.storage.records.logs import LOGS, Mark
from mockserver.storage.records.packing import encode, pack_exactly, seal
from mockserver.storage.records.rows import Known, Packing, large_field

#: The contents of fields with their names; None: a content has not changed since it was written.
_Contents = Iterator[tuple[str, bytes | None]]
#: Is not written.
_NO_COVERAGE = Coverage()


class _Marks(NamedTuple):
    """How far a workspace is written."""

    #: The hash of each part and each key: 64 bits with a secret of this process, four times as fast as a digest.
    parts: Mapping[str, int]
    keys: Mapping[str, int]
    logs: Mapping[str, Mark]
    rows: dict[str, Known]
    #: What parts that seldom change were made of, and what changes whenever the keys do.
    sources: dict[str, object]


class Written:
    """What an engine holds of a workspace; the caller holds the lock of the workspace."""

    def __init__(self, workspace: Workspace) -> None:
        """Begin with a workspace of which nothing is saved."""
        self._workspace = workspace
        self._marks = self._before = _Marks({}, {}, {}, {}, {})

    @classmethod
    def loaded(cls, workspace: Workspace, newer: Newer | None = None) -> Written:
        """Begin with a workspace that was just made of `newer`; without it, all is packed now, which takes longer."""
        found = cls(workspace)
        found.refreshed(Newer("", found.changes().fields) if newer is None else newer)
        return found

    def refreshed(self, newer: Newer) -> None:
        """Count everything as saved in a workspace that was just brought up to date with what is new in the engine."""
        before, workspace = self._marks, self._workspace
        parts, keys = (_hashes(known, newer, prefix) for known, prefix in ((before.parts, PART), (before.keys, KEY)))
        marks = {name: Mark.of(name, workspace, held) for name, held in logs.entries_of(newer.fields).items()}
        sources = {name: source for name, source, _ in _sources(workspace)}
        self._marks = self._before = _Marks(parts, keys, marks, before.rows, sources)

    def changes(self) -> Changes:
        """Return what is new since the last call, which counts as saved from now on.

        To write it twice, or after what a later call returns, leads to the same.
        """
        before = self._before = self._marks
        rows: dict[str, Known] = {}
        sources: dict[str, object] = {}
        fields, parts, gone = _compared(self._parts(rows, sources), before.parts)
        keys = before.keys
        if sources[KEY] != before.sources.get(KEY):
            changed, keys, lost = _compared(_keys(self._workspace), before.keys)
            fields |= changed
            gone += lost
        marks: dict[str, Mark] = {}
        for name in LOGS:
            grown, marks[name] = logs.changes(name, self._workspace, before.logs.get(name, Mark()))
            fields |= grown.fields
            gone += grown.gone
        self._marks = _Marks(parts, keys, marks, rows, sources)
        return Changes(fields, gone)

    def take_back(self) -> None:
        """Count what the last call of `changes` has returned as not saved: the next call returns it again."""
        self._marks = self._before

    def _parts(self, rows: dict[str, Known], sources: dict[str, object]) -> _Contents:
        """Yield all parts, and put into `rows` and `sources` what is to be known of them the next time."""
        workspace, state = self._workspace, self._workspace.state
        yield forms.WORKSPACE, encode(WorkspaceForm.of(workspace))
        yield from self._with_rows(forms.STATE, state, StateForm.of, rows)
        for account in state.accounts.values():
            yield from self._with_rows(f"{forms.ACCOUNT}{account.id}", account, lambda *form: form, rows)
        if workspace.coverage != _NO_COVERAGE:
            yield forms.COVERAGE if workspace.counted else forms.UNCOUNTED, encode(workspace.coverage)
        for name, source, content in _sources(workspace):
            sources[name] = source
            if content is not None:
                yield name, None if source == self._marks.sources.get(name) else content()

    def _with_rows(self, name: str, tables: Tables, form: Callable[..., object], rows: dict[str, Known]) -> _Contents:
        """Yield a part with rows, and those of its rows that are fields of their own."""
        packing = Packing(tables, self._marks.rows.get(name, {}))
        rows[name] = packing.known
        yield name, encode(form(tables, packing.rows))
        for kind, content in packing.large.items():
            yield large_field(name, kind), content


def _sources(workspace: Workspace) -> Iterator[tuple[str, object, Callable[[], bytes] | None]]:
    """Yield what parts that seldom change, and the keys, are made of: it is another thing whenever they change."""
    timers, origin, keys = workspace.state.timers, workspace.origin[:3], workspace.state.keys
    yield forms.TIMERS, timers.version, lambda: encode(timers.all())
    yield forms.ORIGIN, origin, lambda: seal(pack_exactly(list(origin)))
    for name, snapshot in workspace.snapshots.items():
        yield f"{forms.SNAPSHOT}{name}", snapshot, lambda: encode(SnapshotForm.of(snapshot))  # noqa: B023  # called now
    # Keys are added at the end, or go with an account or with the whole state.
    last = next(reversed(keys.items()), None)
    yield KEY, (workspace.generation, len(keys), last, len(workspace.state.revoked_keys)), None


def _keys(workspace: Workspace) -> _Contents:
    """Yield the field of each key: the account that it opens, or None, and whether it is revoked."""
    keys, revoked = workspace.state.keys, workspace.state.revoked_keys
    for key in (*keys, *(key for key in revoked if key not in keys)):
        yield f"{KEY}{key}", encode((keys.get(key), key in revoked))


def _hashes(before: Mapping[str, int], newer: Newer, prefix: str) -> Mapping[str, int]:
    """Return the hashes of the fields whose names have a prefix, after newer ones were read."""
    read = {name: hash(content) for name, content in newer.fields.items() if name.startswith(prefix)}
    gone = {name for name in newer.gone if name.startswith(prefix)}
    return {name: digest for name, digest in {**before, **read}.items() if name not in gone} if read or gone else before


def _compared(contents: _Contents, before: Mapping[str, int]) -> tuple[dict[str, bytes], dict[str, int], list[str]]:
    """Return the contents that have changed, the hashes of all of them, and the names of those that are gone."""
    changed, hashes = {}, {}
    for name, content in contents:
        hashes[name] = before[name] if content is None else hash(content)
        if content is not None and hashes[name] != before.get(name):
            changed[name] = content
    return changed, hashes, [name for name in before if name not in hashes]

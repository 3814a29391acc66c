"""Converting workspaces to fields and back. A workspace in use belongs to the step or to the writer that calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from mockserver.core.state.identifiers import Keyring, Randomness
from mockserver.core.state.state import Account, State
from mockserver.core.state.tables import Derived, Tables
from mockserver.core.time.clock import Clock, Timer, Timers
from mockserver.core.traffic.coverage import Coverage
from mockserver.core.traffic.mail import InboundContents, Mailbox
from mockserver.core.workspaces.store import NAME
from mockserver.core.workspaces.workspace import Origin, Parts, Workspace, WorkspaceLimits
from mockserver.storage.engine import KEY, LOCAL_KEY, PART, Changes, Newer
from mockserver.storage.forms import (
    ACCOUNT,
    COVERAGE,
    ORIGIN,
    SNAPSHOT,
    STATE,
    TIMERS,
    UNCOUNTED,
    WORKSPACE,
    SnapshotForm,
    StateForm,
    WorkspaceForm,
)  # fmt: skip
from mockserver.storage.logs import LOGS, Mark, catch_up, changes_of, entries_of, is_continued
from mockserver.storage.packing import (
    Known,
    Packing,
    Rows,
    UnreadableError,
    decode,
    encode,
    large_field,
    pack_exactly,
    put_back,
    seal,
)  # fmt: skip

_KEYS = (KEY, LOCAL_KEY)


def load(name: str, fields: Mapping[str, bytes], *, parts: Parts, limits: WorkspaceLimits) -> Workspace:
    """Load a workspace from its fields; no timer fires.

    Requests that a fault held are over. If the limits are lower than they were, the oldest entries of each log go.
    Raises UnreadableError if the fields are of no workspace, or if no workspace can have the name.
    """
    if not NAME.fullmatch(name):  # commands make file names of it
        raise UnreadableError(f"{name!r} is not a name that a workspace can have")
    mailbox = Mailbox(limits.mailbox, limits.mailbox_bytes)
    received = InboundContents(limits.mailbox, limits.mailbox_bytes)
    empty = State(Clock(), Randomness(0, name), mailbox=mailbox, received=received, rows_limit=limits.rows)
    workspace = Workspace(name, empty, parts=parts, limits=limits)
    for part in (WORKSPACE, STATE, TIMERS, ORIGIN):
        if part not in fields:
            raise UnreadableError(f"{part} is missing")
    with _translated():
        if not _apply(workspace, decode(fields[WORKSPACE], WorkspaceForm), Newer("", fields)):
            raise UnreadableError("entries of logs are missing")
    return workspace


def refresh(workspace: Workspace, newer: Newer) -> bool:
    """Update a workspace incrementally.

    Returns False if the whole workspace has to be read: its state was replaced, an entry of a log has changed, or the
    limits are lower here than where it was written. Raises UnreadableError if the fields are of no workspace, after
    which this one must not be used any more.
    """
    with _translated():
        own, content = WorkspaceForm.of(workspace), newer.fields.get(WORKSPACE)
        form: WorkspaceForm = own if content is None else decode(content, WorkspaceForm)
        if form.generation != own.generation or not _apply(workspace, form, newer):
            return False
    if WorkspaceForm.of(workspace).logs != form.logs:
        return False
    workspace.watchers.tell_changed()
    return True


def take_over(workspace: Workspace, fresh: Workspace) -> None:
    """Replace a workspace's contents by those of a fresh copy; watchers, running calls and held clients stay."""
    generation, held = workspace.generation, {row.id: row.held for row in workspace.journal if row.is_held}
    for row in fresh.journal:
        if row.id in held:
            row.held = held[row.id]
    for name in (
        "made_at", "label", "outcome", "state", "origin", "ids", "journal", "coverage", "counted", "links", "fired",
        "calls", "feed", "history", "snapshots", "receivers", "generation", "posting",
    ):  # fmt: skip
        setattr(workspace, name, getattr(fresh, name))
    workspace.jobs.follow(fresh.jobs.forms())
    workspace.queued = {mail: mark for mail, mark in workspace.queued.items() if mark.is_under_way}
    if workspace.generation != generation:
        workspace.watchers.tell()
    else:
        workspace.watchers.tell_changed()


def due_at(workspace: Workspace) -> float | None:
    """Return the due time of the next timer in real seconds since 1970, or None without timer or in frozen time."""
    timer, setting = workspace.state.timers.next(), workspace.state.clock.setting
    if timer is None or setting.frozen_at is not None:
        return None
    return (timer.moment - setting.offset).timestamp()


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except UnreadableError:
        raise
    except (AttributeError, LookupError, OverflowError, TypeError, ValueError) as error:
        raise UnreadableError(f"the fields do not fit together: {error!r}") from error


def _apply(workspace: Workspace, form: WorkspaceForm, newer: Newer) -> bool:
    """Update a workspace from fields; return False without changes if log entries are missing."""
    entries = entries_of(newer.fields)
    if not all(is_continued(name, workspace, entries[name], form.logs[name]) for name in entries):
        return False
    _read_keys(workspace.state, newer)
    read = _read_state(workspace, newer.fields)
    _read_parts(workspace, form, newer)
    workspace.made_at, workspace.counted, workspace.generation = form.made_at, form.counted, form.generation
    workspace.label, workspace.outcome = form.label, form.outcome
    workspace.ids.follow(workspace.state.random.seed)
    workspace.ids.go_on(form.ids)
    workspace.posting = dict(form.posting)
    workspace.jobs.follow(form.jobs)
    workspace.receivers.follow(form.receivers)
    for name, new in entries.items():
        catch_up(name, workspace, new, form.logs[name])
    workspace.journal.completed = form.completed
    workspace.feed.be_at(form.feed)
    for tables in (*read, workspace.state):
        _follow(workspace, tables)
    return True


def _read_keys(state: State, newer: Newer) -> None:
    for name in (*newer.gone, *newer.fields):
        if name.startswith(_KEYS):
            key, content = name[len(KEY) :], newer.fields.get(name)
            state.keys.pop(key, None)
            state.revoked_keys.discard(key)
            account, is_revoked = (None, False) if content is None else decode(content, tuple[int | None, bool])
            if account is not None:
                state.keys[key] = account
            if is_revoked:
                state.revoked_keys.add(key)


def _read_state(workspace: Workspace, fields: Mapping[str, bytes]) -> Sequence[Account]:
    before = workspace.state
    if TIMERS in fields:
        before.timers = Timers(decode(fields[TIMERS], list[Timer]))
    numbers: Iterable[int] = before.accounts
    if STATE in fields:
        form: StateForm = decode(fields[STATE], StateForm)
        workspace.state, numbers = form.state(before, workspace.name), form.accounts
        put_back(workspace.state, form.rows, STATE, fields, before)
    accounts, read = {}, []
    for number in numbers:
        name, account = f"{ACCOUNT}{number}", before.accounts.get(number)
        if account is None or name in fields:
            known, (account, rows) = account, decode(fields[name], tuple[Account, Rows])
            account.tally = before.tally
            put_back(account, rows, name, fields, known)
            read.append(account)
        accounts[number] = account
    workspace.state.accounts = accounts
    return read


def _read_parts(workspace: Workspace, form: WorkspaceForm, newer: Newer) -> None:
    fields, origin = newer.fields, workspace.origin
    if ORIGIN in fields:
        origin = Origin(*decode(fields[ORIGIN], tuple[Any, str, int | None]))
    workspace.origin = origin._replace(keyring=None if form.keyring is None else Keyring.of(form.keyring))
    field = COVERAGE if form.counted else UNCOUNTED
    if field in fields:
        workspace.coverage = decode(fields[field], Coverage)
    elif field in newer.gone:
        workspace.coverage = Coverage()
    before, workspace.snapshots = workspace.snapshots, {}
    for name in form.snapshots:
        field, found = f"{SNAPSHOT}{name}", before.get(name)
        if found is None or field in fields:
            mailbox = Mailbox(workspace.limits.mailbox, workspace.limits.mailbox_bytes)
            found = decode(fields[field], SnapshotForm).snapshot(name, mailbox)
        workspace.snapshots[name] = found


def _follow(workspace: Workspace, tables: Tables) -> None:
    for kind, record in tuple(tables.contents.records.items()):
        if isinstance(record, Derived):
            fresh = type(record)()
            tables.put_record(kind, fresh)
            fresh.follow(workspace)


#: The contents of fields with their names; None: a content has not changed since it was written.
_Contents = Iterator[tuple[str, bytes | None]]
#: Is not written.
_NO_COVERAGE = Coverage()


class _Marks(NamedTuple):
    #: The hash of each part and each key: 64 bits with a secret of this process, four times as fast as a digest.
    parts: Mapping[str, int]
    keys: Mapping[str, int]
    logs: Mapping[str, Mark]
    rows: dict[str, Known]
    #: What parts that seldom change were made of, and what changes whenever the keys do.
    sources: dict[str, object]


class Written:
    """The engine's copy of a workspace, as hashes and positions."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._marks = _Marks({}, {}, {}, {}, {})

    @classmethod
    def loaded(cls, workspace: Workspace, newer: Newer | None = None) -> Written:
        """Begin with a workspace loaded from `newer`; without `newer`, all parts are packed, which takes longer."""
        found = cls(workspace)
        found.refreshed(Newer("", found.changes().fields) if newer is None else newer)
        return found

    def refreshed(self, newer: Newer) -> None:
        """Mark everything as saved after a refresh from the engine."""
        before, workspace = self._marks, self._workspace
        parts, keys = (_hashes(known, newer, prefix) for known, prefix in ((before.parts, PART), (before.keys, _KEYS)))
        marks = {name: Mark.of(name, workspace, held) for name, held in entries_of(newer.fields).items()}
        sources = {name: source for name, source, _ in _sources(workspace)}
        self._marks = _Marks(parts, keys, marks, before.rows, sources)

    def changes(self) -> Changes:
        """Return the changes since the last call, and mark them as saved.

        To write it twice, or after what a later call returns, leads to the same.
        """
        before = self._marks
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
            grown, marks[name] = changes_of(name, self._workspace, before.logs.get(name, Mark()))
            fields |= grown.fields
            gone += grown.gone
        self._marks = _Marks(parts, keys, marks, rows, sources)
        return Changes(fields, gone)

    def forget(self, name: str) -> None:
        """Return a part among the next changes again."""
        self._marks = self._marks._replace(
            parts={part: mark for part, mark in self._marks.parts.items() if part != name}
        )

    def _parts(self, rows: dict[str, Known], sources: dict[str, object]) -> _Contents:
        """Yield all parts, and record versions and sources for the next call."""
        workspace, state = self._workspace, self._workspace.state
        yield WORKSPACE, encode(WorkspaceForm.of(workspace))
        yield from self._with_rows(STATE, state, StateForm.of, rows)
        for account in state.accounts.values():
            yield from self._with_rows(f"{ACCOUNT}{account.id}", account, lambda *form: form, rows)
        if workspace.coverage != _NO_COVERAGE:
            yield COVERAGE if workspace.counted else UNCOUNTED, encode(workspace.coverage)
        for name, source, content in _sources(workspace):
            sources[name] = source
            if content is not None:
                yield name, None if source == self._marks.sources.get(name) else content()

    def _with_rows(self, name: str, tables: Tables, form: Callable[..., object], rows: dict[str, Known]) -> _Contents:
        packing = Packing(tables, self._marks.rows.get(name, {}))
        rows[name] = packing.known
        yield name, encode(form(tables, packing.rows))
        for kind, content in packing.large.items():
            yield large_field(name, kind), content


def _sources(workspace: Workspace) -> Iterator[tuple[str, object, Callable[[], bytes] | None]]:
    """Yield rarely changing parts and the keys, each with an object that changes with the content."""
    timers, origin, keys = workspace.state.timers, workspace.origin[:3], workspace.state.keys
    yield TIMERS, timers.version, lambda: encode(timers.all())
    yield ORIGIN, origin, lambda: seal(pack_exactly(list(origin)))
    for name, snapshot in workspace.snapshots.items():
        yield f"{SNAPSHOT}{name}", snapshot, lambda: encode(SnapshotForm.of(snapshot))  # noqa: B023  # called now
    # Keys are added at the end, or go with an account or with the whole state.
    last = next(reversed(keys.items()), None)
    yield KEY, (workspace.generation, len(keys), last, len(workspace.state.revoked_keys)), None


def _keys(workspace: Workspace) -> _Contents:
    """Yield the field of each key: account or None, and whether the key is revoked."""
    keys, revoked = workspace.state.keys, workspace.state.revoked_keys
    for key in (*keys, *(key for key in revoked if key not in keys)):
        prefix = LOCAL_KEY if workspace.is_local(key) else KEY
        yield f"{prefix}{key}", encode((keys.get(key), key in revoked))


def _hashes(before: Mapping[str, int], newer: Newer, prefix: str | tuple[str, ...]) -> Mapping[str, int]:
    read = {name: hash(content) for name, content in newer.fields.items() if name.startswith(prefix)}
    gone = {name for name in newer.gone if name.startswith(prefix)}
    return {name: digest for name, digest in {**before, **read}.items() if name not in gone} if read or gone else before


def _compared(contents: _Contents, before: Mapping[str, int]) -> tuple[dict[str, bytes], dict[str, int], list[str]]:
    """Return changed contents, all hashes, and the names of removed fields."""
    changed, hashes = {}, {}
    for name, content in contents:
        hashes[name] = before[name] if content is None else hash(content)
        if content is not None and hashes[name] != before.get(name):
            changed[name] = content
    return changed, hashes, [name for name in before if name not in hashes]

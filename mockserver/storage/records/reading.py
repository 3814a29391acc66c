"""Workspaces out of what an engine holds; the caller holds the lock of a workspace that is in use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from mockserver.core.state.identifiers import Keyring, Randomness
from mockserver.core.state.state import Account, State
from mockserver.core.state.tables import Derived, Tables
from mockserver.core.time.clock import Clock, Timer, Timers
from mockserver.core.traffic.coverage import Coverage
from mockserver.core.traffic.mail import Mailbox
from mockserver.core.workspaces.store import NAME
from mockserver.core.workspaces.workspace import Origin, Parts, Workspace, WorkspaceLimits
from mockserver.storage.engine import KEY, Newer
from mockserver.storage.records import forms, logs
from mockserver.storage.records.forms import SnapshotForm, StateForm, WorkspaceForm
from mockserver.storage.records.packing import UnreadableError, decode
from mockserver.storage.records.rows import Rows, put_back


def load(name: str, fields: Mapping[str, bytes], *, parts: Parts, limits: WorkspaceLimits) -> Workspace:
    """Return a workspace as it was when its fields were written; no timer has fired since then.

    Requests that a fault held are over. If the limits are lower than they were, the oldest entries of each log go.
    Raises UnreadableError if the fields are of no workspace, or if no workspace can have the name.
    """
    if not NAME.fullmatch(name):  # commands make file names of it
        raise UnreadableError(f"{name!r} is not a name that a workspace can have")
    mailbox = Mailbox(limits.mailbox, limits.mailbox_bytes)
    empty = State(Clock(), Randomness(0, name), mailbox=mailbox, rows_limit=limits.rows)
    workspace = Workspace(name, empty, parts=parts, limits=limits)
    for part in (forms.WORKSPACE, forms.STATE, forms.TIMERS, forms.ORIGIN):
        if part not in fields:
            raise UnreadableError(f"{part} is missing")
    with _translated():
        if not _apply(workspace, decode(fields[forms.WORKSPACE], WorkspaceForm), Newer("", fields)):
            raise UnreadableError("entries of logs are missing")
    return workspace


def refresh(workspace: Workspace, newer: Newer) -> bool:
    """Bring a workspace up to date; the cost grows with what has changed.

    Returns False if the whole workspace has to be read: its state was replaced, an entry of a log has changed, or the
    limits are lower here than where it was written. Raises UnreadableError if the fields are of no workspace, after
    which this one must not be used any more.
    """
    with _translated():
        own, content = WorkspaceForm.of(workspace), newer.fields.get(forms.WORKSPACE)
        form: WorkspaceForm = own if content is None else decode(content, WorkspaceForm)
        if form.generation != own.generation or not _apply(workspace, form, newer):
            return False
    if WorkspaceForm.of(workspace).logs != form.logs:
        return False
    workspace.watchers.tell_changed()
    return True


def take_over(workspace: Workspace, fresh: Workspace) -> None:
    """Make a workspace what a just loaded one is; its watchers, calls under way and clients that a fault holds stay."""
    generation, held = workspace.generation, {row.id: row.held for row in workspace.journal if row.is_held}
    for row in fresh.journal:
        if row.id in held:
            row.held = held[row.id]
    for name in (
        "made_at", "state", "origin", "ids", "journal", "coverage", "counted", "links", "fired", "calls", "feed",
        "history", "snapshots", "receivers", "generation", "posting",
    ):  # fmt: skip
        setattr(workspace, name, getattr(fresh, name))
    workspace.jobs.follow(fresh.jobs.forms())
    if workspace.generation != generation:
        workspace.watchers.tell()
    else:
        workspace.watchers.tell_changed()


def due_at(workspace: Workspace) -> float | None:
    """Return when the next timer is due, in real seconds since 1970, or None without a timer or in frozen time."""
    timer, setting = workspace.state.timers.next(), workspace.state.clock.setting
    if timer is None or setting.frozen_at is not None:
        return None
    return (timer.moment - setting.offset).timestamp()


@contextmanager
def _translated() -> Iterator[None]:
    """Raise UnreadableError for any error in a `with` block that fields of no workspace lead to."""
    try:
        yield
    except UnreadableError:
        raise
    except (AttributeError, LookupError, OverflowError, TypeError, ValueError) as error:
        raise UnreadableError(f"the fields do not fit together: {error!r}") from error


def _apply(workspace: Workspace, form: WorkspaceForm, newer: Newer) -> bool:
    """Bring a workspace to where fields say; returns False, having changed nothing, if entries of logs are missing."""
    entries = logs.entries_of(newer.fields)
    if not all(logs.is_continued(name, workspace, entries[name], form.logs[name]) for name in entries):
        return False
    _read_keys(workspace.state, newer)
    read = _read_state(workspace, newer.fields)
    _read_parts(workspace, form, newer)
    workspace.made_at, workspace.counted, workspace.generation = form.made_at, form.counted, form.generation
    workspace.ids.follow(workspace.state.random.seed)
    workspace.ids.go_on(form.ids)
    workspace.posting = dict(form.posting)
    workspace.jobs.follow(form.jobs)
    workspace.receivers.follow(form.receivers)
    for name, new in entries.items():
        logs.catch_up(name, workspace, new, form.logs[name])
    workspace.journal.completed = form.completed
    workspace.feed.be_at(form.feed)
    for tables in (*read, workspace.state):
        _follow(workspace, tables)
    return True


def _read_keys(state: State, newer: Newer) -> None:
    for name in (*newer.gone, *newer.fields):
        if name.startswith(KEY):
            key, content = name.removeprefix(KEY), newer.fields.get(name)
            state.keys.pop(key, None)
            state.revoked_keys.discard(key)
            account, is_revoked = (None, False) if content is None else decode(content, tuple[int | None, bool])
            if account is not None:
                state.keys[key] = account
            if is_revoked:
                state.revoked_keys.add(key)


def _read_state(workspace: Workspace, fields: Mapping[str, bytes]) -> Sequence[Account]:
    """Read timers, state and accounts as far as they have changed; returns the accounts that were read."""
    before = workspace.state
    if forms.TIMERS in fields:
        before.timers = Timers(decode(fields[forms.TIMERS], list[Timer]))
    numbers: Iterable[int] = before.accounts
    if forms.STATE in fields:
        form: StateForm = decode(fields[forms.STATE], StateForm)
        workspace.state, numbers = form.state(before, workspace.name), form.accounts
        put_back(workspace.state, form.rows, forms.STATE, fields, before)
    accounts, read = {}, []
    for number in numbers:
        name, account = f"{forms.ACCOUNT}{number}", before.accounts.get(number)
        if account is None or name in fields:
            known, (account, rows) = account, decode(fields[name], tuple[Account, Rows])
            account.tally = before.tally
            put_back(account, rows, name, fields, known)
            read.append(account)
        accounts[number] = account
    workspace.state.accounts = accounts
    return read


def _read_parts(workspace: Workspace, form: WorkspaceForm, newer: Newer) -> None:
    """Read origin, coverage and snapshots as far as they have changed."""
    fields, origin = newer.fields, workspace.origin
    if forms.ORIGIN in fields:
        origin = Origin(*decode(fields[forms.ORIGIN], tuple[Any, str, int | None]))
    workspace.origin = origin._replace(keyring=None if form.keyring is None else Keyring.of(form.keyring))
    field = forms.COVERAGE if form.counted else forms.UNCOUNTED
    if field in fields:
        workspace.coverage = decode(fields[field], Coverage)
    elif field in newer.gone:
        workspace.coverage = Coverage()
    before, workspace.snapshots = workspace.snapshots, {}
    for name in form.snapshots:
        field, found = f"{forms.SNAPSHOT}{name}", before.get(name)
        if found is None or field in fields:
            mailbox = Mailbox(workspace.limits.mailbox, workspace.limits.mailbox_bytes)
            found = decode(fields[field], SnapshotForm).snapshot(name, mailbox)
        workspace.snapshots[name] = found


def _follow(workspace: Workspace, tables: Tables) -> None:
    """Make the records again that follow from rows, some of which were read."""
    for kind, record in tuple(tables.contents.records.items()):
        if isinstance(record, Derived):
            fresh = type(record)()
            tables.put_record(kind, fresh)
            fresh.follow(workspace)

"""A workspace out of what an engine holds of it."""

from __future__ import annotations

from typing import Any

from mockserver.core.state.keys import Keyring
from mockserver.core.state.state import State
from mockserver.core.state.tables import Following
from mockserver.core.time.timers import Timer
from mockserver.core.traffic.coverage import Coverage
from mockserver.core.traffic.feed import Feed
from mockserver.core.traffic.mailbox import Mailbox
from mockserver.core.workspaces.origin import Origin, WorkspaceLimits
from mockserver.core.workspaces.workspace import Parts, Workspace
from mockserver.storage.outlines import check_name
from mockserver.storage.records import logs
from mockserver.storage.records.changes import Stored
from mockserver.storage.records.logs import LOGS
from mockserver.storage.records.packing import unpack, unseal
from mockserver.storage.records.parts import (
    ACCOUNT,
    COVERAGE,
    ORIGIN,
    SNAPSHOT,
    STATE,
    TIMERS,
    WORKSPACE,
    CoverageForm,
    OriginForm,
    SnapshotForm,
    WorkspaceForm,
    table_part,
)
from mockserver.storage.records.state import AccountForm, StateForm, state_of
from mockserver.storage.records.unreadable import UnreadableError


def load(name: str, stored: Stored, *, parts: Parts, limits: WorkspaceLimits) -> Workspace:
    """A workspace as it was when it was written; no store holds it yet, and no timer has fired since then.

    Requests that a fault held are over. If the limits are lower than they were, the oldest of each log goes.

    Raises:
        UnreadableError: what is held is no workspace, or no workspace can have the name.
    """
    check_name(name)
    form: WorkspaceForm = _part(stored, WORKSPACE, WorkspaceForm)
    state_form: StateForm = _with_rows(stored, STATE, StateForm)

    def mailbox() -> Mailbox:
        return Mailbox(limits.mailbox, limits.mailbox_bytes)

    accounts = [_with_rows(stored, f"{ACCOUNT}{number}", AccountForm) for number in state_form.accounts]
    timers: list[Timer] = _part(stored, TIMERS, list[Timer])
    state = state_of(state_form, accounts, timers, workspace=name, mailbox=mailbox(), limits=limits)
    workspace = Workspace(name, state, parts=parts, limits=limits, origin=_origin(stored, form))
    workspace.made_at, workspace.counted = form.made_at, form.counted
    workspace.ids.go_on(form.ids)
    workspace.feed = Feed(limits.feed, limits.feed_bytes, last=form.feed)
    workspace.coverage = coverage(stored.parts.get(COVERAGE, b""))
    for snapshot in form.snapshots:
        read: SnapshotForm = _part(stored, f"{SNAPSHOT}{snapshot}", SnapshotForm)
        workspace.snapshots[snapshot] = read.snapshot(snapshot, mailbox)
    _put_back_logs(workspace, stored, form)
    state.mailbox.resume(state_form.sendings)
    _follow(workspace, state)
    return workspace


def coverage(part: bytes) -> Coverage:
    """The coverage that the part `COVERAGE` holds; an empty one for no bytes.

    Raises:
        UnreadableError: the bytes are no coverage.
    """
    if not part:
        return Coverage()
    form: CoverageForm = unpack(unseal(part), CoverageForm)
    return form.coverage()


def _part(stored: Stored, name: str, form: Any) -> Any:
    """The form that a part holds.

    Raises:
        UnreadableError: there is no such part, or it holds something else.
    """
    return unpack(_unsealed(stored, name), form)


def _with_rows(stored: Stored, name: str, form: Any) -> Any:
    """The form that a part holds together with those of its tables that are parts of their own."""
    found: StateForm | AccountForm = _part(stored, name, form)
    return found._replace(rows=found.rows.together(lambda kind: _unsealed(stored, table_part(name, kind))))


def _unsealed(stored: Stored, name: str) -> bytes:
    data = stored.parts.get(name)
    if data is None:
        raise UnreadableError(f"the part {name} is missing")
    return unseal(data)


def _origin(stored: Stored, form: WorkspaceForm) -> Origin:
    origin: OriginForm = _part(stored, ORIGIN, OriginForm)
    keyring = None if form.keyring is None else Keyring.of(form.keyring)
    return Origin(unpack(origin.scenario, Any), origin.title, origin.seed, keyring)


def _put_back_logs(workspace: Workspace, stored: Stored, form: WorkspaceForm) -> None:
    workspace.receivers.put_back(form.receivers)
    for name, log in LOGS.items():
        if name not in form.logs:
            raise UnreadableError(f"how far the log {name} has come is missing")
        logs.put_back(log, workspace, stored.logs.get(name, ()), form.logs[name])
    workspace.journal.completed = form.completed


def _follow(workspace: Workspace, state: State) -> None:
    """Make the records that follow from rows."""
    for tables in (*state.accounts.values(), state):
        for record in tables.contents.records.values():
            if isinstance(record, Following):
                record.follow(workspace)

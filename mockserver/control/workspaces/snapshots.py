"""`/_mock/snapshots`: moments of a workspace to return to."""

from __future__ import annotations

from typing import Any

from flask import Response

from mockserver.control.framework import answers, dependencies, parameters, target
from mockserver.control.framework.problem import Problem, unknown
from mockserver.control.framework.resource import ControlResource
from mockserver.control.workspaces.workspaces import hosted
from mockserver.core.traffic.ring import weight
from mockserver.core.workspaces.workspace import Snapshot, Workspace
from mockserver.resources.section import Item
from mockserver.scenario.dump import dump
from mockserver.views.workspaces import workspaces as shown
from mockserver.views.workspaces.scenarios import Moment, Moments

SNAPSHOTS = ControlResource("snapshots", "/_mock/snapshots")


class NewSnapshot(Item):
    name = parameters.name()


@SNAPSHOTS.call("POST", body=NewSnapshot, answer=Moment, status=201, problems=(409,))
def keep(body: dict[str, Any]) -> Response:
    """Keep this moment: state, clock, faults and mailbox; a snapshot of the same name gives way."""
    workspace = target.workspace(whole=True)
    with workspace.lock:
        name = body.get("name") or _unused(workspace)
        if name not in workspace.snapshots and len(workspace.snapshots) >= workspace.limits.snapshots:
            raise Problem(409, f"snapshot limit reached: {len(workspace.snapshots)} (--snapshots-limit); delete some")
        document, mailbox = dump(workspace), workspace.state.mailbox.copy()
        snapshot = Snapshot(name, workspace.state.clock.now(), document, mailbox, weight(document) + mailbox.bytes)
        _check_size(workspace, snapshot)
        workspace.snapshots.pop(name, None)  # snapshots are kept in order of age, the newest last
        workspace.snapshots[name] = snapshot
        return answers.answer(snapshot)


@SNAPSHOTS.call("GET", answer=Moments)
def index() -> Response:
    """The moments that are kept, oldest first."""
    workspace = target.workspace()
    with workspace.lock:
        return answers.listed(list(workspace.snapshots.values()))


@SNAPSHOTS.call("DELETE", status=204)
def clear() -> Response:
    """Forget all moments that are kept."""
    workspace = target.workspace()
    with workspace.lock:
        workspace.snapshots.clear()
    return answers.done()


@SNAPSHOTS.call("DELETE", "/<name>", status=204)
def forget(name: str) -> Response:
    """Forget one moment."""
    workspace = target.workspace()
    with workspace.lock:
        del workspace.snapshots[_found(workspace, name).name]
    return answers.done()


@SNAPSHOTS.call("POST", "/<name>/restore", answer=shown.Workspace, heavy=True)
def restore(name: str) -> Response:
    """Return to a moment; journal and coverage go on."""
    workspace = target.changed_workspace()
    with workspace.lock:
        snapshot = _found(workspace, name)
    dependencies.store().restore(workspace, snapshot)
    return answers.answer(hosted(workspace))


def _found(workspace: Workspace, name: str) -> Snapshot:
    """The snapshot of this name.

    Raises:
        Problem: 404, there is none.
    """
    found = workspace.snapshots.get(name)
    if found is None:
        raise unknown("snapshot", name, f"known: {', '.join(workspace.snapshots) or 'none'}")
    return found


def _check_size(workspace: Workspace, snapshot: Snapshot) -> None:
    """Refuse a snapshot with which all snapshots together would take more bytes than the limit.

    Raises:
        Problem: 409, they would.
    """
    taken = sum(other.size for other in workspace.snapshots.values() if other.name != snapshot.name)
    limit = workspace.limits.snapshots_bytes
    most = f"the limit is {limit:,} (--snapshots-bytes-limit)"
    if snapshot.size > limit:
        raise Problem(409, f"this snapshot alone would take {snapshot.size:,} bytes, {most}")
    if taken + snapshot.size > limit:
        sizes = f"the snapshots take {taken:,} bytes and this one would take {snapshot.size:,}"
        raise Problem(409, f"{sizes}; {most}; delete some")


def _unused(workspace: Workspace) -> str:
    """A name that no snapshot of the workspace has."""
    number = len(workspace.snapshots) + 1
    while f"snapshot-{number}" in workspace.snapshots:
        number += 1
    return f"snapshot-{number}"

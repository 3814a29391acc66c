"""`/_mock/state`, `reset`, `seed`, `scenarios` and `snapshots`: the state of a workspace, and ways to replace it."""

from __future__ import annotations

from copy import copy
from functools import cache
from itertools import count
from typing import Any

from flask import Response, request
from marshmallow import Schema, fields

from mockserver.control.framework import inputs, target
from mockserver.control.framework.call import ControlResource, listed
from mockserver.control.framework.problem import Problem, existing, of_mistakes
from mockserver.control.workspaces.workspaces import ScenarioChoice, before_making, chosen_scenario, show_hosted
from mockserver.core.traffic.ring import weight
from mockserver.core.workspaces.storage import StorageError
from mockserver.core.workspaces.store import DEFAULT
from mockserver.core.workspaces.workspace import Snapshot, Workspace
from mockserver.resources.section import Item, write_instant
from mockserver.scenario.documents.mistakes import Mistake, ScenarioError
from mockserver.scenario.dump import dump, to_yaml
from mockserver.scenario.schema import scenario_schema
from mockserver.scenario.seed import add, drafted
from mockserver.settings.files import SCHEMA_FILE
from mockserver.views.record import listing
from mockserver.views.workspace_records import KeptMoment, ScenarioLine, WorkspaceSummary
from mockserver.web.routing.address import WORKSPACE, WORKSPACE_HEADER
from mockserver.web.schemas import json_text
from mockserver.web.server import loop

STATE = ControlResource("state", "/_mock")

#: The number of levels of a state around a row.
_ROWS = 4
_MEDIA = {"json": "application/json", "yaml": "application/yaml"}


@cache
def seed_schema() -> Schema:
    """Return the schema of what is added to a workspace: a partial scenario, and optionally `account`.

    The account gets the rows at the top level of the document, outside of `accounts`.
    """
    return type(scenario_schema()).from_dict({"account": fields.String()}, name="SeedItem")()


class StateForm(Item):
    format = inputs.form(_MEDIA)


class Reset(ScenarioChoice):
    """A reset; without a choice the workspace keeps its scenario."""


@STATE.call("GET", "/state", query=StateForm, answer=scenario_schema, media=tuple(_MEDIA.values()))
def show(workspace: Workspace, query: dict[str, Any]) -> Response:
    """The whole workspace as a scenario, as JSON or as YAML by `Accept` or `?format=`."""
    loop.leave_if_large(workspace)
    document = dump(workspace)
    loop.leave_if_long([weight(document)])
    workspace.let_go()
    media = inputs.media_type(query, _MEDIA)
    if media == _MEDIA["yaml"]:
        return Response(to_yaml(document), content_type=media)
    found = b"".join((*json_text.pieces(document, write_instant, _ROWS), b"\n"))
    return Response(found, content_type="application/json")


@STATE.call("PUT", "/state", document=scenario_schema, answer=WorkspaceSummary, heavy=True, late=True)
def replace() -> WorkspaceSummary:
    """Replace the state by a document, JSON or YAML; journal, coverage and mailbox stay."""
    seen, document, store = target.seen(), inputs.document(), target.store()
    if not request.get_data().strip():
        raise of_mistakes([Mistake((), "missing document in the body; send {} for an empty workspace")])
    fresh = store.maker.anew(seen, document, whole=True)
    workspace = target.opened(seen)
    store.put(workspace, fresh)
    return show_hosted(workspace)


@STATE.call("POST", "/seed", document=seed_schema, answer=WorkspaceSummary, problems=(409,), heavy=True, late=True)
def seed() -> WorkspaceSummary:
    """Add the rows of a partial scenario to the workspace; 409 if one exists already."""
    seen, document = target.seen(), inputs.document()
    choice = copy(document)  # with its lines
    document.pop("account", None)
    try:
        drafts = drafted(document, seen.state.clock.now)
        workspace = target.opened(seen)
        add(workspace, target.account(workspace, choice), document, drafts)
    except ScenarioError as error:
        status = 409 if all(mistake.taken for mistake in error.mistakes) else 400
        raise of_mistakes(error.mistakes, status) from error
    return show_hosted(workspace)


@STATE.call("POST", "/reset", body=Reset, answer=WorkspaceSummary, late=True)
def reset(body: dict[str, Any]) -> WorkspaceSummary:
    """Reset the workspace to its scenario, or to another scenario."""
    scenario, store = chosen_scenario(body), target.store()
    seen = _readable()
    before_making(seen.origin.scenario if scenario is None else scenario)
    fresh = store.maker.again(seen, scenario)
    workspace = target.opened(seen, whole=True)
    store.reset(workspace, fresh)
    return show_hosted(workspace)


def _readable() -> Workspace:
    """Return the call's workspace for reading only; recreate an unreadable default workspace.

    Raises:
        StorageError: another workspace cannot be read, or the store cannot be.
    """
    try:
        return target.seen()
    except StorageError:
        store, key = target.store(), request.headers.get("api-key")
        name = request.environ.get(WORKSPACE, request.headers.get(WORKSPACE_HEADER, DEFAULT))
        is_default = name == DEFAULT and not (key and store.knows(key))
        if not is_default or DEFAULT not in store.unreadable() or not store.discard(DEFAULT):
            raise
        return target.seen()


# ---------------------------------------------------------------------- scenarios


@STATE.call("GET", "/scenarios", answer=listing("Scenarios", ScenarioLine), in_workspace=False)
def scenarios() -> Any:
    """The scenarios that can be loaded."""
    return listed(list(target.library().describe()))


@STATE.call("GET", "/scenarios.schema.json", media=("application/schema+json",), in_workspace=False)
def schema() -> Response:
    """The JSON Schema of scenarios, for editors."""
    return Response(SCHEMA_FILE.read_bytes(), content_type="application/schema+json")


@STATE.call("GET", "/scenarios/<name>", media=("application/yaml",), in_workspace=False)
def scenario(name: str) -> Response:
    """A scenario as it is written, in YAML."""
    try:
        if name not in target.library().names():
            raise Problem(404, target.library().unknown(name))
        return Response(target.library().text(name), content_type="application/yaml")
    except ScenarioError as error:
        raise Problem(404, str(error)) from error


# ---------------------------------------------------------------------- snapshots

SNAPSHOTS = ControlResource("snapshots", "/_mock/snapshots")


class NewSnapshot(Item):
    name = inputs.name()


@SNAPSHOTS.call("POST", body=NewSnapshot, answer=KeptMoment, status=201, problems=(409,))
def keep(workspace: Workspace, body: dict[str, Any]) -> KeptMoment:
    """Take a snapshot of state, clock, faults and mailbox; it replaces one of the same name."""
    loop.leave_if_large(workspace)
    name = body.get("name") or _unused(workspace)
    if name not in workspace.snapshots and len(workspace.snapshots) >= workspace.limits.snapshots:
        raise Problem(409, f"snapshot limit reached: {len(workspace.snapshots)} (--snapshots-limit); delete some")
    document, mailbox = dump(workspace), workspace.state.mailbox.copy()
    snapshot = Snapshot(name, workspace.state.clock.now(), document, mailbox, weight(document) + mailbox.bytes)
    _check_size(workspace, snapshot)
    workspace.snapshots.pop(name, None)  # snapshots are kept in order of age, the newest last
    workspace.snapshots[name] = snapshot
    return KeptMoment(name, snapshot.at)


@SNAPSHOTS.call("GET", answer=listing("Moments", KeptMoment))
def snapshots(workspace: Workspace) -> Any:
    """List the snapshots, oldest first."""
    return listed([KeptMoment(row.name, row.at) for row in workspace.snapshots.values()])


@SNAPSHOTS.call("DELETE", status=204)
def clear(workspace: Workspace) -> None:
    """Delete all snapshots."""
    workspace.snapshots.clear()


@SNAPSHOTS.call("DELETE", "/<name>", status=204)
def forget(workspace: Workspace, name: str) -> None:
    """Delete one snapshot."""
    del workspace.snapshots[_found(workspace, name).name]


@SNAPSHOTS.call("POST", "/<name>/restore", answer=WorkspaceSummary, heavy=True, late=True)
def restore(name: str) -> WorkspaceSummary:
    """Restore a snapshot: state, clock, faults and mailbox; journal and coverage continue."""
    seen, store = target.seen(), target.store()
    snapshot = _found(seen, name)
    fresh = store.maker.anew(seen, snapshot.document, whole=True)
    workspace = target.opened(seen)
    store.put(workspace, fresh, snapshot.mailbox.copy())
    return show_hosted(workspace)


def _found(workspace: Workspace, name: str) -> Snapshot:
    return existing(
        workspace.snapshots.get(name), "snapshot", name, f"known: {', '.join(workspace.snapshots) or 'none'}"
    )


def _check_size(workspace: Workspace, snapshot: Snapshot) -> None:
    """Refuse a snapshot with which all snapshots together exceed the limit of bytes."""
    taken = sum(other.size for other in workspace.snapshots.values() if other.name != snapshot.name)
    limit = workspace.limits.snapshots_bytes
    most = f"the limit is {limit:,} (--snapshots-bytes-limit)"
    if snapshot.size > limit:
        raise Problem(409, f"this snapshot alone would take {snapshot.size:,} bytes, {most}")
    if taken + snapshot.size > limit:
        sizes = f"the snapshots take {taken:,} bytes and this one would take {snapshot.size:,}"
        raise Problem(409, f"{sizes}; {most}; delete some")


def _unused(workspace: Workspace) -> str:
    names = (f"snapshot-{number}" for number in count(len(workspace.snapshots) + 1))
    return next(name for name in names if name not in workspace.snapshots)

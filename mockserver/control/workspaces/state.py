"""`/_mock/state`, `reset`, `seed` and `scenarios`: the state of a workspace, and the scenarios to make it from."""

from __future__ import annotations

from typing import Any

from flask import Response, request
from marshmallow import fields, validate

from mockserver.control.framework import answers, dependencies, inputs, off_loop, target
from mockserver.control.framework.problem import Problem, of_mistakes
from mockserver.control.framework.resource import ControlResource
from mockserver.control.workspaces.workspaces import ScenarioChoice, chosen_scenario, hosted
from mockserver.core.traffic.ring import weight
from mockserver.core.workspaces.storage import StorageError
from mockserver.core.workspaces.store import DEFAULT
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import Item, write_instant
from mockserver.scenario.documents.mistakes import Mistake, ScenarioError
from mockserver.scenario.dump import dump, to_yaml
from mockserver.scenario.schema import scenario_schema
from mockserver.scenario.seed import add
from mockserver.settings.locations import SCHEMA_FILE
from mockserver.views.workspaces import workspaces as shown
from mockserver.views.workspaces.scenarios import Scenarios, seed_schema
from mockserver.web.routing.address import WORKSPACE, WORKSPACE_HEADER
from mockserver.web.schemas import json_text
from mockserver.web.server import loop

STATE = ControlResource("state", "/_mock")


#: How many levels of a state stand around a row.
_ROWS = 4


_MEDIA = {"json": "application/json", "yaml": "application/yaml"}


class Wanted(Item):
    #: Left out: what `Accept` prefers. A link can set no header.
    format = fields.String(validate=validate.OneOf(tuple(_MEDIA)))


class Reset(ScenarioChoice):
    """A reset; without a choice the workspace keeps its scenario."""


@STATE.call("GET", "/state", query=Wanted, written=scenario_schema, media=tuple(_MEDIA.values()))
def show(query: dict[str, Any]) -> Response:
    """The whole workspace as a scenario, as JSON or as YAML by `Accept` or `?format=`."""
    workspace = target.workspace(whole=True)
    with workspace.lock:
        document = dump(workspace)
        off_loop.before_showing([weight(document)])
    media = _MEDIA.get(query.get("format", "")) or request.accept_mimetypes.best_match([*_MEDIA.values()])
    if media == _MEDIA["yaml"]:
        return Response(to_yaml(document), content_type=media)
    found = b"".join((*json_text.pieces(document, write_instant, _ROWS), b"\n"))
    return Response(found, content_type="application/json")


@STATE.call("PUT", "/state", document=scenario_schema, answer=shown.Workspace, heavy=True)
def replace() -> Response:
    """Let the workspace stand as a document says, JSON or YAML; journal, coverage and mailbox go on."""
    workspace = target.changed_workspace()
    document = inputs.document()
    if not request.get_data().strip():
        raise of_mistakes([Mistake((), "missing document in the body; send {} for an empty workspace")])
    dependencies.store().put(workspace, document)
    return answers.answer(hosted(workspace))


@STATE.call("POST", "/seed", document=seed_schema, answer=shown.Workspace, problems=(409,), heavy=True)
def seed() -> Response:
    """Add to the workspace what a partial scenario document holds; 409 if something is there already."""
    workspace = target.changed_workspace()
    document = inputs.document()
    with workspace.changing:
        account = target.account(workspace, document)
        document.pop("account", None)
        try:
            add(workspace, account, document)
        except ScenarioError as error:
            status = 409 if all(mistake.taken for mistake in error.mistakes) else 400
            raise of_mistakes(error.mistakes, status) from error
    return answers.answer(hosted(workspace))


@STATE.call("POST", "/reset", body=Reset, answer=shown.Workspace)
def reset(body: dict[str, Any]) -> Response:
    """The workspace as its scenario made it, or as another one makes it."""
    scenario = chosen_scenario(body)
    workspace = _readable()
    off_loop.before_making(workspace.origin.scenario if scenario is None else scenario)
    loop.occupy(request.environ, workspace.changing)
    dependencies.store().reset(workspace, scenario)
    return answers.answer(hosted(workspace))


def _readable() -> Workspace:
    """Return the workspace that the call acts on; the default one is made anew if it cannot be read.

    Raises:
        StorageError: another workspace cannot be read, or the store cannot be.
    """
    try:
        return target.workspace(whole=True)
    except StorageError:
        store, key = dependencies.store(), request.headers.get("api-key")
        name = request.environ.get(WORKSPACE, request.headers.get(WORKSPACE_HEADER, DEFAULT))
        if (
            name != DEFAULT
            or (key and store.knows(key))
            or DEFAULT not in store.unreadable()
            or not store.discard(DEFAULT)
        ):
            raise
        return target.workspace(whole=True)


@STATE.call("GET", "/scenarios", answer=Scenarios, in_workspace=False)
def scenarios() -> Response:
    """The scenarios that can be loaded."""
    return answers.listed(list(dependencies.library().describe()))


@STATE.call("GET", "/scenarios.schema.json", media=("application/schema+json",), in_workspace=False)
def schema() -> Response:
    """The JSON Schema of scenarios, for editors."""
    return Response(SCHEMA_FILE.read_bytes(), content_type="application/schema+json")


@STATE.call("GET", "/scenarios/<name>", media=("application/yaml",), in_workspace=False)
def scenario(name: str) -> Response:
    """A scenario as it is written, in YAML."""
    try:
        if name not in dependencies.library().names():
            raise Problem(404, dependencies.library().unknown(name))
        return Response(dependencies.library().text(name), content_type="application/yaml")
    except ScenarioError as error:
        raise Problem(404, str(error)) from error

"""`/_mock/workspaces`: a workspace per test."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from flask import Response, request
from marshmallow import ValidationError, fields, validate, validates_schema

from mockserver.control.framework import answers, dependencies, inputs, off_loop, parameters, target
from mockserver.control.framework.problem import Problem, of_misdirected, of_one
from mockserver.control.framework.resource import ControlResource
from mockserver.core.state.identifiers import ANY_REPLICA, REPLICA_HEADER
from mockserver.core.workspaces.storage import StorageError
from mockserver.core.workspaces.store import DEFAULT, NameTakenError, StoreFullError
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import Instant, Item, about, write_instant
from mockserver.views.workspaces import workspaces as shown
from mockserver.web.routing.address import WORKSPACE, WORKSPACE_HEADER
from mockserver.web.schemas.fields import Flag

WORKSPACES = ControlResource("workspaces", "/_mock/workspaces", in_workspace=False)


class ScenarioField(fields.Field[Any]):
    """A scenario by its name, or a whole document."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, (str, dict)):
            raise ValidationError("must be a name or a document")
        # Only known names: a path would let a caller read files of the server.
        if isinstance(value, str) and value not in dependencies.library().names():
            raise ValidationError(dependencies.library().unknown(value))
        return value


class ScenarioChoice(Item):
    """A body that may choose a scenario."""

    scenario = ScenarioField()
    yaml = fields.String(**about("the text of a YAML file with a scenario, in place of `scenario`"))

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def _check_choice(self, _data: object, original: Mapping[str, Any], **_: Any) -> None:
        if "scenario" in original and "yaml" in original:
            raise ValidationError("give scenario or yaml, not both")


def chosen_scenario(body: dict[str, Any]) -> str | dict[str, Any] | None:
    """The scenario that a body chooses, by its name or as a document, read from its text if that was sent; None: none.

    Raises:
        Problem: 400, the text cannot be read; 413, it is too large.
    """
    if "yaml" not in body:
        found: str | dict[str, Any] | None = body.get("scenario")
        return found
    off_loop.leave()
    return inputs.of_text(body["yaml"])


class NewWorkspace(ScenarioChoice):
    """A new workspace; without a choice it has the scenario with which the server was started."""

    seed = fields.Integer(strict=True, validate=validate.Range(-(2**63), 2**63 - 1))
    name = parameters.name()
    #: Whether the workspace refuses body fields that the service does not know, even if its scenario does not say so.
    strict = Flag(load_default=False)
    start = Instant(**about("the moment at which its clock starts, whatever its scenario says"))
    #: Whether requests of the workspace count in the coverage of the server, and are logged.
    counted = Flag(load_default=True)


class WorkspaceFilter(Item):
    #: A part of the name, in capitals or not.
    name = fields.String(load_default="")
    limit = parameters.limit()
    offset = parameters.offset()


@WORKSPACES.call("POST", body=NewWorkspace, answer=shown.Workspace, status=201, problems=(409, 421))
def create(body: dict[str, Any]) -> Response:
    """A fresh workspace with its own keys, clock, faults, journal, mailbox and coverage."""
    if "name" in body:
        _check_place(body["name"])
    scenario = chosen_scenario(body)
    off_loop.before_making(scenario)
    if changes := _changes(body):
        own = dependencies.store().maker.scenario
        scenario = dependencies.library().changed(own if scenario is None else scenario, **changes)
    try:
        named: dict[str, Any] = {member: body.get(member) for member in ("name", "seed", "counted")}
        fresh = dependencies.store().create(scenario, **named)
    except NameTakenError as error:
        raise Problem(409, f"duplicate workspace name {str(error)!r}") from error
    except StoreFullError as error:
        raise Problem(409, str(error)) from error
    return answers.answer(hosted(target.acting_on(fresh)))


def _check_place(name: str) -> None:
    """Refuse a given name on a replica that calls by this name are not led to.

    Raises:
        Problem: 421; a header tells what leads the call to the right one. 400, something else has led it here.
    """
    replica = dependencies.store().replica
    target.refuse_misdirected(f"the name {name}", replica.other_of_name(name))
    if not replica.name:
        return
    meant = request.headers.get(REPLICA_HEADER)
    leading = request.environ.get(WORKSPACE, request.headers.get(WORKSPACE_HEADER))
    if meant == ANY_REPLICA and leading is None:
        detail = f"the load balancer could not see the name of the workspace: send {WORKSPACE_HEADER}: {name} as well"
        raise of_misdirected(detail, WORKSPACE_HEADER, name)
    if meant not in (None, ANY_REPLICA):
        raise of_one("name", f"give either name or the header {REPLICA_HEADER}, not both")
    if leading not in (None, name):
        raise of_one("name", f"must be {leading!r}, the workspace by which the call was routed to this replica")


def _changes(body: dict[str, Any]) -> dict[str, Any]:
    """The members of a scenario that the body of a call sets, whatever the scenario says."""
    strict = {"strict": True} if body["strict"] else {}
    return {**strict, "clock": {"start": write_instant(body["start"])}} if "start" in body else strict


@WORKSPACES.call("GET", query=WorkspaceFilter, answer=shown.Workspaces)
def index(query: dict[str, Any]) -> Response:
    """All workspaces, the one used last first."""
    found = found_by(query["name"])
    part = loaded(found[query["offset"] : query["offset"] + query["limit"]])
    _before_showing(part)
    rows, count = [hosted(workspace) for workspace in part], len(found_by(query["name"]))
    return answers.listed(rows, count, unreadable=unreadable())


def found_by(name: str) -> list[str]:
    """The names of workspaces that hold a text, in capitals or not; the one used last comes first.

    Those that could not be read are left out.
    """
    store, wanted = dependencies.store(), name.lower()
    left_out = store.unreadable()
    return [found for found in reversed(store.names()) if wanted in found.lower() and found not in left_out]


def loaded(names: Iterable[str]) -> list[Workspace]:
    """The workspaces of these names, without those that are gone, or cannot be read."""
    return [found for found in map(_looked_at, names) if found is not None]


def _looked_at(name: str) -> Workspace | None:
    try:
        return dependencies.store().seen(name)
    except StorageError:
        return None  # from now on it is among those that are unreadable


def unreadable() -> list[dict[str, str]]:
    """The workspaces that could not be read when somebody asked for them last, as rows of their view."""
    return [{"name": name, "why": why} for name, why in dependencies.store().unreadable().items()]


@WORKSPACES.call("GET", "/<name>", answer=shown.WorkspaceInUse)
def show(name: str) -> Response:
    """One workspace."""
    found = target.named(name)
    _before_showing([found])
    return answers.answer(hosted(found))


@WORKSPACES.call("DELETE", "/<name>", status=204, problems=(409,))
def drop(name: str) -> Response:
    """Let a workspace go; its keys are refused from now on."""
    if name == DEFAULT:
        raise Problem(409, "the default workspace cannot be deleted; reset it instead")
    if not dependencies.store().discard(name):
        dependencies.store().drop(target.entered(target.named(name), whole=True))
    return answers.done()


def _before_showing(workspaces: Iterable[Workspace]) -> None:
    """Leave the event loop before showing workspaces with many accounts."""
    off_loop.before_showing(0 for workspace in workspaces for _ in range(len(workspace.state.accounts)))


def hosted(workspace: Workspace) -> shown.Hosted:
    """A workspace as a row of its view, with the root of the address that the client has called."""
    return shown.Hosted(workspace, request.host_url)

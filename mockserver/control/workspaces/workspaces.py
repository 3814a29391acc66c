"""`/_mock/workspaces`: a workspace per test."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from flask import Response, request
from marshmallow import ValidationError, fields, validate

from mockserver.control.framework import answers, dependencies, off_loop, parameters, target
from mockserver.control.framework.problem import Problem
from mockserver.control.framework.resource import ControlResource
from mockserver.core.workspaces.store import DEFAULT, NameTakenError, StoreFullError
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import Item
from mockserver.views.workspaces import workspaces as shown
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


class NewWorkspace(Item):
    #: Left out: the scenario with which the server was started.
    scenario = ScenarioField()
    seed = fields.Integer(strict=True, validate=validate.Range(-(2**63), 2**63 - 1))
    name = parameters.name()
    #: Whether the workspace refuses body fields that the service does not know, even if its scenario does not say so.
    strict = Flag(load_default=False)
    #: Whether requests of the workspace count in the coverage of the server, and are logged.
    counted = Flag(load_default=True)


class WorkspaceFilter(Item):
    limit = parameters.limit()
    offset = parameters.offset()


@WORKSPACES.call("POST", body=NewWorkspace, answer=shown.Workspace, status=201, problems=(409,))
def create(body: dict[str, Any]) -> Response:
    """A fresh workspace with its own keys, clock, faults, journal, mailbox and coverage."""
    scenario = body.get("scenario")
    off_loop.before_making(scenario)
    if body["strict"]:
        scenario = dependencies.library().strict(dependencies.store().maker.scenario if scenario is None else scenario)
    try:
        named: dict[str, Any] = {member: body.get(member) for member in ("name", "seed", "counted")}
        fresh = dependencies.store().create(scenario, **named)
    except NameTakenError as error:
        raise Problem(409, f"there is a workspace {error} already") from error
    except StoreFullError as error:
        raise Problem(409, str(error)) from error
    return answers.answer(hosted(target.acting_on(fresh)))


@WORKSPACES.call("GET", query=WorkspaceFilter, answer=shown.Workspaces)
def index(query: dict[str, Any]) -> Response:
    """All workspaces, the one used last first."""
    found = list(dependencies.store())[::-1]
    part = found[query["offset"] : query["offset"] + query["limit"]]
    _before_showing(part)
    return answers.listed([hosted(workspace) for workspace in part], len(found))


@WORKSPACES.call("GET", "/<name>", answer=shown.Workspace)
def show(name: str) -> Response:
    """One workspace."""
    found = target.named(name)
    _before_showing([found])
    return answers.answer(hosted(found))


@WORKSPACES.call("DELETE", "/<name>", status=204, problems=(409,))
def drop(name: str) -> Response:
    """Let a workspace go; its keys are refused from now on."""
    if name == DEFAULT:
        raise Problem(409, "the default workspace stays; reset it instead")
    dependencies.store().drop(target.entered(target.named(name), whole=True))
    return answers.done()


def _before_showing(workspaces: Iterable[Workspace]) -> None:
    """Leave the event loop before showing workspaces with many accounts."""
    off_loop.before_showing(0 for workspace in workspaces for _ in range(len(workspace.state.accounts)))


def hosted(workspace: Workspace) -> shown.Hosted:
    """A workspace as a row of its view, with the root of the address that the client has called."""
    return shown.Hosted(workspace, request.host_url)

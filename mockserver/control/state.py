"""`/_mock/state`, `/_mock/reset` and `/_mock/scenarios`: where a workspace stands, and what it was made from."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, request
from marshmallow import fields

from mockserver.control import call
from mockserver.control.problem import Problem
from mockserver.core.workspace import Workspace
from mockserver.resources.section import Item
from mockserver.scenario.dump import dump, to_yaml
from mockserver.scenario.mistakes import ScenarioError

BLUEPRINT = Blueprint("state", __name__, url_prefix="/_mock")


class Reset(Item):
    #: A name, or a whole document.
    scenario = fields.Raw()


@BLUEPRINT.get("/state")
def show() -> Response:
    """The whole workspace as a scenario, as JSON or as YAML by `Accept`."""
    workspace = call.workspace()
    with workspace.lock:
        document = dump(workspace)
    if request.accept_mimetypes.best_match(["application/json", "application/yaml"]) == "application/yaml":
        return Response(to_yaml(document), content_type="application/yaml")
    return call.answer(document)


@BLUEPRINT.post("/reset")
def reset() -> Response:
    """The workspace as its scenario made it, or as another one makes it."""
    scenario = call.body(Reset()).get("scenario")
    if scenario is not None and not isinstance(scenario, (str, dict)):
        raise Problem(
            400, "scenario must be a name or a document", errors=[{"path": "/scenario", "message": "wrong type"}]
        )
    if isinstance(scenario, str) and scenario not in call.library().names():
        # A path would let a caller read files of the server's.
        raise Problem(400, f"there is no scenario {scenario!r}", errors=[{"path": "/scenario", "message": "unknown"}])
    return call.answer(described(call.store().reset(call.workspace(), scenario)))


@BLUEPRINT.get("/scenarios")
def scenarios() -> Response:
    """The scenarios that can be loaded."""
    return call.listed(list(call.library().describe()))


@BLUEPRINT.get("/scenarios/<name>")
def scenario(name: str) -> Response:
    """A scenario as it is written, in YAML."""
    try:
        if name not in call.library().names():
            raise Problem(404, f"there is no scenario {name!r}")
        return Response(call.library().text(name), content_type="application/yaml")
    except ScenarioError as error:
        raise Problem(404, str(error)) from error


def described(workspace: Workspace) -> dict[str, Any]:
    """A workspace as `reset` answers it."""
    accounts = [
        {"name": account.name, "role": str(account.role), "api_key": next(iter(account.api_keys), None)}
        for account in workspace.accounts.values()
    ]
    return {
        "name": workspace.name,
        "api_key": accounts[0]["api_key"],
        "scenario": workspace.scenario,
        "url": f"{request.host_url}v3",
        "accounts": accounts,
    }

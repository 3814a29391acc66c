"""`/_mock/workspaces`: a world per test."""

from __future__ import annotations

from typing import Any

from flask import Response, request
from marshmallow import fields, validate

from mockserver.control import call
from mockserver.control.noun import Noun
from mockserver.control.problem import Problem
from mockserver.core.store import DEFAULT, NAME, NameTakenError
from mockserver.core.workspace import Workspace
from mockserver.resources.section import Item

WORKSPACES = Noun("workspaces", "/_mock/workspaces", in_world=False)


class NewWorkspace(Item):
    #: A name, or a whole document; else the server's own.
    scenario = fields.Raw()
    seed = fields.Integer(strict=True, validate=validate.Range(-(2**63), 2**63 - 1))
    name = fields.String(
        validate=validate.Regexp(
            rf"{NAME.pattern}\Z", error="must be 1 to 64 letters, digits, dots, dashes and underscores"
        )
    )


class WorkspaceFilter(Item):
    limit = fields.Integer(load_default=100, validate=validate.Range(1, 1000))
    offset = fields.Integer(load_default=0, validate=validate.Range(0, 2**53))


@WORKSPACES.call("POST", body=NewWorkspace, answer="World", status=201, problems=(409,))
def create(body: dict[str, Any]) -> Response:
    """A fresh world with its own keys, clock, faults, journal, mailbox and coverage."""
    try:
        fresh = call.store().create(scenario_of(body), name=body.get("name"), seed=body.get("seed"))
    except NameTakenError as error:
        raise Problem(409, f"there is a workspace {error} already") from error
    return call.answer(described(fresh), 201)


@WORKSPACES.call("GET", query=WorkspaceFilter, answer="Worlds")
def index(query: dict[str, Any]) -> Response:
    """All workspaces, the one used last first."""
    found = list(call.store())[::-1]
    part = found[query["offset"] : query["offset"] + query["limit"]]
    return call.listed([described(workspace) for workspace in part], len(found))


@WORKSPACES.call("GET", "/<name>", answer="World")
def show(name: str) -> Response:
    """One workspace."""
    return call.answer(described(call.named(name)))


@WORKSPACES.call("DELETE", "/<name>", status=204, problems=(409,))
def drop(name: str) -> Response:
    """Let a workspace go; its keys are refused from now on."""
    if name == DEFAULT:
        raise Problem(409, "the default workspace stays; reset it instead")
    call.store().drop(call.named(name))
    return call.done()


def described(workspace: Workspace) -> dict[str, Any]:
    """A workspace as it is answered: where it is, and which keys open it."""
    accounts = [
        {"name": account.name, "role": str(account.role), "api_key": next(iter(account.api_keys), None)}
        for account in workspace.accounts.values()
    ]
    place = "" if workspace.name == DEFAULT else f"w/{workspace.name}/"
    return {
        "name": workspace.name,
        "api_key": accounts[0]["api_key"],
        "scenario": workspace.scenario,
        "url": f"{request.host_url}{place}v3",
        "accounts": accounts,
    }


def scenario_of(body: dict[str, Any]) -> str | dict[str, Any] | None:
    """The scenario that a body names or holds.

    Raises:
        Problem: 400; it is neither a known name nor a document.
    """
    scenario: Any = body.get("scenario")
    message = None
    if scenario is not None and not isinstance(scenario, (str, dict)):
        message = "must be a name or a document"
    elif isinstance(scenario, str) and scenario not in call.library().names():
        # A path would let a caller read files of the server's.
        message = f"there is no scenario {scenario!r}; there are {', '.join(call.library().names())}"
    if message is not None:
        raise Problem(400, f"scenario: {message}", errors=[{"path": "/scenario", "message": message}])
    found: str | dict[str, Any] | None = scenario
    return found

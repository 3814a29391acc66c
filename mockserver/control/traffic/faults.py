"""`/_mock/faults`: rules that make matching requests go wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Response

from mockserver.control.framework import answers, dependencies, off_loop, target
from mockserver.control.framework.problem import Problem, of_mistakes, unknown
from mockserver.control.framework.resource import ControlResource
from mockserver.core.state.faults import FAULT_KINDS, Fault
from mockserver.core.text.messages import shown, too_many
from mockserver.core.traffic.ring import weight
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import Item
from mockserver.scenario.documents.mistakes import Mistake, Path
from mockserver.scenario.faults import FaultItem, twice
from mockserver.scenario.schema import MOST_FAULTS, faults_field
from mockserver.views.traffic.faults import Catalogue, Named, Rule, Rules, ruled

FAULTS = ControlResource("faults", "/_mock/faults")


class FaultRules(Item):
    items = faults_field(required=True)


@FAULTS.call("GET", "/catalogue", answer=Catalogue, in_workspace=False)
def catalogue() -> Response:
    """Every fault: what it does, its parameters, and the operations that it is for."""
    return answers.listed([Named(name, kind) for name, kind in FAULT_KINDS.items()])


@FAULTS.call("POST", body=FaultItem, answer=Rule, status=201, problems=(409,))
def add(body: Fault) -> Response:
    """Let a rule apply, behind those that are there."""
    workspace = target.workspace()
    _refuse_impossible({("fault",): body})
    with workspace.lock:
        _refuse_twice([*workspace.state.faults, body])
        workspace.state.add_faults([body])
        return answers.answer(ruled(body, workspace.state.clock.now()))


@FAULTS.call("PUT", body=FaultRules, answer=Rules, problems=(409,))
def replace(body: dict[str, Any]) -> Response:
    """Let these rules apply, and no others."""
    workspace = target.workspace()
    _refuse_impossible({("items", index, "fault"): rule for index, rule in enumerate(body["items"])})
    with workspace.lock:
        _refuse_twice(body["items"])
        workspace.state.faults.clear()
        workspace.state.add_faults(body["items"])
        return _listed(workspace)


@FAULTS.call("GET", answer=Rules)
def index() -> Response:
    """List the fault rules in the order in which they apply, with their hits."""
    workspace = target.workspace()
    with workspace.lock:
        off_loop.before_showing(weight(fault.written) for fault in workspace.state.faults)
        return _listed(workspace)


@FAULTS.call("DELETE", status=204)
def clear() -> Response:
    """Remove all rules."""
    workspace = target.workspace()
    with workspace.lock:
        workspace.state.faults.clear()
    return answers.done()


@FAULTS.call("GET", "/<identifier>", answer=Rule)
def show(identifier: str) -> Response:
    """One rule with its hits."""
    workspace = target.workspace()
    with workspace.lock:
        return answers.answer(ruled(_found(workspace, identifier), workspace.state.clock.now()))


@FAULTS.call("DELETE", "/<identifier>", status=204)
def remove(identifier: str) -> Response:
    """Remove a rule."""
    workspace = target.workspace()
    with workspace.lock:
        workspace.state.faults.remove(_found(workspace, identifier).id)
    return answers.done()


def _found(workspace: Workspace, identifier: str) -> Fault:
    found = workspace.state.faults.get(identifier)
    if found is None:
        raise unknown("fault", identifier, "GET /_mock/faults lists all")
    return found


def _refuse_impossible(faults: Mapping[Path, Fault]) -> None:
    """Refuse rules, by the places where they name their faults, that this server can never meet."""
    tls = dependencies.current().tls
    mistakes = []
    for path, fault in faults.items():
        if fault.is_of_handshakes and tls is None:
            mistakes.append(Mistake(path, f"{fault.kind} requires TLS: start the server with --tls"))
        elif fault.kind == "expired_certificate" and tls is not None and tls.ca is None:
            mistakes.append(Mistake(path, f"{fault.kind} requires a server without --tls-cert"))
    if mistakes:
        raise of_mistakes(mistakes)


def _refuse_twice(faults: list[Fault]) -> None:
    if len(faults) > MOST_FAULTS:
        raise Problem(409, too_many(len(faults), MOST_FAULTS, "rules"))
    for index in twice(faults):
        raise Problem(409, f"duplicate fault id {shown(faults[index].id)}")


def _listed(workspace: Workspace) -> Response:
    now = workspace.state.clock.now()
    return answers.listed([ruled(fault, now) for fault in workspace.state.faults])

"""`/_mock/faults`: rules that make matching requests go wrong."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockserver.control.framework import target
from mockserver.control.framework.call import ControlResource, listed
from mockserver.control.framework.problem import Problem, existing, of_mistakes
from mockserver.core.state.faults import FAULT_KINDS, Fault
from mockserver.core.state.identifiers import repeated
from mockserver.core.text.messages import shown, too_many
from mockserver.core.traffic.ring import weight
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import Item
from mockserver.scenario.documents.mistakes import Mistake, Path
from mockserver.scenario.faults import FaultItem
from mockserver.scenario.schema import MOST_FAULTS, faults_field
from mockserver.views.record import listing
from mockserver.views.traffic import FaultKind, Rule, show_fault_kind, show_rule
from mockserver.web.server import loop

FAULTS = ControlResource("faults", "/_mock/faults")
_RULES = listing("Rules", Rule)


class FaultRules(Item):
    items = faults_field(required=True)


@FAULTS.call("GET", "/catalogue", answer=listing("Catalogue", FaultKind), in_workspace=False)
def catalogue() -> Any:
    """List all faults with their effects, parameters and operations."""
    return listed([show_fault_kind(name, kind) for name, kind in FAULT_KINDS.items()])


@FAULTS.call("POST", body=FaultItem, answer=Rule, status=201, problems=(409,))
def add(workspace: Workspace, body: Fault) -> Any:
    """Add a rule after the existing rules."""
    _refuse_impossible({("fault",): body})
    _refuse_twice([*workspace.state.faults, body])
    workspace.state.add_faults([body])
    return show_rule(body, workspace.state.clock.now())


@FAULTS.call("PUT", body=FaultRules, answer=_RULES, problems=(409,))
def replace(workspace: Workspace, body: dict[str, Any]) -> Any:
    """Replace all rules."""
    _refuse_impossible({("items", index, "fault"): rule for index, rule in enumerate(body["items"])})
    _refuse_twice(body["items"])
    workspace.state.faults.clear()
    workspace.state.add_faults(body["items"])
    return _listed(workspace)


@FAULTS.call("GET", answer=_RULES)
def index(workspace: Workspace) -> Any:
    """List the fault rules in the order in which they apply, with their hits."""
    loop.leave_if_long(weight(fault.written) for fault in workspace.state.faults)
    return _listed(workspace)


@FAULTS.call("DELETE", status=204)
def clear(workspace: Workspace) -> None:
    """Remove all rules."""
    workspace.state.faults.clear()


@FAULTS.call("GET", "/<identifier>", answer=Rule)
def show(workspace: Workspace, identifier: str) -> Any:
    """One rule with its hits."""
    return show_rule(_found(workspace, identifier), workspace.state.clock.now())


@FAULTS.call("DELETE", "/<identifier>", status=204)
def remove(workspace: Workspace, identifier: str) -> None:
    """Remove a rule."""
    workspace.state.faults.remove(_found(workspace, identifier).id)


def _found(workspace: Workspace, identifier: str) -> Fault:
    return existing(workspace.state.faults.get(identifier), "fault", identifier, "GET /_mock/faults lists all")


def _refuse_impossible(faults: Mapping[Path, Fault]) -> None:
    """Refuse rules that this server can never meet; keys are places of fault names in the body."""
    tls = target.current().tls
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
    for index in repeated(fault.id for fault in faults):
        raise Problem(409, f"duplicate fault id {shown(faults[index].id)}")


def _listed(workspace: Workspace) -> Any:
    now = workspace.state.clock.now()
    return listed([show_rule(fault, now) for fault in workspace.state.faults])

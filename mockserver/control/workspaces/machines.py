"""`/_mock/machines`: every state machine, its instances, and events fired by hand."""

from __future__ import annotations

from typing import Any

from mockserver.control.framework import inputs
from mockserver.control.framework.call import ControlResource, listed
from mockserver.control.framework.problem import existing, of_transition, unknown
from mockserver.core.state.state import Account
from mockserver.core.text.messages import nearest
from mockserver.core.time.clock import Key
from mockserver.core.time.state_machine import StateMachine, TransitionRefused
from mockserver.core.workspaces.lifecycle import Lifecycle
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.registry import LIFECYCLES
from mockserver.views.record import Evicted, listing
from mockserver.views.traffic import show_transition
from mockserver.views.traffic_records import Transition
from mockserver.views.workspace_records import Instance, Machine, MachineTransition
from mockserver.web.server import loop

MACHINES = ControlResource("machines", "/_mock/machines")


@MACHINES.call("GET", answer=listing("Machines", Machine), in_workspace=False)
def index() -> Any:
    """Every state machine: states, transitions, a diagram."""
    return listed([_shown(lifecycle.machine) for lifecycle in LIFECYCLES.values()])


def _shown(machine: StateMachine) -> Machine:
    transitions = [MachineTransition(row.event, row.source, row.target) for row in machine.transitions]
    return Machine(machine.name, machine.states, sorted(machine.timed), transitions, machine.mermaid())


@MACHINES.call("GET", "/<machine>", query=inputs.PartOrAll, answer=listing("Instances", Instance))
def instances(workspace: Workspace, machine: str, query: dict[str, Any]) -> Any:
    """The instances of a machine."""
    lifecycle = _lifecycle(machine)
    part = inputs.part_of(lifecycle.instances(workspace), query)
    loop.leave_if_long(0 for _ in part)
    rows = [lifecycle.describe(account, row) for account, row in part]
    return listed(rows, sum(1 for _ in lifecycle.instances(workspace)))


@MACHINES.call("GET", "/<machine>/<key>", answer=Instance)
def instance(workspace: Workspace, machine: str, key: str) -> Any:
    """One instance: its state, the events that apply, its secrets."""
    lifecycle = _lifecycle(machine)
    return lifecycle.describe(*_found(workspace, lifecycle, key))


@MACHINES.call(
    "GET", "/<machine>/<key>/history", query=inputs.Part, answer=listing("InstanceHistory", Transition, evicted=Evicted)
)
def history(workspace: Workspace, machine: str, key: str, query: dict[str, Any]) -> Any:
    """List the transitions of an instance, newest first, also of a deleted instance. Seeding adds none."""
    lifecycle = _lifecycle(machine)
    found = list(workspace.history.of(machine, _kept(workspace, lifecycle, key)))
    rows = list(map(show_transition, inputs.part_of(found, query)))
    return listed(rows, len(found), evicted=workspace.history.evicted)


@MACHINES.call("POST", "/<machine>/<key>/<event>", answer=Instance, problems=(409,))
def fire(workspace: Workspace, machine: str, key: str, event: str) -> Any:
    """Fire an event of an instance; 409 lists the possible events if the event does not apply."""
    lifecycle = _lifecycle(machine)
    if workspace.state.has_many_calls or lifecycle.machine.name in workspace.parts.long_machines:
        loop.leave()
    account, row = _found(workspace, lifecycle, key)
    try:
        lifecycle.fire(workspace, account, row, event)
    except TransitionRefused as error:
        raise of_transition(error) from error
    workspace.catch_up()
    return lifecycle.describe(account, row)


def _lifecycle(name: str) -> Lifecycle[Any]:
    return existing(LIFECYCLES.get(name), "machine", name, nearest(name, LIFECYCLES))


def _found(workspace: Workspace, lifecycle: Lifecycle[Any], key: str) -> tuple[Account, Any]:
    found = lifecycle.find(workspace, key)
    if found is None:
        machine = lifecycle.machine.name
        raise unknown(machine, key, f"GET /_mock/machines/{machine} lists all")
    return found


def _kept(workspace: Workspace, lifecycle: Lifecycle[Any], text: str) -> Key:
    """Return the key of an existing instance, or of a deleted instance with a history."""
    key = lifecycle.key_of(text)
    known = key is not None and any(workspace.history.of(lifecycle.machine.name, key))
    if key is None or not (known or lifecycle.find(workspace, text)):
        machine = lifecycle.machine.name
        raise unknown(machine, text, f"it has no history either; GET /_mock/machines/{machine} lists all")
    return key

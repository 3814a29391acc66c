"""`/_mock/machines`: every state machine, its instances, and events fired by hand."""

from __future__ import annotations

from typing import Any

from flask import Response

from mockserver.control.framework import answers, off_loop, parameters, target
from mockserver.control.framework.problem import of_transition, unknown
from mockserver.control.framework.resource import ControlResource
from mockserver.core.state.state import Account
from mockserver.core.text.messages import nearest
from mockserver.core.time.clock import Key
from mockserver.core.time.state_machine import TransitionRefused
from mockserver.core.workspaces.lifecycle import Lifecycle
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.registry import LIFECYCLES
from mockserver.views.workspaces.machines import Instance, InstanceHistory, Instances, Machines

MACHINES = ControlResource("machines", "/_mock/machines")


@MACHINES.call("GET", answer=Machines, in_workspace=False)
def index() -> Response:
    """Every state machine: states, transitions, a diagram."""
    return answers.listed([lifecycle.machine for lifecycle in LIFECYCLES.values()])


@MACHINES.call("GET", "/<machine>", query=parameters.PartOrAll, answer=Instances)
def instances(machine: str, query: dict[str, Any]) -> Response:
    """The instances of a machine."""
    workspace = target.workspace()
    lifecycle = _lifecycle(machine)
    with workspace.lock:
        part = parameters.part_of(lifecycle.instances(workspace), query)
        off_loop.before_showing(0 for _ in part)
        rows = [lifecycle.describe(account, row) for account, row in part]
        return answers.listed(rows, sum(1 for _ in lifecycle.instances(workspace)))


@MACHINES.call("GET", "/<machine>/<key>", answer=Instance)
def instance(machine: str, key: str) -> Response:
    """One instance: its state, the events that apply, its secrets."""
    workspace = target.workspace()
    lifecycle = _lifecycle(machine)
    with workspace.lock:
        return answers.answer(lifecycle.describe(*_found(workspace, lifecycle, key)))


@MACHINES.call("GET", "/<machine>/<key>/history", query=parameters.Part, answer=InstanceHistory)
def history(machine: str, key: str, query: dict[str, Any]) -> Response:
    """The transitions of an instance, newest first, even if it is gone; those of a scenario have none."""
    workspace = target.workspace()
    lifecycle = _lifecycle(machine)
    with workspace.lock:
        found = list(workspace.history.of(machine, _kept(workspace, lifecycle, key)))
        return answers.listed(parameters.part_of(found, query), len(found), evicted=workspace.history.evicted)


@MACHINES.call("POST", "/<machine>/<key>/<event>", answer=Instance, problems=(409,))
def fire(machine: str, key: str, event: str) -> Response:
    """Let an event happen; 409 with what is allowed if it does not apply."""
    workspace = target.workspace()
    lifecycle = _lifecycle(machine)
    if workspace.state.has_many_calls:
        off_loop.leave()
    with workspace.lock:
        account, row = _found(workspace, lifecycle, key)
        try:
            lifecycle.fire(workspace, account, row, event)
        except TransitionRefused as error:
            raise of_transition(error) from error
        workspace.catch_up()
        return answers.answer(lifecycle.describe(account, row))


def _lifecycle(name: str) -> Lifecycle[Any]:
    found = LIFECYCLES.get(name)
    if found is None:
        raise unknown("machine", name, nearest(name, LIFECYCLES))
    return found


def _found(workspace: Workspace, lifecycle: Lifecycle[Any], key: str) -> tuple[Account, Any]:
    found = lifecycle.find(workspace, key)
    if found is None:
        machine = lifecycle.machine.name
        raise unknown(machine, key, f"GET /_mock/machines/{machine} lists all")
    return found


def _kept(workspace: Workspace, lifecycle: Lifecycle[Any], text: str) -> Key:
    """The key of an instance that is there, or of one that is gone and has a history.

    Raises:
        Problem: 404, there is neither.
    """
    key = lifecycle.key_of(text)
    known = key is not None and any(workspace.history.of(lifecycle.machine.name, key))
    if key is None or not (known or lifecycle.find(workspace, text)):
        raise unknown(lifecycle.machine.name, text, "the workspace has no history of it either")
    return key

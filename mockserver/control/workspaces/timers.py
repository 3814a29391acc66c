"""`/_mock/timers`: the timers that have fired, and one timer, whether it is pending or has fired."""

from __future__ import annotations

from typing import Any

from flask import Response

from mockserver.control.framework import answers, off_loop, parameters, target
from mockserver.control.framework.problem import unknown
from mockserver.control.framework.resource import ControlResource
from mockserver.core.workspaces.workspace import Workspace
from mockserver.views.workspaces import timers as shown
from mockserver.views.workspaces.timers import Due

TIMERS = ControlResource("timers", "/_mock/timers")


@TIMERS.call("GET", query=parameters.Part, answer=shown.FiredTimers)
def index(query: dict[str, Any]) -> Response:
    """The timers that have fired, newest first; those that are pending are listed under `/_mock/clock/timers`."""
    workspace = target.workspace()
    with workspace.lock:
        found = parameters.part_of(workspace.fired, query)
        off_loop.before_showing(row.size for row in found)
        rows = [Due.of(workspace, row.timer, row) for row in found]
        return answers.listed(rows, len(workspace.fired), evicted=workspace.fired.evicted)


@TIMERS.call("GET", "/<identifier>", answer=shown.Timer)
def show(identifier: str) -> Response:
    """One timer, pending or fired: who set it, and what followed when it fired."""
    workspace = target.workspace()
    with workspace.lock:
        return answers.answer(_found(workspace, identifier))


def _found(workspace: Workspace, identifier: str) -> Due:
    """The pending timer of an id, else the one that has fired last.

    Raises:
        Problem: 404, there is neither.
    """
    pending = workspace.state.timers.get(identifier)
    if pending is not None:
        return Due.of(workspace, pending)
    fired = workspace.fired_timer(identifier)
    if fired is None:
        raise unknown("timer", identifier, "it was cancelled or replaced, or fired too long ago")
    return Due.of(workspace, fired.timer, fired)

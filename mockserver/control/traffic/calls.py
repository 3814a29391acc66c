"""`/_mock/calls`: the calls of this API that have changed something in a workspace."""

from __future__ import annotations

from typing import Any

from flask import Response

from mockserver.control.framework import answers, off_loop, parameters, target
from mockserver.control.framework.problem import unknown
from mockserver.control.framework.resource import ControlResource
from mockserver.views.traffic import calls as shown
from mockserver.views.traffic.calls import Recorded

CALLS = ControlResource("calls", "/_mock/calls")


@CALLS.call("GET", query=parameters.Part, answer=shown.ControlCalls)
def index(query: dict[str, Any]) -> Response:
    """The control calls that have changed something, newest first; a reset forgets those before it."""
    workspace = target.workspace()
    with workspace.lock:
        calls = workspace.calls
        found = parameters.part_of(calls, query)
        off_loop.before_showing(row.size for row in found)
        rows = [Recorded(row, workspace.links) for row in found]
        return answers.listed(rows, len(calls), evicted=calls.evicted)


@CALLS.call("GET", "/<identifier>", answer=shown.ControlCall)
def show(identifier: str) -> Response:
    """One control call, by the header `X-Mock-Call` of its answer."""
    workspace = target.workspace()
    with workspace.lock:
        found = workspace.recorded_call(identifier)
        if found is None:
            raise unknown("control call", identifier, "GET /_mock/calls lists those that changed something")
        off_loop.before_showing([found.size])
        return answers.answer(Recorded(found, workspace.links))

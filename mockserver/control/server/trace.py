"""`/_mock/trace`: what happened in a workspace, as one file to keep and to send."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from flask import Response

from mockserver.control.framework.call import ControlResource
from mockserver.control.framework.compression import compressed
from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.components import component


class TraceWriter(NamedTuple):
    """The application component that writes a trace: the dashboard, whose templates it has."""

    write: Callable[[Workspace], str]


TRACE = ControlResource("trace", "/_mock/trace")


@TRACE.call("GET", media=("text/html",), heavy=True)
def trace(workspace: Workspace) -> Response:
    """The requests, mails and deliveries of the workspace and the change of its state, as one page without secrets."""
    answer = Response(component(TraceWriter).write(workspace), content_type="text/html; charset=utf-8")
    answer.headers["Content-Disposition"] = f'attachment; filename="trace-{workspace.name}.html"'
    return compressed(answer)

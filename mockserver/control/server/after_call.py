"""What follows a control call: its line in the log, and news for watchers of the workspace."""

from __future__ import annotations

from functools import partial
from time import perf_counter

from flask import Response, request

from mockserver.control.framework import target
from mockserver.control.framework.off_loop import is_waiting
from mockserver.control.guard import READING, SIGN_IN
from mockserver.control.server.health import PROBES
from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.logs import RequestLog
from mockserver.web.routing.address import CONTROL_PREFIX, DASHBOARD_PREFIX

#: The key of the WSGI environment that holds when the request began, by `time.perf_counter`.
_BEGAN = "mockserver.began"


def tell(response: Response) -> Response:
    """Tell watchers about a possible change by a control call, and return the response unchanged."""
    workspace = request.environ.get(target.ACTED_ON)
    is_change = request.method not in READING and response.status_code < 400
    if workspace is not None and is_change and request.path.startswith(CONTROL_PREFIX) and not is_waiting():
        workspace.watchers.tell("control")
    return response


class CallLog:
    """Logs control calls and sign-ins when they are over, without health checks and pages, which are frequent."""

    def __init__(self, log: RequestLog) -> None:
        self._log = log

    def begin(self) -> None:
        request.environ[_BEGAN] = perf_counter()

    def end(self, response: Response) -> Response:
        """Log the current request after a finished control call, and return the response unchanged."""
        path = request.path
        is_page = path.startswith(DASHBOARD_PREFIX) and (path, request.method) != (SIGN_IN, "POST")
        if path.startswith(CONTROL_PREFIX) and path not in PROBES and not is_page and not is_waiting():
            self._note(request.environ.get(target.ACTED_ON), path, response.status_code)
        return response

    def _note(self, workspace: Workspace | None, path: str, status: int) -> None:
        """Log a call, unless it acted on a workspace that was made with `counted: false`."""
        if workspace is not None and not workspace.counted:
            return
        ms = (perf_counter() - request.environ[_BEGAN]) * 1000
        name, query = None if workspace is None else workspace.name, request.environ["QUERY_STRING"]
        note = partial(self._log.note_call, name, request.method, path, query, status, ms, request.remote_addr)
        target.store().storage.after(note)

"""What follows a control call: its security headers, its line in the log, and news for watchers of the workspace."""

from __future__ import annotations

from functools import partial
from time import perf_counter

from flask import Response, request
from werkzeug.wrappers import Response as AnyResponse

from mockserver.control.framework import target
from mockserver.control.guard import READING, SIGN_IN
from mockserver.control.server.health import PROBES
from mockserver.core.traffic.exchange import SANDBOX
from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.logs import RequestLog
from mockserver.web.routing.address import CONTROL_PREFIX, DASHBOARD_PREFIX, is_of_the_mock
from mockserver.web.server.waiting import is_waiting

#: The key of the WSGI environment that holds when the request began, by `time.perf_counter`.
_BEGAN = "mockserver.began"
_POLICY = "Content-Security-Policy"
_FRAMES = "frame-ancestors"
#: The types of files whose content users wrote.
_FILES = ("message/rfc822", "text/csv", "application/yaml")


def protect(response: AnyResponse) -> AnyResponse:
    """Add the security headers that an answer lacks: no caching, no framing, no guessing of types; return the answer.

    Only HTML needs `frame-ancestors`. An answer with another `Cache-Control` or `frame-ancestors` keeps its own.
    """
    headers = response.headers
    headers.setdefault("X-Content-Type-Options", "nosniff")
    headers.setdefault("Cache-Control", "no-store")
    if response.mimetype in _FILES:
        headers.setdefault(*SANDBOX)
    policy = headers.get(_POLICY, "")
    if response.mimetype == "text/html" and _FRAMES not in policy:
        headers[_POLICY] = "; ".join(filter(None, (policy, f"{_FRAMES} 'none'")))
    return response


def protect_own(response: AnyResponse) -> AnyResponse:
    """Protect the answer to the current request, unless a function that a program has added answers it."""
    return protect(response) if is_of_the_mock(request.method, request.path) else response


def tell(response: Response) -> Response:
    """Tell watchers about a possible change by a control call, and return the response unchanged."""
    workspace = request.environ.get(target.ACTED_ON)
    is_change = request.method not in READING and response.status_code < 400 and not is_waiting(request.environ)
    if workspace is not None and is_change and request.path.startswith(CONTROL_PREFIX):
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
        if path.startswith(CONTROL_PREFIX) and path not in PROBES and not is_page and not is_waiting(request.environ):
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

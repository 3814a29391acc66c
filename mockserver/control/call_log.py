"""Lets the log tell of calls of the control API: who has reset my world?"""

from __future__ import annotations

from time import perf_counter

from flask import Response, request

from mockserver.control import call
from mockserver.control.health import PROBES
from mockserver.web.application import CONTROL_PREFIX
from mockserver.web.request_log import RequestLog
from mockserver.web.waiting import is_waiting

_BEGAN = "mockserver.began"


class CallLog:
    """Notes each call when it is over, but for those that ask how the server is, as they come every few seconds."""

    def __init__(self, log: RequestLog) -> None:
        self._log = log

    def begin(self) -> None:
        request.environ[_BEGAN] = perf_counter()

    def end(self, response: Response) -> Response:
        path = request.path
        if path.startswith(CONTROL_PREFIX) and path not in PROBES and not is_waiting():
            ms = (perf_counter() - request.environ[_BEGAN]) * 1000
            workspace = request.environ.get(call.ACTED_ON)
            query = request.environ["QUERY_STRING"]
            self._log.note_call(workspace, request.method, path, query, response.status_code, ms, request.remote_addr)
        return response

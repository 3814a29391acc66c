"""Answers that leave only when all that they tell is kept."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from mockserver.app.refusal import refusal
from mockserver.core.workspaces.keeping import Keeping, KeepingError
from mockserver.web.routing.audience import CONTROL_PREFIX
from mockserver.web.routing.workspace_name import split_workspace
from mockserver.web.server.loop import LOOP
from mockserver.web.server.settling import unkept
from mockserver.web.server.waiting import is_waiting

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_READING = frozenset({"GET", "HEAD", "OPTIONS"})


class Settling:
    """A WSGI application around another one, whose answers wait until what it has changed is kept.

    While nothing can be kept it refuses requests, but for those that only look at the mock itself.
    """

    def __init__(self, app: WSGIApplication, keeping: Keeping) -> None:
        self._app, self._keeping = app, keeping

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if LOOP in environ:
            return self._app(environ, start_response)  # the bridge sees to it
        failure = self._keeping.failure
        if failure is None:
            return self._settled(environ, start_response)
        if _is_look(environ):
            return self._app(environ, start_response)
        return _refused(environ, start_response, f"Nothing can be kept, so that nothing was done: {failure}")

    def _settled(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """The answer to a request, once it is kept what the request has done."""
        started: list[Any] = []

        def start(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Callable[[bytes], object]:
            started[:] = status, headers, exc_info
            return io.BytesIO().write

        self._keeping.begin()
        chunks = self._app(environ, start)
        try:
            if not is_waiting(environ):
                self._keeping.settle()
        except KeepingError as error:
            if hasattr(chunks, "close"):
                chunks.close()
            return _refused(environ, start_response, unkept(self._keeping, str(error)))
        start_response(*started)
        return chunks


def _is_look(environ: WSGIEnvironment) -> bool:
    path = split_workspace(environ["PATH_INFO"])[1]
    return path.startswith(CONTROL_PREFIX) and environ["REQUEST_METHOD"] in _READING


def _refused(environ: WSGIEnvironment, start_response: StartResponse, message: str) -> Iterable[bytes]:
    return refusal(environ["PATH_INFO"], 503, message)(environ, start_response)

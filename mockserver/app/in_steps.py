"""Requests under an ordinary WSGI server, each a step, repeated while it waits."""

from __future__ import annotations

import io
from collections.abc import Iterable
from functools import partial
from typing import IO, TYPE_CHECKING

from werkzeug.http import HTTP_STATUS_CODES
from werkzeug.wrappers import Response
from werkzeug.wsgi import get_input_stream

from mockserver.app.mock import refusal
from mockserver.core.workspaces.storage import Storage, StorageError
from mockserver.web.server import stream, wire
from mockserver.web.server.runner import Outcome
from mockserver.web.server.waiting import SuspendedRequest, block_until_changed
from mockserver.web.server.wsgi import run, with_body

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


class InSteps:
    """A WSGI middleware that runs each request in a step, and sends its answer after that."""

    def __init__(self, app: WSGIApplication, storage: Storage, body_limit: int) -> None:
        self._app, self._storage, self._body_limit = app, storage, body_limit

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        body, suspended = _read(get_input_stream(environ), self._body_limit + 1), SuspendedRequest()
        suspended.runs_again = False
        try:
            outcome = self._storage.run(partial(self._attempt, environ, body, suspended))
            while suspended.waiting:
                block_until_changed(suspended)
                outcome = self._storage.run(partial(self._attempt, environ, body, suspended))
        except StorageError as error:
            return refusal(environ["PATH_INFO"], 503, str(error))(environ, start_response)
        sent, (status, headers, content) = outcome
        if stream.STREAM in sent or wire.WIRE in sent:
            return self._response(outcome)(sent, start_response)
        start_response(f"{status} {HTTP_STATUS_CODES.get(status, 'Unknown')}", headers)
        return [content]

    def _attempt(self, environ: WSGIEnvironment, body: bytes, suspended: SuspendedRequest) -> Outcome:
        """Run a request once; bodies are cut off just past the limit, for the application to refuse."""
        suspended.waiting = False
        own = with_body({**environ, "CONTENT_LENGTH": str(len(body))}, body, suspended)
        own.pop("HTTP_TRANSFER_ENCODING", None)
        return Outcome(own, run(self._app, own))

    def _response(self, outcome: Outcome) -> Response:
        """Return a response in its wire form, or as stream.

        Raises:
            ConnectionResetError: a fault wants no answer.
        """
        environ, (status, headers, content) = outcome
        found = Response([content], status, headers)  # a list: the length stays as the headers tell it
        if stream.STREAM in environ:
            found.response = stream.blocking(environ[stream.STREAM], self._storage)
        else:
            wire.block(environ[wire.WIRE], found, environ[wire.ENDED])
        return found


def _read(body: IO[bytes], most: int) -> bytes:
    found = io.BytesIO()
    while (left := most - found.tell()) and (piece := body.read(left)):
        found.write(piece)
    return found.getvalue()

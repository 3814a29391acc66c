"""Refusals of the server's own: as what comes of a request, and as bytes."""

from __future__ import annotations

from collections.abc import Iterable

from uvicorn.protocols.http.httptools_impl import STATUS_LINE
from werkzeug.wrappers import Response

from mockserver.web.server.connections.http_limits import Refusal
from mockserver.web.server.outcome import Outcome
from mockserver.web.server.wsgi import Scope, WsgiAnswer


def refused(refusal: Refusal, scope: Scope, sentence: str) -> Outcome:
    """What comes of a request that is refused with 503, and a sentence that says why."""
    return Outcome({"wsgi.input": None}, refused_answer(refusal, scope, sentence))


def refused_answer(refusal: Refusal, scope: Scope, sentence: str) -> WsgiAnswer:
    """The answer to such a request."""
    response = refusal(scope["raw_path"].decode("latin-1"), 503, sentence)
    headers = [(name.lower(), value) for name, value in response.headers]
    return WsgiAnswer(response.status_code, headers, response.get_data())


def last_bytes(answer: Response, own: Iterable[tuple[bytes, bytes]]) -> bytes:
    """An answer, with the server's own headers, as the last bytes of a connection."""
    headers = [*own, (b"connection", b"close")]
    headers += [(name.lower().encode(), value.encode("latin-1")) for name, value in answer.headers]
    lines = [name + b": " + value + b"\r\n" for name, value in headers]
    return b"".join([STATUS_LINE[answer.status_code], *lines, b"\r\n", answer.get_data()])

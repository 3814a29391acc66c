"""Requests that the server refuses itself."""

from __future__ import annotations

from mockserver.web.server.connections.http_limits import Refusal
from mockserver.web.server.outcome import Outcome
from mockserver.web.server.wsgi import Scope, WsgiAnswer


def refused(refusal: Refusal, scope: Scope, sentence: str) -> Outcome:
    """What comes of a request that is refused with 503, and a sentence that says why."""
    response = refusal(scope["raw_path"].decode("latin-1"), 503, sentence)
    headers = [(name.lower(), value) for name, value in response.headers]
    return Outcome({"wsgi.input": None}, WsgiAnswer(response.status_code, headers, response.get_data()))

"""The body and the headers of a request, as the journal keeps them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.wrappers import Request

from mockserver.core.traffic.exchange import Header
from mockserver.web.endpoints.service_request import body_of
from mockserver.web.server.connections.heads import KNOWN

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment


def kept_body_of(request: Request) -> bytes:
    """The body of a request; empty for one that is over the limit."""
    environ = request.environ
    # Werkzeug would find that there is no body, too, but takes longer.
    if environ.get("CONTENT_LENGTH", "0") == "0" and "HTTP_TRANSFER_ENCODING" not in environ:
        return b""
    try:
        return body_of(request)
    except RequestEntityTooLarge:
        return b""


#: The longest header, in characters, that is kept once for all requests. Chosen: most that repeat are shorter, and
#: `_REMEMBERED` longer ones would fill the memory.
_SHORT = 200
#: How many headers are kept once for all requests. Chosen: some megabytes at most.
_REMEMBERED = 4_096


@lru_cache(maxsize=_REMEMBERED)
def _header(name: str, value: str) -> Header:
    """A header with its name in lower case; one object for all requests, as clients send the same headers."""
    return name[5:].replace("_", "-").lower(), value


def headers_of(environ: WSGIEnvironment) -> Sequence[Header]:
    """The headers of a request, with their names in lower case."""
    known: dict[str, Any] | None = environ.get(KNOWN)
    if known is None:
        return _headers_of(environ)
    if "headers" not in known:
        known["headers"] = _headers_of(environ)
    found: Sequence[Header] = known["headers"]
    return found


def _headers_of(environ: WSGIEnvironment) -> Sequence[Header]:
    found = [
        _header(name, value) if len(name) + len(value) <= _SHORT else _header.__wrapped__(name, value)
        for name, value in environ.items()
        if name[:5] == "HTTP_"
    ]
    if "CONTENT_TYPE" in environ:
        found.append(("content-type", environ["CONTENT_TYPE"]))
    return found

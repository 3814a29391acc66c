"""What was received, as the journal keeps it: the body and the headers of a request."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from flask import Request
from werkzeug.exceptions import RequestEntityTooLarge

from mockserver.core.traffic.exchange import Header

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment


def body_of(request: Request) -> bytes:
    """The body, or nothing in the place of one that is too large; asking werkzeug for none costs more than looking."""
    environ = request.environ
    if environ.get("CONTENT_LENGTH", "0") == "0" and "HTTP_TRANSFER_ENCODING" not in environ:
        return b""
    try:
        return request.get_data(cache=True)
    except RequestEntityTooLarge:
        return b""


#: Headers up to this length are kept once for all requests; longer ones would fill the memory.
_SHORT = 200


@lru_cache(maxsize=4096)
def _header(name: str, value: str) -> Header:
    """A header as it was on the wire; clients send the same ones again and again, and the journal keeps them once."""
    return name[5:].replace("_", "-").lower(), value


def headers_of(environ: WSGIEnvironment) -> list[Header]:
    """The headers with their names as they were on the wire."""
    found = [
        _header(name, value) if len(name) + len(value) <= _SHORT else _header.__wrapped__(name, value)
        for name, value in environ.items()
        if name[:5] == "HTTP_"
    ]
    if "CONTENT_TYPE" in environ:
        found.append(("content-type", environ["CONTENT_TYPE"]))
    return found

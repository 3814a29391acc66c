"""One request to a WSGI application: its environment, made of what the HTTP server knows, and its answer."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable, MutableMapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote_to_bytes

from mockserver.web.server.waiting import SUSPENDED, SuspendedRequest

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

#: What ASGI tells of a request.
Scope = MutableMapping[str, Any]
#: The longest name of a header, in characters, that is remembered in its WSGI form for all requests. Chosen: standard
#: names are shorter, and longer ones of a hostile client would fill the memory.
_LONGEST_KEPT_NAME = 100


class WsgiAnswer(NamedTuple):
    """The whole answer of a WSGI application."""

    status: int
    headers: list[tuple[str, str]]
    content: bytes

    def encoded(self) -> list[tuple[bytes, bytes]]:
        """The headers as ASGI has them."""
        return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in self.headers]


#: Gives the whole answer to a request in fewer steps than WSGI takes; or None, and nothing was done, if WSGI is to be
#: asked.
Shortcut = Callable[[dict[str, Any]], WsgiAnswer | None]


def no_shortcut(environ: dict[str, Any]) -> None:
    """The shortcut of an application that has none."""


def environ_of(scope: Scope, body: bytes, suspended: SuspendedRequest) -> dict[str, Any]:
    """The WSGI environment of a request (PEP 3333), whose body has come."""
    return with_body(template_of(scope, len(body)), body, suspended)


def template_of(scope: Scope, length: int) -> dict[str, Any]:
    """The WSGI environment of a request without its body, which has `length` bytes."""
    path = scope["raw_path"].decode("latin-1")
    host, port = scope["server"] or ("127.0.0.1", 80)
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": path if "%" not in path else unquote_to_bytes(path).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "REQUEST_URI": path,
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "wsgi.version": (1, 0),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        "wsgi.input_terminated": True,
        "SERVER_NAME": host,
        "SERVER_PORT": str(port or 80),
        "REMOTE_ADDR": address_of(scope["client"]),
        "wsgi.url_scheme": scope["scheme"],
    }
    for raw_name, raw_value in scope["headers"]:
        name = _wsgi_name(raw_name) if len(raw_name) <= _LONGEST_KEPT_NAME else _wsgi_name.__wrapped__(raw_name)
        if name:
            value = raw_value.decode("latin-1")
            environ[name] = f"{environ[name]},{value}" if name in environ else value
    # The body has been put together: werkzeug would cut a chunked one off at the limit instead of refusing it.
    environ.pop("HTTP_TRANSFER_ENCODING", None)
    environ["CONTENT_LENGTH"] = str(length)
    return environ


def address_of(client: tuple[str, int] | None) -> str:
    """The IP address of a client, as far as it is known."""
    return client[0] if client else ""


def with_body(template: dict[str, Any], body: bytes, suspended: SuspendedRequest) -> dict[str, Any]:
    """A template with the body, whose length it tells."""
    template["wsgi.input"] = io.BytesIO(body)
    template[SUSPENDED] = suspended
    return template


@lru_cache(maxsize=1024)
def _wsgi_name(raw_name: bytes) -> str:
    """A header's name in the WSGI environment; empty for a header that is left out, as its name has an underscore.

    In the environment `api_key` and `api-key` would be the same. The service, behind nginx, sees no header with an
    underscore.
    """
    if b"_" in raw_name:
        return ""
    name = raw_name.decode("latin-1").upper().replace("-", "_")
    return name if name in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{name}"


def run(app: WSGIApplication, environ: dict[str, Any]) -> WsgiAnswer:
    """The whole answer of an application to a request."""
    started: list[Any] = []

    def start_response(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Callable[[bytes], object]:
        started[:] = int(status.partition(" ")[0]), headers
        return io.BytesIO().write

    chunks: Iterable[bytes] = app(environ, start_response)
    try:
        content = b"".join(chunks)
    finally:
        if hasattr(chunks, "close"):
            chunks.close()
        # The request refers back to the environment: both would wait for a collection, and with them the body.
        environ.pop("werkzeug.request", None)
    return WsgiAnswer(started[0], started[1], content)

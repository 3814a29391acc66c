"""WSGI environments of requests, and answers of applications."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterable, MutableMapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote_to_bytes

from mockserver.core.traffic.exchange import ClientConnection
from mockserver.web.server.waiting import SUSPENDED, SuspendedRequest

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

#: The ASGI scope of a request.
Scope = MutableMapping[str, Any]
#: The longest name of a header, in characters, whose WSGI form is cached. Chosen: standard names are shorter, and
#: longer names of a hostile client would fill the memory.
_LONGEST_KEPT_NAME = 100
#: The key of a request's environment for a dictionary that caches what follows from the head alone.
KNOWN = "mockserver.known"
#: The key of a request's environment, and of its ASGI scope, for its `ClientConnection`.
CONNECTION = "mockserver.connection"
#: The key of a request's environment for the names of dropped headers.
DROPPED = "mockserver.dropped"
#: How many heads are cached. Chosen: those of all operations in some ten workspaces; they take some 4 MB.
_REMEMBERED = 1_024
#: How many heads are noted that have come once. Chosen: more than come between a head and its repetition, in 200 kB.
_NOTED = 4_096
#: The longest head, in bytes, that is cached. Chosen: few are longer, and those of a hostile client take no more.
_LONGEST = 1_024
_END = b"\r\n\r\n"


class WsgiAnswer(NamedTuple):
    status: int
    headers: list[tuple[str, str]]
    content: bytes

    def encoded(self) -> list[tuple[bytes, bytes]]:
        return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in self.headers]


#: Answers a request in fewer steps than WSGI takes, or returns None without any effect if WSGI has to be asked.
Shortcut = Callable[[dict[str, Any]], WsgiAnswer | None]
#: Makes the refusal of a request that was not read to its end, from its known path, the status and a message.
Refusal = Callable[[str, int, str], WsgiAnswer]


def no_shortcut(environ: dict[str, Any]) -> None:
    """Return None: the application has no shortcut."""


def environ_of(scope: Scope, body: bytes, suspended: SuspendedRequest | None = None) -> dict[str, Any]:
    """Return the WSGI environment (PEP 3333) of a complete request."""
    template = _template_of(scope, len(body))
    template[CONNECTION] = scope.get(CONNECTION)
    return with_body(template, body, suspended or SuspendedRequest())


def with_body(template: dict[str, Any], body: bytes, suspended: SuspendedRequest) -> dict[str, Any]:
    """Add the body to a WSGI environment with its length."""
    template["wsgi.input"] = io.BytesIO(body)
    template[SUSPENDED] = suspended
    return template


def _template_of(scope: Scope, length: int) -> dict[str, Any]:
    """Return the WSGI environment of a request without its body of `length` bytes."""
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
        "REMOTE_ADDR": _address_of(scope["client"]),
        "wsgi.url_scheme": scope["scheme"],
    }
    for raw_name, raw_value in scope["headers"]:
        name = _wsgi_name(raw_name) if len(raw_name) <= _LONGEST_KEPT_NAME else _wsgi_name.__wrapped__(raw_name)
        if name:
            value = raw_value.decode("latin-1")
            environ[name] = f"{environ[name]},{value}" if name in environ else value
        else:
            environ.setdefault(DROPPED, []).append(raw_name.decode("latin-1").lower())
    # The body has been put together: werkzeug would cut a chunked one off at the limit instead of refusing it.
    environ.pop("HTTP_TRANSFER_ENCODING", None)
    environ["CONTENT_LENGTH"] = str(length)
    return environ


def _address_of(client: tuple[str, int] | None) -> str:
    return client[0] if client else ""


@lru_cache(maxsize=1024)
def _wsgi_name(raw_name: bytes) -> str:
    """Return a header's name in WSGI form, or "" for names with underscores, which are dropped.

    In the environment `api_key` and `api-key` would be the same. Behind nginx, the service sees no underscores.
    """
    if b"_" in raw_name:
        return ""
    name = raw_name.decode("latin-1").upper().replace("-", "_")
    return name if name in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{name}"


def run(app: WSGIApplication, environ: dict[str, Any]) -> WsgiAnswer:
    """Return an application's complete answer to a request."""
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


class Head:
    """The parsed head of a plain request."""

    __slots__ = ("_environ", "keeps", "length", "method", "origin")

    def __init__(self, scope: Scope, length: int, *, keeps: bool) -> None:
        self.method: str = scope["method"]
        #: The address of the server at which the head has come, and the scheme.
        self.origin = scope["server"], scope["scheme"]
        #: How many bytes the body has.
        self.length = length
        #: Whether the connection is kept after the answer.
        self.keeps = keeps
        self._environ: dict[str, Any] = {**_template_of(scope, length), KNOWN: {}}

    def environ_of(
        self, client: tuple[str, int] | None, body: bytes, connection: ClientConnection | None = None
    ) -> dict[str, Any]:
        """Return the WSGI environment of a complete request with this head."""
        environ = self._environ.copy()
        environ["REMOTE_ADDR"], environ[CONNECTION] = _address_of(client), connection
        return with_body(environ, body, SuspendedRequest())


class Heads:
    def __init__(self) -> None:
        self._heads: dict[bytes, Head] = {}
        #: The hashes of heads that have come once. Many never come again, as there is an id in their address.
        self._noted: set[int] = set()

    def find(self, data: bytes) -> tuple[Head, bytes] | None:
        """Return head and body of a complete single request, or None if its head is not cached."""
        end = data.find(_END) + len(_END)
        head = self._heads.get(data[:end])
        return None if head is None or len(data) - end != head.length else (head, data[end:])

    def comes_again(self, data: bytes) -> bool:
        """Note a cacheable head. Return whether it was noted before."""
        end = data.find(_END) + len(_END)
        if end > _LONGEST or not data[:1].isalpha():
            return False
        number = hash(data[:end])
        if number in self._noted:
            return True
        if len(self._noted) >= _NOTED:
            self._noted.clear()
        self._noted.add(number)
        return False

    def add(self, data: bytes, scope: Scope, length: int, *, keeps: bool) -> None:
        """Cache the head of a single request with a body of `length` bytes."""
        end = data.find(_END) + len(_END)
        if len(data) - end != length:
            return
        if len(self._heads) >= _REMEMBERED:
            self._heads.clear()
        self._heads[data[:end]] = Head(scope, length, keeps=keeps)

"""A request as a WSGI server tells of it, which may have been forwarded by a peer, or be forwarded to one."""

from __future__ import annotations

import io
from string import punctuation
from typing import TYPE_CHECKING
from urllib.parse import quote
from wsgiref.util import is_hop_by_hop

from werkzeug.wsgi import get_content_length

from mockserver.web.server.peers.introduction import FORWARDED, HEADER, Header, Introduction
from mockserver.web.server.wsgi import Scope

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

#: The key of the environment for the header by which peers introduce themselves.
_INTRODUCED = "HTTP_X_MOCK_PEER"
#: How many bytes of a body are read at once.
_PIECE = 64 * 1024
_VERSIONS = ("HTTP/1.0", "HTTP/1.1")


def take_introduction_off(environ: WSGIEnvironment, introduction: Introduction) -> bool:
    """Whether a peer has forwarded a request; what it says of the client is then believed, and its header gone.

    A WSGI server joins headers of one name by commas, in their order: what follows the first one is of the client.
    """
    found = environ.get(_INTRODUCED)
    if found is None:
        return False
    said, comma, rest = found.partition(",")
    scope: Scope = {}
    if not introduction.take_off([(HEADER, said.strip().encode("latin-1"))], scope):
        return False
    environ["wsgi.url_scheme"] = scope["scheme"]
    host, port = scope["client"] or ("", "")
    environ["REMOTE_ADDR"], environ["REMOTE_PORT"] = host, str(port)
    if scope["server"] is not None:
        environ["SERVER_NAME"], environ["SERVER_PORT"] = scope["server"][0], str(scope["server"][1])
    environ[FORWARDED] = True
    del environ[_INTRODUCED]
    if comma:
        environ[_INTRODUCED] = rest.strip()
    return True


class WsgiRequest:
    """A request whose body has come, cut off just past a limit, as the application refuses it then."""

    def __init__(self, environ: WSGIEnvironment, body_limit: int) -> None:
        """The request of an environment, which this takes over."""
        self._environ = environ
        announced = get_content_length(environ)
        self.body = _body(environ, announced, body_limit + 1)
        #: Whether the body has come in full, as far as it counts: else the client has left.
        self.is_complete = announced is None or len(self.body) >= min(announced, body_limit + 1)
        if self.is_complete and (self.body or announced is not None):
            environ["CONTENT_LENGTH"] = str(len(self.body))
            environ["wsgi.input_terminated"] = True
            environ.pop("HTTP_TRANSFER_ENCODING", None)

    def environ(self) -> WSGIEnvironment:
        """An environment for one run of the request."""
        return {**self._environ, "wsgi.input": io.BytesIO(self.body)}

    @property
    def scope(self) -> Scope:
        """The request as ASGI tells of it, but for what is of the client's connection alone."""
        environ = self._environ
        version = environ.get("SERVER_PROTOCOL", "")
        return {
            "method": environ["REQUEST_METHOD"],
            "raw_path": _path(environ),
            "query_string": _clean(environ.get("QUERY_STRING", "")),
            "http_version": (version if version in _VERSIONS else _VERSIONS[1]).removeprefix("HTTP/"),
            "headers": _headers(environ),
            "scheme": environ["wsgi.url_scheme"],
            "client": _end(environ.get("REMOTE_ADDR"), environ.get("REMOTE_PORT", 0)),
            "server": _end(environ.get("SERVER_NAME"), environ.get("SERVER_PORT")),
        }


def _body(environ: WSGIEnvironment, announced: int | None, most: int) -> bytes:
    """The body, but for what goes beyond so many bytes."""
    if announced is not None:
        most = min(announced, most)
    elif not environ.get("wsgi.input_terminated"):
        return b""  # nobody knows where it ends
    read, found = environ["wsgi.input"].read, bytearray()
    while len(found) < most and (piece := read(min(_PIECE, most - len(found)))):
        found += piece
    return bytes(found)


def _path(environ: WSGIEnvironment) -> bytes:
    """The path as the client has written it, where the server tells that, and the application is at its root."""
    written = environ.get("REQUEST_URI") or environ.get("RAW_URI") or ""
    if written.startswith("/") and not environ.get("SCRIPT_NAME"):
        return _clean(written.partition("?")[0])
    return quote(environ["PATH_INFO"] or "/", safe="/", encoding="latin-1").encode("ascii")


def _clean(text: str) -> bytes:
    """A part of an address as it may stand in the first line of a request, with all that was quoted as it was."""
    return quote(text, safe=punctuation, encoding="latin-1").encode("ascii")


def _headers(environ: WSGIEnvironment) -> list[Header]:
    """The headers, but for those of the connection of the client."""
    pairs = ((name.removeprefix("HTTP_"), value) for name, value in environ.items() if _is_header(name, value))
    named = ((name.replace("_", "-").lower(), value) for name, value in pairs)
    return [
        (name.encode("latin-1"), " ".join(value.splitlines()).encode("latin-1"))
        for name, value in named
        if not is_hop_by_hop(name)
    ]


def _is_header(name: str, value: object) -> bool:
    return name.startswith("HTTP_") or (name in ("CONTENT_TYPE", "CONTENT_LENGTH") and bool(value))


def _end(host: str | None, port: str | int | None) -> tuple[str, int] | None:
    """The address and the port at one end of a connection, as far as they are known: a socket of Unix has none."""
    if not host or not host.isascii() or " " in host or not str(port).isdecimal():
        return None
    return host, int(port or 0)

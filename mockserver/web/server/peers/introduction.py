"""How servers of one store introduce themselves to each other: by one header, which nobody else can write."""

from __future__ import annotations

import hmac
from collections.abc import Iterable, MutableSequence
from contextlib import suppress
from typing import Any

from mockserver.web.server.wsgi import Scope, WsgiAnswer

#: The header of a request that a peer forwards, and of an answer that is for the peer alone.
HEADER = b"x-mock-peer"
#: The key of the ASGI scope of a request that a peer has forwarded.
FORWARDED = "mockserver.forwarded"

#: What an answer for the peer alone says: the workspace is not held here, and nothing was done; or the connection of
#: the client is to be reset, or closed, without an answer.
NOT_HELD, RESET, CLOSED = b"not-held", b"reset", b"closed"
#: The status of such an answer: misdirected request (RFC 9110, 15.5.20). Others have it, too, without the header.
_STATUS = 421

#: What an answer for the client says to the peer: its connection may end at any moment, and takes no other request.
_ONCE = b"once"

Header = tuple[bytes, bytes]


class Introduction:
    """Writes and reads the header, by a secret that the servers of a store share."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret.hex().encode("ascii")

    def header(self, scope: Scope) -> Header:
        """The header that tells a peer by which scheme and address the client of a request has reached this server."""
        ends = (part for end in (scope["client"], scope["server"]) for part in end or ("-", 0))
        return HEADER, b" ".join([self._secret, *(str(part).encode("ascii") for part in (scope["scheme"], *ends))])

    def take_off(self, headers: MutableSequence[Header], scope: Any) -> int:
        """Take the header off a request whose first header it is, and believe what it says.

        Returns how many bytes of the request's head it took; 0: no peer has forwarded the request.
        """
        if not headers or headers[0][0] != HEADER:
            return 0
        name, value = headers[0]
        said = self._said(value)
        if len(said) != 5:
            return 0
        scheme, *ends = (part.decode("ascii") for part in said)
        scope[FORWARDED], scope["scheme"] = True, scheme
        scope["client"], scope["server"] = _end(*ends[:2]), _end(*ends[2:])
        del headers[0]
        return len(name) + len(value) + len(b": \r\n")

    def answer(self, word: bytes) -> WsgiAnswer:
        """An answer that says a word to the peer that has forwarded a request."""
        value = b" ".join((self._secret, word)).decode("ascii")
        return WsgiAnswer(_STATUS, [("Content-Length", "0"), (HEADER.decode("ascii"), value)], b"")

    def word(self, status: int, headers: Iterable[Header]) -> bytes | None:
        """The word that an answer says to the server that has forwarded a request; None: it is for the client."""
        if status != _STATUS:
            return None
        words = (self._said(value) for name, value in headers if name.lower() == HEADER)
        return next((said[0] for said in words if len(said) == 1), None)

    def once(self) -> tuple[str, str]:
        """The header of an answer whose connection takes no other request."""
        return HEADER.decode("ascii"), b" ".join((self._secret, _ONCE)).decode("ascii")

    def is_once(self, headers: Iterable[Header]) -> bool:
        """Whether an answer says that its connection takes no other request."""
        return any(name.lower() == HEADER and self._said(value) == [_ONCE] for name, value in headers)

    def _said(self, value: bytes) -> list[bytes]:
        """What the header says behind the secret; nothing where that is another one."""
        secret, *said = value.split(b" ")
        return said if hmac.compare_digest(secret, self._secret) else []


def _end(host: str, port: str) -> tuple[str, int] | None:
    """The address and the port at one end of a connection, as far as they are known."""
    with suppress(ValueError):
        return None if host == "-" else (host, int(port))
    return None

"""The heads of plain requests, which clients send again and again: one that comes again is not parsed any more."""

from __future__ import annotations

from typing import Any

from mockserver.web.server.waiting import SuspendedRequest
from mockserver.web.server.wsgi import Scope, address_of, template_of, with_body

#: The key of a request's environment for a dictionary in which others keep what follows from the head alone.
KNOWN = "mockserver.known"
#: How many heads are remembered. Chosen: those of all operations in some ten workspaces; they take some 4 MB.
_REMEMBERED = 1_024
#: How many heads are noted that have come once. Chosen: more than come between a head and the same again, in 200 kB.
_NOTED = 4_096
#: The longest head, in bytes, that is remembered. Chosen: few are longer, and those of a hostile client take no more.
_LONGEST = 1_024
_END = b"\r\n\r\n"


class Head:
    """The head of a plain request as it was parsed."""

    __slots__ = ("_environ", "keeps", "length", "method", "origin")

    def __init__(self, scope: Scope, length: int, *, keeps: bool) -> None:
        self.method: str = scope["method"]
        #: The address of the server at which the head has come, and the scheme by which it was asked.
        self.origin = scope["server"], scope["scheme"]
        #: How many bytes the body has.
        self.length = length
        #: Whether the connection is kept after the answer.
        self.keeps = keeps
        self._environ: dict[str, Any] = {**template_of(scope, length), KNOWN: {}}

    def environ_of(self, client: tuple[str, int] | None, body: bytes, suspended: SuspendedRequest) -> dict[str, Any]:
        """The WSGI environment of a request with this head by a client, whose body has come."""
        environ = self._environ.copy()
        environ["REMOTE_ADDR"] = address_of(client)
        return with_body(environ, body, suspended)


class Heads:
    """The heads that a server has seen lately; what a head means depends on nothing but its bytes."""

    def __init__(self) -> None:
        self._heads: dict[bytes, Head] = {}
        #: The hashes of heads that have come once. Many never come again, as there is an id in their address.
        self._noted: set[int] = set()

    def find(self, data: bytes) -> tuple[Head, bytes] | None:
        """The head and the body of a request that is complete and alone in these bytes; None if the head is unknown."""
        end = data.find(_END) + len(_END)
        head = self._heads.get(data[:end])
        return None if head is None or len(data) - end != head.length else (head, data[end:])

    def comes_again(self, data: bytes) -> bool:
        """Whether a head that could be remembered has come before; it has from now on."""
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
        """Remember the head of a request that was alone in these bytes, with a body of so many bytes."""
        end = data.find(_END) + len(_END)
        if len(data) - end != length:
            return
        if len(self._heads) >= _REMEMBERED:
            self._heads.clear()
        self._heads[data[:end]] = Head(scope, length, keeps=keeps)

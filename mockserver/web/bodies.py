"""The bodies that come in pieces: until they are answered, they take so many bytes together and no more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: Says to a client that its request will not be answered, and why.
Refuse = Callable[[int, str], None]


class Body:
    """One of them: what has come of it, and how its request can be refused."""

    __slots__ = ("_pieces", "is_complete", "is_refused", "refuse", "size")

    def __init__(self, refuse: Refuse) -> None:
        self.refuse = refuse
        self._pieces = bytearray()
        #: How many bytes it counts for.
        self.size = 0
        self.is_complete = self.is_refused = False

    def add(self, piece: bytes) -> None:
        self._pieces += piece
        self.size += len(piece)

    def taken(self) -> bytes:
        """All that has come, which is kept here no longer."""
        found = bytes(self._pieces)
        self._pieces.clear()
        return found


class Bodies:
    """All of them.

    A piece for which there is no room waits until a request is answered. Where none is being answered, the one is
    refused of which nothing has come for longest; the last one goes on in any case.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._held = 0
        #: Those that are coming in; the one of which nothing has come for longest is the first.
        self._coming: dict[Body, None] = {}
        #: How many will be gone soon, as they are being answered, or have been refused.
        self._leaving = 0
        self._freed = asyncio.Event()

    @contextmanager
    def coming(self, refuse: Refuse) -> Iterator[Body]:
        """A body that begins to come in, and counts until its request is answered."""
        body = Body(refuse)
        try:
            yield body
        finally:
            self._coming.pop(body, None)
            self._leaving -= body.is_complete or body.is_refused
            self._held -= body.size
            self._freed.set()

    async def add(self, body: Body, piece: bytes) -> bool:
        """Keep another piece as soon as there is room; False: the request was refused meanwhile."""
        self._coming.pop(body, None)
        self._coming[body] = None
        while self._held + len(piece) > self._most and not body.is_refused and self._will_have_room(body):
            self._freed.clear()
            await self._freed.wait()
        if body.is_refused:
            return False
        body.add(piece)
        self._held += len(piece)
        return True

    def complete(self, body: Body) -> bytes:
        """The whole of it: the request is answered from now on."""
        self._coming.pop(body, None)
        body.is_complete = True
        self._leaving += 1
        return body.taken()

    def _will_have_room(self, body: Body) -> bool:
        """Whether another one goes soon; if need be, one is refused."""
        if not self._leaving:
            longest = next((other for other in self._coming if other is not body and other.size), None)
            if longest is None:
                return False
            self._refuse(longest)
        return True

    def _refuse(self, body: Body) -> None:
        del self._coming[body]
        body.is_refused = True
        self._leaving += 1
        body.refuse(503, f"No room for another body: those that are not answered yet may have {self._most} bytes")
        self._freed.set()

"""The bodies of requests that are coming in or being answered: large ones take so many bytes together and no more."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

#: A client that has sent nothing for so long makes room for others, in seconds.
_SILENT_S = 1.0
#: Where nobody has made room for so long, the one that has been coming in for longest does, in seconds.
_PATIENCE_S = 5.0
#: How often those that wait look at both, in seconds.
_LOOK_S = 0.25


class Body:
    """One of them."""

    __slots__ = ("_pieces", "last", "refused", "room", "size", "wanted")

    def __init__(self) -> None:
        self._pieces = bytearray()
        #: How many bytes it counts for, and how many more it waits for.
        self.size = self.wanted = 0
        #: Since when its client is waited for, on the monotonic clock.
        self.last = monotonic()
        #: Done as soon as there is room for what it waits for; None: it waits for none.
        self.room: asyncio.Future[None] | None = None
        #: Done as soon as it has to go for others.
        self.refused: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @property
    def is_waiting(self) -> bool:
        return self.room is not None and not self.room.done()

    @property
    def is_refused(self) -> bool:
        return self.refused.done()

    def add(self, piece: bytes) -> None:
        self._pieces += piece

    def taken(self) -> bytes:
        """All that has come, which is kept here no longer."""
        found = bytes(self._pieces)
        self._pieces.clear()
        return found


class Bodies:
    """All of them.

    A piece for which there is no room waits. Room is made by what has been answered, and by refusing those whose
    clients are silent. Where all wait for each other, the one that began first goes on.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._held = 0
        #: Those that are coming in, as they began.
        self._coming: dict[Body, None] = {}
        #: How many are being answered.
        self._running = 0
        #: When room was last made, on the monotonic clock.
        self._freed = monotonic()

    @property
    def refusal(self) -> str:
        """What is said to a client whose body has to go for others."""
        return f"No room for another body: those that are not answered yet may have {self._most} bytes"

    @contextmanager
    def coming(self) -> Iterator[Body]:
        """A body that begins to come in, and counts until its request has been run."""
        body = Body()
        self._coming[body] = None
        try:
            yield body
        finally:
            if body in self._coming:
                del self._coming[body]
            else:
                self._running -= 1
            self._held -= body.size
            self._freed = monotonic()
            self._let_on()

    async def add(self, body: Body, piece: bytes) -> None:
        """Keep another piece as soon as there is room; the body may have been refused meanwhile."""
        body.wanted, body.room = len(piece), asyncio.get_running_loop().create_future()
        self._let_on()
        while body.is_waiting and not body.is_refused:
            await asyncio.wait((body.room, body.refused), timeout=_LOOK_S, return_when=asyncio.FIRST_COMPLETED)
            self._look(body)
        body.room, body.last = None, monotonic()
        if not body.is_refused:
            body.add(piece)

    def complete(self, body: Body) -> bytes:
        """The whole of it: the request is run from now on."""
        del self._coming[body]
        self._running += 1
        return body.taken()

    def _let_on(self, *, is_stuck: bool = False) -> None:
        """Give room to those that wait, as they began; where nothing else would make some, to the first in any case."""
        for body in [body for body in self._coming if body.is_waiting]:
            has_room = self._held + body.wanted <= self._most
            if has_room or is_stuck or self._is_deadlocked():
                self._give(body)
            if not has_room:
                return

    def _is_deadlocked(self) -> bool:
        """Whether nothing is being answered, and all that hold something wait for room."""
        return not self._running and all(body.is_waiting for body in self._coming if body.size and not body.is_refused)

    def _give(self, body: Body) -> None:
        assert body.room is not None, "it waits"
        body.room.set_result(None)
        body.size += body.wanted
        self._held += body.wanted

    def _look(self, waiting: Body) -> None:
        """Refuse the first one whose client is silent; where all are stuck, the one that began first."""
        now = monotonic()
        is_stuck = now - self._freed > _PATIENCE_S
        for body in self._coming:
            is_silent = body.room is None and now - body.last > _SILENT_S
            if body is not waiting and body.size and not body.is_refused and (is_silent or is_stuck):
                self._freed = now
                body.refused.set_result(None)
                return
        if is_stuck:
            self._let_on(is_stuck=True)

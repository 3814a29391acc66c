"""The large bodies of requests that are not answered yet, which may have so many bytes together and no more."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic

#: How many seconds a client may send nothing before its body is refused, if another body needs the room. Chosen: longer
#: than the pauses of a client that sends.
_SILENT_S = 1.0
#: How many seconds bodies wait without any room being made before the body that began first is refused. Chosen: shorter
#: than the time limits of clients.
_PATIENCE_S = 5.0
#: The seconds after which a body that waits looks for silent clients again. Chosen: a fraction of `_SILENT_S`.
_LOOK_S = 0.25


class Body:
    """The large body of one request."""

    __slots__ = ("_pieces", "last", "refused", "room", "size", "wanted")

    def __init__(self) -> None:
        self._pieces = bytearray()
        #: How many bytes have room, and how many more wait for room.
        self.size = self.wanted = 0
        #: Since when the server waits for the client, on the monotonic clock.
        self.last = monotonic()
        #: Done as soon as there is room for the bytes that wait, or None if none wait.
        self.room: asyncio.Future[None] | None = None
        #: Done as soon as the body is refused to make room for others.
        self.refused: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @property
    def is_waiting(self) -> bool:
        return self.room is not None and not self.room.done()

    @property
    def is_refused(self) -> bool:
        return self.refused.done()

    def add(self, piece: bytes) -> None:
        self._pieces += piece

    def take(self) -> bytes:
        """All bytes that have come; the body keeps them no longer."""
        content = bytes(self._pieces)
        self._pieces.clear()
        return content


class Bodies:
    """The large bodies of a server, which may have `most` bytes together.

    A piece for which there is no room waits. Room is made when a request is answered, and by refusing bodies whose
    clients are silent. Where all wait for each other, the body that began first goes on.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._held = 0
        #: The bodies that are coming in, in the order in which they began.
        self._coming: dict[Body, None] = {}
        #: How many requests whose bodies are complete are being answered.
        self._running = 0
        #: When room was last made, on the monotonic clock.
        self._freed = monotonic()

    @property
    def refusal(self) -> str:
        """The message for a client whose body is refused to make room for others."""
        return f"No room for another body: those that are not answered yet may have {self._most} bytes"

    @contextmanager
    def coming(self) -> Iterator[Body]:
        """A body that begins to come in, and takes room until its request has been run."""
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
            self._give_room()

    async def add(self, body: Body, piece: bytes) -> None:
        """Add a piece to a body as soon as there is room for it, unless the body is refused meanwhile."""
        body.wanted, body.room = len(piece), asyncio.get_running_loop().create_future()
        self._give_room()
        while body.is_waiting and not body.is_refused:
            await asyncio.wait((body.room, body.refused), timeout=_LOOK_S, return_when=asyncio.FIRST_COMPLETED)
            self._refuse_silent(body)
        body.room, body.last = None, monotonic()
        if not body.is_refused:
            body.add(piece)

    def complete(self, body: Body) -> bytes:
        """All bytes of a body that is complete, whose request is run now."""
        del self._coming[body]
        self._running += 1
        return body.take()

    def _give_room(self, *, is_stuck: bool = False) -> None:
        """Give room to the bodies that wait, in the order in which they began.

        The first of them gets room beyond the limit if bodies are stuck or deadlocked, as nothing else would make some.
        """
        for body in [body for body in self._coming if body.is_waiting]:
            has_room = self._held + body.wanted <= self._most
            if has_room or is_stuck or self._is_deadlocked():
                self._grant(body)
            if not has_room:
                return

    def _is_deadlocked(self) -> bool:
        """Whether no request is being answered, and all bodies that have room wait for more."""
        return not self._running and all(body.is_waiting for body in self._coming if body.size and not body.is_refused)

    def _grant(self, body: Body) -> None:
        assert body.room is not None, "the body waits"
        body.room.set_result(None)
        body.size += body.wanted
        self._held += body.wanted

    def _refuse_silent(self, waiting: Body) -> None:
        """Refuse the first body whose client is silent, or the first of all where bodies are stuck; never `waiting`."""
        now = monotonic()
        is_stuck = now - self._freed > _PATIENCE_S
        for body in self._coming:
            is_silent = body.room is None and now - body.last > _SILENT_S
            if body is not waiting and body.size and not body.is_refused and (is_silent or is_stuck):
                self._freed = now
                body.refused.set_result(None)
                return
        if is_stuck:
            self._give_room(is_stuck=True)

"""Handing back the answer of a peer as it comes, byte for byte, as if the client had asked the peer itself."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from mockserver.web.server.peers.departure import Broken, Departure, Ended, Event, Started
from mockserver.web.server.peers.handing_on import LOOK_S, without_server
from mockserver.web.server.wire import TRANSPORT, Receive, Send, reset
from mockserver.web.server.wsgi import Scope


class HandingBack:
    """The handing back of one answer."""

    def __init__(self, connection: Departure, scope: Scope, receive: Receive, send: Send) -> None:
        self._connection, self._send = connection, send
        self._transport: asyncio.Transport = scope[TRANSPORT]
        self._left = asyncio.ensure_future(_left(receive))

    async def first(self, is_lost: Callable[[], Awaitable[bool]]) -> Started | Broken | None:
        """The head of the answer, or a `Broken` if there is none; None: the client has left.

        While nothing comes, `is_lost` tells from time to time whether nothing will.
        """
        found = await self._next(is_lost)
        assert not isinstance(found, bytes | Ended), "an answer begins with its head"
        return found

    async def hand_back(self, started: Started, is_lost: Callable[[], Awaitable[bool]]) -> None:
        """Send the answer whose head has come, until it ends or the client leaves."""
        headers = without_server(started.headers)
        await self._send({"type": "http.response.start", "status": started.status, "headers": headers})
        while (event := await self._next(is_lost)) is not None:
            if isinstance(event, bytes):
                await self._send({"type": "http.response.body", "body": event, "more_body": True})
            elif isinstance(event, Ended):
                await self._send({"type": "http.response.body", "body": b""})
                return
            else:
                await self.end(is_reset=isinstance(event, Broken) and event.is_reset)

    async def end(self, *, is_reset: bool) -> None:
        """End the connection of the client by a reset, or as a server does that has sent all."""
        if is_reset:
            reset(self._transport)
        else:
            self._transport.close()
        await self._left

    def stop(self) -> None:
        """Listen to the client no longer."""
        self._left.cancel()

    async def _next(self, is_lost: Callable[[], Awaitable[bool]]) -> Event | None:
        """The next event of the answer, or None: the client has left."""
        while not self._connection.has_event:
            coming = self._connection.coming()
            await asyncio.wait((coming, self._left), timeout=LOOK_S, return_when=asyncio.FIRST_COMPLETED)
            if self._left.done():
                return None
            if not coming.done() and await is_lost():
                return Broken(is_reset=True)
        return self._connection.take()


async def _left(receive: Receive) -> None:
    """Return when the client has left."""
    while (await receive())["type"] != "http.disconnect":
        pass

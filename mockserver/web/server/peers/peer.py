"""One of the other servers of a store: the connections to it, and whether it answers at all."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from urllib.parse import urlsplit

from mockserver.web.server.peers.departure import Departure, Started
from mockserver.web.server.peers.handing_on import CONNECT_S
from mockserver.web.server.peers.trust import Trust

#: How many connections are kept that are not in use. Chosen: as many requests as are rarely under way at once.
_KEPT = 64
#: How many seconds one is kept. Chosen: less than the peer keeps it (`web.server.peers.arrival`).
_KEPT_S = 30.0


class Peer:
    """A server at a root address."""

    def __init__(self, address: str, trust: Trust) -> None:
        parts = urlsplit(address)
        self._trust = trust
        self._host, self._is_secure = parts.hostname or "", parts.scheme == "https"
        self._port = parts.port or (443 if self._is_secure else 80)
        self._netloc = parts.netloc
        #: The connections that are not in use, the one used longest ago first, each with what closes it.
        self._idle: deque[tuple[Departure, asyncio.TimerHandle]] = deque()
        self._looking: asyncio.Task[bool] | None = None

    async def connection(self) -> Departure:
        """A connection that nobody else uses, until it is given back.

        Raises:
            OSError: the peer cannot be reached.
        """
        return self.at_hand() or await self._connect()

    def at_hand(self) -> Departure | None:
        """A connection that nobody else uses, until it is given back, if there is one."""
        while self._idle:
            found, end = self._idle.pop()
            end.cancel()
            if found.is_free:
                return found
        return None

    async def _connect(self) -> Departure:
        """A new connection.

        Raises:
            OSError: the peer cannot be reached.
        """
        context = self._trust.context if self._is_secure else None
        making = asyncio.get_running_loop().create_connection(Departure, self._host, self._port, ssl=context)
        _, found = await asyncio.wait_for(making, CONNECT_S)  # a TimeoutError is an OSError
        if not found.is_free:
            raise ConnectionError("the peer has ended the connection at once")
        return found

    def give_back(self, connection: Departure) -> None:
        """Keep a connection for another request, if it takes one; else end it."""
        if not connection.is_free:
            connection.abort()
            return
        end = asyncio.get_running_loop().call_later(_KEPT_S, connection.abort)
        self._idle.append((connection, end))
        if len(self._idle) > _KEPT:
            oldest, end = self._idle.popleft()
            end.cancel()
            oldest.abort()

    async def is_alive(self) -> bool:
        """Whether the peer answers; all that ask at once get the same answer."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.ensure_future(self._look())
        return await asyncio.shield(self._looking)

    async def _look(self) -> bool:
        with suppress(OSError):
            connection = await self._connect()
            try:
                connection.ask(f"GET /_mock/livez HTTP/1.1\r\nhost: {self._netloc}\r\n\r\n".encode("latin-1"), "HEAD")
                await asyncio.wait_for(connection.coming(), CONNECT_S)
                return isinstance(connection.take(), Started)
            finally:
                connection.abort()
        return False

    def close(self) -> None:
        """End the connections that are not in use."""
        while self._idle:
            connection, end = self._idle.pop()
            end.cancel()
            connection.abort()

"""The sending of answers, for all connections together at the end of a turn of the event loop."""

from __future__ import annotations

import asyncio

#: How many bytes of answers wait for the end of a turn at most. Chosen: the answers of some hundred requests.
_MOST = 256 * 1024


class Sending:
    """Answers that are sent together, when all requests that had come are answered.

    To send wakes the client, which takes the system longer than many an answer; one that is awake costs nothing more.
    """

    def __init__(self) -> None:
        self._waiting: list[tuple[asyncio.Transport, bytes]] = []
        self._size = 0

    def add(self, loop: asyncio.AbstractEventLoop, transport: asyncio.Transport, data: bytes) -> None:
        """Send an answer over a connection at the end of the present turn of the loop, or before."""
        if not self._waiting:
            loop.call_soon(self.send)
        self._waiting.append((transport, data))
        self._size += len(data)
        if self._size > _MOST:
            self.send()

    def send(self) -> None:
        """Send all answers that wait, those of each connection in their order."""
        waiting, self._waiting, self._size = self._waiting, [], 0
        for transport, data in waiting:
            if not transport.is_closing():
                transport.write(data)

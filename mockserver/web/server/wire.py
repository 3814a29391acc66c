"""How answers leave when a fault says so: late, in pieces, cut off, or not at all."""

from __future__ import annotations

import asyncio
import errno
import math
import os
import socket
import struct
import time
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from typing import Any

from flask import Response

from mockserver.core.traffic.exchange import Wire, WireForm
from mockserver.web.server.waiting import SUSPENDED

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

#: Where a request that a fault took over leaves its `Wire` for the bridge.
WIRE = "mockserver.wire"
#: Where the server leaves the connection of a request.
TRANSPORT = "mockserver.transport"
#: How many pieces a slow body comes in, at most.
_PIECES = 50
#: SO_LINGER on, with no time to linger: closing sends RST instead of FIN.
_RESET = struct.pack("ii", 1, 0)


class Transmission:
    """The way of one answer over its connection."""

    def __init__(self, transport: asyncio.Transport, receive: Receive, send: Send) -> None:
        self._transport = transport
        self._send = send
        # The body has been read: the next message says that the client has left.
        self._left = asyncio.ensure_future(receive())

    async def leave(self, wire: Wire, status: int, headers: Headers, body: bytes) -> None:
        """Let an answer leave as a fault wants it."""
        try:
            await self._pause(math.inf if wire.delay_s is None else wire.delay_s)
            if not self._left.done():
                await self._deliver(wire, status, headers, body)
        finally:
            self._left.cancel()

    async def _deliver(self, wire: Wire, status: int, headers: Headers, body: bytes) -> None:
        if wire.form is WireForm.RESET:
            await self._reset()
        elif wire.form is WireForm.EMPTY or not wire.answers:
            await self._close()
        else:
            await self._send({"type": "http.response.start", "status": status, "headers": headers})
            if wire.form is WireForm.TRUNCATED and body:
                await self._piece(body[: len(body) // 2])
                await self._close()
            elif wire.form is WireForm.SLOW:
                await self._trickle(body, wire.spread_s)
            else:
                await self._send({"type": "http.response.body", "body": body})

    async def _trickle(self, body: bytes, seconds: float) -> None:
        size = max(1, math.ceil(len(body) / _PIECES))
        pieces = [body[start : start + size] for start in range(0, len(body), size)]
        for piece in pieces:
            await self._pause(seconds / len(pieces))
            if self._left.done():
                return
            await self._piece(piece)
        await self._send({"type": "http.response.body", "body": b""})

    async def _piece(self, body: bytes) -> None:
        await self._send({"type": "http.response.body", "body": body, "more_body": True})

    async def _pause(self, seconds: float) -> None:
        """Let time pass, unless the client leaves."""
        if seconds > 0:
            await asyncio.wait([self._left], timeout=None if math.isinf(seconds) else seconds)

    async def _close(self) -> None:
        self._transport.close()
        await self._left

    async def _reset(self) -> None:
        # The event loop shows a stand-in for its socket; a duplicate leads to the same connection.
        with socket.socket(fileno=os.dup(self._transport.get_extra_info("socket").fileno())) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self._transport.abort()
        await self._left


def transmit(wire: Wire, response: Response, environ: dict[str, Any]) -> Response:
    """Let an answer leave as a fault, or a receiver, wants it: by the bridge, or as far as another server can."""
    if SUSPENDED not in environ:
        return block(wire, response)
    environ[WIRE] = wire
    return response


def block(wire: Wire, response: Response) -> Response:
    """The same as far as an ordinary WSGI server can do it, whose thread has nothing else to do.

    A hang without an end ends at once: nobody would tell the thread that its client has left.

    Raises:
        ConnectionResetError: the client is to get no answer; servers take it for a client that has left.
    """
    if wire.delay_s is not None:
        time.sleep(wire.delay_s)
    if not wire.answers:
        raise ConnectionResetError(errno.ECONNRESET, f"a fault was injected: {wire.form}")
    body = b"".join(response.response)  # type: ignore[arg-type]  # bytes, in an answer of ours
    if wire.form is WireForm.TRUNCATED:
        response.response = [body[: len(body) // 2]]
    elif wire.form is WireForm.SLOW:
        response.response = _trickled(body, wire.spread_s)
    return response


def _trickled(body: bytes, seconds: float) -> Iterator[bytes]:
    size = max(1, math.ceil(len(body) / _PIECES))
    for start in range(0, len(body), size):
        time.sleep(seconds * size / len(body))
        yield body[start : start + size]

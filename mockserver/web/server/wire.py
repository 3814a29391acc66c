"""Sending an answer in the wire form that a fault chooses: late, in pieces, cut off, or not at all."""

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

#: The key of a request's environment for the `Wire` in which the bridge sends its answer.
WIRE = "mockserver.wire"
#: The key of a request's ASGI scope for the transport of its connection.
TRANSPORT = "mockserver.transport"
#: The most pieces of a slow body. Chosen: it comes evenly, and costs no more than so many writes.
_PIECES = 50
#: SO_LINGER on, with no time to linger: closing sends RST instead of FIN.
_RESET = struct.pack("ii", 1, 0)


class Transmission:
    """The sending of one answer over its connection."""

    def __init__(self, transport: asyncio.Transport, receive: Receive, send: Send) -> None:
        self._transport = transport
        self._send = send
        # The body has been read: the next message says that the client has left.
        self._left = asyncio.ensure_future(receive())

    async def send(self, wire: Wire, status: int, headers: Headers, body: bytes) -> None:
        """Send an answer in the wire form that a fault chooses, as long as the client is there."""
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
                await self._send_piece(body[: len(body) // 2])
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
            await self._send_piece(piece)
        await self._send({"type": "http.response.body", "body": b""})

    async def _send_piece(self, body: bytes) -> None:
        await self._send({"type": "http.response.body", "body": body, "more_body": True})

    async def _pause(self, seconds: float) -> None:
        """Wait until so many seconds have passed or the client has left."""
        if seconds > 0:
            await asyncio.wait([self._left], timeout=None if math.isinf(seconds) else seconds)

    async def _close(self) -> None:
        self._transport.close()
        await self._left

    async def _reset(self) -> None:
        # The event loop shows only a stand-in for its socket; a duplicate descriptor is of the same connection.
        with socket.socket(fileno=os.dup(self._transport.get_extra_info("socket").fileno())) as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
        self._transport.abort()
        await self._left


def transmit(wire: Wire, response: Response, environ: dict[str, Any]) -> Response:
    """An answer that leaves in the wire form that a fault or a receiver chooses.

    The bridge sends it so; under an ordinary WSGI server it leaves so as far as such a server can.

    Raises:
        ConnectionResetError: the client is to get no answer, and the server is an ordinary WSGI server.
    """
    if SUSPENDED not in environ:
        return block(wire, response)
    environ[WIRE] = wire
    return response


def block(wire: Wire, response: Response) -> Response:
    """An answer that leaves in a wire form as far as an ordinary WSGI server can, whose thread sleeps for a delay.

    A delay without an end ends at once: nobody would tell the thread that its client has left.

    Raises:
        ConnectionResetError: the client is to get no answer; servers take it for a client that has left.
    """
    if wire.delay_s is not None:
        time.sleep(wire.delay_s)
    if not wire.answers:
        raise ConnectionResetError(errno.ECONNRESET, f"a fault was injected: {wire.form}")
    body = b"".join(response.response)  # type: ignore[arg-type]  # our answers are of bytes
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

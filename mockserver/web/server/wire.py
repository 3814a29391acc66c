"""Wire forms of faults: delayed, slow, truncated and missing answers."""

from __future__ import annotations

import asyncio
import errno
import math
import os
import socket
import struct
import time
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from contextlib import suppress
from typing import Any, TypeVar

from werkzeug.wrappers import Response

from mockserver.core.traffic.exchange import Wire, WireForm
from mockserver.web.server.waiting import SUSPENDED

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]
ResponseT = TypeVar("ResponseT", bound=Response)
#: Is called when nobody waits for an answer any more; it may wait for a workspace.
Ended = Callable[[], object]

#: The key of a request's environment for the `Wire` in which the bridge sends its answer.
WIRE = "mockserver.wire"
#: The key of a request's environment for what the bridge calls, in a thread, when nobody waits for the answer any more.
ENDED = "mockserver.ended"
#: The key of a request's ASGI scope for the transport of its connection.
TRANSPORT = "mockserver.transport"
#: The most pieces of a slow body. Chosen: it comes evenly, and costs no more than so many writes.
_PIECES = 50
#: SO_LINGER on, with no time to linger: closing sends RST instead of FIN.
_RESET = struct.pack("ii", 1, 0)


class Transmission:
    """Sends one answer in a wire form."""

    def __init__(self, transport: asyncio.Transport, receive: Receive, send: Send) -> None:
        self._transport = transport
        self._send = send
        # The body has been read: the next message says that the client has left.
        self._left = asyncio.ensure_future(receive())
        self._loop = asyncio.get_running_loop()
        #: Done when the answer is let go.
        self._free: asyncio.Future[None] = self._loop.create_future()

    async def send(self, wire: Wire, status: int, headers: Headers, body: bytes) -> bool:
        """Send an answer in a wire form, unless the client leaves.

        Return whether a held request was released without an answer, and has to run again.
        """
        if wire.held is not None:
            wire.held.watch(self._let_go)
        try:
            await self._pause(math.inf if wire.delay_s is None else wire.delay_s)
            if self._left.done():
                if wire.held is not None:
                    wire.held.left_at = time.time()
                return False
            if wire.held is not None and wire.held.is_let_go and wire.held.refuses:
                return True
            await self._deliver(wire, status, headers, body)
            return False
        finally:
            self._left.cancel()
            self._free.cancel()
            if wire.held is not None:
                wire.held.unwatch()

    def _let_go(self) -> None:
        with suppress(RuntimeError):  # the server has stopped
            self._loop.call_soon_threadsafe(self._be_free)

    def _be_free(self) -> None:
        if not self._free.done():
            self._free.set_result(None)

    async def _deliver(self, wire: Wire, status: int, headers: Headers, body: bytes) -> None:
        if wire.form is WireForm.EMPTY or not wire.answers:
            await self._end(is_reset=wire.form is WireForm.RESET)
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
        if seconds > 0:
            awaited: list[asyncio.Future[Any]] = [self._left, self._free]
            timeout = None if math.isinf(seconds) else seconds
            await asyncio.wait(awaited, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)

    async def _end(self, *, is_reset: bool) -> None:
        if is_reset:
            reset(self._transport)
            await self._left
        else:
            await self._close()

    async def _close(self) -> None:
        self._transport.close()
        await self._left


def reset(transport: asyncio.Transport) -> None:
    """Reset a connection, dropping unsent bytes; TLS ends without alert."""
    # The event loop shows only a stand-in for its socket; a duplicate descriptor is of the same connection.
    with socket.socket(fileno=os.dup(transport.get_extra_info("socket").fileno())) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
    transport.abort()


def _nothing() -> None: ...


def transmit(wire: Wire, response: ResponseT, environ: dict[str, Any], ended: Ended = _nothing) -> ResponseT:
    """Mark a response for its wire form.

    `ended` is called, in any thread, when no client waits for the answer any more.
    """
    if wire.held is not None:
        wire.held.runs_again = environ[SUSPENDED].runs_again
    environ[WIRE], environ[ENDED] = wire, ended
    return response


def block(wire: Wire, response: ResponseT, ended: Ended = _nothing) -> ResponseT:
    """Apply a wire form as an ordinary WSGI server can, sleeping for a delay; endless delays end at once.

    Raises:
        ConnectionResetError: the fault wants no answer; servers treat it as a disconnected client.
    """
    if wire.delay_s is not None:
        _sleep(wire, wire.delay_s)
    if wire.form is not WireForm.SLOW:
        ended()
    if not wire.answers:
        raise ConnectionResetError(errno.ECONNRESET, f"a fault was injected: {wire.form}")
    body = b"".join(response.response)  # type: ignore[arg-type]  # our answers are of bytes
    if wire.form is WireForm.TRUNCATED:
        response.response = [body[: len(body) // 2]]
    elif wire.form is WireForm.SLOW:
        response.response = _trickled(body, wire, ended)
    return response


def _trickled(body: bytes, wire: Wire, ended: Ended) -> Iterator[bytes]:
    size = max(1, math.ceil(len(body) / _PIECES))
    try:
        for start in range(0, len(body), size):
            _sleep(wire, wire.spread_s * size / len(body))
            yield body[start : start + size]
    finally:
        ended()


def _sleep(wire: Wire, seconds: float) -> None:
    if wire.held is None:
        time.sleep(seconds)
    else:
        wire.held.wait(seconds)

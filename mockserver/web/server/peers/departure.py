"""A connection to a peer, over which one request after the other is forwarded, and what comes back of each."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple, cast

import httptools

from mockserver.web.server.peers.introduction import Header

#: How many bytes of an answer wait for the client before the connection is read no further. Chosen: enough that a fast
#: client never waits for the peer.
_MOST = 256 * 1024
#: The statuses below it are of interim answers, which stand before the answer (RFC 9110, 15.2).
_FIRST_OF_ANSWERS = 200
#: The key of a request's ASGI scope for the `Departure` over which it was forwarded before its task began.
ASKED = "mockserver.asked"
#: The statuses of answers that have no body.
WITHOUT_BODY = (204, 304)


class Started(NamedTuple):
    """The head of an answer."""

    status: int
    headers: list[Header]

    @property
    def is_told(self) -> bool:
        """Whether the head tells how long the body is."""
        return self.status in WITHOUT_BODY or any(name == b"content-length" for name, _ in self.headers)


class Ended(NamedTuple):
    """The end of an answer."""


class Broken(NamedTuple):
    """The connection has ended before the answer."""

    #: Whether by a reset.
    is_reset: bool


Event = Started | bytes | Ended | Broken


class Departure(asyncio.Protocol):
    """A connection to a peer."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport
        self._parser: Any = None
        self._events: deque[Event] = deque()
        self._size = 0
        self._came: asyncio.Future[None] | None = None
        #: What is called when there is another event; None: nothing is.
        self.on_event: Callable[[], object] | None = None
        #: Whether the answer has no body, whatever its head says.
        self._is_head = False
        self._headers: list[Header] = []
        #: The bytes of the chunk that is coming in, or None if the answer does not come in chunks.
        self._chunk: bytearray | None = None
        #: Whether the peer has said nothing of closing the connection.
        self._is_kept = True

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    @property
    def has_event(self) -> bool:
        """Whether there is an event to take."""
        return bool(self._events)

    def ask(self, request: bytes, method: str, on_event: Callable[[], object] | None = None) -> None:
        """Send a request; its answer are the next events, up to an `Ended` or a `Broken`."""
        self.on_event = on_event
        self._parser = httptools.HttpResponseParser(self)
        self._is_head = method == "HEAD"
        self._transport.write(request)

    @property
    def is_free(self) -> bool:
        """Whether the connection takes a request."""
        return self._is_kept and self._parser is None and not self._events and not self._transport.is_closing()

    def coming(self) -> asyncio.Future[None]:
        """Done as soon as there is an event to take."""
        self._came = asyncio.get_running_loop().create_future()
        if self._events:
            self._came.set_result(None)
        return self._came

    def take(self) -> Event:
        """The next event of the answer, which has come."""
        event = self._events.popleft()
        if isinstance(event, bytes):
            self._size -= len(event)
            if self._size <= _MOST:
                self._transport.resume_reading()
        return event

    @property
    def is_long(self) -> bool:
        """Whether the answer is broken, or of a length that its head does not tell, or of which much has come."""
        if not self._events:
            return False
        first, last = self._events[0], self._events[-1]
        if isinstance(last, Ended):
            return False
        return isinstance(last, Broken) or self._size > _MOST or not (isinstance(first, Started) and first.is_told)

    def whole(self) -> tuple[Started, bytes] | None:
        """The answer with its body, if it has come to its end; its events are still to be taken."""
        if not self._events or not isinstance(self._events[-1], Ended):
            return None
        started = self._events[0]
        assert isinstance(started, Started), "an answer begins with its head"
        return started, b"".join(event for event in self._events if isinstance(event, bytes))

    def skip_rest(self) -> None:
        """Take what is left of an answer that has come as a whole."""
        while self._events:
            self.take()

    def use_up(self) -> None:
        """Take no request after the present one."""
        self._is_kept = False

    def abort(self) -> None:
        """End the connection at once, whatever is under way."""
        self._transport.abort()

    # ------------------------------------------------------------------ what comes in

    def data_received(self, data: bytes) -> None:
        if self._parser is None:  # nobody has asked for anything
            self.abort()
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError:
            self._break(is_reset=False)
            self.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._break(is_reset=isinstance(exc, ConnectionResetError))

    def _break(self, *, is_reset: bool) -> None:
        if self._parser is not None:
            self._finish(Broken(is_reset))

    def _finish(self, event: Ended | Broken) -> None:
        self._parser = None
        self._add(event)

    def _add(self, event: Event) -> None:
        self._events.append(event)
        if self.on_event is not None:
            self.on_event()
        if self._came is not None and not self._came.done():
            self._came.set_result(None)

    # ------------------------------------------------------------------ what the parser sees

    def on_message_begin(self) -> None:
        self._headers, self._chunk = [], None

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers.append((name, value))

    def on_headers_complete(self) -> None:
        status = self._parser.get_status_code()
        if status < _FIRST_OF_ANSWERS:
            return
        self._is_kept = self._parser.should_keep_alive()
        self._add(Started(status, self._headers))
        if self._is_head:
            self._finish(Ended())

    def on_chunk_header(self) -> None:
        self._chunk = bytearray()

    def on_body(self, body: bytes) -> None:
        if self._chunk is None:
            self._add_piece(body)
        else:
            self._chunk += body

    def on_chunk_complete(self) -> None:
        if self._chunk:
            self._add_piece(bytes(self._chunk))

    def _add_piece(self, piece: bytes) -> None:
        self._add(piece)
        self._size += len(piece)
        if self._size > _MOST:
            self._transport.pause_reading()

    def on_message_complete(self) -> None:
        if self._parser is not None and self._parser.get_status_code() >= _FIRST_OF_ANSWERS:
            self._finish(Ended())

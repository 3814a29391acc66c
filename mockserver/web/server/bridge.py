"""The ASGI application: read requests, run them, send answers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from typing import Any

from mockserver.core.traffic.exchange import Held, Wire
from mockserver.web.server import stream, wire
from mockserver.web.server.loop import LARGE_BODY, LeaveLoop
from mockserver.web.server.runner import FIRST_RUN, FirstRun, LeftError, Outcome, Runner
from mockserver.web.server.waiting import SuspendedRequest
from mockserver.web.server.wire import Message, Receive, Send
from mockserver.web.server.wsgi import Scope, WsgiAnswer

#: A body over the limit is read up to so many times the limit, and thrown away, so that a client that sends all before
#: it reads gets to read the refusal. Chosen: with the default limit, 200 MB, far more than honest clients send.
_DRAINED = 20


class Bridge:
    def __init__(self, runner: Runner, body_limit: int, bodies_limit: int) -> None:
        """Prepare a bridge; bodies of more than `body_limit` bytes are cut off just past the limit.

        Large bodies of unanswered requests may have `bodies_limit` bytes in total; other bodies are refused.
        """
        self.runner = runner
        self._body_limit = body_limit
        self._bodies = Bodies(bodies_limit)

    def close(self) -> None:
        self.runner.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        try:
            with suppress(LeftError):
                await self._serve(scope, await receive(), receive, send)
        except asyncio.CancelledError:
            # The server stops while the request waits for something.
            scope[wire.TRANSPORT].abort()
            await receive()

    async def _serve(self, scope: Scope, message: Message, receive: Receive, send: Send) -> None:
        if message["type"] == "http.disconnect":
            return
        body = message.get("body", b"")
        if message.get("more_body") or len(body) > LARGE_BODY:
            outcome = await self._with_large_body(scope, message, receive, send)
        else:
            outcome = await self.runner.run(scope, body, receive)
        if outcome is not None:
            environ, answer = outcome
            del environ["wsgi.input"], message, body  # the answer may take long to leave
            await self._deliver(scope, environ, answer, receive, send)

    async def _with_large_body(self, scope: Scope, message: Message, receive: Receive, send: Send) -> Outcome | None:
        with self._bodies.coming() as body:
            content = await self._read(body, message, receive)
            if content is not None:
                return await self.runner.run(scope, content, receive)
        return self.runner.refused(scope, self._bodies.refusal) if body.is_refused else None

    async def _deliver(
        self, scope: Scope, environ: dict[str, Any], answer: WsgiAnswer, receive: Receive, send: Send
    ) -> None:
        status, headers, content = answer.status, answer.encoded(), answer.content
        if wire.WIRE in environ:
            await self._transmit(scope, environ, answer, receive, send)
            return
        await send({"type": "http.response.start", "status": status, "headers": headers})
        if stream.STREAM in environ:
            with self.runner.waits():
                await _stream(environ[stream.STREAM], self.runner, receive, send)
        else:
            await send({"type": "http.response.body", "body": content})

    async def _transmit(
        self, scope: Scope, environ: dict[str, Any], answer: WsgiAnswer, receive: Receive, send: Send
    ) -> None:
        form: Wire = environ[wire.WIRE]
        with self.runner.waits():
            transmission = wire.Transmission(scope[wire.TRANSPORT], receive, send)
            is_wanted = await transmission.send(form, answer.status, answer.encoded(), answer.content)
        try:
            if is_wanted and form.held is not None:
                await self._run_again(form.held, scope, receive, send)
        finally:
            if form.held is not None:
                await self.runner.threads.run_waiting(environ[wire.ENDED])

    async def _run_again(self, held: Held, scope: Scope, receive: Receive, send: Send) -> None:
        suspended = SuspendedRequest()
        suspended.held = held
        scope[FIRST_RUN] = FirstRun(suspended, LeaveLoop())
        outcome = await self.runner.run(scope, held.body, receive)
        await self._deliver(scope, *outcome, receive, send)

    async def _read(self, body: Body, message: Message | None, receive: Receive) -> bytes | None:
        """Read a body up to just past its limit, for the application to refuse. Return None if the client leaves."""
        drained = 0
        while message is not None and message["type"] != "http.disconnect":
            piece = message.get("body", b"")
            if body.size <= self._body_limit:
                await self._bodies.add(body, piece)
            if body.is_refused:
                return None
            drained += len(piece)
            if not message.get("more_body") or drained > _DRAINED * self._body_limit:
                return self._bodies.complete(body)
            message = await _next(body, receive)
        return None


async def _next(body: Body, receive: Receive) -> Message | None:
    coming = asyncio.ensure_future(receive())
    await asyncio.wait((coming, body.refused), return_when=asyncio.FIRST_COMPLETED)
    if body.is_refused:
        coming.cancel()
        return None
    return coming.result()


async def _stream(events: stream.Stream, runner: Runner, receive: Receive, send: Send) -> None:
    """Send a stream until the client leaves or the stream ends."""

    async def send_piece(body: bytes) -> None:
        await send({"type": "http.response.body", "body": body, "more_body": True})

    left = asyncio.ensure_future(receive())
    try:
        await stream.send_events(events, runner.threads, runner.turn, left, send_piece, runner.storage)
    finally:
        left.cancel()
    await send({"type": "http.response.body", "body": b""})


#: How many seconds a client may send nothing before its body is refused, if another body needs the room. Chosen: longer
#: than the pauses of a client that sends.
_SILENT_S = 1.0
#: How many seconds bodies wait without any room being made before the body that began first is refused. Chosen: shorter
#: than the time limits of clients.
_PATIENCE_S = 5.0
#: The seconds after which a body that waits looks for silent clients again. Chosen: a fraction of `_SILENT_S`.
_LOOK_S = 0.25


class Body:
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
        content = bytes(self._pieces)
        self._pieces.clear()
        return content


class Bodies:
    """The large bodies of a server, `most` bytes in total.

    A piece without room waits. Room is made by answered requests, and by refusing bodies of silent clients. If all
    bodies wait for each other, the oldest body goes on.
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
        return f"No room for another body: those that are not answered yet may have {self._most} bytes"

    @contextmanager
    def coming(self) -> Iterator[Body]:
        """Add a new body, which takes room until its request has run."""
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
        """Add a piece to a body once room is free, unless the body is refused first."""
        body.wanted, body.room = len(piece), asyncio.get_running_loop().create_future()
        self._give_room()
        while body.is_waiting and not body.is_refused:
            await asyncio.wait((body.room, body.refused), timeout=_LOOK_S, return_when=asyncio.FIRST_COMPLETED)
            self._refuse_silent(body)
        body.room, body.last = None, monotonic()
        if not body.is_refused:
            body.add(piece)

    def complete(self, body: Body) -> bytes:
        """Return the bytes of a complete body, before its request runs."""
        del self._coming[body]
        self._running += 1
        return body.take()

    def _give_room(self, *, is_stuck: bool = False) -> None:
        """Give room to waiting bodies, the oldest first.

        If bodies are stuck or deadlocked, the first gets room beyond the limit, as nothing else would make room.
        """
        for body in [body for body in self._coming if body.is_waiting]:
            has_room = self._held + body.wanted <= self._most
            if has_room or is_stuck or self._is_deadlocked():
                self._grant(body)
            if not has_room:
                return

    def _is_deadlocked(self) -> bool:
        return not self._running and all(body.is_waiting for body in self._coming if body.size and not body.is_refused)

    def _grant(self, body: Body) -> None:
        assert body.room is not None, "the body waits"
        body.room.set_result(None)
        body.size += body.wanted
        self._held += body.wanted

    def _refuse_silent(self, waiting: Body) -> None:
        """Refuse the first body of a silent client, or the oldest body if bodies are stuck, but never `waiting`."""
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

"""The bridge between HTTP and the application: a request is read, run, and answered."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Any

from mockserver.core.traffic.exchange import Held, Wire
from mockserver.web.server import stream, wire
from mockserver.web.server.bodies import Bodies, Body
from mockserver.web.server.connections.http_limits import Refusal
from mockserver.web.server.connections.refusal import refused
from mockserver.web.server.loop import LARGE_BODY, LeaveLoop
from mockserver.web.server.outcome import FIRST_RUN, FirstRun, Outcome
from mockserver.web.server.runner import LeftError, Runner
from mockserver.web.server.waiting import SuspendedRequest
from mockserver.web.server.wire import Message, Receive, Send
from mockserver.web.server.wsgi import Scope, WsgiAnswer

#: A body over the limit is read up to so many times the limit, and thrown away, so that a client that sends all before
#: it reads gets to read the refusal. Chosen: with the default limit, 200 MB, far more than honest clients send.
_DRAINED = 20


class Bridge:
    """An ASGI application, whose requests are run by a `Runner`."""

    def __init__(self, runner: Runner, body_limit: int, bodies_limit: int, refusal: Refusal) -> None:
        """A bridge to what `runner` runs.

        A body of more than `body_limit` bytes is cut off just past them. The large bodies of requests without an answer
        may have `bodies_limit` bytes together; one for which there is no room is answered by `refusal`.
        """
        self.runner = runner
        self._body_limit = body_limit
        self._refusal = refusal
        self._bodies = Bodies(bodies_limit)

    def close(self) -> None:
        """Start no more work in threads; what a thread is doing ends unheard."""
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
        """Serve a request whose first message has come, unless that message says that the client has left."""
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
        """What comes of a request whose body is large or in pieces; None: it is answered, or its client has left."""
        with self._bodies.coming() as body:
            content = await self._read(body, message, receive)
            if content is not None:
                return await self.runner.run(scope, content, receive)
        return refused(self._refusal, scope, self._bodies.refusal) if body.is_refused else None

    async def _deliver(
        self, scope: Scope, environ: dict[str, Any], answer: WsgiAnswer, receive: Receive, send: Send
    ) -> None:
        """Send an answer: whole, in the wire form that a fault chooses, or as a stream."""
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
        """Send an answer in the wire form that a fault chooses, or another one if the request is run again."""
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
        """Run a request that has done nothing yet, as a fault held it, and answer it."""
        suspended = SuspendedRequest()
        suspended.held = held
        scope[FIRST_RUN] = FirstRun(suspended, LeaveLoop())
        outcome = await self.runner.run(scope, held.body, receive)
        await self._deliver(scope, *outcome, receive, send)

    async def _read(self, body: Body, message: Message | None, receive: Receive) -> bytes | None:
        """The body, cut off just past the limit, as the application refuses it then; None if it is never complete."""
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
    """The next message of a request, or None if its body is thrown away to make room for others."""
    coming = asyncio.ensure_future(receive())
    await asyncio.wait((coming, body.refused), return_when=asyncio.FIRST_COMPLETED)
    if body.is_refused:
        coming.cancel()
        return None
    return coming.result()


async def _stream(events: stream.Stream, runner: Runner, receive: Receive, send: Send) -> None:
    """Send a stream, until the client leaves or there is nothing more to come."""

    async def send_piece(body: bytes) -> None:
        await send({"type": "http.response.body", "body": body, "more_body": True})

    left = asyncio.ensure_future(receive())
    try:
        await stream.send_events(events, runner.threads, runner.turn, left, send_piece, runner.storage)
    finally:
        left.cancel()
    await send({"type": "http.response.body", "body": b""})

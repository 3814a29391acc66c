"""The bridge between the event loop and Flask: a request is one uninterrupted, short step on the loop.

A request that wants to wait says so (`web.server.waiting`) and is run again when its workspace has changed. One that
takes long, or would have to wait for a lock, leaves the loop (`web.server.loop`) and is run in a thread.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from mockserver.core.state.faults import Fault
from mockserver.core.traffic.exchange import Wire
from mockserver.core.traffic.held import Held
from mockserver.core.waiting.turn import Turn
from mockserver.core.workspaces.keeping import HeldElsewhereError
from mockserver.web.server import stream, wire
from mockserver.web.server.bodies import Bodies, Body
from mockserver.web.server.connections.heads import Head
from mockserver.web.server.connections.http_limits import Refusal
from mockserver.web.server.loop import LARGE_BODY, LOOP, THREAD, LeaveLoop
from mockserver.web.server.outcome import BEGUN, FIRST_RUN, FirstRun, Outcome
from mockserver.web.server.threads import Threads
from mockserver.web.server.waiting import SUSPENDED, SuspendedRequest
from mockserver.web.server.wire import Message, Receive, Send
from mockserver.web.server.wsgi import (
    Scope,
    Shortcut,
    WsgiAnswer,
    environ_of,
    no_shortcut,
    run,
)

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

    from mockserver.web.server.peers.forwarding import Forwarding

#: A body over the limit is read up to so many times the limit, and thrown away, so that a client that sends all before
#: it reads gets to read the refusal. Chosen: with the default limit, 200 MB, far more than honest clients send.
_DRAINED = 20

#: The methods of requests that change nothing: one whose client has left need not be run.
_SAFE = ("GET", "HEAD")


class _LeftError(Exception):
    """A client has left before its request was run."""


class Bridge:
    """An ASGI application that runs a WSGI application inline."""

    def __init__(
        self,
        app: WSGIApplication,
        body_limit: int,
        bodies_limit: int,
        refusal: Refusal,
        shortcut: Shortcut = no_shortcut,
        forwarding: Forwarding | None = None,
    ) -> None:
        """A bridge to `app`, which is asked by its `shortcut` first.

        A body of more than `body_limit` bytes is cut off just past them. The large bodies of requests without an answer
        may have `bodies_limit` bytes together; one for which there is no room is answered by `refusal`. A request for a
        workspace that is held elsewhere is handed on by `forwarding`.
        """
        self._app = app
        self._shortcut = shortcut
        self._body_limit = body_limit
        self._refusal = refusal
        self._bodies = Bodies(bodies_limit)
        self._forwarding = forwarding
        #: The tasks of requests that wait for something; a server that stops cancels them.
        self.waiting: set[asyncio.Task[Any]] = set()
        self._threads = Threads()
        #: Held by the waiting request that is run again on the loop, or by the stream that looks for what is new.
        self._turn = asyncio.Lock()

    async def wait(self, work: Callable[[], Fault | None]) -> Fault | None:
        """The result of work that waits for a lock, and then takes a moment; it is done in a thread."""
        return await self._threads.run_waiting(work)

    def close(self) -> None:
        """Start no more work in threads; what a thread is doing ends unheard."""
        self._threads.close()
        if self._forwarding is not None:
            self._forwarding.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        try:
            with suppress(_LeftError):
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
            outcome = await self._outcome(scope, body, receive, send)
        if outcome is not None:
            environ, answer = outcome
            del environ["wsgi.input"], message, body  # the answer may take long to leave
            await self._deliver(scope, environ, answer, receive, send)

    async def _with_large_body(self, scope: Scope, message: Message, receive: Receive, send: Send) -> Outcome | None:
        """What comes of a request whose body is large or in pieces; None: it is answered, or its client has left."""
        with self._bodies.coming() as body:
            content = await self._read(body, message, receive)
            if content is not None:
                return await self._outcome(scope, content, receive, send)
        return Outcome({"wsgi.input": None}, self._refused(scope, self._bodies.refusal)) if body.is_refused else None

    def _refused(self, scope: Scope, sentence: str) -> WsgiAnswer:
        """The refusal of a request for which the server is not to blame: 503, with a sentence."""
        response = self._refusal(scope["raw_path"].decode("latin-1"), 503, sentence)
        headers = [(name.lower(), value) for name, value in response.headers]
        return WsgiAnswer(response.status_code, headers, response.get_data())

    async def _outcome(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> Outcome | None:
        """What comes of a request; None: a peer has answered it, or its client has left."""
        here = partial(self._run_somewhere, scope, body, receive)
        return await (here() if self._forwarding is None else self._forwarding.run(here, scope, body, receive, send))

    async def _run_somewhere(self, scope: Scope, body: bytes, receive: Receive) -> Outcome:
        """Run a request on the loop or in a thread, and again as long as it waits for something."""
        suspended, found = scope.pop(FIRST_RUN, None) or self.first_run(scope, body)
        if isinstance(found, Exception | HeldElsewhereError):
            raise found
        if isinstance(found, LeaveLoop):
            found = await self._in_thread(scope, body, suspended, found, receive)
        if suspended.waiting:
            if suspended.begun and scope["method"] not in _SAFE:
                scope[BEGUN] = True
            with self._waits():
                found = await self._rerun(found.environ, scope, body, receive)
        return found

    def first_run(self, scope: Scope, body: bytes, head: Head | None = None) -> FirstRun:
        """Run a request whose body has come on the loop, unless the body is large.

        Of a request with a known head, which fits the connection, the scope need tell no more than the client.
        """
        suspended = SuspendedRequest()
        if len(body) > LARGE_BODY:
            return FirstRun(suspended, LeaveLoop())
        try:
            if head is None:
                environ = environ_of(scope, body, suspended)
            else:
                environ = head.environ_of(scope["client"], body, suspended)
            return FirstRun(suspended, self._at_once(environ))
        except Exception as error:  # noqa: BLE001  # the server logs it, in the task of the request
            return FirstRun(suspended, error)

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
            with self._waits():
                await _stream(environ[stream.STREAM], self._threads, self._turn, receive, send)
        else:
            await send({"type": "http.response.body", "body": content})

    async def _transmit(
        self, scope: Scope, environ: dict[str, Any], answer: WsgiAnswer, receive: Receive, send: Send
    ) -> None:
        """Send an answer in the wire form that a fault chooses, or another one if the request is run again."""
        form: Wire = environ[wire.WIRE]
        with self._waits():
            instead = None if self._forwarding is None else self._forwarding.instead_of_end(scope)
            transmission = wire.Transmission(scope[wire.TRANSPORT], receive, send, instead)
            is_wanted = await transmission.send(form, answer.status, answer.encoded(), answer.content)
        try:
            if is_wanted and form.held is not None:
                await self._run_again(form.held, scope, receive, send)
        finally:
            if form.held is not None:
                await self._threads.run_waiting(environ[wire.ENDED])

    async def _run_again(self, held: Held, scope: Scope, receive: Receive, send: Send) -> None:
        """Run a request that has done nothing yet, as a fault held it, and answer it."""
        suspended = SuspendedRequest()
        suspended.held = held
        scope[FIRST_RUN], scope[BEGUN] = FirstRun(suspended, LeaveLoop()), True
        outcome = await self._outcome(scope, held.body, receive, send)
        if outcome is not None:
            await self._deliver(scope, *outcome, receive, send)

    def _at_once(self, environ: dict[str, Any]) -> Outcome | LeaveLoop | HeldElsewhereError:
        """What comes of a request that is run on the loop, or why it leaves the loop."""
        held = environ[LOOP] = []
        try:
            return Outcome(environ, self._shortcut(environ) or run(self._app, environ))
        except (LeaveLoop, HeldElsewhereError) as leave:
            return leave.with_traceback(None)  # its frames refer to the environment, and that to them
        finally:
            for lock in held:
                lock.release()

    async def _in_thread(
        self, scope: Scope, body: bytes, suspended: SuspendedRequest, leave: LeaveLoop, receive: Receive
    ) -> Outcome:
        """What comes of a request that is run in a thread, once the lock that it needs for long is free.

        Raises:
            _LeftError: the request changes nothing, and its client has left.
        """
        while True:
            environ = environ_of(scope, body, suspended)
            in_pool = self._threads.run_waiting if leave.waits else self._threads.run_long
            async with self._when_free(leave.until):
                try:
                    work = in_pool(partial(self._run_beside, environ))
                    return Outcome(environ, await (_wanted(work, receive) if scope["method"] in _SAFE else work))
                except LeaveLoop as again:
                    leave = again.with_traceback(None)  # its traceback refers to this frame, which holds it

    @asynccontextmanager
    async def _when_free(self, turn: Turn | None) -> AsyncIterator[None]:
        """Wait, without a thread, until a lock is free that may be held for long; another may still take it first."""
        if turn is None:
            yield
            return
        loop = asyncio.get_running_loop()
        free = asyncio.Event()

        def wake() -> None:
            with suppress(RuntimeError):  # the server has stopped
                loop.call_soon_threadsafe(free.set)

        try:
            with self._waits():
                turn.when_free(wake)
                await free.wait()
            yield
        finally:
            turn.tell()

    def _run_beside(self, environ: dict[str, Any]) -> WsgiAnswer:
        """Run a request; called in a thread."""
        held = environ[THREAD] = []
        try:
            return self._shortcut(environ) or run(self._app, environ)
        finally:
            for turn in held:
                turn.release()

    async def _rerun(self, environ: dict[str, Any], scope: Scope, body: bytes, receive: Receive) -> Outcome:
        """Run a waiting request after every change of its workspace, until it waits no more or its time is up."""
        suspended: SuspendedRequest = environ[SUSPENDED]
        while True:
            in_time = await _changed(suspended, receive)
            suspended.waiting = False
            if not in_time:
                suspended.deadline = 0.0
            found = await self._in_turn(scope, body, suspended) if LOOP in environ else LeaveLoop()
            if isinstance(found, LeaveLoop):
                found = await self._in_thread(scope, body, suspended, found, receive)
            elif isinstance(found, HeldElsewhereError):
                raise found
            if not suspended.waiting or not in_time:
                return found
            environ = found.environ

    async def _in_turn(
        self, scope: Scope, body: bytes, suspended: SuspendedRequest
    ) -> Outcome | LeaveLoop | HeldElsewhereError:
        """Run a waiting request again on the loop.

        One change may wake many requests: they are run one at a time, and other requests in between.
        """
        async with self._turn:
            await asyncio.sleep(0)
            return self._at_once(environ_of(scope, body, suspended))

    @contextmanager
    def _waits(self) -> Iterator[None]:
        """Let the server cancel the request of this task, should it stop meanwhile."""
        task = asyncio.current_task()
        assert task is not None, "a request is a task"
        self.waiting.add(task)
        try:
            yield
        finally:
            self.waiting.discard(task)

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


async def _wanted(work: Coroutine[Any, Any, WsgiAnswer], receive: Receive) -> WsgiAnswer:
    """The result of a piece of work, which is not started if the client leaves before.

    Raises:
        _LeftError: the client has left.
    """
    running, left = asyncio.ensure_future(work), asyncio.ensure_future(receive())
    try:
        await asyncio.wait((running, left), return_when=asyncio.FIRST_COMPLETED)
        if running.done():
            return running.result()
        raise _LeftError
    finally:
        running.cancel()
        left.cancel()


async def _next(body: Body, receive: Receive) -> Message | None:
    """The next message of a request, or None if its body is thrown away to make room for others."""
    coming = asyncio.ensure_future(receive())
    await asyncio.wait((coming, body.refused), return_when=asyncio.FIRST_COMPLETED)
    if body.is_refused:
        coming.cancel()
        return None
    return coming.result()


async def _stream(events: stream.Stream, threads: Threads, turn: asyncio.Lock, receive: Receive, send: Send) -> None:
    """Send a stream, until the client leaves or there is nothing more to come."""

    async def send_piece(body: bytes) -> None:
        await send({"type": "http.response.body", "body": body, "more_body": True})

    left = asyncio.ensure_future(receive())
    try:
        await stream.send_events(events, threads, turn, left, send_piece)
    finally:
        left.cancel()
    await send({"type": "http.response.body", "body": b""})


async def _changed(suspended: SuspendedRequest, receive: Receive) -> bool:
    """Whether what a request waits for happens before its time is up and its client leaves."""
    workspace, loop = suspended.workspace, asyncio.get_running_loop()
    left = suspended.deadline - time.monotonic()
    if workspace is None or left <= 0:
        return False
    changed = asyncio.Event()

    def wake() -> None:
        loop.call_soon_threadsafe(changed.set)

    workspace.watchers.add(wake, suspended.kinds)
    if workspace.watchers.happened(suspended.kinds) != suspended.seen:
        changed.set()  # something has happened in between, in another thread
    tasks: list[asyncio.Future[Any]] = [loop.create_task(changed.wait())]
    if not suspended.stays:
        tasks.append(asyncio.ensure_future(receive()))
    try:
        done, _ = await asyncio.wait(tasks, timeout=left, return_when=asyncio.FIRST_COMPLETED)
        return tasks[0] in done
    finally:
        workspace.watchers.discard(wake)
        for task in tasks:
            task.cancel()

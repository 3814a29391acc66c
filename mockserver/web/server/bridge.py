"""The thin bridge between the event loop and Flask: a request is one uninterrupted, short step on the loop.

A request that wants to wait says so (`web.waiting`) and is run again when its workspace has changed. One that takes
long, or would have to wait for a lock, leaves the loop (`web.loop`) and is run in a thread.
"""

from __future__ import annotations

import asyncio
import io
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterable, Iterator, MutableMapping
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote_to_bytes

from mockserver.core.waiting.turn import Turn
from mockserver.web.server import stream, wire
from mockserver.web.server.bodies import Bodies, Body
from mockserver.web.server.http_limits import Refusal
from mockserver.web.server.loop import LARGE_BODY, LOOP, THREAD, LeaveLoop
from mockserver.web.server.threads import Threads
from mockserver.web.server.waiting import SUSPENDED, SuspendedRequest

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Headers = list[tuple[bytes, bytes]]

#: What of a body over the limit is read and thrown away, so that the client gets to read the refusal: so many times it.
_DRAINED = 20

#: Names of headers up to this length are remembered for all requests; longer ones would fill the memory.
_SHORT = 100

#: The methods of requests that change nothing, so that nobody misses them whose client has left.
_SAFE = ("GET", "HEAD")

WsgiAnswer = tuple[int, Headers, bytes]


class _LeftError(Exception):
    """A client has left before its request was run."""


class Bridge:
    """An ASGI application that runs a WSGI application inline; a body of more than `body_limit` bytes is cut off."""

    def __init__(self, app: WSGIApplication, body_limit: int, bodies_limit: int, refusal: Refusal) -> None:
        self._app = app
        self._body_limit = body_limit
        self._refusal = refusal
        self._bodies = Bodies(bodies_limit)
        #: The requests that wait for something, and need not be waited for when the server stops.
        self.waiting: set[asyncio.Task[Any]] = set()
        self._threads = Threads()
        #: Held by the one that is run again on the loop, or tells a stream what is new.
        self._turn = asyncio.Lock()

    def close(self) -> None:
        """Begin nothing more in threads."""
        self._threads.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        try:
            with suppress(_LeftError):
                await self._serve(scope, await receive(), receive, send)
        except asyncio.CancelledError:
            # The server stops, and nobody waits for what a request still waited for.
            scope[wire.TRANSPORT].abort()
            await receive()

    async def _serve(self, scope: Scope, message: Message, receive: Receive, send: Send) -> None:
        """Serve a request whose first message has come, if it is not that its client has left."""
        if message["type"] == "http.disconnect":
            return
        body = message.get("body", b"")
        if message.get("more_body") or len(body) > LARGE_BODY:
            found = await self._with_large_body(scope, message, receive)
        else:
            found = await self._run_somewhere(scope, body, receive)
        if found is not None:
            environ, answer = found
            del environ["wsgi.input"], message, body  # the answer may take long to leave
            await self._deliver(scope, environ, answer, receive, send)

    async def _with_large_body(
        self, scope: Scope, message: Message, receive: Receive
    ) -> tuple[dict[str, Any], WsgiAnswer] | None:
        """The answer to a request whose body is large, or comes in pieces; None: nobody waits for one."""
        with self._bodies.coming() as body:
            whole = await self._read(body, message, receive)
            if whole is not None:
                return await self._run_somewhere(scope, whole, receive)
        return ({"wsgi.input": None}, self._no_room(scope)) if body.is_refused else None

    def _no_room(self, scope: Scope) -> WsgiAnswer:
        """What is said where a body has to go for others."""
        found = self._refusal(scope["raw_path"].decode("latin-1"), 503, self._bodies.refusal)
        headers = [(name.lower().encode(), value.encode("latin-1")) for name, value in found.headers]
        return found.status_code, headers, found.get_data()

    async def _run_somewhere(self, scope: Scope, body: bytes, receive: Receive) -> tuple[dict[str, Any], WsgiAnswer]:
        """Run a request on the loop or beside it, and again as long as it waits for something."""
        suspended = SuspendedRequest()
        found = LeaveLoop() if len(body) > LARGE_BODY else self._at_once(scope, body, suspended)
        if isinstance(found, LeaveLoop):
            found = await self._in_thread(scope, body, suspended, found, receive)
        if suspended.waiting:
            with self._waits():
                found = await self._rerun(found[0], scope, body, receive)
        return found

    async def _deliver(
        self, scope: Scope, environ: dict[str, Any], answer: WsgiAnswer, receive: Receive, send: Send
    ) -> None:
        """Let an answer leave, in the transmission that a fault chooses, or piece by piece."""
        status, headers, content = answer
        if wire.WIRE in environ:
            with self._waits():
                transmission = wire.Transmission(scope[wire.TRANSPORT], receive, send)
                await transmission.leave(environ[wire.WIRE], status, headers, content)
            return
        await send({"type": "http.response.start", "status": status, "headers": headers})
        if stream.STREAM in environ:
            with self._waits():
                await _go_on(environ[stream.STREAM], self._threads, self._turn, receive, send)
        else:
            await send({"type": "http.response.body", "body": content})

    def _at_once(
        self, scope: Scope, body: bytes, suspended: SuspendedRequest
    ) -> tuple[dict[str, Any], WsgiAnswer] | LeaveLoop:
        """Run a request on the loop; gives the environment and the answer, or why it leaves."""
        environ = _environ(scope, body, suspended)
        held = environ[LOOP] = []
        try:
            return environ, self._run(environ)
        except LeaveLoop as leaves:
            return leaves.with_traceback(None)  # its frames lead to the environment, and that to them
        finally:
            for lock in held:
                lock.release()

    async def _in_thread(
        self, scope: Scope, body: bytes, suspended: SuspendedRequest, leaves: LeaveLoop, receive: Receive
    ) -> tuple[dict[str, Any], WsgiAnswer]:
        """The same beside the loop, as soon as there is nothing to wait for that may take long."""
        while True:
            environ = _environ(scope, body, suspended)
            elsewhere = self._threads.wait if leaves.waits else self._threads.labour
            async with self._turn_of(leaves.until):
                try:
                    work = elsewhere(partial(self._run_beside, environ))
                    return environ, await (_wanted(work, receive) if scope["method"] in _SAFE else work)
                except LeaveLoop as again:
                    leaves = again.with_traceback(None)  # it leads to this frame, which holds it

    @asynccontextmanager
    async def _turn_of(self, turn: Turn | None) -> AsyncIterator[None]:
        """Wait until a lock is free that somebody may hold for long, without a thread; others may still be faster."""
        if turn is None:
            yield
            return
        loop = asyncio.get_running_loop()
        free = asyncio.Event()

        def told() -> None:
            with suppress(RuntimeError):  # the server has stopped
                loop.call_soon_threadsafe(free.set)

        try:
            with self._waits():
                turn.when_free(told)
                await free.wait()
            yield
        finally:
            turn.tell()

    def _run_beside(self, environ: dict[str, Any]) -> WsgiAnswer:
        """Run a request in a thread."""
        held = environ[THREAD] = []
        try:
            return self._run(environ)
        finally:
            for turn in held:
                turn.release()

    async def _rerun(
        self, environ: dict[str, Any], scope: Scope, body: bytes, receive: Receive
    ) -> tuple[dict[str, Any], WsgiAnswer]:
        """Run a request that waits after every change of its workspace, until it has found something."""
        suspended: SuspendedRequest = environ[SUSPENDED]
        while True:
            in_time = await _changed(suspended, receive)
            suspended.waiting = False
            if not in_time:
                suspended.deadline = 0.0
            found = await self._in_turn(scope, body, suspended) if LOOP in environ else LeaveLoop()
            if isinstance(found, LeaveLoop):
                found = await self._in_thread(scope, body, suspended, found, receive)
            environ, answer = found
            if not suspended.waiting or not in_time:
                return environ, answer

    async def _in_turn(
        self, scope: Scope, body: bytes, suspended: SuspendedRequest
    ) -> tuple[dict[str, Any], WsgiAnswer] | LeaveLoop:
        """Run a request again on the loop; of many that wait for the same, one at a time, and others in between."""
        async with self._turn:
            await asyncio.sleep(0)
            return self._at_once(scope, body, suspended)

    @contextmanager
    def _waits(self) -> Iterator[None]:
        task = asyncio.current_task()
        assert task is not None, "a request is a task"
        self.waiting.add(task)
        try:
            yield
        finally:
            self.waiting.discard(task)

    def _run(self, environ: dict[str, Any]) -> WsgiAnswer:
        started: list[Any] = []

        def start_response(
            status: str, headers: list[tuple[str, str]], exc_info: Any = None
        ) -> Callable[[bytes], object]:
            started[:] = [
                int(status.partition(" ")[0]),
                [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers],
            ]
            return io.BytesIO().write

        chunks: Iterable[bytes] = self._app(environ, start_response)
        try:
            content = b"".join(chunks)
        finally:
            if hasattr(chunks, "close"):
                chunks.close()
            # It leads back to the environment: both would wait for a collection, and with them the body.
            environ.pop("werkzeug.request", None)
        return started[0], started[1], content

    async def _read(self, body: Body, message: Message | None, receive: Receive) -> bytes | None:
        """The body, cut off just past the limit, which the application refuses; None if it does not come to its end."""
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
    """What comes of a piece of work, which never begins where its client leaves before.

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
    """What comes next; None: the body has to go for others."""
    coming = asyncio.ensure_future(receive())
    await asyncio.wait((coming, body.refused), return_when=asyncio.FIRST_COMPLETED)
    if body.is_refused:
        coming.cancel()
        return None
    return coming.result()


async def _go_on(events: stream.Stream, threads: Threads, turn: asyncio.Lock, receive: Receive, send: Send) -> None:
    """Send an answer that goes on, until the client leaves or there is nothing more to come."""

    async def piece(body: bytes) -> None:
        await send({"type": "http.response.body", "body": body, "more_body": True})

    left = asyncio.ensure_future(receive())
    try:
        await stream.go_on(events, threads, turn, left, piece)
    finally:
        left.cancel()
    await send({"type": "http.response.body", "body": b""})


async def _changed(suspended: SuspendedRequest, receive: Receive) -> bool:
    """Whether the workspace changes before the time is up and the client leaves."""
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


def _environ(scope: Scope, body: bytes, suspended: SuspendedRequest) -> dict[str, Any]:
    """The WSGI environment of a request, PEP 3333."""
    host, port = scope["server"] or ("127.0.0.1", 80)
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "REQUEST_URI": scope["raw_path"].decode("latin-1"),
        "SERVER_NAME": host,
        "SERVER_PORT": str(port or 80),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": scope["client"][0] if scope["client"] else "",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        "wsgi.input_terminated": True,
        SUSPENDED: suspended,
    }
    for raw_name, raw_value in scope["headers"]:
        name = _wsgi_name(raw_name) if len(raw_name) <= _SHORT else _wsgi_name.__wrapped__(raw_name)
        if not name:
            continue
        value = raw_value.decode("latin-1")
        environ[name] = f"{environ[name]},{value}" if name in environ else value
    # The body has been put together: werkzeug would cut a chunked one off at the limit instead of refusing it.
    environ.pop("HTTP_TRANSFER_ENCODING", None)
    environ["CONTENT_LENGTH"] = str(len(body))
    return environ


@lru_cache(maxsize=1024)
def _wsgi_name(raw_name: bytes) -> str:
    """A header's name in the WSGI environment; nothing for one with an underscore.

    There `api_key` and `api-key` would be the same. The service, behind nginx, sees no header with an underscore.
    """
    if b"_" in raw_name:
        return ""
    name = raw_name.decode("latin-1").upper().replace("-", "_")
    return name if name in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{name}"

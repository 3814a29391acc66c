"""Streams: answers without an end, which send what happens in a workspace as it happens."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import Any, NamedTuple, Protocol

from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.server.loop import LeaveLoop
from mockserver.web.server.threads import Threads

#: The key of a request's environment for the `Stream` that the bridge sends as its answer.
STREAM = "mockserver.stream"


class Pull(Protocol):
    """Gives what has happened since its last call, ready to be sent."""

    def __call__(self, *, on_loop: bool) -> bytes | None:
        """Some of what is new, empty if nothing is, or None if the stream is over.

        Raises:
            LeaveLoop: the caller is `on_loop`, and to write what is new takes long.
        """
        ...


class Stream(NamedTuple):
    """An answer without an end, as the application describes it."""

    pull: Pull
    #: The workspace whose events are sent.
    workspace: Workspace
    #: What is sent when nothing has happened for `pause_s` seconds.
    heartbeat: bytes
    pause_s: float


async def send_events(
    stream: Stream,
    threads: Threads,
    turn: asyncio.Lock,
    left: asyncio.Future[Any],
    send: Callable[[bytes], Awaitable[None]],
) -> None:
    """Send what happens, as it happens, until the client leaves (`left` is done) or the stream is over.

    `send` waits for a client that reads slowly; what happens meanwhile stays in the workspace's bounded feed. `turn` is
    shared by all streams: they pull one at a time.
    """
    signal = _Signal(asyncio.get_running_loop())
    stream.workspace.watchers.add(signal.set)
    left.add_done_callback(lambda _: signal.set())
    try:
        while not left.done():
            signal.clear()  # what happens while it pulls and sends is pulled next
            async with turn:
                await asyncio.sleep(0)  # other requests run between the pulls of many streams
            chunk = await _pull(stream, threads)
            if chunk is None:
                return
            if chunk:
                await send(chunk)
            elif not await signal.wait(stream.pause_s):
                await send(stream.heartbeat)
    finally:
        stream.workspace.watchers.discard(signal.set)


async def _pull(stream: Stream, threads: Threads) -> bytes | None:
    """What the stream pulls; in a thread, if that takes long, or another thread has the workspace's lock."""
    lock = stream.workspace.lock
    if not lock.acquire(blocking=False):
        return await threads.run_waiting(partial(stream.pull, on_loop=False))
    try:
        return stream.pull(on_loop=True)
    except LeaveLoop:
        pass
    finally:
        lock.release()
    return await threads.run_long(partial(stream.pull, on_loop=False))


class _Signal:
    """An event that any thread may set, and one task of the loop waits for.

    `asyncio.Event` with a time limit takes two tasks for each wait, and there may be a hundred streams.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._is_set = False
        self._waiting: asyncio.Future[None] | None = None

    def set(self) -> None:
        if not self._is_set:
            self._is_set = True
            self._loop.call_soon_threadsafe(self._wake)

    def clear(self) -> None:
        self._is_set = False

    async def wait(self, seconds: float) -> bool:
        """Whether the signal is set within so many seconds."""
        if not self._is_set:
            self._waiting = self._loop.create_future()
            limit = self._loop.call_later(seconds, self._end)
            try:
                await self._waiting
            finally:
                limit.cancel()
        return self._is_set

    def _wake(self) -> None:
        if self._is_set:  # else it was cleared since it was set
            self._end()

    def _end(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)


def blocking(stream: Stream) -> Iterator[bytes]:
    """The pieces of a stream for an ordinary WSGI server, where waiting for each of them holds a thread."""
    happened = threading.Event()
    stream.workspace.watchers.add(happened.set)
    try:
        while True:
            happened.clear()
            chunk = stream.pull(on_loop=False)
            if chunk is None:
                return
            if chunk or not happened.wait(stream.pause_s):
                yield chunk or stream.heartbeat
    finally:
        stream.workspace.watchers.discard(happened.set)

"""Answers that go on: whatever happens in a workspace, as it happens."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import Any, NamedTuple, Protocol

from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.server.loop import LeaveLoop
from mockserver.web.server.threads import Threads

#: Where a request whose answer goes on leaves its `Stream` for the bridge.
STREAM = "mockserver.stream"


class Pull(Protocol):
    """A part of what is new since the last call, ready to be sent."""

    def __call__(self, *, on_loop: bool) -> bytes | None:
        """The part; empty: there is nothing, None: nor will there be.

        Raises:
            LeaveLoop: it is on the loop, and takes long.
        """
        ...


class Stream(NamedTuple):
    """What an answer that goes on needs of the application."""

    pull: Pull
    #: The workspace that is looked at.
    workspace: Workspace
    #: What is sent when nothing has happened for `pause_s` seconds.
    heartbeat: bytes
    pause_s: float


async def go_on(
    stream: Stream,
    threads: Threads,
    turn: asyncio.Lock,
    left: asyncio.Future[Any],
    send: Callable[[bytes], Awaitable[None]],
) -> None:
    """Send what happens, as it happens, until the client leaves or there is nothing to look at any more.

    One who reads slowly is waited for in `send`; what happens meanwhile waits in the workspace's bounded feed.
    """
    signal = _Signal(asyncio.get_running_loop())
    stream.workspace.watchers.add(signal.set)
    left.add_done_callback(lambda _: signal.set())
    try:
        while not left.done():
            signal.clear()  # what happens while it pulls and sends is pulled next
            async with turn:
                await asyncio.sleep(0)  # of many that look on, one at a time, and others in between
            chunk = await _pulled(stream, threads)
            if chunk is None:
                return
            if chunk:
                await send(chunk)
            elif not await signal.wait(stream.pause_s):
                await send(stream.heartbeat)
    finally:
        stream.workspace.watchers.discard(signal.set)


async def _pulled(stream: Stream, threads: Threads) -> bytes | None:
    """What is new; by a thread, if it takes long, or somebody else has the workspace's lock."""
    lock = stream.workspace.lock
    if not lock.acquire(blocking=False):
        return await threads.wait(partial(stream.pull, on_loop=False))
    try:
        return stream.pull(on_loop=True)
    except LeaveLoop:
        pass
    finally:
        lock.release()
    return await threads.labour(partial(stream.pull, on_loop=False))


class _Signal:
    """Says to one task of the loop that something has happened, from whatever thread.

    `asyncio.Event` with a time limit takes two tasks for each wait, and there may be a hundred who look on.
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
        """Whether it is set before the time is up."""
        if not self._is_set:
            self._waiting = self._loop.create_future()
            limit = self._loop.call_later(seconds, self._end)
            try:
                await self._waiting
            finally:
                limit.cancel()
        return self._is_set

    def _wake(self) -> None:
        if self._is_set:  # else that was of before it was cleared
            self._end()

    def _end(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)


def blocking(stream: Stream) -> Iterator[bytes]:
    """The same under an ordinary WSGI server, whose thread has nothing else to do."""
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

"""Streams: endless answers with events of a workspace."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import Any, NamedTuple, Protocol, Self

from mockserver.core.waiting import RESETS, Watchers
from mockserver.core.workspaces.storage import Storage, StorageError
from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.server.loop import LeaveLoop
from mockserver.web.server.threads import Threads

#: The key of a request's environment for the `Stream` that the bridge sends as its answer.
STREAM = "mockserver.stream"


class Stream(NamedTuple):
    """An endless answer, described by the application."""

    #: Returns new bytes, perhaps empty, or None at the end of the stream; called in a step.
    pull: Callable[[], bytes | None]
    #: The workspace whose events are sent.
    workspace: Workspace
    #: What is sent when nothing has happened for `pause_s` seconds.
    heartbeat: bytes
    pause_s: float
    #: How many seconds there are at least between two pulls, unless a reset comes in between.
    every_s: float = 0.0


async def send_events(
    stream: Stream,
    threads: Threads,
    turn: asyncio.Lock,
    left: asyncio.Future[Any],
    send: Callable[[bytes], Awaitable[None]],
    storage: Storage,
) -> None:
    """Send events until the client leaves (`left` is done) or the stream ends.

    A slow client makes `send` wait, and events stay in the workspace's bounded feed. All streams share `turn`, so that
    only one pulls at a time.
    """
    signal = _Signal(asyncio.get_running_loop())
    left.add_done_callback(lambda _: signal.set())
    with _Watch(stream.workspace.watchers, signal) as watch:
        while not left.done():
            watch.begin()  # what happens while it pulls and sends is pulled next
            async with turn:
                await asyncio.sleep(0)  # other requests run between the pulls of many streams
            chunk = await _pull(stream, threads, storage)
            if chunk is None:
                return
            if chunk:
                await send(chunk)
            if stream.every_s and watch.may_pause() and not left.done():
                await signal.wait(stream.every_s)
            if watch.may_wait(stream, chunk) and not left.done() and not await signal.wait(stream.pause_s):
                await send(stream.heartbeat)


async def _pull(stream: Stream, threads: Threads, storage: Storage) -> bytes | None:
    """Return new bytes, or None if the stream ended or the workspace is unreadable."""
    waits = True
    try:
        if not storage.is_shared:
            chunk, saving = storage.begin(stream.pull)
            for future in () if saving is None else saving.futures:
                await asyncio.wrap_future(future)
            if saving is not None:
                saving.finish()
            return chunk
    except LeaveLoop as leave:
        waits = leave.waits
    except StorageError:
        return None
    try:
        return await asyncio.wrap_future(threads.submit(partial(storage.run, stream.pull), waits=waits))
    except StorageError:
        return None


class _Flag(Protocol):
    def set(self) -> None: ...

    def clear(self) -> None: ...


class _Watch:
    """Wakes a stream: on resets only during a pause, otherwise on any event."""

    def __init__(self, watchers: Watchers, flag: _Flag) -> None:
        self._watchers, self._flag = watchers, flag
        #: How much had happened when the last pull began, and how many resets were of it.
        self._happened = self._resets = 0

    def __enter__(self) -> Self:
        self._watchers.add(self._flag.set)
        return self

    def __exit__(self, *_: object) -> None:
        self._watchers.discard(self._flag.set)

    def begin(self) -> None:
        self._flag.clear()
        self._happened, self._resets = self._watchers.happened(), self._watchers.happened(RESETS)

    def may_pause(self) -> bool:
        """Listen only for resets. Return whether no reset happened since the pull began."""
        self._watchers.add(self._flag.set, RESETS)
        self._flag.clear()
        return self._watchers.happened(RESETS) == self._resets

    def may_wait(self, stream: Stream, chunk: bytes) -> bool:
        """Listen for all events. Return whether no event happened since the pull began."""
        if not stream.every_s:
            return not chunk
        self._watchers.add(self._flag.set)
        return self._watchers.happened() == self._happened


class _Signal:
    """An event that any thread sets, and one task awaits.

    `asyncio.Event` with a timeout needs two tasks per wait, and there may be a hundred streams.
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


def blocking(stream: Stream, storage: Storage) -> Iterator[bytes]:
    """Yield the pieces of a stream for an ordinary WSGI server, blocking its thread."""
    happened = threading.Event()
    with _Watch(stream.workspace.watchers, happened) as watch:
        while True:
            watch.begin()
            try:
                chunk = storage.run(stream.pull)
            except StorageError:
                return
            if chunk is None:
                return
            if chunk:
                yield chunk
            if stream.every_s and watch.may_pause():
                happened.wait(stream.every_s)
            if watch.may_wait(stream, chunk) and not happened.wait(stream.pause_s):
                yield stream.heartbeat

"""Answers that go on: whatever happens in a workspace, as it happens."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, NamedTuple

from mockserver.core.workspace import Workspace

#: Where a request whose answer goes on leaves its `Stream` for the bridge.
STREAM = "mockserver.stream"


class Stream(NamedTuple):
    """What an answer that goes on needs of the application."""

    #: A part of what is new since the last call, ready to be sent; empty: there is nothing, None: nor will there be.
    pull: Callable[[], bytes | None]
    #: The workspace that is looked at.
    workspace: Workspace
    #: What is sent when nothing has happened for `pause_s` seconds.
    heartbeat: bytes
    pause_s: float


async def go_on(stream: Stream, left: asyncio.Future[Any], send: Callable[[bytes], Awaitable[None]]) -> None:
    """Send what happens, as it happens, until the client leaves or there is nothing to look at any more.

    One who reads slowly is waited for in `send`; what happens meanwhile waits in the workspace's bounded feed.
    """
    loop, happened = asyncio.get_running_loop(), asyncio.Event()

    def wake() -> None:
        if not happened.is_set():
            loop.call_soon_threadsafe(happened.set)

    stream.workspace.watchers.add(wake)
    try:
        while not left.done():
            happened.clear()  # what happens while it pulls and sends is pulled next
            chunk = stream.pull()
            if chunk is None:
                return
            if chunk:
                await send(chunk)
                await asyncio.sleep(0)  # others come first, however much there is to tell
            elif not await _happens(happened, left, stream.pause_s) and not left.done():
                await send(stream.heartbeat)
    finally:
        stream.workspace.watchers.discard(wake)


async def _happens(happened: asyncio.Event, left: asyncio.Future[Any], seconds: float) -> bool:
    """Whether something happens before the time is up and the client leaves."""
    waiting = asyncio.ensure_future(happened.wait())
    try:
        await asyncio.wait([waiting, left], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        return happened.is_set()
    finally:
        waiting.cancel()


def blocking(stream: Stream) -> Iterator[bytes]:
    """The same under an ordinary WSGI server, whose thread has nothing else to do."""
    happened = threading.Event()
    stream.workspace.watchers.add(happened.set)
    try:
        while True:
            happened.clear()
            chunk = stream.pull()
            if chunk is None:
                return
            if chunk or not happened.wait(stream.pause_s):
                yield chunk or stream.heartbeat
    finally:
        stream.workspace.watchers.discard(happened.set)

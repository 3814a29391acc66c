"""Answers that go on: whatever happens in a workspace, as it happens."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from mockserver.core.workspace import Workspace

#: Where a request whose answer goes on leaves its `Stream` for the bridge.
STREAM = "mockserver.stream"


class Stream(NamedTuple):
    """What an answer that goes on needs of the application."""

    #: What is new since the last call, ready to be sent; None: there will never be more.
    pull: Callable[[], bytes | None]
    #: The workspace that is looked at; another one after a reset.
    workspace: Callable[[], Workspace | None]
    #: What is sent when nothing has happened for `pause_s` seconds.
    heartbeat: bytes
    pause_s: float


async def wait(stream: Stream, left: asyncio.Future[Any]) -> bool:
    """Whether something has happened before the pause is over and the client leaves."""
    workspace, loop = stream.workspace(), asyncio.get_running_loop()
    if workspace is None:
        return True
    happened = asyncio.Event()

    def wake() -> None:
        loop.call_soon_threadsafe(happened.set)

    workspace.watchers.add(wake)
    waiting: asyncio.Future[Any] = loop.create_task(happened.wait())
    try:
        await asyncio.wait([waiting, left], timeout=stream.pause_s, return_when=asyncio.FIRST_COMPLETED)
        return happened.is_set()
    finally:
        workspace.watchers.discard(wake)
        waiting.cancel()


def blocking(stream: Stream) -> Iterator[bytes]:
    """The same under an ordinary WSGI server, whose thread has nothing else to do."""
    happened = threading.Event()
    while (chunk := stream.pull()) is not None:
        if chunk:
            yield chunk
        workspace = stream.workspace()
        if workspace is not None:
            workspace.watchers.add(happened.set)
            if not happened.wait(stream.pause_s):
                yield stream.heartbeat
            workspace.watchers.discard(happened.set)
            happened.clear()

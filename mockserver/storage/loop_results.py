"""Results for those who wait on an event loop, which come from another thread."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress


class LoopResults:
    """Hands results to futures of a loop; the loop is woken once for all that come at about the same time."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self._ready: deque[tuple[asyncio.Future[str | None], str | None]] = deque()
        #: Whether the loop was woken, and has not begun to hand out yet.
        self._is_woken = False

    def put(self, future: asyncio.Future[str | None], result: str | None) -> None:
        """Let a future have a result soon; called in any one thread at a time."""
        self._ready.append((future, result))
        if not self._is_woken:
            self._is_woken = True
            with suppress(RuntimeError):  # the loop has ended, and nobody waits any more
                self.loop.call_soon_threadsafe(self._hand_out)

    def _hand_out(self) -> None:
        self._is_woken = False  # first: what comes from here on may be too late for the lines below
        while self._ready:
            future, result = self._ready.popleft()
            if not future.done():
                future.set_result(result)

"""Settlement: who has changed something waits until it is kept, in a thread or on an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable
from functools import partial

from mockserver.core.workspaces.keeping import KeepingError
from mockserver.storage.loop_results import LoopResults
from mockserver.storage.touch_lock import Touching, WaitedLock
from mockserver.storage.writer import Tell, Writer


class Settlement:
    """What each thread has changed and is not known to be kept, and how it waits for the writer."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._touching = Touching()
        self._results: LoopResults | None = None

    def lock(self) -> WaitedLock:
        """A lock that notes who has taken it."""
        found = WaitedLock()
        found.touching = self._touching
        return found

    def touch(self) -> None:
        """Note that this thread has changed something beside the workspaces whose locks it has taken."""
        self._touching.has_touched = True

    @property
    def is_due(self) -> bool:
        """Whether this thread may have changed anything that is not known to be kept."""
        return self._touching.has_touched

    def begin(self) -> None:
        """Forget what this thread has changed by now."""
        if self._touching.has_touched:
            self._touching.take()

    def settle(self) -> None:
        """Wait until what this thread has changed is kept.

        Raises:
            KeepingError: it could not be kept, or a workspace is lost that the thread has used.
        """
        locks = self._touching.take()
        self._writer.settle()
        while any(lock.is_late for lock in locks):
            self._writer.settle()
        loss = _loss(locks)
        if loss is not None:
            raise KeepingError(loss)

    def settled(self) -> asyncio.Future[str | None]:
        """As `settle`, for the event loop that runs in this thread: the result says why it is not kept, or is None."""
        locks, loop = self._touching.take(), asyncio.get_running_loop()
        if self._results is None or self._results.loop is not loop:
            self._results = LoopResults(loop)
        future = loop.create_future()
        self._writer.join(partial(self._tell, locks, partial(self._results.put, future)))
        return future

    def _tell(self, locks: Collection[WaitedLock], tell: Tell, failure: str | None) -> None:
        """Tell who has taken locks what has come of a round, unless one of them was not looked at yet."""
        if failure is None and any(lock.is_late for lock in locks):
            self._writer.join(partial(self._tell, locks, tell))
        else:
            tell(failure or _loss(locks))


def _loss(locks: Iterable[WaitedLock]) -> str | None:
    """Why one of the workspaces of these locks is lost, or None: none is."""
    return next((lock.loss for lock in locks if lock.loss is not None), None)

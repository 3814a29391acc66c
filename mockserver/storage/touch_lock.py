"""The lock of a workspace that is kept: whoever takes it may change the workspace."""

from __future__ import annotations

import threading
from _thread import RLock  # `threading.RLock` is a function that makes one of these
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

from mockserver.core.workspaces.keeping import KeepingError

#: How many locks a thread takes before it looks which of them are of no use any more; chosen: few requests take more.
_MANY_LOCKS = 100


class TouchLock(RLock):  # type: ignore[misc]  # CPython lets it be subclassed, whatever typeshed says
    """Tells when it is first taken after it was looked through.

    It takes no argument, as Python 3.13 and older ignore those of this type, and newer ones refuse them.
    """

    #: Whether it was taken since `look`; it starts as if it was, so that nothing is told before `follow`.
    is_touched: bool = True
    #: Whether its workspace was removed, or has left the memory with all that was done in it kept.
    is_let_go: bool = False
    #: Why its workspace is lost, as a sentence for users, or None.
    loss: str | None = None
    _tell: Callable[[], None]

    def follow(self, tell: Callable[[], None], *, is_touched: bool) -> None:
        """Call `tell` from now on, from whatever thread; at once if it counts as touched already."""
        self._tell = tell
        self.is_touched = self.is_let_go = False
        if is_touched:
            self.touch()

    def touch(self) -> None:
        """Count as touched, whether it is taken or not."""
        if not self.is_touched:
            self.is_touched = True
            self._tell()

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        is_taken = super().acquire(blocking, timeout)
        if is_taken and not self.is_touched:
            self.touch()
        return is_taken

    __enter__ = acquire

    @contextmanager
    def look(self, patience_s: float) -> Iterator[bool]:
        """Hold the lock without touching it, from when on it is untouched; False if others have it for so many seconds.

        What anybody changes after that touches it again.
        """
        if not super().acquire(timeout=patience_s):
            yield False
            return
        try:
            self.is_touched = False
            yield True
        finally:
            self.release()


class Touching(threading.local):
    """What the present thread has changed, and is not known to be kept."""

    def __init__(self) -> None:
        #: Whether it may have changed anything.
        self.has_touched = False
        #: The lock that it has taken last, and all that it has taken.
        self._last: WaitedLock | None = None
        self._locks: set[WaitedLock] = set()
        #: How many locks there may be before those are forgotten that are of no use any more.
        self._most = _MANY_LOCKS

    def note(self, lock: WaitedLock) -> None:
        """The thread has taken a lock."""
        if lock is self._last:
            return
        self._last, self.has_touched = lock, True
        self._locks.add(lock)
        if len(self._locks) > self._most:  # some threads never ask whether it is kept what they have changed
            self._locks = {lock for lock in self._locks if not lock.is_let_go}
            self._most = _MANY_LOCKS + 2 * len(self._locks)

    def take(self) -> Collection[WaitedLock]:
        """The locks that the thread has taken since the last call."""
        found, self._locks = self._locks, set()
        self._last, self.has_touched = None, False
        return found


class WaitedLock(TouchLock):  # type: ignore[misc]  # see above
    """A `TouchLock` that tells also which thread has taken it, as its answer waits until what it did is kept.

    Once the workspace is lost, it cannot be taken any more.
    """

    touching: Touching
    #: Whether others had it when its workspace was to be looked through last.
    _was_taken: bool = False

    @property
    def is_late(self) -> bool:
        """Whether what was done in its workspace could not be looked at yet, and will be."""
        return self._was_taken and not self.is_let_go and self.loss is None

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Take it, as any lock.

        Raises:
            KeepingError: its workspace is lost.
        """
        is_taken = super().acquire(blocking, timeout)
        if is_taken:
            if self.loss is not None:
                self.release()
                raise KeepingError(self.loss)
            self.touching.note(self)
        return is_taken

    __enter__ = acquire

    @contextmanager
    def look(self, patience_s: float) -> Iterator[bool]:
        with super().look(patience_s) as is_held:
            self._was_taken = not is_held
            yield is_held

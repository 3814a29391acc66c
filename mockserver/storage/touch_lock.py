"""The lock of a workspace that is kept: whoever takes it may change the workspace."""

from __future__ import annotations

import threading
from _thread import RLock  # `threading.RLock` is a function that makes one of these
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class TouchLock(RLock):  # type: ignore[misc]  # CPython lets it be subclassed, whatever typeshed says
    """Tells when it is first taken after it was looked through.

    It takes no argument, as Python 3.13 and older ignore those of this type, and newer ones refuse them.
    """

    #: Whether it was taken since `look`; it starts as if it was, so that nothing is told before `follow`.
    is_touched: bool = True
    _tell: Callable[[], None]

    def follow(self, tell: Callable[[], None], *, is_touched: bool) -> None:
        """Call `tell` from now on, from whatever thread; at once if it counts as touched already."""
        self._tell = tell
        self.is_touched = False
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
    """Whether the present thread has changed something that is not known to be kept."""

    has_touched = False


class WaitedLock(TouchLock):  # type: ignore[misc]  # see above
    """A `TouchLock` that tells also which thread has taken it, as its answer waits until what it did is kept."""

    touching: Touching

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        is_taken = super().acquire(blocking, timeout)
        if is_taken:
            self.touching.has_touched = True
        return is_taken

    __enter__ = acquire

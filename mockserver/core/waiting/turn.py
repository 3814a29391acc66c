"""A lock for long work: who does not want to block is called back when the lock is free."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType


class Turn:
    """A reentrant lock that a thread can wait for, or that calls functions back, one at a time, when it is free."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        #: How often the thread that holds the lock has acquired it.
        self._depth = 0
        self._waiting: deque[Callable[[], object]] = deque()

    def acquire(self, *, blocking: bool = True) -> bool:
        """Take the lock; True if the calling thread holds it now."""
        is_taken = self._lock.acquire(blocking)
        if is_taken:
            self._depth += 1
        return is_taken

    def release(self) -> None:
        self._depth -= 1
        is_free = not self._depth
        self._lock.release()
        if is_free:
            self.tell()

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def when_free(self, callback: Callable[[], object]) -> None:
        """Call a function once when the lock is free, possibly before this returns.

        Another thread may be faster, so the one called back has to acquire the lock without blocking; done or not, it
        calls `tell`, so that the next in line is called.
        """
        self._waiting.append(callback)
        self.tell()

    def tell(self) -> None:
        """If the lock is free, call back the one that has waited longest."""
        if not self._depth:
            with suppress(IndexError):  # nobody waits
                self._waiting.popleft()()

"""A lock that is held for long: whoever would have to wait for it can go away, and is told when it is free."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType


class Turn:
    """Such a lock; the thread that has it can take it again."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        #: How often the thread that has it has taken it.
        self._depth = 0
        self._waiting: deque[Callable[[], object]] = deque()

    def acquire(self, *, blocking: bool = True) -> bool:
        """Whether the calling thread has it now."""
        found = self._lock.acquire(blocking)
        if found:
            self._depth += 1
        return found

    def release(self) -> None:
        self._depth -= 1
        is_free = not self._depth
        self._lock.release()
        if is_free:
            self.tell()

    def __enter__(self) -> None:
        self.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def when_free(self, told: Callable[[], object]) -> None:
        """Call a function once, when the lock is free; whoever is told so tries, and calls `tell` in the end."""
        self._waiting.append(told)
        self.tell()

    def tell(self) -> None:
        """If the lock is free, tell the one that waits longest."""
        if not self._depth:
            with suppress(IndexError):  # nobody waits
                self._waiting.popleft()()

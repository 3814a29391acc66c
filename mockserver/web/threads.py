"""The threads for what leaves the event loop."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

Result = TypeVar("Result")

#: How much that takes long is done at once: the less, the sooner the loop has the interpreter again.
_LABOURERS = 2
#: How much waits for a lock at once; it costs nothing meanwhile.
_WAITERS = 32
#: A collection of so many new objects is over in some milliseconds.
_FEW_OBJECTS = 50_000


class Threads:
    """Two pools, whose threads begin with the first work for them."""

    def __init__(self) -> None:
        self._pools: dict[str, ThreadPoolExecutor] = {}

    async def labour(self, work: Callable[[], Result]) -> Result:
        """The result of what takes long."""

        def uncollected() -> Result:
            with _COLLECTOR.resting():
                return work()

        return await self._done("labourer", _LABOURERS, uncollected)

    async def wait(self, work: Callable[[], Result]) -> Result:
        """The result of what waits for a lock, and then takes a moment."""
        return await self._done("waiter", _WAITERS, work)

    def close(self) -> None:
        """Begin nothing more; what is under way ends unheard."""
        for pool in self._pools.values():
            pool.shutdown(wait=False, cancel_futures=True)

    async def _done(self, name: str, most: int, work: Callable[[], Result]) -> Result:
        pool = self._pools.get(name)
        if pool is None:
            pool = self._pools[name] = ThreadPoolExecutor(most, thread_name_prefix=name)
        return await asyncio.get_running_loop().run_in_executor(pool, work)


class _Collector:
    """The garbage collector, which stops everybody while it looks through all that there is.

    It rests while something large is made, of which next to nothing is garbage: else it would look through that again
    and again. What is there then is left out of later collections; the last reference to it frees it all the same.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._resting = 0
        self._was_enabled = True

    @contextmanager
    def resting(self) -> Iterator[None]:
        with self._lock:
            if not self._resting:
                self._was_enabled = gc.isenabled()
                gc.disable()
            self._resting += 1
        try:
            yield
        finally:
            with self._lock:
                self._resting -= 1
                if gc.get_count()[0] > _FEW_OBJECTS:
                    gc.freeze()
                if not self._resting and self._was_enabled:
                    gc.enable()


_COLLECTOR = _Collector()

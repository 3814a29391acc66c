"""The threads for what leaves the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Result = TypeVar("Result")

#: How much that takes long is done at once: the less, the sooner the loop has the interpreter again.
_LABOURERS = 2
#: How much waits for a lock at once; it costs nothing meanwhile.
_WAITERS = 32


class Threads:
    """Two pools, whose threads begin with the first work for them."""

    def __init__(self) -> None:
        self._pools: dict[str, ThreadPoolExecutor] = {}

    async def labour(self, work: Callable[[], Result]) -> Result:
        """The result of what takes long."""
        return await self._done("labourer", _LABOURERS, work)

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

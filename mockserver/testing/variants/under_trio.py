"""Functions in threads, for code that trio runs. Only imported where it does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

import trio

from mockserver.testing.variants.limits import THREADS

__tracebackhide__ = True  # pytest shows the line of the test instead

Result = TypeVar("Result")

#: How many more threads a run of trio may begin. Its own limiter is for the program that is tested.
_LIMITER: trio.lowlevel.RunVar[trio.CapacityLimiter] = trio.lowlevel.RunVar("mockserver")


async def in_thread(function: Callable[[], Result]) -> Result:
    """The result of a function that is called in a thread; where the task is cancelled, nobody waits for it."""
    try:
        limiter = _LIMITER.get()
    except LookupError:
        limiter = trio.CapacityLimiter(THREADS)
        _LIMITER.set(limiter)
    return await trio.to_thread.run_sync(function, abandon_on_cancel=True, limiter=limiter)


async def shielded(function: Callable[[], Awaitable[None]]) -> None:
    """Call a coroutine function and await it to its end, even where the caller is cancelled."""
    with trio.CancelScope(shield=True):
        await function()

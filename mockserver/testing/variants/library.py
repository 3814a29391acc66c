"""The asynchronous library that runs the present code: asyncio, or trio. Neither is imported for that."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

Result = TypeVar("Result")


class Library(Protocol):
    """What the handles need of an asynchronous library."""

    async def in_thread(self, function: Callable[[], Result]) -> Result:
        """The result of a function that is called in a thread; where the caller is cancelled, nobody waits for it."""
        ...

    async def shielded(self, function: Callable[[], Awaitable[None]]) -> None:
        """Call a coroutine function and await it, to its end even where the caller is cancelled."""
        ...


def library() -> Library:
    """The library whose task this is; asyncio where there is none, which then says so itself."""
    if _is_task_of_trio():
        from mockserver.testing.variants import under_trio  # noqa: PLC0415  # trio is no requirement

        return under_trio
    from mockserver.testing.variants import under_asyncio  # noqa: PLC0415  # asyncio takes long to import

    return under_asyncio


def running() -> str | None:
    """The name of the library of which a loop runs in this thread, and would be blocked; None: none does."""
    if _is_task_of_trio():
        return "trio"
    asyncio = sys.modules.get("asyncio")
    if asyncio is None:
        return None
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return None
    return "asyncio"


def _is_task_of_trio() -> bool:
    """Whether this is code of a task of trio; a loop of asyncio may run in the same thread, trio being its guest."""
    trio = sys.modules.get("trio")
    if trio is None:
        return False
    try:
        trio.lowlevel.current_task()
    except RuntimeError:
        return False
    return True

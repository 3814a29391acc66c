"""Functions in threads, for code that an event loop of asyncio or trio runs. Neither is imported before it is used."""

from __future__ import annotations

import sys
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    import asyncio

    import trio

__tracebackhide__ = True  # pytest shows the line of the test instead

Result = TypeVar("Result")

#: How many calls of the tasks of one loop are made at once; the others wait for their turn. Chosen several times as
#: large as the number of waiting calls that tests make, because a call that waits may wait for what another one does.
THREADS = 256

#: How many more threads the tasks of a loop of asyncio, or of a run of trio, may begin.
_FREE: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()
_LIMITERS: WeakKeyDictionary[trio.lowlevel.TrioToken, trio.CapacityLimiter] = WeakKeyDictionary()


def running() -> str | None:
    """The name of the library whose loop runs in this thread, and which a call would block; None if no loop runs."""
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


async def in_thread(function: Callable[[], Result]) -> Result:
    """Call a function in a thread, and return its result; a caller that is cancelled does not wait for it."""
    return await (_in_thread_of_trio if _is_task_of_trio() else _in_own_thread)(function)


async def shielded(function: Callable[[], Awaitable[object]]) -> None:
    """Await a coroutine function; it goes on to its end if the caller is cancelled."""
    if _is_task_of_trio():
        import trio  # noqa: PLC0415  # trio is no requirement

        with trio.CancelScope(shield=True):
            await function()
    else:
        import asyncio  # noqa: PLC0415  # asyncio takes long to import

        await asyncio.shield(asyncio.ensure_future(function()))


def _is_task_of_trio() -> bool:
    """Whether a task of trio runs this code; a loop of asyncio may run in the same thread, if trio is its guest."""
    trio = sys.modules.get("trio")
    if trio is None:
        return False
    try:
        trio.lowlevel.current_task()
    except RuntimeError:
        return False
    return True


async def _in_thread_of_trio(function: Callable[[], Result]) -> Result:
    """Call a function in a thread of trio; trio's own limiter is left to the program that is tested."""
    import trio  # noqa: PLC0415  # trio is no requirement

    limiter = _LIMITERS.setdefault(trio.lowlevel.current_trio_token(), trio.CapacityLimiter(THREADS))
    return await trio.to_thread.run_sync(function, abandon_on_cancel=True, limiter=limiter)


async def _in_own_thread(function: Callable[[], Result]) -> Result:
    """Call a function in a new thread of a loop of asyncio.

    The loop's executor is not used: it has few threads, which a handful of waiting calls would keep from the program
    that is tested, and the program would not end before them.
    """
    import asyncio  # noqa: PLC0415  # asyncio takes long to import
    from concurrent.futures import Future  # noqa: PLC0415  # see above

    loop, over = asyncio.get_running_loop(), asyncio.Event()
    # A future of asyncio's would be reported if a cancelled task has not taken its error.
    outcomes: list[Future[Result]] = [Future()]

    def call() -> None:
        try:
            outcomes[0].set_result(function())
        except BaseException as error:  # noqa: BLE001  # the caller raises it, whatever it is
            outcomes[0].set_exception(error)
        with suppress(RuntimeError):  # the loop is closed, and nobody waits
            loop.call_soon_threadsafe(over.set)

    async with _FREE.setdefault(loop, asyncio.Semaphore(THREADS)):
        threading.Thread(target=call, name="mockserver call", daemon=True).start()
        await over.wait()
    return outcomes.pop().result()  # popped, as the traceback of its error keeps the list

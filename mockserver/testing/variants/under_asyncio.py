"""Functions in threads, for code that asyncio runs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, NamedTuple, TypeVar
from weakref import WeakKeyDictionary

from mockserver.testing.variants.limits import THREADS

__tracebackhide__ = True  # pytest shows the line of the test instead

Result = TypeVar("Result")

#: How many more threads may be begun for the tasks of a loop.
_FREE: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()


class Outcome(NamedTuple):
    """What has come of a function: its result, or the error that it has raised."""

    result: Any
    error: BaseException | None


async def in_thread(function: Callable[[], Result]) -> Result:
    """The result of a function that is called in a thread of its own; where the task is cancelled, nobody waits for it.

    The loop's executor is not used: it has few threads, which a handful of waiting calls would keep from the program
    that is tested, and the program would not end before them.
    """
    loop = asyncio.get_running_loop()
    free = _FREE.get(loop) or _FREE.setdefault(loop, asyncio.Semaphore(THREADS))
    async with free:
        # Its result is an outcome, since asyncio reports an error that a cancelled task has not taken.
        future: asyncio.Future[Outcome] = loop.create_future()
        threading.Thread(target=_call, args=(function, loop, future), name="mockserver call", daemon=True).start()
        outcome = await future
    if outcome.error is None:
        result: Result = outcome.result
        return result
    try:
        raise outcome.error
    finally:
        del outcome  # which the error's traceback would keep, and with it the error itself


async def shielded(function: Callable[[], Awaitable[None]]) -> None:
    """Call a coroutine function and await it; it goes on as a task of its own where the caller is cancelled."""
    await asyncio.shield(asyncio.ensure_future(function()))


def _call(function: Callable[[], Result], loop: asyncio.AbstractEventLoop, future: asyncio.Future[Outcome]) -> None:
    try:
        outcome = Outcome(function(), None)
    except BaseException as error:  # noqa: BLE001  # it is the caller's, whatever it is
        outcome = Outcome(None, error)
    with suppress(RuntimeError):  # the loop is closed, and nobody waits
        loop.call_soon_threadsafe(_settle, future, outcome)


def _settle(future: asyncio.Future[Outcome], outcome: Outcome) -> None:
    if not future.done():  # else it was cancelled
        future.set_result(outcome)

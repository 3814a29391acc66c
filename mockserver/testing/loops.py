"""Calls of handles and event loops of asyncio or trio: threads, cancellation, and a warning of calls that block.

Neither library is imported before it is used.
"""

from __future__ import annotations

import atexit
import socket
import sys
import threading
import warnings
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from contextvars import ContextVar
from functools import partial
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakKeyDictionary, WeakSet

if TYPE_CHECKING:
    import asyncio

    import trio

__tracebackhide__ = True  # pytest shows the line of the test instead

Result = TypeVar("Result")

#: How many calls of the tasks of one loop run at once; the others wait. Chosen: several times the number of waiting
#: calls that tests make, because a waiting call may wait for another call.
THREADS = 256
#: How long the end of a program waits for cancelled calls, in seconds; they take less than a millisecond. Their threads
#: close the connections, and would not come to it when the program is over.
_ENDING_S = 1.0
#: The control calls that always wait, by method, first and last word of the path: for webhook calls that fall due, for
#: a repeated webhook call, for an answer that leaves.
_WAITING = {("POST", "clock", "advance"), ("POST", "deliveries", "redeliver"), ("POST", "requests", "answer")}

#: The free threads of the tasks of each loop of asyncio, and of each run of trio.
_FREE: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Semaphore] = WeakKeyDictionary()
_LIMITERS: WeakKeyDictionary[trio.lowlevel.TrioToken, trio.CapacityLimiter] = WeakKeyDictionary()


# ------------------------------------------------------------------ asyncio or trio


def running() -> str | None:
    """Return the library (`asyncio`, `trio`) running a loop in this thread, or None."""
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


async def cancellable(function: Callable[[], Result]) -> Result:
    """Call a function of handles in a thread, and abort its control calls on cancellation."""
    cancellation = Cancellation()
    try:
        return await in_thread(partial(cancellation.run, function))
    except BaseException:
        cancellation.cancel()  # without effect if the function itself has failed
        raise


async def in_thread(function: Callable[[], Result]) -> Result:
    """Call a function in a thread, without waiting for its end on cancellation."""
    return await (_in_thread_of_trio if _is_task_of_trio() else _in_own_thread)(function)


async def shielded(function: Callable[[], Awaitable[object]]) -> None:
    """Await a coroutine function to its end, even if the caller is cancelled."""
    if _is_task_of_trio():
        import trio  # noqa: PLC0415  # trio is no requirement

        with trio.CancelScope(shield=True):
            await function()
    else:
        import asyncio  # noqa: PLC0415  # asyncio takes long to import

        await asyncio.shield(asyncio.ensure_future(function()))


def _is_task_of_trio() -> bool:
    """Return whether the caller is a trio task (trio may be a guest of asyncio)."""
    trio = sys.modules.get("trio")
    if trio is None:
        return False
    try:
        trio.lowlevel.current_task()
    except RuntimeError:
        return False
    return True


async def _in_thread_of_trio(function: Callable[[], Result]) -> Result:
    """Call a function in a trio thread, using a separate limiter from the tested program."""
    import trio  # noqa: PLC0415  # trio is no requirement

    limiter = _LIMITERS.setdefault(trio.lowlevel.current_trio_token(), trio.CapacityLimiter(THREADS))
    return await trio.to_thread.run_sync(function, abandon_on_cancel=True, limiter=limiter)


async def _in_own_thread(function: Callable[[], Result]) -> Result:
    """Call a function in a new thread, from asyncio.

    The loop's executor is not used: a handful of waiting calls would take its few threads from the tested program, and
    the program would not end before them.
    """
    import asyncio  # noqa: PLC0415  # asyncio takes long to import
    from concurrent.futures import Future  # noqa: PLC0415  # see above

    loop, over = asyncio.get_running_loop(), asyncio.Event()
    # A future of asyncio would be reported if a cancelled task has not taken its error.
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


# ------------------------------------------------------------------ cancellation


class CalledOffError(Exception):
    """A cancelled call without waiting caller."""


class Cancellation:
    """Cancels control calls of a function running in another thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_cancelled = False
        self._socket: socket.socket | None = None
        #: Set when the function is over.
        self.over = threading.Event()

    def cancel(self) -> None:
        """End the present call, and refuse later calls; without effect if the function is over."""
        with self._lock:
            self._is_cancelled = True
            if self._socket is not None:
                _CANCELLED.add(self)
                with suppress(OSError):  # the other side has ended the connection
                    self._socket.shutdown(socket.SHUT_RDWR)

    def run(self, function: Callable[[], Result]) -> Result:
        token = _PRESENT.set(self)
        try:
            return function()
        finally:
            _PRESENT.reset(token)
            self.over.set()

    def enter(self, connected: socket.socket | None) -> None:
        with self._lock:
            if self._is_cancelled:
                raise CalledOffError
            self._socket = connected

    def leave(self) -> None:
        self.enter(None)


#: The cancellation of the function that runs.
_PRESENT: ContextVar[Cancellation] = ContextVar("mockserver cancellation")
#: The used cancellations, whose threads may still run.
_CANCELLED: WeakSet[Cancellation] = WeakSet()


def present() -> Cancellation:
    """Return the running function's cancellation, or a dummy cancellation."""
    return _PRESENT.get(None) or Cancellation()


@atexit.register
def _wait() -> None:
    for cancellation in list(_CANCELLED):
        cancellation.over.wait(_ENDING_S)


# ------------------------------------------------------------------ calls that block

#: Whether this process was warned; one warning is enough.
_is_warned = False


class BlockingCallWarning(UserWarning):
    """A possibly waiting handle was called inside an event loop, blocking the loop."""


def may_wait(method: str, path: str, query: Mapping[str, Any] | None, body: object) -> bool:
    """Return whether a control call may wait, possibly for the blocked loop."""
    _, _, first, *rest = path.split("/")
    if first == "clock" and not rest and isinstance(body, Mapping):
        return "now" in body  # to set a clock is to advance it
    return bool((query or {}).get("wait")) or (method, first, rest[-1] if rest else "") in _WAITING


def warn_of_loop() -> None:
    """Warn once per process, at the user's line, if an event loop runs in this thread."""
    global _is_warned  # noqa: PLW0603  # it is of the process
    if _is_warned:
        return
    library = running()
    if library is None:
        return
    _is_warned = True
    called, level = _caller(sys._getframe(1))  # noqa: SLF001  # its documentation allows that
    warnings.warn(
        f"{called} may wait, and meanwhile blocks the event loop of {library} that runs in this thread: nothing else "
        f"on it goes on, such as a webhook receiver or the program that is tested. Await the same call of "
        f"`workspace.asynchronous`, of the fixture `async_mockserver` or of `AsyncMockServer` instead",
        BlockingCallWarning,
        stacklevel=level,
    )


def _caller(frame: FrameType) -> tuple[str, int]:
    """Return the method called by the user, and the stack level for a warning."""
    called, level = "This call", 2
    while frame.f_globals.get("__name__", "").startswith("mockserver.") and frame.f_back is not None:
        called = f"`{frame.f_code.co_qualname}`"
        frame, level = frame.f_back, level + 1
    return called, level

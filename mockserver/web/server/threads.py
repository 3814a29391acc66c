"""The threads for what leaves the event loop."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from typing import Any, TypeVar

Result = TypeVar("Result")

#: How much that takes long is done at once: the less, the sooner the loop has the interpreter again.
_LABOURERS = 2
#: How much waits for a lock at once; it costs nothing meanwhile.
_WAITERS = 32
#: A collection of so many new objects is over in some milliseconds.
_FEW_OBJECTS = 50_000
#: So many objects may be garbage that waits; as nothing of ours leads back to itself, next to none are.
_MANY_OBJECTS = 200_000


class Threads:
    """Two pools, whose threads begin with the first work for them."""

    def __init__(self) -> None:
        self._pools: dict[str, _Pool] = {}

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
            pool.close()

    async def _done(self, name: str, most: int, work: Callable[[], Result]) -> Result:
        pool = self._pools.get(name)
        if pool is None:
            pool = self._pools[name] = _Pool(most, name)
        return await asyncio.wrap_future(pool.submit(work))


class _Pool:
    """Threads that nobody waits for when the process ends, as those of an executor are: some work takes minutes."""

    def __init__(self, most: int, name: str) -> None:
        self._most, self._name = most, name
        self._work: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        #: How much was given to the threads and is not over.
        self._pending = 0

    def submit(self, work: Callable[[], Result]) -> Future[Result]:
        """The result of a piece of work, which begins when a thread has time for it."""
        future: Future[Result] = Future()
        with self._lock:
            self._pending += 1
        future.add_done_callback(self._settle)
        if self._pending > len(self._threads) < self._most:
            self._start()
        if self._threads:
            self._work.put((future, work))
        else:
            _do(future, work)  # the system has no thread to spare: slowly is better than never
        return future

    def close(self) -> None:
        """Let the threads end, and what has not begun be cancelled."""
        while not self._work.empty():
            waiting = self._work.get()
            if waiting is not None:
                waiting[0].cancel()
        for _ in self._threads:
            self._work.put(None)

    def _start(self) -> None:
        number = len(self._threads)
        thread = threading.Thread(target=self._run, name=f"{self._name}_{number}", daemon=True)
        with suppress(RuntimeError):  # the system has none to spare
            thread.start()
            self._threads.append(thread)

    def _run(self) -> None:
        while (waiting := self._work.get()) is not None:
            _do(*waiting)
            del waiting  # else it would be kept until the next one comes

    def _settle(self, _: Future[Any]) -> None:
        with self._lock:
            self._pending -= 1


def _do(future: Future[Result], work: Callable[[], Result]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(work())
    except BaseException as error:  # noqa: BLE001  # whatever it is, it belongs to whoever waits
        future.set_exception(error)
        del future, work  # else the error would hold this frame, and this frame the error


class _Collector:
    """The garbage collector, which stops everybody while it looks through all that there is.

    It rests while something large is made, of which next to nothing is garbage: else it would look through that again
    and again. What is there then grows old at once, and is looked through when as much again has come.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        #: How many objects have grown old since they were all looked through, and how many there were then.
        self._aged = self._held = 0
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
                    self._age()
                if not self._resting and self._was_enabled:
                    gc.enable()

    def _age(self) -> None:
        """Move all that there is to the old objects, without looking at it, or look through all of them."""
        self._aged += gc.get_count()[0]
        gc.freeze()
        gc.unfreeze()
        if self._aged > max(_MANY_OBJECTS, 2 * self._held):
            gc.collect()
            gc.freeze()
            self._aged, self._held = 0, gc.get_freeze_count()
            gc.unfreeze()


_COLLECTOR = _Collector()

"""Thread pools for requests off the event loop."""

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

#: How many threads do long work. Chosen: the fewer, the sooner the loop has the interpreter's lock again; but with one
#: alone, work of a second would wait for work of a minute.
_LONG = 2
#: How many threads wait for workspaces. Chosen: a thread that waits costs nothing but its stack.
_WAITING = 32
#: How many new objects are left to an ordinary collection, which goes through so many in some milliseconds.
_FEW_OBJECTS = 50_000
#: How many are left while other work goes on. Chosen: some 100 MB.
_SO_MANY_OBJECTS = 1_000_000
#: How many objects may grow old without a full collection. Chosen: next to none of them are garbage, as our objects do
#: not refer to themselves in circles.
_MANY_OBJECTS = 200_000


class Threads:
    """Two thread pools, for long work and waiting work; the garbage collector pauses while they work."""

    def __init__(self) -> None:
        self._pools: dict[str, _Pool] = {}

    async def run_waiting(self, work: Callable[[], Result]) -> Result:
        return await asyncio.wrap_future(self.submit(work, waits=True))

    def submit(self, work: Callable[[], Result], *, waits: bool) -> Future[Result]:
        """Let a thread do long or waiting work. Return a future, whose `cancel` succeeds only before the work runs."""
        name, most = ("waiting", _WAITING) if waits else ("long", _LONG)
        pool = self._pools.get(name)
        if pool is None:
            pool = self._pools[name] = _Pool(most, name)

        def uncollected() -> Result:
            with _COLLECTOR.resting():
                return work()

        return pool.submit(uncollected)

    def close(self) -> None:
        for pool in self._pools.values():
            pool.close()


class _Pool:
    """Daemon threads: an executor's threads would delay the end of a process by minutes."""

    def __init__(self, most: int, name: str) -> None:
        self._most, self._name = most, name
        self._work: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()
        #: How many pieces of work were submitted and are not over.
        self._pending = 0

    def submit(self, work: Callable[[], Result]) -> Future[Result]:
        future: Future[Result] = Future()
        with self._lock:
            self._pending += 1
        future.add_done_callback(self._count_down)
        if self._pending > len(self._threads) < self._most:
            self._start()
        if self._threads:
            self._work.put((future, work))
        else:
            _do(future, work)  # the system has no thread to spare: work that blocks is better than none
        return future

    def close(self) -> None:
        """Cancel queued work, and let threads end after their current work."""
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
            del waiting  # else this frame would keep the work until the next one comes

    def _count_down(self, _: Future[Any]) -> None:
        with self._lock:
            self._pending -= 1


def _do(future: Future[Result], work: Callable[[], Result]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(work())
    except BaseException as error:  # noqa: BLE001  # every error belongs to whoever waits for the result
        future.set_exception(error)
        del future, work  # else the error would hold this frame, and this frame the error


class _Collector:
    """The garbage collector, paused while large objects are made, as collections stop all threads.

    Next to none of these objects are garbage. Afterwards they are old: a full collection follows after as many again.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        #: How many objects have become old since the last full collection, and how many there were after it.
        self._aged = self._held = 0
        self._resting = 0
        self._was_enabled = True

    @contextmanager
    def resting(self) -> Iterator[None]:
        """Pause the collector; several threads may pause it."""
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
                # While other work goes on, most of the new objects are its own, and go with it.
                if gc.get_count()[0] > (_SO_MANY_OBJECTS if self._resting else _FEW_OBJECTS):
                    self._age()
                if not self._resting and self._was_enabled:
                    gc.enable()

    def _age(self) -> None:
        """Make all objects old without scanning, or collect if many have become old."""
        self._aged += gc.get_count()[0]
        gc.freeze()
        gc.unfreeze()
        if self._aged > max(_MANY_OBJECTS, 2 * self._held):
            gc.collect()
            gc.freeze()
            self._aged, self._held = 0, gc.get_freeze_count()
            gc.unfreeze()


_COLLECTOR = _Collector()

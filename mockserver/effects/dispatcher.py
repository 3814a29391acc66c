"""A bounded thread pool with a bounded queue and per-host concurrency."""

from __future__ import annotations

import heapq
import itertools
import logging
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from typing import Any, NamedTuple

from mockserver.core.workspaces.storage import StorageError

#: How many tasks of one host are under way at once; chosen for what a usual web server answers at the same time.
CONCURRENCY = 16
#: How many tasks are under way at once; chosen so that seven hosts that hang still leave threads for an eighth.
THREADS = 8 * CONCURRENCY
#: How many tasks wait for a thread at most; chosen above what a workspace keeps (`Settings.deliveries_limit`).
WAITING = 50_000
#: How long a thread waits for a task before it ends, in seconds; chosen above the pauses between the tests of a run.
_IDLE_S = 10.0
#: How long `close` waits for the end of each idle thread, in seconds; chosen far above what a notified thread needs.
_JOIN_S = 0.5
#: After how many seconds a task is tried again while a store is away. Chosen: soon after a database is back.
_AWAY_S = 1.0

_LOG = logging.getLogger(__name__)


class Task(NamedTuple):
    """Work for a thread; `done` takes its result, and unless `wanted`, it is skipped."""

    work: Callable[[], Any]
    done: Callable[[Any], None]
    wanted: Callable[[], bool] = lambda: True
    #: The host that the work waits for: tasks of one host use no more threads than the concurrency.
    host: str = ""


class Dispatcher:
    """Runs tasks in background threads, which start on demand, and end when idle or on `close`."""

    def __init__(self, *, threads: int = THREADS, concurrency: int = CONCURRENCY, waiting: int = WAITING) -> None:
        self._most_threads = threads
        #: Held for all attributes below, and notified when they change.
        self._changed = threading.Condition()
        self._queue = _Queue(concurrency, waiting)
        self._idle: set[threading.Thread] = set()
        self._threads = 0
        self._closed = False
        #: Passes on the results of tasks that were not queued, or None before the first one.
        self._refusals: Dispatcher | None = None

    def submit(self, task: Task) -> bool:
        """Queue a task. Return False if the queue is full or closed, or no thread can start."""
        with self._changed:
            if self._closed or self._queue.is_full:
                return False
            self._queue.add(task)
            is_wanted = self._threads < self._most_threads and len(self._idle) < self._queue.startable
            if not is_wanted or not self._start():
                self._changed.notify()
            if not self._threads:  # no thread would ever run it
                self._queue.take_back(task.host)
            return self._threads > 0

    def refuse(self, done: Callable[[Any], None], result: Any) -> None:
        """Let another thread pass a result to `done`, for a task that `submit` has not queued.

        This thread may run an event loop, on which `done` must not wait for a workspace.
        """
        with self._changed:
            if self._refusals is None and not self._closed:
                self._refusals = Dispatcher(threads=1, waiting=sys.maxsize)
        if self._refusals is None or not self._refusals.submit(Task(lambda: result, done)):
            done(result)

    def repeat(self, task: Task, after: float) -> None:
        """Queue a finished task again for later, even if the queue is full."""
        with self._changed:
            if not self._closed:
                self._queue.add_later(task, time.monotonic() + after)
                self._changed.notify_all()  # an idle thread is to wait no longer than that

    @property
    def unfinished(self) -> int:
        with self._changed:
            return self._queue.unfinished

    @property
    def is_closed(self) -> bool:
        return self._closed

    def close(self) -> None:
        """Start no more tasks, and drop queued tasks and results of running tasks."""
        with self._changed:
            self._closed = True
            self._queue.clear()
            self._changed.notify_all()
            idle = list(self._idle)
        if self._refusals is not None:
            self._refusals.close()
        for thread in idle:
            thread.join(_JOIN_S)

    # ------------------------------------------------------------------ the threads

    def _start(self) -> bool:
        thread = threading.Thread(target=self._run, name=f"dispatcher-{self._threads + 1}", daemon=True)
        try:
            thread.start()
        except RuntimeError:
            _LOG.exception("no thread could be started; there are %d", self._threads)
            return False
        self._threads += 1
        return True

    def _run(self) -> None:
        while (task := self._next()) is not None:
            host = task.host
            try:
                self._do(task)
            except StorageError:  # it cannot say whether the task is wanted
                self.repeat(task, _AWAY_S)
            except Exception:  # noqa: BLE001  # the thread has more to do
                _LOG.exception("what was carried out in the background has failed")
            del task  # it refers to a workspace, which it would keep in memory while the thread is idle
            with self._changed:
                self._queue.release(host)

    def _do(self, task: Task) -> None:
        if task.wanted():
            result = task.work()
            if not self._closed:
                task.done(result)

    def _next(self) -> Task | None:
        """Wait for the next task. Return None if closed or idle for too long."""
        me = threading.current_thread()
        with self._changed:
            self._idle.add(me)
            task = self._awaited()
            self._idle.discard(me)
            if task is None:
                self._threads -= 1
            return task

    def _awaited(self) -> Task | None:
        is_over = False
        while not self._closed:
            task, due = self._queue.take(time.monotonic()), self._queue.due
            if task is not None or (is_over and due is None):  # a task may have come after the timeout
                return task
            is_over = not self._changed.wait(_IDLE_S if due is None else due - time.monotonic()) and due is None
        return None


class _Queue:
    def __init__(self, concurrency: int, most: int) -> None:
        self._concurrency, self._most = concurrency, most
        self._waiting: dict[str, deque[Task]] = {}
        #: How many tasks of each host are under way.
        self._busy: Counter[str] = Counter()
        #: The hosts of which a task may start, in the order of their turns.
        self._ready: dict[str, None] = {}
        #: The tasks that wait for a moment of `time.monotonic`, as a heap; numbers keep those of one moment in order.
        self._later: list[tuple[float, int, Task]] = []
        self._numbers = itertools.count()
        #: How many tasks wait, those for a moment included.
        self._count = 0

    @property
    def is_full(self) -> bool:
        return self._count >= self._most

    @property
    def unfinished(self) -> int:
        return self._count + self._busy.total()

    @property
    def startable(self) -> int:
        """The number of tasks that enough threads could start now."""
        return sum(min(len(self._waiting[host]), self._concurrency - self._busy[host]) for host in self._ready)

    @property
    def due(self) -> float | None:
        """The next moment (`time.monotonic`) of a delayed task, or None."""
        return self._later[0][0] if self._later else None

    def add(self, task: Task) -> None:
        self._count += 1
        self._line_up(task)

    def add_later(self, task: Task, moment: float) -> None:
        self._count += 1
        heapq.heappush(self._later, (moment, next(self._numbers), task))

    def take(self, now: float) -> Task | None:
        while self._later and self._later[0][0] <= now:
            self._line_up(heapq.heappop(self._later)[-1])
        host = next(iter(self._ready), None)
        if host is None:
            return None
        del self._ready[host]
        self._busy[host] += 1
        self._count -= 1
        task = self._waiting[host].popleft()
        self._settle(host)
        return task

    def take_back(self, host: str) -> None:
        self._waiting[host].pop()
        self._count -= 1
        self._ready.pop(host, None)
        self._settle(host)

    def release(self, host: str) -> None:
        self._busy[host] -= 1
        self._settle(host)

    def clear(self) -> None:
        self._waiting.clear()
        self._ready.clear()
        self._later.clear()
        self._count = 0

    def _line_up(self, task: Task) -> None:
        self._waiting.setdefault(task.host, deque()).append(task)
        self._settle(task.host)

    def _settle(self, host: str) -> None:
        """Mark a host as ready if its next task may start, and drop idle hosts."""
        waiting = self._waiting.get(host)
        if waiting and self._busy[host] < self._concurrency:
            self._ready[host] = None
        if waiting is not None and not waiting:
            del self._waiting[host]
        if not self._busy[host]:
            del self._busy[host]

"""A bounded pool of threads that carries work out, and a bounded queue before it, with a concurrency for each host."""

from __future__ import annotations

import heapq
import itertools
import logging
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from typing import Any, NamedTuple

#: How many tasks of one host are under way at once: what a busy receiver serves, and a slow one hardly notices.
CONCURRENCY = 16
#: How many tasks are under way at once: those of eight hosts that all hang leave none for a ninth.
THREADS = 8 * CONCURRENCY
#: How many tasks wait for their turn; more than a workspace keeps deliveries (`Settings.deliveries_limit`).
WAITING = 50_000
#: How long a thread waits for something to do before it ends, in seconds: longer than the pauses of a test run.
_IDLE = 10.0
#: How long a close waits for each thread that has nothing to do, in seconds; it ends as soon as it is told.
_FAREWELL = 0.5

_LOG = logging.getLogger(__name__)


class Task(NamedTuple):
    """Work to be done, who gets its result, and whether it is still wanted when its turn comes."""

    work: Callable[[], Any]
    done: Callable[[Any], None]
    wanted: Callable[[], bool] = lambda: True
    #: Work of one host, say that for one address, leaves threads for all others, however long it takes.
    host: str = ""


class Dispatcher:
    """Carries tasks out in the background; its threads begin with the first tasks, and end with `close`."""

    def __init__(self, *, threads: int = THREADS, concurrency: int = CONCURRENCY, waiting: int = WAITING) -> None:
        self._most_threads = threads
        #: Held for all below.
        self._changed = threading.Condition()
        self._queue = _Queue(concurrency, waiting)
        self._idle: set[threading.Thread] = set()
        self._threads = 0
        self._closed = False

    def submit(self, task: Task) -> bool:
        """Let a task be done; false, if too many wait already, or nothing is begun any more."""
        with self._changed:
            if self._closed or self._queue.is_full:
                return False
            self._queue.add(task)
            is_wanted = self._threads < self._most_threads and len(self._idle) < self._queue.startable
            if not is_wanted or not self._start():
                self._changed.notify()
            if not self._threads:  # nobody would ever do it
                self._queue.take_back(task.host)
            return self._threads > 0

    def repeat(self, task: Task, after: float) -> None:
        """Let a task whose result has just come be done once more, after so many seconds; it is always taken."""
        with self._changed:
            if not self._closed:
                self._queue.add_later(task, time.monotonic() + after)
                self._changed.notify_all()  # whoever has nothing to do waits no longer than that

    @property
    def unfinished(self) -> int:
        """How many tasks wait or are under way."""
        with self._changed:
            return self._queue.unfinished

    def close(self) -> None:
        """Begin nothing more; what is under way ends by itself, unheard."""
        with self._changed:
            self._closed = True
            self._queue.clear()
            self._changed.notify_all()
            idle = list(self._idle)
        for thread in idle:
            thread.join(_FAREWELL)

    # ------------------------------------------------------------------ the threads

    def _start(self) -> bool:
        """Start one more thread; false, if the system has none, and those that there are do the work."""
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
            except Exception:  # noqa: BLE001  # the thread has more to do
                _LOG.exception("what was carried out in the background has failed")
            del task  # it leads to a workspace, which nobody else may need any more
            with self._changed:
                self._queue.release(host)

    def _do(self, task: Task) -> None:
        if task.wanted():
            result = task.work()
            if not self._closed:
                task.done(result)

    def _next(self) -> Task | None:
        """The next task, as soon as there is one; None: it is over, or nothing has come for long."""
        me = threading.current_thread()
        with self._changed:
            self._idle.add(me)
            task = self._awaited()
            self._idle.discard(me)
            if task is None:
                self._threads -= 1
            return task

    def _awaited(self) -> Task | None:
        while not self._closed:
            if (task := self._queue.take(time.monotonic())) is not None:
                return task
            due = self._queue.due
            if due is not None:
                self._changed.wait(due - time.monotonic())
            elif not self._changed.wait(_IDLE):
                break
        return None


class _Queue:
    """What waits for a thread: first come, first served, as far as the concurrency of each host allows."""

    def __init__(self, concurrency: int, most: int) -> None:
        self._concurrency, self._most = concurrency, most
        self._waiting: dict[str, deque[Task]] = {}
        #: How many of a host are under way.
        self._busy: Counter[str] = Counter()
        #: The hosts of which a task may begin, in turns.
        self._ready: dict[str, None] = {}
        #: Those that wait for a moment of `time.monotonic`, the next one first; of one moment in their order.
        self._later: list[tuple[float, int, Task]] = []
        self._numbers = itertools.count()
        #: How many wait, those for a moment included.
        self._count = 0

    @property
    def is_full(self) -> bool:
        return self._count >= self._most

    @property
    def unfinished(self) -> int:
        return self._count + self._busy.total()

    @property
    def startable(self) -> int:
        """How many tasks could begin, were there threads enough."""
        return sum(min(len(self._waiting[host]), self._concurrency - self._busy[host]) for host in self._ready)

    @property
    def due(self) -> float | None:
        """The next moment for which a task waits."""
        return self._later[0][0] if self._later else None

    def add(self, task: Task) -> None:
        self._count += 1
        self._line_up(task)

    def add_later(self, task: Task, moment: float) -> None:
        self._count += 1
        heapq.heappush(self._later, (moment, next(self._numbers), task))

    def take(self, now: float) -> Task | None:
        """The task whose turn it is, which is then under way; None, if none may begin."""
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
        """Remove what has come last of a host."""
        self._waiting[host].pop()
        self._count -= 1
        self._ready.pop(host, None)
        self._settle(host)

    def release(self, host: str) -> None:
        """Let the next task of a host begin in the place of one that is over."""
        self._busy[host] -= 1
        self._settle(host)

    def clear(self) -> None:
        """Forget all that waits."""
        self._waiting.clear()
        self._ready.clear()
        self._later.clear()
        self._count = 0

    def _line_up(self, task: Task) -> None:
        self._waiting.setdefault(task.host, deque()).append(task)
        self._settle(task.host)

    def _settle(self, host: str) -> None:
        """Let a host have a turn if one of its tasks may begin, and be forgotten if it has none."""
        waiting = self._waiting.get(host)
        if waiting and self._busy[host] < self._concurrency:
            self._ready[host] = None
        if waiting is not None and not waiting:
            del self._waiting[host]
        if not self._busy[host]:
            del self._busy[host]

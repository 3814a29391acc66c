"""A bounded pool of threads that carries work out, and a bounded queue before it."""

from __future__ import annotations

import logging
import threading
from collections import Counter, deque
from collections.abc import Callable
from typing import Any, NamedTuple

#: How much is under way at once, and how much of it in one host.
THREADS, CONCURRENCY = 128, 16
#: How much waits for its turn.
WAITING = 50_000
#: How long a thread waits for something to do before it ends, in seconds.
_IDLE = 10.0
#: How long a close waits for threads that have nothing to do, in seconds.
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
    """Carries work out in the background; its threads begin with the first tasks, and end with `close`."""

    def __init__(self, *, threads: int = THREADS, concurrency: int = CONCURRENCY, waiting: int = WAITING) -> None:
        self._most, self._concurrency, self._most_waiting = threads, concurrency, waiting
        #: Held for all below.
        self._changed = threading.Condition()
        self._waiting: dict[str, deque[Task]] = {}
        self._count = 0
        self._busy: Counter[str] = Counter()
        #: The lanes in which something waits that may begin, in turns.
        self._ready: dict[str, None] = {}
        self._idle: set[threading.Thread] = set()
        self._threads = 0
        self._closed = False

    def submit(self, task: Task) -> bool:
        """Let a task be done; false, if too many wait already, or nothing is begun any more."""
        with self._changed:
            if self._closed or self._count >= self._most_waiting:
                return False
            self._waiting.setdefault(task.host, deque()).append(task)
            self._count += 1
            self._line_up(task.host)
            is_wanted = self._threads < self._most and len(self._idle) < self._startable()
            if not is_wanted or not self._start():
                self._changed.notify()
            if self._threads:
                return True
            self._forget_last(task.host)
            return False

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

    def _forget_last(self, host: str) -> None:
        """Take back what has come last: there is nobody who would do it."""
        self._waiting[host].pop()
        self._count -= 1
        if not self._waiting[host]:
            del self._waiting[host]
            self._ready.pop(host, None)

    def close(self) -> None:
        """Begin nothing more; what is under way ends by itself, unheard."""
        with self._changed:
            self._closed = True
            self._waiting.clear()
            self._ready.clear()
            self._count = 0
            self._changed.notify_all()
            idle = list(self._idle)
        for thread in idle:
            thread.join(_FAREWELL)

    def _line_up(self, host: str) -> None:
        """Let the next task of a host begin when a thread is free, if one waits and few enough are under way."""
        if self._waiting.get(host) and self._busy[host] < self._concurrency:
            self._ready[host] = None

    def _startable(self) -> int:
        """How many tasks could begin, were there threads enough."""
        return sum(min(len(self._waiting[host]), self._concurrency - self._busy[host]) for host in self._ready)

    def _run(self) -> None:
        while (task := self._next()) is not None:
            host = task.host
            try:
                self._do(task)
            except Exception:  # noqa: BLE001  # the thread has more to do
                _LOG.exception("what was carried out in the background has failed")
            del task  # it leads to a workspace, which nobody else may need any more
            with self._changed:
                self._busy[host] -= 1
                self._line_up(host)
                if not self._busy[host] and host not in self._waiting:
                    del self._busy[host]

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
            came = self._changed.wait_for(lambda: self._ready or self._closed, _IDLE)
            self._idle.discard(me)
            if came and not self._closed:
                return self._take()
            self._threads -= 1
            return None

    def _take(self) -> Task:
        host = next(iter(self._ready))
        del self._ready[host]
        tasks = self._waiting[host]
        task = tasks.popleft()
        if not tasks:
            del self._waiting[host]
        self._count -= 1
        self._busy[host] += 1
        self._line_up(host)
        return task

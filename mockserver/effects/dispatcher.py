"""A bounded pool of threads that carries work out, and a bounded queue before it."""

from __future__ import annotations

import logging
import threading
from collections import Counter, deque
from collections.abc import Callable
from typing import Any, NamedTuple

#: How much is under way at once, and how much of it in one lane.
THREADS, ABREAST = 128, 16
#: How much waits for its turn.
WAITING = 50_000
#: How long a thread waits for something to do before it ends, in seconds.
_IDLE = 10.0
#: How long a close waits for threads that have nothing to do, in seconds.
_FAREWELL = 0.5

_LOG = logging.getLogger(__name__)


class Job(NamedTuple):
    """Work to be done, who gets its result, and whether it is still wanted when its turn comes."""

    work: Callable[[], Any]
    done: Callable[[Any], None]
    wanted: Callable[[], bool] = lambda: True
    #: Work of one lane, say that for one address, leaves threads for all others, however long it takes.
    lane: str = ""


class Dispatcher:
    """Carries work out in the background; its threads begin with the first jobs, and end with `close`."""

    def __init__(self, *, threads: int = THREADS, abreast: int = ABREAST, waiting: int = WAITING) -> None:
        self._most, self._abreast, self._most_waiting = threads, abreast, waiting
        #: Held for all below.
        self._changed = threading.Condition()
        self._waiting: dict[str, deque[Job]] = {}
        self._count = 0
        self._busy: Counter[str] = Counter()
        #: The lanes in which something waits that may begin, in turns.
        self._ready: dict[str, None] = {}
        self._idle: set[threading.Thread] = set()
        self._threads = 0
        self._closed = False

    def submit(self, job: Job) -> bool:
        """Let a job be done; false, if too many wait already, or nothing is begun any more."""
        with self._changed:
            if self._closed or self._count >= self._most_waiting:
                return False
            self._waiting.setdefault(job.lane, deque()).append(job)
            self._count += 1
            self._line_up(job.lane)
            is_wanted = self._threads < self._most and len(self._idle) < self._startable()
            if not is_wanted or not self._start():
                self._changed.notify()
            if self._threads:
                return True
            self._forget_last(job.lane)
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

    def _forget_last(self, lane: str) -> None:
        """Take back what has come last: there is nobody who would do it."""
        self._waiting[lane].pop()
        self._count -= 1
        if not self._waiting[lane]:
            del self._waiting[lane]
            self._ready.pop(lane, None)

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

    def _line_up(self, lane: str) -> None:
        """Let the next job of a lane begin when a thread is free, if one waits and few enough are under way."""
        if self._waiting.get(lane) and self._busy[lane] < self._abreast:
            self._ready[lane] = None

    def _startable(self) -> int:
        """How many jobs could begin, were there threads enough."""
        return sum(min(len(self._waiting[lane]), self._abreast - self._busy[lane]) for lane in self._ready)

    def _run(self) -> None:
        while (job := self._next()) is not None:
            lane = job.lane
            try:
                self._do(job)
            except Exception:  # noqa: BLE001  # the thread has more to do
                _LOG.exception("what was carried out in the background has failed")
            del job  # it leads to a workspace, which nobody else may need any more
            with self._changed:
                self._busy[lane] -= 1
                self._line_up(lane)
                if not self._busy[lane] and lane not in self._waiting:
                    del self._busy[lane]

    def _do(self, job: Job) -> None:
        if job.wanted():
            result = job.work()
            if not self._closed:
                job.done(result)

    def _next(self) -> Job | None:
        """The next job, as soon as there is one; None: it is over, or nothing has come for long."""
        me = threading.current_thread()
        with self._changed:
            self._idle.add(me)
            came = self._changed.wait_for(lambda: self._ready or self._closed, _IDLE)
            self._idle.discard(me)
            if came and not self._closed:
                return self._take()
            self._threads -= 1
            return None

    def _take(self) -> Job:
        lane = next(iter(self._ready))
        del self._ready[lane]
        jobs = self._waiting[lane]
        job = jobs.popleft()
        if not jobs:
            del self._waiting[lane]
        self._count -= 1
        self._busy[lane] += 1
        self._line_up(lane)
        return job

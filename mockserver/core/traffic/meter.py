"""What a server has done since it started, for its metrics."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter, defaultdict
from itertools import accumulate

from mockserver.core.traffic.exchange import Exchange

#: Upper bounds of the buckets of answering times, in seconds.
BUCKETS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5)
#: Stands for the operation of requests that lead to none, and for the status of requests without an answer.
NONE = "none"


class Meter:
    """Counts that only grow, whatever happens to the workspaces."""

    def __init__(self) -> None:
        # An ordinary WSGI server answers in several threads.
        self._lock = threading.Lock()
        #: By operation and status; no Counter, whose items take twice as long to count.
        self._requests: defaultdict[tuple[str | None, int | None], int] = defaultdict(int)
        #: By the fault's kind.
        self._faults: Counter[str] = Counter()
        #: By the state that an attempt has left its delivery in.
        self._attempts: Counter[str] = Counter()
        #: How many answers took at most as long as the bound of the same place; the last is for all beyond.
        self._times = [0] * (len(BUCKETS) + 1)
        #: How long all answers took.
        self.seconds = 0.0
        self.mails = 0
        #: How many exchanges have fallen out of journals.
        self.evicted = 0

    def add(self, exchange: Exchange) -> None:
        """Count a request and, if a fault took over, a fault of its kind."""
        seconds = exchange.ms / 1000
        with self._lock:
            self._requests[exchange.operation, exchange.status] += 1
            self._times[bisect_left(BUCKETS, seconds)] += 1
            self.seconds += seconds
            if exchange.fault_kind is not None:
                self._faults[exchange.fault_kind] += 1

    def add_attempt(self, state: str) -> None:
        """Count an attempt of a delivery, by the state that it has left it in."""
        with self._lock:
            self._attempts[state] += 1

    def add_mail(self) -> None:
        with self._lock:
            self.mails += 1

    def add_evicted(self, exchanges: int) -> None:
        with self._lock:
            self.evicted += exchanges

    def requests(self) -> dict[tuple[str, str], int]:
        """How many requests came, by operation and status."""
        with self._lock:
            found = list(self._requests.items())
        return {(operation or NONE, str(status or NONE)): number for (operation, status), number in found}

    def faults(self) -> dict[str, int]:
        """How many requests a fault took over, by its kind."""
        with self._lock:
            return dict(self._faults)

    def attempts(self) -> dict[str, int]:
        """How many attempts of deliveries there were, by the state that they have left them in."""
        with self._lock:
            return dict(self._attempts)

    def times(self) -> list[int]:
        """How many answers took at most as long as each bound; the last count is that of all."""
        with self._lock:
            return list(accumulate(self._times))

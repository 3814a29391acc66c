"""The meter: counts of what a server has done since it started, for its metrics."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter, defaultdict
from itertools import accumulate

from mockserver.core.traffic.exchange import Exchange

#: Upper bounds of the histogram of answering times, in seconds. Chosen: from a read to what a person would notice.
BUCKETS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5)
#: Stands for the operation of requests that lead to none, and for the status of requests without an answer.
NONE = "none"


class Meter:
    """Counts of all workspaces of a server, which only grow."""

    def __init__(self) -> None:
        # A WSGI server may answer in several threads.
        self._lock = threading.Lock()
        #: By operation and status; adding to a `Counter` would take twice as long.
        self._requests: defaultdict[tuple[str | None, int | None], int] = defaultdict(int)
        #: Requests and TLS handshakes by the kind of the fault that was applied.
        self._faults: Counter[str] = Counter()
        #: Attempts by the state in which they left their delivery.
        self._attempts: Counter[str] = Counter()
        #: How many answers fell into each bucket of `BUCKETS`; the last number is for those above all bounds.
        self._times = [0] * (len(BUCKETS) + 1)
        #: How long all answers together took, in seconds.
        self.seconds = 0.0
        self.mails = 0
        #: How many exchanges were evicted from journals.
        self.evicted = 0

    def add(self, exchange: Exchange, evicted: int = 0) -> None:
        """Count an exchange, a fault of its kind if one was applied, and the exchanges that it has evicted."""
        seconds = exchange.ms / 1000
        with self._lock:
            self._requests[exchange.operation, exchange.status] += 1
            self._times[bisect_left(BUCKETS, seconds)] += 1
            self.seconds += seconds
            self.evicted += evicted
            if exchange.fault_kind is not None:
                self._faults[exchange.fault_kind] += 1

    def add_handshake(self, fault: str) -> None:
        """Count a TLS handshake to which a fault of this kind was applied."""
        with self._lock:
            self._faults[fault] += 1

    def add_attempt(self, state: str) -> None:
        """Count an attempt by the state in which it left its delivery."""
        with self._lock:
            self._attempts[state] += 1

    def add_mail(self) -> None:
        with self._lock:
            self.mails += 1

    def requests(self) -> dict[tuple[str, str], int]:
        """How many requests there were by operation and status, each of which may be `NONE`."""
        with self._lock:
            found = list(self._requests.items())
        return {(operation or NONE, str(status or NONE)): number for (operation, status), number in found}

    def faults(self) -> dict[str, int]:
        """How many requests and TLS handshakes a fault was applied to, by the kind of the fault."""
        with self._lock:
            return dict(self._faults)

    def attempts(self) -> dict[str, int]:
        """How many attempts there were, by the state in which they left their delivery."""
        with self._lock:
            return dict(self._attempts)

    def times(self) -> list[int]:
        """How many answers took at most as long as each bound of `BUCKETS`; the last number counts all answers."""
        with self._lock:
            return list(accumulate(self._times))

"""Workspace coverage and server metrics."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter, defaultdict
from dataclasses import dataclass, field, fields
from itertools import accumulate
from typing import TypeVar

from mockserver.core.contract.errors import ALL_CODES
from mockserver.core.traffic.causes import Changed
from mockserver.core.traffic.exchange import Exchange

Point = TypeVar("Point")

#: The most codes that are counted by name, and the name for further codes: a fault can invent any code. Chosen: far
#: above the codes of all operations together.
_MOST_CODES, OTHER_CODE = 1_000, "other"
#: Stands for the operation of answers by a stub or another server at an address that no operation has.
NO_OPERATION = "other addresses"
#: Upper bounds of the histogram of response times, in seconds. Chosen: from a read to what a person would notice.
BUCKETS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5)
#: Stands for the operation of requests without an operation, and for the status of requests without an answer.
NONE = "none"


def _counts() -> defaultdict[Point, int]:
    # Adding 1 takes half as long as with `Counter`.
    return defaultdict(int)


@dataclass(slots=True)
class Coverage:
    """Counts of answers, errors, fields and transitions, as detailed as coverage reports."""

    #: Answers by operation and status; the status is None without an HTTP answer.
    answers: defaultdict[tuple[str, int | None], int] = field(default_factory=_counts)
    #: Errors by operation, code, and whether a fault has injected them.
    codes: defaultdict[tuple[str, str, bool], int] = field(default_factory=_counts)
    #: Optional members that were sent, by operation and name, such as `ips[].weight`.
    fields: defaultdict[tuple[str, str], int] = field(default_factory=_counts)
    #: Transitions by state machine and event.
    transitions: defaultdict[tuple[str, str], int] = field(default_factory=_counts)
    #: Requests beyond the operations of the mock, by operation and how they were answered.
    beyond: defaultdict[tuple[str, str], int] = field(default_factory=_counts)

    def add(self, exchange: Exchange) -> None:
        """Count an exchange, unless it has no operation."""
        operation = exchange.operation
        if exchange.beyond is not None:
            self.beyond[operation or NO_OPERATION, str(exchange.beyond)] += 1
            return
        if operation is None:
            return
        self.answers[operation, exchange.status] += 1
        if exchange.code is not None:
            self._add_code((operation, exchange.code, exchange.injected), 1)
        for name in exchange.fields:
            self.fields[operation, name] += 1

    def take_back(self, exchange: Exchange) -> None:
        """Subtract an exchange counted without answer, before counting it again."""
        if exchange.beyond is not None:
            _subtract(self.beyond, (exchange.operation or NO_OPERATION, str(exchange.beyond)))
        elif exchange.operation is not None:
            _subtract(self.answers, (exchange.operation, exchange.status))

    def _add_code(self, point: tuple[str, str, bool], number: int) -> None:
        operation, code, injected = point
        if code not in ALL_CODES and point not in self.codes and len(self.codes) >= _MOST_CODES:
            point = (operation, OTHER_CODE, injected)
        self.codes[point] += number

    def add_transition(self, change: Changed) -> None:
        self.transitions[change.machine, change.event] += 1

    def merge(self, other: Coverage) -> None:
        """Add another coverage's counts, safe while other threads count."""
        for row in fields(self):
            mine = getattr(self, row.name)
            # Copied in one step: a dictionary must not grow while it is read item by item.
            for point, number in getattr(other, row.name).copy().items():
                if row.name == "codes":
                    self._add_code(point, number)
                else:
                    mine[point] += number

    def clear(self) -> None:
        for row in fields(self):
            getattr(self, row.name).clear()


def _subtract(counts: dict[Point, int], point: Point) -> None:
    if counts.get(point, 0) > 1:
        counts[point] -= 1
    else:
        counts.pop(point, None)  # the counts may have been cleared meanwhile


class Meter:
    """Server-wide counts since the start, for metrics."""

    def __init__(self) -> None:
        # A WSGI server may answer in several threads.
        self._lock = threading.Lock()
        #: By operation and status; adding to a `Counter` would take twice as long.
        self._requests: defaultdict[tuple[str | None, int | None], int] = defaultdict(int)
        #: Requests and TLS handshakes by the kind of their fault.
        self._faults: Counter[str] = Counter()
        #: Delivery attempts by the state of the delivery after them.
        self._attempts: Counter[str] = Counter()
        #: The number of answers in each bucket of `BUCKETS`, and above all bounds.
        self._times = [0] * (len(BUCKETS) + 1)
        #: The sum of all response times, in seconds.
        self.seconds = 0.0
        self.mails = 0
        #: The number of exchanges that were evicted from journals.
        self.evicted = 0

    def add(self, exchange: Exchange, evicted: int = 0) -> None:
        """Count an exchange, its fault, and evicted exchanges."""
        seconds = exchange.ms / 1000
        with self._lock:
            self._requests[exchange.operation, exchange.status] += 1
            self._times[bisect_left(BUCKETS, seconds)] += 1
            self.seconds += seconds
            self.evicted += evicted
            if exchange.fault_kind is not None:
                self._faults[exchange.fault_kind] += 1

    def add_handshake(self, fault: str) -> None:
        with self._lock:
            self._faults[fault] += 1

    def add_attempt(self, state: str) -> None:
        with self._lock:
            self._attempts[state] += 1

    def add_mail(self) -> None:
        with self._lock:
            self.mails += 1

    def requests(self) -> dict[tuple[str, str], int]:
        with self._lock:
            found = list(self._requests.items())
        return {(operation or NONE, str(status or NONE)): number for (operation, status), number in found}

    def faults(self) -> dict[str, int]:
        with self._lock:
            return dict(self._faults)

    def attempts(self) -> dict[str, int]:
        with self._lock:
            return dict(self._attempts)

    def times(self) -> list[int]:
        """Return cumulative answer counts per bound of `BUCKETS`, then all answers."""
        with self._lock:
            return list(accumulate(self._times))

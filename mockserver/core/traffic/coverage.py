"""Counts: the coverage of a workspace, and the metrics of a server."""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TypeVar

from mockserver.core.contract.errors import ALL_CODES
from mockserver.core.traffic.causes import Changed
from mockserver.core.traffic.exchange import Exchange

Point = TypeVar("Point")

#: How many codes are counted by name, and the name under which further ones are: a fault can invent any code.
#: Chosen: far above the codes of all operations together.
_MOST_CODES, OTHER_CODE = 1_000, "other"
#: What stands for the operation where a stub or another server has answered at an address that is no operation's.
NO_OPERATION = "other addresses"


def _counts() -> defaultdict[Point, int]:
    """Counts from 0; adding 1 takes half as long as with `Counter`."""
    return defaultdict(int)


@dataclass(slots=True)
class Coverage:
    """Counts of what requests have met, of one workspace or of many together.

    They distinguish no more than the coverage report does, so that they can be read back from one.
    """

    #: Answers by operation and status; the status is None if there was no HTTP answer.
    answers: defaultdict[tuple[str, int | None], int] = field(default_factory=_counts)
    #: Errors by operation, code, and whether a fault has injected them.
    codes: defaultdict[tuple[str, str, bool], int] = field(default_factory=_counts)
    #: Optional members that were sent, by operation and name, such as `ips[].weight`.
    fields: defaultdict[tuple[str, str], int] = field(default_factory=_counts)
    #: Transitions by state machine and event.
    transitions: defaultdict[tuple[str, str], int] = field(default_factory=_counts)
    #: Requests that no operation of the mock answers, by the operation beyond, and how they were answered.
    beyond: defaultdict[tuple[str, str], int] = field(default_factory=_counts)

    def add(self, exchange: Exchange) -> None:
        """Count an exchange; one without an operation of the mock meets nothing of the contract."""
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
        """Count an exchange no more that was counted without an answer, as it gets one after all."""
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
        """Add the counts of another coverage, in which other threads may go on counting."""
        _merge(self.answers, other.answers)
        for point, number in other.codes.copy().items():
            self._add_code(point, number)
        _merge(self.fields, other.fields)
        _merge(self.transitions, other.transitions)
        _merge(self.beyond, other.beyond)

    def clear(self) -> None:
        self.answers.clear()
        self.codes.clear()
        self.fields.clear()
        self.transitions.clear()
        self.beyond.clear()


def _subtract(counts: dict[Point, int], point: Point) -> None:
    if counts.get(point, 0) > 1:
        counts[point] -= 1
    else:
        counts.pop(point, None)  # the counts may have been cleared meanwhile


def _merge(counts: dict[Point, int], more: dict[Point, int]) -> None:
    # Copied in one step: a dictionary must not grow while it is read item by item.
    for point, number in more.copy().items():
        counts[point] += number


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

"""What a server has answered since it started, for its metrics."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter

from mockserver.core.exchange import Exchange

#: Upper bounds of the buckets of answering times, in seconds.
BUCKETS = (0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5)
#: Stands for the operation of requests that lead to none, and for the status of requests without an answer.
NONE = "none"


class Meter:
    """Counts that only grow."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, str]] = Counter()
        #: By the fault's kind.
        self.faults: Counter[str] = Counter()
        #: How many answers took at most as long as the bound of the same place; the last is for all beyond.
        self.times = [0] * (len(BUCKETS) + 1)
        self.seconds = 0.0

    def add(self, exchange: Exchange, kind: str | None) -> None:
        self.requests[exchange.operation or NONE, str(exchange.status or NONE)] += 1
        seconds = exchange.ms / 1000
        self.times[bisect_left(BUCKETS, seconds)] += 1
        self.seconds += seconds
        if kind is not None:
            self.faults[kind] += 1

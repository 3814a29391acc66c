"""The journal: the exchanges of a workspace, bounded by number and by size."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from heapq import nsmallest
from itertools import islice
from typing import NamedTuple

from mockserver.core.traffic.exchange import Exchange
from mockserver.core.traffic.match import Difference, Match
from mockserver.core.traffic.ring import Ring

#: How many differences of a near miss are kept; further ones are counted. Chosen: more than anybody reads.
_MOST_DIFFERENCES = 100


class NearMiss(NamedTuple):
    """An exchange that does not match a pattern, and where it differs."""

    exchange: Exchange
    differences: Sequence[Difference]
    #: How many differences there are besides those that are kept.
    further: int

    @property
    def distance(self) -> tuple[bool, int]:
        """What near misses are sorted by: another operation counts for more than any number of other differences."""
        is_other_operation = any(row.path == "/operation" for row in self.differences)
        return is_other_operation, len(self.differences) + self.further


class Journal:
    """The last exchanges, newest first; the oldest are evicted when their number or their bytes exceed the limit."""

    def __init__(self, limit: int, bytes_limit: int) -> None:
        self._exchanges = Ring[Exchange](limit, bytes_limit)
        #: How many exchanges have got their answer after they were added.
        self.completed = 0
        #: The positions of the last of these; -1 stands for one that was no longer here.
        self._late: deque[int] = deque(maxlen=limit)

    def __iter__(self) -> Iterator[Exchange]:
        return iter(self._exchanges)

    def __len__(self) -> int:
        return len(self._exchanges)

    @property
    def evicted(self) -> int:
        """How many exchanges were evicted."""
        return self._exchanges.evicted

    @property
    def added(self) -> int:
        """How many exchanges were ever added."""
        return self._exchanges.added

    @property
    def newest(self) -> Exchange | None:
        """The last exchange that is kept, or None if none is; it may be asked for without the workspace's lock."""
        return self._exchanges.newest

    @property
    def ring(self) -> Ring[Exchange]:
        """The exchanges, to be written down."""
        return self._exchanges

    def put_back(self, exchange: Exchange) -> None:
        """Add an exchange that was written down and read again."""
        self._exchanges.add(exchange, exchange.size)

    def add(self, exchange: Exchange) -> int:
        """Add an exchange that is over, without its bodies if these are too large; returns how many it has evicted."""
        exchange.forget_values()  # as `_measure`, whose call would cost each request
        if exchange.measure() > self._exchanges.largest:
            exchange.leave_out_bodies()
            exchange.measure()
        return len(self._exchanges.add(exchange, exchange.size))

    def complete(self, exchange: Exchange) -> int:
        """Take in the answer of an exchange that was added without one; returns how many that has evicted.

        One that was evicted meanwhile stays out.
        """
        self.completed += 1
        before = exchange.size
        self._measure(exchange)
        index, kept = next(((at, kept) for at, kept in enumerate(self) if kept.id == exchange.id), (None, exchange))
        if kept is not exchange:  # it was read again meanwhile
            vars(kept).update(vars(exchange))
        self._late.append(-1 if index is None else self._exchanges.end - 1 - index)
        return 0 if index is None else len(self._exchanges.grow(len(self) - 1 - index, exchange.size - before))

    def completed_since(self, number: int) -> Iterator[tuple[int, Exchange]]:
        """The exchanges that have got their answer late, but for the first `number` of them, with their positions."""
        for position in islice(reversed(self._late), max(0, self.completed - number)):
            yield from (row for row in islice(self._exchanges.since(position), 1) if row[0] == position)

    def _measure(self, exchange: Exchange) -> None:
        """Measure an exchange that is over, without its bodies if these are too large."""
        exchange.forget_values()
        if exchange.measure() > self._exchanges.largest:
            exchange.leave_out_bodies()
            exchange.measure()

    def find(self, identifier: str) -> Exchange | None:
        return next((exchange for exchange in self if exchange.id == identifier), None)

    def clear(self) -> None:
        self._exchanges.clear()

    def matching(self, match: Match, since: int = 0) -> list[Exchange]:
        """The matching exchanges, newest first, without the first `since` that were ever added."""
        # One that was too large to be kept is in `added`, so an older one may be looked at, which does no harm.
        return [exchange for exchange in islice(self, self.added - since) if match.admits(exchange)]


def near_misses(exchanges: Iterable[Exchange], match: Match, most: int = 5) -> list[NearMiss]:
    """The `most` closest exchanges that do not match: fewest differences first, then newest; other operations last."""
    found = (_missed(exchange, match) for exchange in exchanges)
    return nsmallest(most, (row for row in found if row.differences), key=lambda row: row.distance)


def _missed(exchange: Exchange, match: Match) -> NearMiss:
    rows = match.differences(exchange)
    return NearMiss(exchange, list(islice(rows, _MOST_DIFFERENCES)), sum(1 for _ in rows))

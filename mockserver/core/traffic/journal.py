"""The requests and answers of a workspace, bounded by number and by size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from heapq import nsmallest
from itertools import islice
from typing import NamedTuple

from mockserver.core.traffic.exchange import Exchange
from mockserver.core.traffic.match import Difference, Match
from mockserver.core.traffic.ring import Ring

#: How many differences of a near miss are kept; the rest are counted.
_MOST_DIFFERENCES = 100


class NearMiss(NamedTuple):
    """An exchange that does not match, and in what it differs."""

    exchange: Exchange
    differences: Sequence[Difference]
    #: How many more differences there are.
    further: int

    @property
    def distance(self) -> tuple[bool, int]:
        """Other operations are further away than any other differences."""
        is_another = any(row.path == "/operation" for row in self.differences)
        return is_another, len(self.differences) + self.further


class Journal:
    """The last exchanges, newest first; the oldest go when the number or the bytes are over their limit."""

    def __init__(self, limit: int, bytes_limit: int) -> None:
        self._exchanges = Ring[Exchange](limit, bytes_limit)

    def __iter__(self) -> Iterator[Exchange]:
        return iter(self._exchanges)

    def __len__(self) -> int:
        return len(self._exchanges)

    @property
    def evicted(self) -> int:
        """How many have fallen out."""
        return self._exchanges.evicted

    @property
    def added(self) -> int:
        """How many were ever written down."""
        return self._exchanges.added

    def add(self, exchange: Exchange) -> int:
        """Write an exchange down, without its bodies if they are too large; gives how many have fallen out for it."""
        exchange.forget_values()
        if exchange.measure() > self._exchanges.largest:
            exchange.leave_out_bodies()
            exchange.measure()
        return len(self._exchanges.add(exchange, exchange.size))

    def find(self, identifier: str) -> Exchange | None:
        return next((exchange for exchange in self if exchange.id == identifier), None)

    def clear(self) -> None:
        self._exchanges.clear()

    def matching(self, match: Match, since: int = 0) -> list[Exchange]:
        """All that match, newest first, of those that were written down after the first so many."""
        # One that was too large is counted though it is not here: then one more is looked at, which does no harm.
        return [exchange for exchange in islice(self, self.added - since) if match.admits(exchange)]


def near_misses(exchanges: Iterable[Exchange], match: Match, most: int = 5) -> list[NearMiss]:
    """What comes closest without matching: other operations last, the fewest differences first, then the newest."""
    found = (_missed(exchange, match) for exchange in exchanges)
    return nsmallest(most, (row for row in found if row.differences), key=lambda row: row.distance)


def _missed(exchange: Exchange, match: Match) -> NearMiss:
    rows = match.differences(exchange)
    return NearMiss(exchange, list(islice(rows, _MOST_DIFFERENCES)), sum(1 for _ in rows))

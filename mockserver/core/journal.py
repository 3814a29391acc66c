"""The requests and answers of a workspace, bounded by number and by size."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import islice

from mockserver.core.exchange import Exchange
from mockserver.core.match import Difference, Match

#: What an entry costs beside its bodies, in bytes: measured on requests of the client libraries, rounded up.
_OVERHEAD = 2_000


class Journal:
    """The last exchanges, newest first; the oldest go when the number or the bytes are over their limit."""

    def __init__(self, limit: int, bytes_limit: int) -> None:
        self._limit = limit
        self._bytes_limit = bytes_limit
        self._exchanges: deque[Exchange] = deque()
        self._bytes = 0
        #: How many have fallen out.
        self.evicted = 0

    def __iter__(self) -> Iterator[Exchange]:
        return reversed(self._exchanges)

    def __len__(self) -> int:
        return len(self._exchanges)

    def add(self, exchange: Exchange) -> int:
        """Write an exchange down; gives how many have fallen out for it."""
        before = self.evicted
        self._exchanges.append(exchange)
        self._bytes += _size(exchange)
        while len(self._exchanges) > self._limit or self._bytes > self._bytes_limit:
            self._bytes -= _size(self._exchanges.popleft())
            self.evicted += 1
        return self.evicted - before

    def find(self, identifier: str) -> Exchange | None:
        return next((exchange for exchange in self if exchange.id == identifier), None)

    def clear(self) -> None:
        self._exchanges.clear()
        self._bytes = self.evicted = 0

    def matching(self, match: Match) -> list[Exchange]:
        """All that match, newest first."""
        return [exchange for exchange in self if match.admits(exchange)]

    def near_misses(self, match: Match, most: int = 5) -> list[tuple[Exchange, list[Difference]]]:
        """What comes closest without matching: other operations last, the fewest differences first, then the newest."""
        found = [(exchange, list(match.differences(exchange))) for exchange in self]
        missed = sorted((row for row in found if row[1]), key=lambda row: _distance(row[1]))
        return list(islice(missed, most))


def _distance(differences: list[Difference]) -> tuple[bool, int]:
    return any(row.path == "/operation" for row in differences), len(differences)


def _size(exchange: Exchange) -> int:
    return len(exchange.body) + len(exchange.answer_body) + _OVERHEAD

"""The requests and answers of a workspace, bounded by number and by size."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from mockserver.core.exchange import Exchange
from mockserver.core.match import Difference, Match
from mockserver.core.ring import Ring


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

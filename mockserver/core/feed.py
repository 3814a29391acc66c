"""What happens in a workspace, in order, for those who look on."""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

#: How many happenings are kept for those who come back after a break.
_KEPT = 1_000


class Happening(NamedTuple):
    """Something that has happened: its number, its kind, and the thing itself."""

    number: int
    kind: str
    what: Any


class Feed:
    """The last happenings of a workspace; numbers go on over resets."""

    def __init__(self, last: int = 0) -> None:
        self.last = last
        self._happenings: deque[Happening] = deque(maxlen=_KEPT)

    def add(self, kind: str, what: Any) -> None:
        self.last += 1
        self._happenings.append(Happening(self.last, kind, what))

    def after(self, number: int) -> list[Happening]:
        """All that is kept after a number, oldest first."""
        if number >= self.last:
            return []
        return [happening for happening in self._happenings if happening.number > number]

    def lost(self, number: int) -> int:
        """How many after a number are kept no more."""
        first = self._happenings[0].number if self._happenings else self.last + 1
        return max(0, first - 1 - number)

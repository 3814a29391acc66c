"""What happens in a workspace, in order, for those who look on."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import Any

#: How many happenings are kept for those who come back after a break, and how many bytes of bodies with them.
_KEPT = 1_000
_BYTES_KEPT = 4 * 1024 * 1024


@dataclass(slots=True, eq=False)
class Happening:
    """Something that has happened: its number, its kind, and the thing itself."""

    number: int
    kind: str
    what: Any
    #: What it keeps in memory, in bytes.
    size: int
    #: How it is told, once somebody has asked.
    told: bytes | None = None


class Feed:
    """The last happenings of a workspace; numbers go on over resets."""

    def __init__(self, last: int = 0) -> None:
        self.last = last
        self._happenings: deque[Happening] = deque()
        self._bytes = 0

    def add(self, kind: str, what: Any, size: int = 0) -> None:
        self.last += 1
        self._happenings.append(Happening(self.last, kind, what, size))
        self._bytes += size
        self._make_room()

    def _make_room(self) -> None:
        while len(self._happenings) > _KEPT or self._bytes > _BYTES_KEPT:
            self._bytes -= self._happenings.popleft().size

    def told(self, happening: Happening, tell: Callable[[Happening], bytes]) -> bytes:
        """How something is told; it is put into words once, for all who look on."""
        if happening.told is None:
            happening.told = tell(happening)
            if happening.number > self.last - len(self._happenings):  # else it has just gone for newer ones
                happening.size += len(happening.told)
                self._bytes += len(happening.told)
                self._make_room()
        return happening.told

    def after(self, number: int) -> list[Happening]:
        """All that is kept after a number, oldest first."""
        # Most of those who look on have seen all but the last ones.
        newest = list(islice(reversed(self._happenings), max(0, self.last - number)))
        return newest[::-1]

    def lost(self, number: int) -> int:
        """How many after a number are kept no more."""
        first = self._happenings[0].number if self._happenings else self.last + 1
        return max(0, first - 1 - number)

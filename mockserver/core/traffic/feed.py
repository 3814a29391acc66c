"""What happens in a workspace, in order, for those who look on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from mockserver.core.traffic.ring import Ring

#: What a item takes beside what it tells, in bytes.
_OVERHEAD = 500
#: Stands for what has happened and was too large to be kept.
LOST: Any = object()


@dataclass(slots=True, eq=False)
class FeedItem:
    """Something that has happened: its number, its kind, and the thing itself."""

    number: int
    kind: str
    what: Any
    #: What it tells keeps in memory, in bytes.
    size: int
    #: How it is told, once somebody has asked.
    told: bytes | None = None


class Feed:
    """The last items of a workspace; numbers go on over resets."""

    def __init__(self, limit: int = 1_000, bytes_limit: int = 4 * 1024 * 1024, *, last: int = 0) -> None:
        self.last = last
        self._items = Ring[FeedItem](limit, bytes_limit)

    def add(self, kind: str, what: Any, size: int = 0) -> None:
        """Keep what has happened, with its size in bytes: what is kept elsewhere too may be gone from there."""
        self.last += 1
        if size + _OVERHEAD > self._items.largest:
            what, size = LOST, 0
        self._items.add(FeedItem(self.last, kind, what, size), size + _OVERHEAD)

    def told(self, item: FeedItem, tell: Callable[[FeedItem], bytes]) -> bytes:
        """How something is told; it is put into words once, for all who look on."""
        if item.told is None:
            item.told = tell(item)
            # Their numbers have no gaps: to look for it would take as long as the feed is.
            oldest = self._items.oldest
            if oldest is not None and item.number >= oldest.number:
                self._items.grow(item.number - oldest.number, len(item.told))
        return item.told

    def after(self, number: int) -> list[FeedItem]:
        """All that is kept after a number, oldest first."""
        # Most of those who look on have seen all but the last ones.
        return list(takewhile(lambda item: item.number > number, self._items))[::-1]

    def lost(self, number: int) -> int:
        """How many after a number are kept no more."""
        oldest = self._items.oldest
        first = self.last + 1 if oldest is None else oldest.number
        return max(0, first - 1 - number)

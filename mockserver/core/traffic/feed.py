"""The feed of a workspace: what happens in it, numbered in order, for streams."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from mockserver.core.traffic.ring import Ring

#: What an item takes beside the thing that it holds, in bytes: measured, and rounded up.
_OVERHEAD = 500
#: Stands for a thing that was too large to be kept.
LOST: Any = object()


@dataclass(slots=True, eq=False)
class FeedItem:
    """Something that has happened: its number, its kind, and the thing, such as an exchange or an e-mail."""

    number: int
    kind: str
    what: Any
    #: What the thing takes in memory, in bytes.
    size: int
    #: The item as streams send it, or None until the first one does.
    written: bytes | None = None


class Feed:
    """The last items of a workspace, up to a number and a size in bytes; item numbers go on over resets."""

    def __init__(self, limit: int = 1_000, bytes_limit: int = 4 * 1024 * 1024, *, last: int = 0) -> None:
        self.last = last
        self._items = Ring[FeedItem](limit, bytes_limit)

    def add(self, kind: str, what: Any, size: int = 0) -> None:
        """Add an item; `size` is what the thing takes in bytes, and counts here even if the thing is kept elsewhere."""
        self.last += 1
        if size + _OVERHEAD > self._items.largest:
            what, size = LOST, 0
        self._items.add(FeedItem(self.last, kind, what, size), size + _OVERHEAD)

    def written(self, item: FeedItem, write: Callable[[FeedItem], bytes]) -> bytes:
        """An item as streams send it; it is written once, for all streams."""
        if item.written is None:
            item.written = write(item)
            # The numbers have no gaps, so the position follows from the number.
            oldest = self._items.oldest
            if oldest is not None and item.number >= oldest.number:
                self._items.grow(item.number - oldest.number, len(item.written))
        return item.written

    def after(self, number: int) -> list[FeedItem]:
        """The items that are kept of those after a number, oldest first."""
        # From the newest on: most streams have sent all but the last items.
        return list(takewhile(lambda item: item.number > number, self._items))[::-1]

    def lost(self, number: int) -> int:
        """How many of the items after a number are no longer kept."""
        oldest = self._items.oldest
        first = self.last + 1 if oldest is None else oldest.number
        return max(0, first - 1 - number)

"""The feed of a workspace: what happens in it, numbered in order, for streams."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import islice
from typing import Any, NamedTuple

from mockserver.core.traffic.ring import Ring

#: What an item takes beside the thing that it holds, in bytes: measured, and rounded up.
_OVERHEAD = 500
#: Stands for a thing that was too large to be kept.
LOST: Any = object()


class FeedItem(NamedTuple):
    """Something that has happened: its number, its kind, and the thing, such as an exchange or an e-mail."""

    number: int
    kind: str
    what: Any
    #: What the thing takes in memory, in bytes.
    size: int
    #: The item as streams send it, or None until the first one does.
    written: bytes | None


class Feed:
    """The last items of a workspace, up to a number and a size in bytes; item numbers go on over resets."""

    def __init__(self, limit: int = 1_000, bytes_limit: int = 4 * 1024 * 1024, *, last: int = 0) -> None:
        self.last = last
        #: The kind, the thing and its size of each item; the numbers have no gaps, so they follow from the positions.
        self._items = Ring[tuple[str, Any, int]](limit, bytes_limit)
        #: Items as streams send them, by number.
        self._written: dict[int, bytes] = {}

    def add(self, kind: str, what: Any, size: int = 0) -> None:
        """Add an item; `size` is what the thing takes in bytes, and counts here even if the thing is kept elsewhere."""
        self.last += 1
        if size + _OVERHEAD > self._items.largest:
            what, size = LOST, 0
        gone = self._items.add((kind, what, size), size + _OVERHEAD)
        if self._written:
            self._forget_written(len(gone))

    @property
    def ring(self) -> Ring[tuple[str, Any, int]]:
        """The items, to be written down."""
        return self._items

    def put_back(self, kind: str, what: Any, size: int) -> None:
        """Add an item that was written down and read again, and whose number counts already."""
        self._items.add((kind, what, size), size + _OVERHEAD)

    def be_at(self, last: int) -> None:
        """Have come as far as another feed, of whose items these are the same."""
        self.last = last
        first = self._first
        self._written = {number: data for number, data in self._written.items() if number >= first}

    def written(self, item: FeedItem, write: Callable[[FeedItem], bytes]) -> bytes:
        """An item as streams send it; it is written once, for all streams."""
        found = self._written.get(item.number)
        if found is None:
            found = write(item)
            if item.number >= self._first:
                self._written[item.number] = found
                gone = self._items.grow(item.number - self._first, len(found))
                self._forget_written(len(gone))
        return found

    def after(self, number: int) -> list[FeedItem]:
        """The items that are kept of those after a number, oldest first."""
        # From the newest on: most streams have sent all but the last items.
        newest = list(islice(self._items, max(0, self.last - number)))
        first = self.last - len(newest) + 1
        numbered = enumerate(reversed(newest), first)
        return [FeedItem(at, kind, what, size, self._written.get(at)) for at, (kind, what, size) in numbered]

    def kinds_after(self, number: int) -> Counter[str]:
        """How many items of each kind are kept of those after a number."""
        return Counter(kind for kind, _, _ in islice(self._items, max(0, self.last - number)))

    def lost(self, number: int) -> int:
        """How many of the items after a number are no longer kept."""
        return max(0, self._first - 1 - number)

    @property
    def _first(self) -> int:
        """The number of the oldest item that is kept, or of the next one if none is."""
        return self.last - len(self._items) + 1

    def _forget_written(self, gone: int) -> None:
        """Drop what was written of the last items that have gone, by their number."""
        first = self._first
        for number in range(first - gone, first):
            self._written.pop(number, None)

"""Bounded logs: rings of the last items, and the feed of a workspace."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from itertools import islice
from sys import getsizeof
from typing import Any, Generic, NamedTuple, Self, TypeVar

Item = TypeVar("Item")

#: An item that takes more than one part in so many of all bytes is not kept. Chosen: one item evicts few others.
_SHARE = 4
#: The size of an empty list and an empty text, and the most that an item and a character add, in bytes.
_EMPTY_LIST, _PER_ITEM = getsizeof([]), 8
_EMPTY_TEXT, _PER_CHARACTER = getsizeof("\U0001f600") - 4, 4
#: The size of a feed item without its content, in bytes: measured, and rounded up.
_FEED_ITEM_BYTES = 500
#: Stands for the content of a feed item that was too large to be kept.
LOST: Any = object()


class RingCounts(NamedTuple):
    """A ring's counts, next position and length."""

    added: int
    evicted: int
    end: int
    length: int


class Ring(Generic[Item]):
    """The last items, evicting oldest items beyond the limits of number and bytes.

    An item that is larger than `largest` is not kept, and evicts nothing.
    """

    def __init__(self, limit: int, bytes_limit: int) -> None:
        self._limit, self._bytes_limit = limit, bytes_limit
        #: The most bytes that one item may take.
        self.largest = bytes_limit // _SHARE
        # Side by side and not in pairs, each of which the garbage collector would look at again and again.
        self._items: deque[Item] = deque()
        self._sizes: deque[int] = deque()
        #: The bytes of all items.
        self.bytes = 0
        #: The number of items that were evicted or not kept.
        self.evicted = 0
        #: The number of items that were ever added.
        self.added = 0
        #: The distance from `added` to the position of the next item.
        self._shift = 0

    def __iter__(self) -> Iterator[Item]:
        """Iterate over the items, newest first."""
        return iter(reversed(self._items))

    def __len__(self) -> int:
        return len(self._items)

    @property
    def newest(self) -> Item | None:
        """The newest item or None, readable while the workspace is not open."""
        try:
            return self._items[-1]
        except IndexError:
            return None

    @property
    def end(self) -> int:
        """The position of the next item. Positions have no gaps: `keep` renumbers the items behind a gap."""
        return self.added + self._shift

    @property
    def counts(self) -> RingCounts:
        return RingCounts(self.added, self.evicted, self.end, len(self._items))

    def since(self, position: int) -> Iterator[tuple[int, Item]]:
        """Return the items from a position on, oldest first, with their positions."""
        first = self.end - len(self._items)
        start = max(position, first)
        return enumerate(islice(self._items, start - first, None), start)

    def resume(self, counts: RingCounts) -> None:
        """Continue the counts of a ring whose items were added to this ring; missing items count as evicted."""
        self.added, self.evicted = counts.added, counts.evicted + counts.length - len(self)
        self._shift = counts.end - counts.added

    def drop_oldest(self, number: int) -> None:
        for _ in range(number):
            self._items.popleft()
            self.bytes -= self._sizes.popleft()

    def push(self, item: Item, size: int) -> Sequence[Item]:
        """Add an item of `size` bytes. Return evicted items, or an oversized item itself."""
        self.added += 1
        if size > self.largest:
            self.evicted += 1
            self._shift -= 1
            return (item,)
        self._items.append(item)
        self._sizes.append(size)
        self.bytes += size
        return self._evict()

    def grow(self, index: int, size: int) -> Sequence[Item]:
        """Count `size` more bytes for the item at an index (0: the oldest). Return the evicted items."""
        self._sizes[index] += size
        self.bytes += size
        return self._evict()

    def _evict(self) -> Sequence[Item]:
        if self.bytes <= self._bytes_limit and len(self._items) <= self._limit:
            return ()
        gone = []
        while self.bytes > self._bytes_limit or len(self._items) > self._limit:
            gone.append(self._items.popleft())
            self.bytes -= self._sizes.popleft()
        self.evicted += len(gone)
        return gone

    def replace(self, made: Callable[[Item], Item]) -> None:
        """Replace each item by an equally large one."""
        self._items = deque(map(made, self._items))

    def keep(self, wanted: Callable[[Item], bool]) -> None:
        rows = [row for row in zip(self._items, self._sizes, strict=True) if wanted(row[0])]
        if len(rows) == len(self._items):
            return
        self._shift += len(rows)
        self._items, self._sizes = deque(item for item, _ in rows), deque(size for _, size in rows)
        self.bytes = sum(self._sizes)

    def copy(self) -> Self:
        found = copy(self)
        found._items, found._sizes = self._items.copy(), self._sizes.copy()  # noqa: SLF001  # of the same class
        return found

    def clear(self) -> None:
        self._items.clear()
        self._sizes.clear()
        self.bytes = self.evicted = 0


def weight(value: Any) -> int:
    """Return the bytes of a value of mappings, lists and plain values, with its content.

    Equal values weigh the same, however they were made: Python's own size of a list depends on how it grew, and that
    of a text on whether its UTF-8 was asked for.
    """
    found, left = 0, [value]
    while left:
        one = left.pop()
        if isinstance(one, list):
            found += _EMPTY_LIST + _PER_ITEM * len(one)
        elif isinstance(one, str) and not one.isascii():
            found += _EMPTY_TEXT + _PER_CHARACTER * len(one)
        else:
            found += getsizeof(one)
        if isinstance(one, dict):
            left.extend(one)
            left.extend(one.values())
        elif isinstance(one, list | tuple):
            left.extend(one)
    return found


class FeedItem(NamedTuple):
    """A numbered event with kind and content, such as an exchange or e-mail."""

    number: int
    kind: str
    what: Any
    #: The bytes of the content in memory.
    size: int
    #: The item as streams send it, or None if no stream has sent it yet.
    written: bytes | None


class Feed:
    """The last items of a workspace for streams, bounded by number and bytes; item numbers continue over resets."""

    def __init__(self, limit: int = 1_000, bytes_limit: int = 4 * 1024 * 1024, *, last: int = 0) -> None:
        self.last = last
        #: Kind, content and size of each item; the numbers have no gaps, so they follow from the positions.
        self.ring = Ring[tuple[str, Any, int]](limit, bytes_limit)
        #: Items as streams send them, by number.
        self._written: dict[int, bytes] = {}

    def add(self, kind: str, what: Any, size: int = 0) -> None:
        """Add an item, counting its content's bytes even if kept elsewhere."""
        self.last += 1
        if size + _FEED_ITEM_BYTES > self.ring.largest:
            what, size = LOST, 0
        gone = self.ring.push((kind, what, size), size + _FEED_ITEM_BYTES)
        if self._written:
            self._forget_written(len(gone))

    def put_back(self, kind: str, what: Any, size: int) -> None:
        """Add an item that was read from a store, and whose number counts already."""
        self.ring.push((kind, what, size), size + _FEED_ITEM_BYTES)

    def be_at(self, last: int) -> None:
        """Continue at another feed's number, with equal items."""
        self.last = last
        first = self._first
        self._written = {number: data for number, data in self._written.items() if number >= first}

    def written(self, item: FeedItem, write: Callable[[FeedItem], bytes]) -> bytes:
        """Return an item as streams send it; `write` is called once per item, for all streams."""
        found = self._written.get(item.number)
        if found is None:
            found = write(item)
            if item.number >= self._first:
                self._written[item.number] = found
                gone = self.ring.grow(item.number - self._first, len(found))
                self._forget_written(len(gone))
        return found

    def after(self, number: int) -> list[FeedItem]:
        """Return the kept items after a number, oldest first."""
        # From the newest on: most streams have sent all but the last items.
        newest = list(islice(self.ring, max(0, self.last - number)))
        first = self.last - len(newest) + 1
        numbered = enumerate(reversed(newest), first)
        return [FeedItem(at, kind, what, size, self._written.get(at)) for at, (kind, what, size) in numbered]

    def kinds_after(self, number: int) -> Counter[str]:
        """Return kept item counts by kind, after a number."""
        return Counter(kind for kind, _, _ in islice(self.ring, max(0, self.last - number)))

    def lost(self, number: int) -> int:
        """Return the number of lost items after a number."""
        return max(0, self._first - 1 - number)

    @property
    def _first(self) -> int:
        return self.last - len(self.ring) + 1

    def _forget_written(self, gone: int) -> None:
        first = self._first
        for number in range(first - gone, first):
            self._written.pop(number, None)

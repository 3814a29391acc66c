"""Bounded logs: rings of the last items, and the feed of a workspace."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from itertools import islice
from sys import getsizeof
from typing import Any, Generic, NamedTuple, TypeVar

Item = TypeVar("Item")

#: A thing that takes more than one part in so many of all bytes is not kept. Chosen: one thing evicts few others.
_SHARE = 4
#: What an empty list and an empty text take, and what an item and a character add at most, in bytes.
_EMPTY_LIST, _PER_ITEM = getsizeof([]), 8
_EMPTY_TEXT, _PER_CHARACTER = getsizeof("\U0001f600") - 4, 4


class RingCounts(NamedTuple):
    """How far a ring has come: what it counts, the position of the next thing, and how many things there are."""

    added: int
    evicted: int
    end: int
    length: int


class Ring(Generic[Item]):
    """The last things; the oldest are evicted when their number or the sum of their bytes exceeds the limit.

    A thing that is larger than `largest` is not kept, and evicts nothing.
    """

    def __init__(self, limit: int, bytes_limit: int) -> None:
        self._limit, self._bytes_limit = limit, bytes_limit
        #: The most bytes that one thing may take.
        self.largest = bytes_limit // _SHARE
        # Side by side and not in pairs, each of which the garbage collector would look at again and again.
        self._things: deque[Item] = deque()
        self._sizes: deque[int] = deque()
        #: How many bytes the things take.
        self.bytes = 0
        #: How many things were evicted or not kept.
        self.evicted = 0
        #: How many things were ever added.
        self.added = 0
        #: How far the position of the next thing is from `added`.
        self._shift = 0

    def __iter__(self) -> Iterator[Item]:
        """The things, newest first."""
        return iter(reversed(self._things))

    def __len__(self) -> int:
        return len(self._things)

    @property
    def oldest(self) -> Item | None:
        return self._things[0] if self._things else None

    @property
    def newest(self) -> Item | None:
        # Read without the lock of a workspace: another thread may empty the ring between a look and the next.
        try:
            return self._things[-1]
        except IndexError:
            return None

    @property
    def end(self) -> int:
        """The position of the next thing. Positions have no gaps: what `keep` leaves behind a gap gets new ones."""
        return self.added + self._shift

    @property
    def counts(self) -> RingCounts:
        return RingCounts(self.added, self.evicted, self.added + self._shift, len(self._things))

    def since(self, position: int) -> Iterator[tuple[int, Item]]:
        """The things from a position on, oldest first, with their positions."""
        first = self.end - len(self._things)
        start = max(position, first)
        return enumerate(islice(self._things, start - first, None), start)

    def resume(self, counts: RingCounts) -> None:
        """Count on from where another ring was, whose things were added to this one; missing ones count as evicted."""
        self.added, self.evicted = counts.added, counts.evicted + counts.length - len(self)
        self._shift = counts.end - counts.added

    def drop_oldest(self, number: int) -> None:
        """Drop so many things."""
        for _ in range(number):
            self._things.popleft()
            self.bytes -= self._sizes.popleft()

    def add(self, thing: Item, size: int) -> Sequence[Item]:
        """Add a thing of `size` bytes; returns what it has evicted, or the thing itself if it is too large."""
        self.added += 1
        if size > self.largest:
            self.evicted += 1
            self._shift -= 1
            return (thing,)
        things, sizes = self._things, self._sizes
        things.append(thing)
        sizes.append(size)
        held, most, limit = self.bytes + size, self._bytes_limit, self._limit
        if held <= most and len(things) <= limit:
            self.bytes = held
            return ()
        # In a full ring mostly one goes for each that comes: half of what the loop costs.
        gone = things.popleft()
        self.bytes = held = held - sizes.popleft()
        self.evicted += 1
        return (gone,) if held <= most and len(things) <= limit else (gone, *self._evict())

    def grow(self, index: int, size: int) -> Sequence[Item]:
        """Count `size` more bytes for the thing at an index (0: the oldest); returns what that has evicted."""
        self._sizes[index] += size
        self.bytes += size
        return self._evict()

    def _evict(self) -> Sequence[Item]:
        things, sizes, held = self._things, self._sizes, self.bytes
        gone = []
        while len(things) > self._limit or held > self._bytes_limit:
            gone.append(things.popleft())
            held -= sizes.popleft()
        self.bytes = held
        self.evicted += len(gone)
        return gone

    def exchange(self, made: Callable[[Item], Item]) -> None:
        """Have what `made` makes of each thing in its place; it takes as many bytes."""
        self._things = deque(map(made, self._things))

    def keep(self, wanted: Callable[[Item], bool]) -> None:
        """Drop all things that are not wanted."""
        rows = [row for row in zip(self._things, self._sizes, strict=True) if wanted(row[0])]
        if len(rows) == len(self._things):
            return
        self._shift += len(rows)
        self._things, self._sizes = deque(thing for thing, _ in rows), deque(size for _, size in rows)
        self.bytes = sum(self._sizes)

    def copy(self) -> Ring[Item]:
        """Another ring with the same things."""
        found = copy(self)
        vars(found).update(_things=deque(self._things), _sizes=deque(self._sizes))
        return found

    def clear(self) -> None:
        self._things.clear()
        self._sizes.clear()
        self.bytes = self.evicted = 0


def weight(value: Any) -> int:
    """How many bytes a value of mappings, lists and plain values takes, with all it holds; the cost grows with it.

    Equal values weigh the same, however they were made: Python's own size of a list tells how it grew, and that of a
    text whether somebody has asked for its UTF-8.
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


#: What an item takes beside the thing that it holds, in bytes: measured, and rounded up.
_ITEM_BYTES = 500
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
        if size + _ITEM_BYTES > self._items.largest:
            what, size = LOST, 0
        gone = self._items.add((kind, what, size), size + _ITEM_BYTES)
        if self._written:
            self._forget_written(len(gone))

    @property
    def ring(self) -> Ring[tuple[str, Any, int]]:
        """The items, to be written down."""
        return self._items

    def put_back(self, kind: str, what: Any, size: int) -> None:
        """Add an item that was written down and read again, and whose number counts already."""
        self._items.add((kind, what, size), size + _ITEM_BYTES)

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

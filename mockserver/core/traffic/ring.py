"""What a workspace keeps of things that come without an end: a number of them, and so many bytes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from copy import copy
from sys import getsizeof
from typing import Any, Generic, TypeVar

Thing = TypeVar("Thing")

#: What takes more than this part of all bytes is not kept: it would leave room for little else.
_SHARE = 4


class Ring(Generic[Thing]):
    """The last things, each with its size in bytes; the oldest go when the number or the bytes are over their limit.

    One thing that is too large goes itself, and leaves the others where they are.
    """

    def __init__(self, limit: int, bytes_limit: int) -> None:
        self._limit, self._bytes_limit = limit, bytes_limit
        #: How many bytes one thing may take.
        self.largest = bytes_limit // _SHARE
        self._rows: deque[tuple[Thing, int]] = deque()
        #: How many bytes are held.
        self.bytes = 0
        #: How many have gone.
        self.evicted = 0
        #: How many were ever to be kept.
        self.added = 0

    def __iter__(self) -> Iterator[Thing]:
        """The things, newest first."""
        return (thing for thing, _ in reversed(self._rows))

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def oldest(self) -> Thing | None:
        return self._rows[0][0] if self._rows else None

    def add(self, thing: Thing, size: int) -> Sequence[Thing]:
        """Keep a thing; gives those that have gone for it, or the thing itself."""
        self.added += 1
        if size > self.largest:
            self.evicted += 1
            return (thing,)
        rows = self._rows
        rows.append((thing, size))
        self.bytes += size
        if len(rows) <= self._limit and self.bytes <= self._bytes_limit:
            return ()
        return self._evict()

    def grow(self, place: int, size: int) -> Sequence[Thing]:
        """Count so many bytes more for the thing at a place, the oldest at 0; gives those that have gone for them."""
        thing, before = self._rows[place]
        self._rows[place] = (thing, before + size)
        self.bytes += size
        return self._evict()

    def _evict(self) -> Sequence[Thing]:
        rows, held, limit, bytes_limit = self._rows, self.bytes, self._limit, self._bytes_limit
        gone = []
        while len(rows) > limit or held > bytes_limit:
            thing, size = rows.popleft()
            held -= size
            gone.append(thing)
        self.bytes = held
        self.evicted += len(gone)
        return gone

    def keep(self, wanted: Callable[[Thing], bool]) -> None:
        """Keep only those of the things that are wanted."""
        self._rows = deque(row for row in self._rows if wanted(row[0]))
        self.bytes = sum(size for _, size in self._rows)

    def copy(self) -> Ring[Thing]:
        """Another ring with the same things."""
        found = copy(self)
        vars(found).update(_rows=deque(self._rows))
        return found

    def clear(self) -> None:
        self._rows.clear()
        self.bytes = self.evicted = 0


def weight(value: Any) -> int:
    """How many bytes a value of mappings, lists and plain values takes, all of it; its size is what this costs."""
    found, left = 0, [value]
    while left:
        one = left.pop()
        found += getsizeof(one)
        if isinstance(one, dict):
            left.extend(one)
            left.extend(one.values())
        elif isinstance(one, list | tuple):
            left.extend(one)
    return found

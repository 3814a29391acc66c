"""Layers: collections above others, which show the items below and leave them unchanged."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, MutableMapping, MutableSet
from itertools import islice, takewhile
from typing import Any, TypeVar

from mockserver.core.state.tables import Tally

Item = TypeVar("Item")


class Layer(MutableMapping[Any, Any]):
    """Rows above the rows of another mapping, each of which is copied when it is first read.

    `tally` counts the rows of the layer; `copied` makes the copy of a row.
    """

    def __init__(
        self, below: Mapping[Any, Any], tally: Tally | None = None, copied: Callable[[Any], Any] = copy.copy
    ) -> None:
        self._below = below
        self._tally = tally or Tally()
        self._copied = copied
        self._own: dict[Any, Any] = {}
        self._gone: set[Any] = set()
        self._count = len(below)
        #: How many of the first items below are deleted here: `__iter__` skips them without looking at each again.
        self._front = 0

    def __contains__(self, key: object) -> bool:
        return key in self._own or (key in self._below and key not in self._gone)

    def __getitem__(self, key: Any) -> Any:
        if key not in self._own:
            if key in self._gone:
                raise KeyError(key)
            self._own[key] = self._copied(self._below[key])
        return self._own[key]

    def __setitem__(self, key: Any, row: Any) -> None:
        self._grow(key not in self)
        self._own[key] = row
        if key in self._gone:  # its position is again that of the row below
            self._gone.discard(key)
            self._front = 0

    def __delitem__(self, key: Any) -> None:
        if key not in self:
            raise KeyError(key)
        self._own.pop(key, None)
        if key in self._below:
            self._gone.add(key)
        self._grow(-1)

    def _grow(self, number: int) -> None:
        self._count += number
        self._tally.rows += number

    def __iter__(self) -> Iterator[Any]:
        self._front += sum(1 for _ in takewhile(self._gone.__contains__, islice(self._below, self._front, None)))
        yield from (key for key in islice(self._below, self._front, None) if key not in self._gone)
        yield from (key for key in tuple(self._own) if key not in self._below)

    def __len__(self) -> int:
        return self._count

    def shown(self) -> Iterator[tuple[Any, Any]]:
        """The items, to be read only: the rows below are not copied."""
        own, gone = self._own, self._gone
        for key, row in self._below.items():
            if key in own:
                yield key, own[key]
            elif key not in gone:
                yield key, row
        yield from ((key, own[key]) for key in tuple(own) if key not in self._below)


def shown(rows: Mapping[Any, Any]) -> Iterable[tuple[Any, Any]]:
    """The items of a mapping, to be read only: those of a layer come without copying the rows below."""
    return rows.shown() if isinstance(rows, Layer) else rows.items()


class LayeredSet(MutableSet[Item]):
    """A set above another one, which shows the items below and leaves them unchanged."""

    def __init__(self, below: Collection[Item]) -> None:
        self._below = below
        self._own: set[Item] = set()
        self._gone: set[Item] = set()

    def __contains__(self, item: object) -> bool:
        return item in self._own or (item in self._below and item not in self._gone)

    def __iter__(self) -> Iterator[Item]:
        yield from (item for item in self._below if item not in self._gone)
        yield from self._own

    def __len__(self) -> int:
        return len(self._below) - len(self._gone) + len(self._own)

    def add(self, value: Item) -> None:
        if value in self._below:
            self._gone.discard(value)
        else:
            self._own.add(value)

    def discard(self, value: Item) -> None:
        self._own.discard(value)
        if value in self._below:
            self._gone.add(value)

    def update(self, *others: Iterable[Item]) -> None:
        for other in others:
            for item in other:
                self.add(item)

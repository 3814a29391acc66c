"""Where rows stand: tables, timelines and single records by the type of their rows.

The core never learns a resource's name; a room asks for `account.table(Sender)` and has one on first use.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from datetime import datetime
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Generic, Protocol, TypeVar

Row = TypeVar("Row")


class Dated(Protocol):
    """A row with a moment of its own."""

    date: datetime


DatedRow = TypeVar("DatedRow", bound=Dated)
_date = attrgetter("date")


class Tally:
    """How many rows stand on some shelves together, how many there may be, and what the large ones take."""

    __slots__ = ("beside", "bytes", "limit", "rows")

    def __init__(self, limit: float = math.inf, rows: int = 0, beside: Sequence[Sized] = (), *, held: int = 0) -> None:
        self.limit, self.rows, self.bytes = limit, rows, held
        #: What counts as well, and is on no shelf; nothing that leads back here, so that a workspace goes at once.
        self.beside = beside

    def kept(self) -> int:
        """How many there are in all."""
        return self.rows + sum(map(len, self.beside))


class Table(dict[Any, Any]):
    """Rows by their key, in the order of adding, which are counted in a tally; reading is that of any dictionary."""

    __slots__ = ("tally",)

    def __init__(self, tally: Tally | None = None) -> None:
        super().__init__()
        self.tally = tally or Tally()

    def __reduce__(self) -> Any:
        # Its rows cannot be put into a copy one by one: they would be counted twice.
        return _table, (type(self), dict(self), self.tally)

    def __setitem__(self, key: Any, row: Any) -> None:
        before = len(self)
        super().__setitem__(key, row)
        self.tally.rows += len(self) - before

    def __delitem__(self, key: Any) -> None:
        super().__delitem__(key)
        self.tally.rows -= 1

    def setdefault(self, key: Any, default: Any = None) -> Any:
        before = len(self)
        found = super().setdefault(key, default)
        self.tally.rows += len(self) - before
        return found

    def pop(self, key: Any, *default: Any) -> Any:
        before = len(self)
        found = super().pop(key, *default)
        self.tally.rows += len(self) - before
        return found

    def update(self, *args: Any, **rows: Any) -> None:
        before = len(self)
        super().update(*args, **rows)
        self.tally.rows += len(self) - before

    def clear(self) -> None:
        self.tally.rows -= len(self)
        super().clear()


def _table(kind: type[Table], rows: Mapping[Any, Any], tally: Tally) -> Table:
    """A table of rows that its tally counts already."""
    found = kind(tally)
    dict.update(found, rows)
    return found


class Timeline(Generic[DatedRow]):
    """Dated rows, oldest first, whatever the order of adding; counted in a tally.

    Where that is full, a row that is added takes the place of the oldest one; where there is none, it is left out.
    """

    def __init__(self, tally: Tally | None = None) -> None:
        self._rows: list[DatedRow] = []
        self.tally = tally or Tally()

    def __iter__(self) -> Iterator[DatedRow]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, row: DatedRow) -> None:
        insort(self._rows, row, key=_date)
        if self.tally.kept() < self.tally.limit:
            self.tally.rows += 1
        else:
            del self._rows[0]

    def extend(self, rows: Iterable[DatedRow]) -> None:
        before = len(self._rows)
        self._rows.extend(rows)
        self._rows.sort(key=_date)
        self.tally.rows += len(self._rows) - before

    def page(
        self,
        start: datetime,
        end: datetime,
        *,
        offset: int,
        limit: int,
        oldest_first: bool = False,
        where: Callable[[DatedRow], bool] | None = None,
    ) -> list[DatedRow]:
        """The rows from a moment to another, both included, newest first; without `where` it costs what it gives."""
        low = bisect_left(self._rows, start, key=_date)
        indexes: Sequence[int] = range(low, bisect_right(self._rows, end, lo=low, key=_date))
        if where is not None:
            indexes = [index for index in indexes if where(self._rows[index])]
        if not oldest_first:
            indexes = indexes[::-1]
        return [self._rows[index] for index in indexes[offset : offset + limit]]


#: Stands for a table that nobody has made.
_NO_ROWS: Mapping[Any, Any] = MappingProxyType({})


class Bounded:
    """A type of rows that have a limit of their own, and do not count."""

    __slots__ = ()


class Tables:
    """The rows of an account, or those that a workspace has beside its accounts."""

    def __init__(self) -> None:
        #: Counts the rows here, but those of types that have a limit of their own.
        self.tally = Tally()
        #: What those rows here take in memory whose bytes are limited.
        self.bytes = 0
        self._tables: dict[type, dict[Any, Any]] = {}
        self._timelines: dict[type, Timeline[Any]] = {}
        self._records: dict[type, Any] = {}

    def __getstate__(self) -> dict[str, Any]:
        """All that it consists of, but for tables and timelines that somebody has asked for in vain."""
        return {
            **vars(self),
            "_tables": {row: rows for row, rows in self._tables.items() if rows},
            "_timelines": {row: rows for row, rows in self._timelines.items() if rows},
        }

    def longest(self) -> int:
        """How many rows the longest table has; timelines give parts only."""
        return max(map(len, self._tables.values()), default=0)

    def count(self) -> int:
        """How many rows stand here."""
        return sum(map(len, tuple(self._tables.values()))) + sum(map(len, tuple(self._timelines.values())))

    def table(self, row: type[Row]) -> dict[Any, Row]:
        """The rows of this type by their key, in the order of adding."""
        found = self._tables.get(row)
        if found is None:
            found = self._tables[row] = Table(None if issubclass(row, Bounded) else self.tally)
        return found

    def rows_of(self, row: type[Row]) -> Mapping[Any, Row]:
        """The rows of this type by their key, only to be looked at: where there are none, no table is made for them."""
        return self._tables.get(row, _NO_ROWS)

    def timeline(self, row: type[DatedRow]) -> Timeline[DatedRow]:
        """The rows of this type by their date."""
        found = self._timelines.get(row)
        if found is None:
            found = self._timelines[row] = Timeline(self.tally)
        return found

    def record(self, row: type[Row]) -> Row:
        """The one row of this type, made with its defaults on first use."""
        found = self._records.get(row)
        if found is None:
            found = self._records[row] = row()
            if isinstance(found, Table):
                found.tally = self.tally
        return found

    def weigh(self, size: int) -> None:
        """Count so many bytes more, or fewer, of what stands here."""
        self.bytes += size
        self.tally.bytes += size

    def leave(self) -> None:
        """Count no longer where the rows were counted: the shelf is gone."""
        before, self.tally = self.tally, Tally()
        before.bytes -= self.bytes
        for part in (*self._tables.values(), *self._timelines.values(), *self._records.values()):
            if isinstance(part, Table | Timeline) and part.tally is before:
                before.rows -= len(part)
                part.tally = self.tally

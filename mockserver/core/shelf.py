"""Where rows stand: tables, timelines and single records by the type of their rows.

The core never learns a resource's name; a room asks for `account.table(Sender)` and has one on first use.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from operator import attrgetter
from typing import Any, Generic, Protocol, TypeVar

Row = TypeVar("Row")


class Dated(Protocol):
    """A row with a moment of its own."""

    date: datetime


DatedRow = TypeVar("DatedRow", bound=Dated)
_date = attrgetter("date")


class Timeline(Generic[DatedRow]):
    """Dated rows, oldest first, whatever the order of adding."""

    def __init__(self) -> None:
        self._rows: list[DatedRow] = []

    def __iter__(self) -> Iterator[DatedRow]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, row: DatedRow) -> None:
        insort(self._rows, row, key=_date)

    def extend(self, rows: Iterable[DatedRow]) -> None:
        self._rows.extend(rows)
        self._rows.sort(key=_date)

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


class Shelf:
    """The rows of an account, or those that a workspace has beside its accounts."""

    def __init__(self) -> None:
        self._tables: dict[type, dict[Any, Any]] = {}
        self._timelines: dict[type, Timeline[Any]] = {}
        self._records: dict[type, Any] = {}

    def longest(self) -> int:
        """How many rows the longest table has; timelines give parts only."""
        return max(map(len, self._tables.values()), default=0)

    def count(self) -> int:
        """How many rows stand here."""
        return sum(map(len, tuple(self._tables.values()))) + sum(map(len, tuple(self._timelines.values())))

    def table(self, row: type[Row]) -> dict[Any, Row]:
        """The rows of this type by their key, in the order of adding."""
        return self._tables.setdefault(row, {})

    def timeline(self, row: type[DatedRow]) -> Timeline[DatedRow]:
        """The rows of this type by their date."""
        return self._timelines.setdefault(row, Timeline[Any]())

    def record(self, row: type[Row]) -> Row:
        """The one row of this type, made with its defaults on first use."""
        found = self._records.get(row)
        if found is None:
            found = self._records[row] = row()
        return found

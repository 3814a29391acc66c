"""Tables: the rows of an account or a workspace, by type, counted and versioned."""

from __future__ import annotations

import copy
import math
from bisect import bisect_left, bisect_right, insort
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping, Sequence, Sized
from datetime import datetime
from itertools import islice, takewhile
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from mockserver.core.time.clock import draw_trace_version, draw_version

Key = TypeVar("Key")
Row = TypeVar("Row")


class Dated(Protocol):
    date: datetime


DatedRow = TypeVar("DatedRow", bound=Dated)
_date = attrgetter("date")
#: Stands for a table that was never created.
_NO_ROWS: Mapping[Any, Any] = MappingProxyType({})


class Tally:
    """The number of rows of several tables together, its limit, and the bytes of weighed rows and of stored values."""

    __slots__ = ("beside", "bytes", "limit", "rows", "stored")

    def __init__(
        self,
        limit: float = math.inf,
        rows: int = 0,
        beside: Sequence[Sized] = (),
        *,
        held: int = 0,
        stored: int = 0,
    ) -> None:
        self.limit, self.rows, self.bytes = limit, rows, held
        #: The bytes of contacts and of values that stubs have stored.
        self.stored = stored
        #: Other collections whose items count. They must not refer to the tally: a cycle would delay its release.
        self.beside = beside

    def kept(self) -> int:
        return self.rows + sum(map(len, self.beside))


class Table(dict[Key, Row]):
    """Rows by key in insertion order, counted by a tally."""

    __slots__ = ("tally",)

    def __init__(self, tally: Tally | None = None) -> None:
        super().__init__()
        self.tally = tally or Tally()

    def __reduce__(self) -> Any:
        # A copy must not add the rows one by one: the tally, which is copied too, has counted them.
        return _table, (type(self), dict(self), self.tally)

    def __setitem__(self, key: Key, row: Row) -> None:
        before = len(self)
        super().__setitem__(key, row)
        self.tally.rows += len(self) - before

    def __delitem__(self, key: Key) -> None:
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


def _table(kind: type[Table[Any, Any]], rows: Mapping[Any, Any], tally: Tally) -> Table[Any, Any]:
    found = kind(tally)
    dict.update(found, rows)
    return found


class Timeline(Generic[DatedRow]):
    """Rows by their date, oldest first, in whatever order they are added; counted in a tally.

    While the tally is full, adding a row drops the oldest one, which may be the new row.
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

    def last(self, number: int) -> list[DatedRow]:
        """Return the last rows, newest first; the cost grows with the returned rows."""
        return self._rows[: -number - 1 : -1]

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
        """Return up to `limit` rows from `start` to `end`, both included, newest first, after the first `offset`.

        Without `where` the cost grows with the returned rows, not with those in the period.
        """
        low = bisect_left(self._rows, start, key=_date)
        indexes: Sequence[int] = range(low, bisect_right(self._rows, end, lo=low, key=_date))
        if where is not None:
            indexes = [index for index in indexes if where(self._rows[index])]
        if not oldest_first:
            indexes = indexes[::-1]
        return [self._rows[index] for index in indexes[offset : offset + limit]]


class Derived:
    """Base of records derived from rows, such as indexes or queues; never saved."""

    __slots__ = ()

    def follow(self, workspace: Any) -> None:
        """Fill the new record from a workspace's rows."""


class Bounded:
    """Base of row types with separate limits, not counted against the workspace's."""

    __slots__ = ()


class Contents(NamedTuple):
    """All tables, timelines and records by row type."""

    tables: Mapping[type, dict[Any, Any]]
    timelines: Mapping[type, Sequence[Any]]
    records: Mapping[type, Any]


class Tables:
    """The rows of an account, or account-independent rows of a workspace.

    Whoever calls `table`, `timeline` or `record` may change the result and its rows until the step ends. Callers that
    only read call `rows_of`, `timeline_of` or `record_of`, which does not make a store save the rows again.
    """

    def __init__(self) -> None:
        #: The count of rows, except those of `Bounded` types.
        self.tally = Tally()
        #: The bytes of the weighed rows, and of contacts and values that stubs have stored.
        self.bytes = self.stored = 0
        self._tables: dict[type, dict[Any, Any]] = {}
        self._timelines: dict[type, Timeline[Any]] = {}
        self._records: dict[type, Any] = {}
        #: The version by type, if it was asked for.
        self._versions: dict[type, int] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Return all attributes, without empty tables and timelines and without versions."""
        return {
            **vars(self),
            "_tables": {row: rows for row, rows in self._tables.items() if rows},
            "_timelines": {row: rows for row, rows in self._timelines.items() if rows},
            "_versions": {},
        }

    @property
    def contents(self) -> Contents:
        timelines = {row: found._rows for row, found in self._timelines.items() if found}  # noqa: SLF001  # this module
        return Contents({row: rows for row, rows in self._tables.items() if rows}, timelines, self._records)

    def put_table(self, row: type, rows: Mapping[Any, Any]) -> None:
        own = Tally(rows=len(rows)) if issubclass(row, Bounded) else self.tally
        self._tables[row] = _table(Table, rows, own)

    def put_timeline(self, row: type, rows: Sequence[Any]) -> None:
        """Put back a saved timeline; the caller sets the tally."""
        timeline = self._timelines[row] = Timeline(self.tally)
        timeline._rows.extend(rows)  # noqa: SLF001  # this module

    def put_record(self, row: type, record: Any) -> None:
        """Put back a saved record; the caller sets the tally."""
        self._records[row] = record
        if isinstance(record, Table):
            record.tally = self.tally

    def take_over(self, before: Tables, row: type) -> bool:
        """Take over a type's rows and version. Return whether rows exist."""
        groups: Sequence[tuple[dict[type, Any], dict[type, Any]]] = (
            (self._tables, before._tables), (self._timelines, before._timelines), (self._records, before._records),
        )  # fmt: skip
        found = [(mine, theirs[row]) for mine, theirs in groups if row in theirs]
        for mine, rows in found:
            mine[row] = rows
        self._versions[row] = before.version(row)
        return bool(found)

    def version(self, row: type) -> int:
        """Return a number that changes with a type's rows."""
        found = self._versions.get(row)
        if found is None:
            found = self._versions[row] = draw_version()
        return found

    def longest(self) -> int:
        """Return the longest table's length, ignoring timelines, which are read page by page."""
        return max(map(len, self._tables.values()), default=0)

    def count(self) -> int:
        """Return the number of rows of all tables and timelines."""
        return sum(map(len, tuple(self._tables.values()))) + sum(map(len, tuple(self._timelines.values())))

    def table(self, row: type[Row]) -> dict[Any, Row]:
        """Return a type's rows by key, for changing."""
        self._versions[row] = draw_version()
        found = self._tables.get(row)
        if found is None:
            found = self._tables[row] = Table(None if issubclass(row, Bounded) else self.tally)
        return found

    def rows_of(self, row: type[Row]) -> Mapping[Any, Row]:
        return self._tables.get(row, _NO_ROWS)

    def timeline(self, row: type[DatedRow]) -> Timeline[DatedRow]:
        """Return a type's rows by date, for changing."""
        self._versions[row] = draw_version()
        found = self._timelines.get(row)
        if found is None:
            found = self._timelines[row] = Timeline(self.tally)
        return found

    def timeline_of(self, row: type[DatedRow]) -> Timeline[DatedRow]:
        return self._timelines.get(row) or Timeline()

    def record(self, row: type[Row]) -> Row:
        """Return the only row of a type, created with its defaults on first use."""
        self._versions[row] = draw_version()
        found = self._records.get(row)
        if found is None:
            found = self._records[row] = row()
            if isinstance(found, Table):
                found.tally = self.tally
        return found

    def trace(self, row: type[Row]) -> Row:
        """Return the only row of a type of traces, as `record` does: a store saves it a little later."""
        if row not in self._records:
            return self.record(row)
        self._versions[row] = draw_trace_version()
        found: Row = self._records[row]
        return found

    def record_of(self, row: type[Row]) -> Row | None:
        """Return a type's single row for reading, or None."""
        return self._records.get(row)

    def weigh(self, size: int) -> None:
        """Add `size` to the counted bytes of rows; a negative size subtracts."""
        self.bytes += size
        self.tally.bytes += size

    def weigh_stored(self, size: int) -> None:
        """Add `size` to the counted bytes of contacts and stored values; a negative size subtracts."""
        self.stored += size
        self.tally.stored += size

    def leave(self) -> None:
        """Subtract a removed account's rows and bytes."""
        before, self.tally = self.tally, Tally()
        before.bytes -= self.bytes
        before.stored -= self.stored
        for rows in (*self._tables.values(), *self._timelines.values(), *self._records.values()):
            if isinstance(rows, Table | Timeline) and rows.tally is before:
                before.rows -= len(rows)
                rows.tally = self.tally


class Layer(MutableMapping[Any, Any]):
    """Rows above an unchanged mapping, each row copied when first read.

    Args:
        below: The other mapping.
        tally: Counts the rows of the layer.
        copied: Copies a row.
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
        #: The number of first items below that are deleted here: `__iter__` skips them without looking at each again.
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


def shown(rows: Mapping[Any, Any]) -> Iterator[tuple[Any, Any]]:
    """Yield a mapping's items for reading only, without copying layered rows."""
    if not isinstance(rows, Layer):
        yield from rows.items()
        return
    for key in rows:
        yield key, rows._own[key] if key in rows._own else rows._below[key]  # noqa: SLF001  # this module

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

from mockserver.core.time.clock import draw_version

Key = TypeVar("Key")
Row = TypeVar("Row")


class Dated(Protocol):
    """A row that happened at a moment."""

    date: datetime


DatedRow = TypeVar("DatedRow", bound=Dated)
_date = attrgetter("date")


class Tally:
    """A count of the rows of several tables together, with its limit, and of the bytes of those that are weighed.

    `held` are the bytes to begin with.
    """

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
        #: How many bytes the values take that stubs have stored.
        self.stored = stored
        #: Other collections whose items count. None may refer back here: without a cycle a dropped workspace is freed
        #: at once.
        self.beside = beside

    def kept(self) -> int:
        """How many rows and other items there are in all."""
        return self.rows + sum(map(len, self.beside))


class Table(dict[Key, Row]):
    """Rows by their key, in the order of adding, counted in a tally; apart from that a dictionary."""

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
    """A table with rows that the tally has counted already."""
    found = kind(tally)
    dict.update(found, rows)
    return found


class Timeline(Generic[DatedRow]):
    """Dated rows, oldest first, in whatever order they are added; counted in a tally.

    While the tally is full, adding a row drops the oldest one, which may be the row itself.
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
        """Up to so many rows, newest first; the cost grows with the rows returned."""
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
        """Up to `limit` rows from `start` to `end`, both included, newest first, after the first `offset` of them.

        Without `where` the cost grows with the rows returned, not with those in the period.
        """
        low = bisect_left(self._rows, start, key=_date)
        indexes: Sequence[int] = range(low, bisect_right(self._rows, end, lo=low, key=_date))
        if where is not None:
            indexes = [index for index in indexes if where(self._rows[index])]
        if not oldest_first:
            indexes = indexes[::-1]
        return [self._rows[index] for index in indexes[offset : offset + limit]]


def _own_tally(row: type, rows: int) -> Tally | None:
    """The tally of a table that counts for itself, or None."""
    return Tally(rows=rows) if issubclass(row, Bounded) else None


#: Stands for a table that was never made.
_NO_ROWS: Mapping[Any, Any] = MappingProxyType({})


class Following:
    """Base of records that follow from rows: they are not written down, but made again of the rows."""

    __slots__ = ()

    def follow(self, workspace: Any) -> None:
        """Become what follows from the rows of a workspace; the record is new, and all of its rows are there."""


class Bounded:
    """Base of row types that have a limit of their own, and do not count towards that of the workspace."""

    __slots__ = ()


class Contents(NamedTuple):
    """All rows of tables that have some, by the type of the row."""

    tables: Mapping[type, dict[Any, Any]]
    timelines: Mapping[type, Sequence[Any]]
    records: Mapping[type, Any]


class Tables:
    """The rows of an account, or those of a workspace that belong to no account.

    Whoever asks for a `table`, a `timeline` or a `record` may change it, and any row in it, as long as it holds the
    lock of the workspace, and no longer. Who only reads asks for `rows_of` or `timeline_of`: what nobody could change
    is not written down again.
    """

    def __init__(self) -> None:
        #: Counts the rows, except those of `Bounded` types.
        self.tally = Tally()
        #: How many bytes the weighed rows take in memory, and how many the values that stubs have stored.
        self.bytes = self.stored = 0
        self._tables: dict[type, dict[Any, Any]] = {}
        self._timelines: dict[type, Timeline[Any]] = {}
        self._records: dict[type, Any] = {}
        #: The versions of all of those, by type, as far as somebody has asked for them.
        self._versions: dict[type, int] = {}

    def __getstate__(self) -> dict[str, Any]:
        """All attributes, without the tables and timelines that have no rows, and without versions."""
        return {
            **vars(self),
            "_tables": {row: rows for row, rows in self._tables.items() if rows},
            "_timelines": {row: rows for row, rows in self._timelines.items() if rows},
            "_versions": {},
        }

    @property
    def contents(self) -> Contents:
        """All rows, to be written down."""
        timelines = {row: found._rows for row, found in self._timelines.items() if found}  # noqa: SLF001  # this module
        return Contents({row: rows for row, rows in self._tables.items() if rows}, timelines, self._records)

    def put_table(self, row: type, rows: Mapping[Any, Any]) -> None:
        """Put back a table that was written down; the tally, which is not this one's alone, is set besides."""
        self._tables[row] = _table(Table, rows, _own_tally(row, len(rows)) or self.tally)

    def put_timeline(self, row: type, rows: Sequence[Any]) -> None:
        """Put back a timeline that was written down, as `put_table`."""
        timeline = self._timelines[row] = Timeline(self.tally)
        timeline._rows.extend(rows)  # noqa: SLF001  # this module

    def put_record(self, row: type, record: Any) -> None:
        """Put back a record that was written down, as `put_table`."""
        self._records[row] = record
        if isinstance(record, Table):
            record.tally = self.tally

    def take_over(self, before: Tables, row: type) -> bool:
        """Take over the rows of a type in their version from other tables; returns whether there are any."""
        groups: Sequence[tuple[dict[type, Any], dict[type, Any]]] = (
            (self._tables, before._tables), (self._timelines, before._timelines), (self._records, before._records),
        )  # fmt: skip
        found = [(mine, theirs[row]) for mine, theirs in groups if row in theirs]
        for mine, rows in found:
            mine[row] = rows
        self._versions[row] = before.version(row)
        return bool(found)

    def version(self, row: type) -> int:
        """The version of what is here of a type: another one if it may have changed."""
        found = self._versions.get(row)
        if found is None:
            found = self._versions[row] = draw_version()
        return found

    def longest(self) -> int:
        """How many rows the longest table has; timelines do not count, as they are read by the page."""
        return max(map(len, self._tables.values()), default=0)

    def count(self) -> int:
        """How many rows all tables and timelines have."""
        return sum(map(len, tuple(self._tables.values()))) + sum(map(len, tuple(self._timelines.values())))

    def table(self, row: type[Row]) -> dict[Any, Row]:
        """The rows of a type by their key, in the order of adding; the table is made on first use."""
        self._versions[row] = draw_version()
        found = self._tables.get(row)
        if found is None:
            found = self._tables[row] = Table(None if issubclass(row, Bounded) else self.tally)
        return found

    def rows_of(self, row: type[Row]) -> Mapping[Any, Row]:
        """The rows of a type by their key, to be read only: no table is made if there are none."""
        return self._tables.get(row, _NO_ROWS)

    def timeline(self, row: type[DatedRow]) -> Timeline[DatedRow]:
        """The rows of a type by their date; the timeline is made on first use."""
        self._versions[row] = draw_version()
        found = self._timelines.get(row)
        if found is None:
            found = self._timelines[row] = Timeline(self.tally)
        return found

    def timeline_of(self, row: type[DatedRow]) -> Timeline[DatedRow]:
        """The rows of a type by their date, to be read only."""
        return self._timelines.get(row) or Timeline()

    def record(self, row: type[Row]) -> Row:
        """The only row of a type, made with its defaults on first use."""
        self._versions[row] = draw_version()
        found = self._records.get(row)
        if found is None:
            found = self._records[row] = row()
            if isinstance(found, Table):
                found.tally = self.tally
        return found

    def record_of(self, row: type[Row]) -> Row | None:
        """The only row of a type, to be read only, or None if there is none."""
        return self._records.get(row)

    def weigh(self, size: int) -> None:
        """Count `size` more bytes for the rows here, or fewer if it is negative."""
        self.bytes += size
        self.tally.bytes += size

    def weigh_stored(self, size: int) -> None:
        """Count `size` more bytes for the values that stubs have stored, or fewer if it is negative."""
        self.stored += size
        self.tally.stored += size

    def leave(self) -> None:
        """Take all rows and bytes here out of the tally: the account is removed."""
        before, self.tally = self.tally, Tally()
        before.bytes -= self.bytes
        before.stored -= self.stored
        for rows in (*self._tables.values(), *self._timelines.values(), *self._records.values()):
            if isinstance(rows, Table | Timeline) and rows.tally is before:
                before.rows -= len(rows)
                rows.tally = self.tally


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

"""The rows of an account, or of a workspace, and the types by whose names they are found again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import GenericAlias
from typing import Any, NamedTuple, get_args

from mockserver.core.state.tables import Contents, Following, Tables
from mockserver.storage.records.packing import pack, unpack
from mockserver.storage.records.unreadable import UnreadableError

#: Where the types of rows live; nothing else is imported because it stands in a file.
_WITHIN = ("mockserver.core.", "mockserver.resources.", "mockserver.web.service.")
#: Rows of one kind, packed.
Packed = bytes
#: From how many bytes on a table, a timeline or a record is a part of its own, which is written only if it has changed:
#: every request changes the rate limits of an account, and few anything else. Chosen: a smaller one costs less to write
#: than to keep apart.
_LARGE = 512
#: Stands for what is a part of its own.
_APART = b""
#: Stands for a record that follows from rows.
_FOLLOWS = pack(None)


class Rows(NamedTuple):
    """All rows of `Tables`, each kind packed by itself, by the names of their types."""

    weighed: int
    stored: int
    tables: Mapping[str, Packed]
    timelines: Mapping[str, Packed]
    records: Mapping[str, Packed]

    def together(self, large: Callable[[str], Packed]) -> Rows:
        """The rows with what is a part of its own, by the names of their types."""
        tables, timelines, records = (
            {name: large(name) if data == _APART else data for name, data in found.items()}
            for found in (self.tables, self.timelines, self.records)
        )
        return self._replace(tables=tables, timelines=timelines, records=records)


class Known(NamedTuple):
    """What was packed of a type, and which version of it."""

    version: int
    #: The rows; nothing, if they are a part of their own.
    data: Packed


class Packing:
    """The packing of all rows of `Tables`, but for those that were packed before and are of the same version."""

    def __init__(self, before: Mapping[type, Known]) -> None:
        """Begin; `before` is what the last packing of the same tables has left in `known`."""
        self._before = before
        self.known: dict[type, Known] = {}
        #: What is a part of its own, by the names of the types; None: it is the same as before.
        self.large: dict[str, Packed | None] = {}

    def rows_of(self, tables: Tables) -> Rows:
        """The rows as they are now; with nothing in the place of those that are parts of their own."""
        found = tables.contents
        return Rows(
            tables.bytes,
            tables.stored,
            self._all(tables, found.tables.items()),
            self._all(tables, found.timelines.items()),
            self._all(tables, found.records.items()),
        )

    def _all(self, tables: Tables, found: Iterable[tuple[type, Any]]) -> dict[str, Packed]:
        return {name_of(kind): self._packed(kind, rows, tables.version(kind)) for kind, rows in found}

    def _packed(self, kind: type, rows: Any, version: int) -> Packed:
        known = self._before.get(kind)
        is_new = known is None or known.version != version
        if known is None or is_new:
            data = _FOLLOWS if issubclass(kind, Following) else pack(rows)
            known = Known(version, data if len(data) <= _LARGE else _APART)
        else:
            data = known.data
        self.known[kind] = known
        if known.data == _APART:
            self.large[name_of(kind)] = data if is_new else None
        return known.data


def put_back(tables: Tables, rows: Rows) -> None:
    """Fill empty tables with rows; the tally, which is not theirs alone, is to be set besides.

    Raises:
        UnreadableError: they are no rows.
    """
    tables.bytes, tables.stored = rows.weighed, rows.stored
    contents = Contents(
        {kind: unpack(data, _mapping(Any, kind)) for kind, data in _by_type(rows.tables)},
        {kind: unpack(data, _list(kind)) for kind, data in _by_type(rows.timelines)},
        {kind: _record(data, kind) for kind, data in _by_type(rows.records)},
    )
    tables.put_back(contents)


def _by_type(named: Mapping[str, bytes]) -> list[tuple[type, bytes]]:
    return [(type_of(name), data) for name, data in named.items()]


def _list(kind: Any) -> Any:
    """The type of lists whose items have a type that is known at runtime."""
    return GenericAlias(list, kind)


def _mapping(key: Any, kind: Any) -> Any:
    return GenericAlias(dict, (key, kind))


def _record(data: bytes, kind: type) -> Any:
    if issubclass(kind, Following):
        return kind()
    if not issubclass(kind, dict):
        return unpack(data, kind)
    # Of a subclass of a generic mapping the items have the types that its definition says.
    found = kind()
    found.update(unpack(data, _mapping(*get_args(vars(kind)["__orig_bases__"][0]))))
    return found


@cache
def name_of(kind: type) -> str:
    """The name under which the rows of a type are written."""
    return f"{kind.__module__}:{kind.__qualname__}"


@cache
def type_of(name: str) -> type:
    """The type of rows of a name.

    Raises:
        UnreadableError: there is no such type.
    """
    module, _, wanted = name.partition(":")
    found = vars(import_module(module)).get(wanted) if _is_module(module) else None
    if not isinstance(found, type):
        raise UnreadableError(f"there are no rows {name!r}")
    return found


def _is_module(name: str) -> bool:
    """Whether a module of a name may be imported, and exists."""
    try:
        return name.startswith(_WITHIN) and find_spec(name) is not None
    except (ImportError, ValueError):
        return False

"""The rows of an account or of a workspace, and the types by whose names they are read again."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import GenericAlias
from typing import Any, NamedTuple, get_args

from mockserver.core.state.tables import Derived, Tables
from mockserver.storage.records.packing import SEAL, UnreadableError, pack, seal, unpack, unseal

#: Where the types of rows live; nothing else is imported because a field names it.
_WITHIN = ("mockserver.core.", "mockserver.resources.", "mockserver.web.service.")
#: Rows of a type with more bytes are a field of their own, written only if they have changed: every request changes the
#: rate limits of an account, and few anything else. Chosen: smaller rows cost less to write than to keep apart.
_LARGE = 512
#: The packed rows of one type, or, if they are a field of their own, its checksum.
Packed = bytes | int
#: The version of the rows of each type, and what they were packed as.
Known = Mapping[type, tuple[int, Packed]]


class Rows(NamedTuple):
    """All rows of `Tables`, packed by type, by the names of the types."""

    weighed: int
    stored: int
    tables: Mapping[str, Packed]
    timelines: Mapping[str, Packed]
    records: Mapping[str, Packed]


class Packing:
    """The rows of `Tables`, of which only those are packed that have another version than before."""

    def __init__(self, tables: Tables, before: Known) -> None:
        """Pack the rows; `before` is `known` of the last packing of the same tables."""
        self._tables, self._before = tables, before
        self.known: dict[type, tuple[int, Packed]] = {}
        #: The contents of fields of their own by type; None if the content has not changed.
        self.large: dict[type, bytes | None] = {}
        self.rows = Rows(tables.bytes, tables.stored, *map(self._all, tables.contents))

    def _all(self, group: Mapping[type, Any]) -> dict[str, Packed]:
        return {name_of(kind): self._packed(kind, rows, self._tables.version(kind)) for kind, rows in group.items()}

    def _packed(self, kind: type, rows: Any, version: int) -> Packed:
        before, packed = self._before.get(kind, (None, b""))
        content = None
        if before != version:
            packed = pack(None if issubclass(kind, Derived) else rows)
            if len(packed) > _LARGE:
                content = seal(packed)
                packed = int.from_bytes(content[:SEAL])
        self.known[kind] = version, packed
        if isinstance(packed, int):
            self.large[kind] = content
        return packed


def put_back(tables: Tables, rows: Rows, part: str, fields: Mapping[str, bytes], before: Tables | None) -> None:
    """Fill new tables with rows, or raise UnreadableError; their tally, which is not theirs alone, is set elsewhere.

    Large rows that are not among the fields, under the name of the part with the others, are as in the tables `before`.
    """
    tables.bytes, tables.stored = rows.weighed, rows.stored
    for group, read in zip(rows[2:], (_read_table, _read_timeline, _read_record), strict=True):
        for name, packed in group.items():
            kind = type_of(name)
            content = fields.get(large_field(part, kind))
            if isinstance(packed, bytes):
                read(tables, kind, packed)
            elif content is not None and int.from_bytes(content[:SEAL]) == packed:
                read(tables, kind, unseal(content))
            elif content is not None or before is None or not tables.take_over(before, kind):
                raise UnreadableError(f"the rows {name} are missing, or of another version")


def _read_table(tables: Tables, kind: type, data: bytes) -> None:
    tables.put_table(kind, unpack(data, GenericAlias(dict, (Any, kind))))


def _read_timeline(tables: Tables, kind: type, data: bytes) -> None:
    tables.put_timeline(kind, unpack(data, GenericAlias(list, kind)))


def _read_record(tables: Tables, kind: type, data: bytes) -> None:
    found: Any = kind() if issubclass(kind, dict | Derived) else unpack(data, kind)
    if issubclass(kind, dict):
        # The items of a subclass of a generic mapping have the types that its definition says.
        found.update(unpack(data, GenericAlias(dict, get_args(vars(kind)["__orig_bases__"][0]))))
    tables.put_record(kind, found)


def large_field(part: str, kind: type) -> str:
    """Return the name of the field of large rows, by the field of the state or account that has them."""
    return f"{part}/{name_of(kind)}"


@cache
def name_of(kind: type) -> str:
    """Return the name under which the rows of a type are written."""
    return f"{kind.__module__}:{kind.__qualname__}"


@cache
def type_of(name: str) -> type:
    """Return the type of rows with a name, or raise UnreadableError if there is none."""
    module, _, wanted = name.partition(":")
    try:
        found = getattr(import_module(module), wanted, None) if module.startswith(_WITHIN) else None
    except ImportError:
        found = None
    if not isinstance(found, type):
        raise UnreadableError(f"there are no rows {name!r}")
    return found

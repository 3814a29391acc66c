"""Encoding typed values and rows as MessagePack; types restrict the input, so that bytes cannot name code to run."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from functools import cache
from importlib import import_module
from types import GenericAlias
from typing import Any, NamedTuple, get_args, get_origin
from zlib import crc32

import msgspec

from mockserver.core.state.tables import Derived, Tables
from mockserver.core.traffic.match import Glob

#: How many bytes a checksum takes.
SEAL = 4
#: The first byte of values that are written exactly: MessagePack never uses it.
_EXACT = b"\xc1"
#: The types that stay as they are when a typed value becomes a plain one.
_PLAIN = (bytes, date, datetime, timedelta)


class UnreadableError(ValueError):
    """Damaged bytes, or a workspace of another layout, with a description for users."""


def layout() -> str:
    """Return a digest of all stored types: stores of another layout must not be read.

    A test computes the digest, which takes longer than a server may take to start, and says what to write here.
    """
    return "67156e99e339bce9"


def encode(value: object) -> bytes:
    """Encode a typed value as sealed field content."""
    return seal(pack(value))


def decode(content: bytes, kind: Any) -> Any:
    """Decode a field to a type, or raise UnreadableError."""
    return unpack(unseal(content), kind)


def seal(data: bytes) -> bytes:
    """Prepend a checksum, which detects disk damage."""
    return crc32(data).to_bytes(SEAL) + data


def unseal(data: bytes) -> bytes:
    """Return sealed bytes, or raise UnreadableError for a wrong checksum."""
    found = data[SEAL:]
    if data[:SEAL] != crc32(found).to_bytes(SEAL):
        raise UnreadableError(f"{len(data):,} bytes are damaged: their checksum is wrong")
    return found


def pack(value: object) -> bytes:
    """Encode a typed value fast, or exactly if MessagePack cannot express it."""
    try:
        return _encode(value)
    except (UnicodeEncodeError, OverflowError):
        return pack_exactly(msgspec.to_builtins(value, builtin_types=_PLAIN, enc_hook=_plain))


def pack_exactly(value: object) -> bytes:
    """Encode a plain value exactly: unpacking as `Any` restores all types, but takes ten times as long."""
    text = json.dumps(_tagged(value), ensure_ascii=False, separators=(",", ":"), default=msgspec.to_builtins)
    return _EXACT + text.encode("utf-8", "surrogatepass")


def unpack(data: bytes, kind: Any) -> Any:
    """Decode bytes to a type, or raise UnreadableError."""
    try:
        if data[:1] == _EXACT:
            value = json.loads(data[1:], object_hook=_untagged)
            _decoder(kind)  # see `_making`
            return msgspec.convert(value, kind, builtin_types=_PLAIN, dec_hook=_made)
        return _decoder(kind).decode(data)
    # Damaged bytes can express numbers, moments and keys that Python refuses, each with an error of its own.
    except (msgspec.MsgspecError, ValueError, TypeError, LookupError, OverflowError, RecursionError) as error:
        raise UnreadableError(f"{getattr(kind, '__name__', kind)}: {error}") from error


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Glob):
        return value.text
    if isinstance(value, str | int):  # a subclass
        return str(value) if isinstance(value, str) else int(value)
    raise NotImplementedError(f"values of {type(value).__qualname__} cannot be written")


def _made(kind: Any, value: Any) -> Any:
    wanted = get_origin(kind) or kind
    if wanted is Glob:
        return Glob(msgspec.convert(value, str))
    if wanted in (OrderedDict, defaultdict):
        kind = GenericAlias(dict, get_args(kind) or (Any, Any))
        _decoder(kind)  # see `_making`
        items = msgspec.convert(value, kind)
        return OrderedDict(items) if wanted is OrderedDict else defaultdict(int, items)
    if not isinstance(value, wanted):
        raise TypeError(f"expected {wanted.__qualname__}, got {type(value).__qualname__}")
    return value


_encode = msgspec.msgpack.Encoder(enc_hook=_plain).encode
#: Held while a decoder is made: msgspec 0.22 crashes if two threads make decoders of one dataclass at once.
_making = threading.RLock()


@cache
def _decoder(kind: Any) -> msgspec.msgpack.Decoder[Any]:
    with _making:
        return msgspec.msgpack.Decoder(kind, dec_hook=_made)


def _tagged(value: Any) -> Any:
    """Convert a value to JSON; unsupported types become `{"": [tag, content]}`."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list):
        return [_tagged(item) for item in value]
    if isinstance(value, Mapping) and all(type(key) is str and key for key in value):
        return {key: _tagged(item) for key, item in value.items()}
    for tag, (kind, write, _) in _TAGS.items():
        if isinstance(value, kind):
            return {"": [tag, write(value)]}
    # Python reads and writes numbers of any length only if their digits are hexadecimal.
    is_long = isinstance(value, int) and value.bit_length() > 64
    return {"": ["int", hex(value)]} if is_long else value


def _untagged(value: dict[str, Any]) -> Any:
    if "" not in value:
        return value
    tag, content = value[""]
    return int(content, 16) if tag == "int" else _TAGS[tag][2](content)


#: The tags of types, and how values are made contents and back. A moment is a date, too.
_TAGS: Mapping[str, tuple[type, Callable[[Any], Any], Callable[[Any], Any]]] = {
    "dict": (Mapping, lambda value: [[_tagged(key), _tagged(item)] for key, item in value.items()], dict),
    "tuple": (tuple, lambda value: [_tagged(item) for item in value], tuple),
    "bytes": (bytes, bytes.hex, bytes.fromhex),
    "moment": (datetime, datetime.isoformat, datetime.fromisoformat),
    "date": (date, date.isoformat, date.fromisoformat),
    "length": (timedelta, lambda value: [value.days, value.seconds, value.microseconds], lambda row: timedelta(*row)),
}


#: Where the types of rows live; nothing else is imported because a field names it.
_WITHIN = ("mockserver.core.", "mockserver.resources.", "mockserver.web.service.")
#: Rows of a type with more bytes are a field of their own, written only if they have changed: every request changes the
#: rate limits of an account, and few anything else. Chosen: smaller rows cost less to write than to keep apart.
_LARGE = 512
#: Packed rows of one type, or the checksum of a separate field.
Packed = bytes | int
#: The version and the packed form of each type's rows.
Known = Mapping[type, tuple[int, Packed]]


class Rows(NamedTuple):
    """All rows of `Tables`, packed by type name."""

    weighed: int
    stored: int
    tables: Mapping[str, Packed]
    timelines: Mapping[str, Packed]
    records: Mapping[str, Packed]


class Packing:
    """The packed rows of `Tables`; unchanged versions are reused."""

    def __init__(self, tables: Tables, before: Known) -> None:
        """Pack the rows; `before` is `known` of the previous packing."""
        self._tables, self._before = tables, before
        self.known: dict[type, tuple[int, Packed]] = {}
        #: The contents of separate fields by type; None for unchanged content.
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
    """Fill new tables with rows, or raise UnreadableError; the caller sets the shared tally.

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
    """Return the field name of large rows; `part` is the field of their state or account."""
    return f"{part}/{name_of(kind)}"


@cache
def name_of(kind: type) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"


@cache
def type_of(name: str) -> type:
    """Return the row type with a stored name, or raise UnreadableError."""
    module, _, wanted = name.partition(":")
    try:
        found = getattr(import_module(module), wanted, None) if module.startswith(_WITHIN) else None
    except ImportError:
        found = None
    if not isinstance(found, type):
        raise UnreadableError(f"there are no rows {name!r}")
    return found

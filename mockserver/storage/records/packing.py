"""Typed values as bytes: MessagePack, whose types say what may be read; no bytes can name code to run."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from functools import cache
from types import GenericAlias
from typing import Any, get_args, get_origin
from zlib import crc32

import msgspec

from mockserver.core.traffic.match import Glob

#: How many bytes a checksum takes.
SEAL = 4
#: The first byte of values that are written exactly: MessagePack never uses it.
_EXACT = b"\xc1"
#: The types that stay as they are when a typed value becomes a plain one.
_PLAIN = (bytes, date, datetime, timedelta)


class UnreadableError(ValueError):
    """Bytes are no workspace, or a workspace of another layout; the text says what was found, for users."""


def layout() -> str:
    """Return a digest of all types that are written: fields of another layout must not be read.

    A test computes the digest, which takes longer than a server may take to start, and says what to write here.
    """
    return "ec5d475040f75fd6"


def encode(value: object) -> bytes:
    """Return the content of a field that holds a typed value."""
    return seal(pack(value))


def decode(content: bytes, kind: Any) -> Any:
    """Return the value of a type that the content of a field holds, or raise UnreadableError if it holds none."""
    return unpack(unseal(content), kind)


def seal(data: bytes) -> bytes:
    """Put a checksum before bytes, so that damage by a disk is detected."""
    return crc32(data).to_bytes(SEAL) + data


def unseal(data: bytes) -> bytes:
    """Return the bytes that were sealed, or raise UnreadableError if they are damaged."""
    found = data[SEAL:]
    if data[:SEAL] != crc32(found).to_bytes(SEAL):
        raise UnreadableError(f"{len(data):,} bytes are damaged: their checksum is wrong")
    return found


def pack(value: object) -> bytes:
    """Return a typed value as bytes: at the speed of C, unless MessagePack cannot express something in it."""
    try:
        return _encode(value)
    except (UnicodeEncodeError, OverflowError):
        return pack_exactly(msgspec.to_builtins(value, builtin_types=_PLAIN, enc_hook=_plain))


def pack_exactly(value: object) -> bytes:
    """Return a plain value as bytes; unpacked as `Any` it has the same types again, which takes ten times as long."""
    text = json.dumps(_tagged(value), ensure_ascii=False, separators=(",", ":"), default=msgspec.to_builtins)
    return _EXACT + text.encode("utf-8", "surrogatepass")


def unpack(data: bytes, kind: Any) -> Any:
    """Return the value of a type that bytes hold, or raise UnreadableError if they hold none."""
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
    """Return a value of a type that MessagePack does not know as one that it knows."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Glob):
        return value.text
    if isinstance(value, str | int):  # a subclass
        return str(value) if isinstance(value, str) else int(value)
    raise NotImplementedError(f"values of {type(value).__qualname__} cannot be written")


def _made(kind: Any, value: Any) -> Any:
    """Return a value of a type that MessagePack does not know, or raise TypeError if it is of another type."""
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
    """Return a value as JSON can express it; what it cannot becomes `{"": [tag, content]}`."""
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
    """Undo `_tagged` for an object of JSON, whose members are done."""
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

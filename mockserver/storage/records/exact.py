"""Plain values as bytes, whatever they are: also texts and numbers that MessagePack cannot say.

It takes ten times as long as MessagePack alone, so it is for what is written once, and for what that refuses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

import msgspec

#: The types that stay what they are when a value is made plain; all others become mappings, lists and texts.
PLAIN = (bytes, date, datetime, timedelta)
#: The codes of the extensions: a text with halves of surrogate pairs, a number beyond 64 bits, a moment of a zone other
#: than UTC or of none, a date, a length of time, a tuple, and a mapping some of whose keys are such values.
_TEXT, _NUMBER, _MOMENT, _DATE, _LENGTH, _TUPLE, _MAPPING = range(1, 8)
#: What MessagePack can say of whole numbers.
_LEAST, _MOST = -(2**63), 2**64 - 1

_encode = msgspec.msgpack.Encoder().encode


def pack(value: Any) -> bytes:
    """A value of mappings, lists, tuples and plain values as bytes."""
    return _encode(_said(value))


def unpack(data: bytes | memoryview) -> Any:
    """The value of bytes.

    Raises:
        ValueError: the bytes are none of `pack`.
    """
    return _decode(data)


def _said(value: Any) -> Any:
    """A value as MessagePack can say it."""
    if isinstance(value, Mapping):
        return _said_mapping(value)
    if isinstance(value, tuple):
        return msgspec.msgpack.Ext(_TUPLE, pack(list(value)))
    if isinstance(value, list):
        return [_said(item) for item in value]
    if isinstance(value, str):
        return _said_text(str(value))
    if isinstance(value, int) and not _LEAST <= value <= _MOST:
        return msgspec.msgpack.Ext(_NUMBER, value.to_bytes(value.bit_length() // 8 + 1, signed=True))
    return _said_time(value) if isinstance(value, date | timedelta) else value


def _said_mapping(value: Mapping[Any, Any]) -> Any:
    if all(type(key) is str and key.isascii() for key in value):
        return {key: _said(item) for key, item in value.items()}
    return msgspec.msgpack.Ext(_MAPPING, _encode([[_said(key), _said(item)] for key, item in value.items()]))


def _said_text(value: str) -> Any:
    try:
        value.encode()
    except UnicodeEncodeError:
        return msgspec.msgpack.Ext(_TEXT, value.encode("utf-8", "surrogatepass"))
    return value


def _said_time(value: date | timedelta) -> Any:
    if isinstance(value, timedelta):
        return msgspec.msgpack.Ext(_LENGTH, _encode([value.days, value.seconds, value.microseconds]))
    if not isinstance(value, datetime):
        return msgspec.msgpack.Ext(_DATE, value.isoformat().encode())
    return value if value.tzinfo is UTC else msgspec.msgpack.Ext(_MOMENT, value.isoformat().encode())


_READ: dict[int, Callable[[bytes], Any]] = {
    _TEXT: lambda data: data.decode("utf-8", "surrogatepass"),
    _NUMBER: lambda data: int.from_bytes(data, signed=True),
    _MOMENT: lambda data: datetime.fromisoformat(data.decode()),
    _DATE: lambda data: date.fromisoformat(data.decode()),
    _LENGTH: lambda data: timedelta(*unpack(data)),
    _TUPLE: lambda data: tuple(unpack(data)),
    _MAPPING: lambda data: dict(unpack(data)),
}


def _read(code: int, data: memoryview) -> Any:
    if code not in _READ:
        raise ValueError(f"there is no extension {code}")
    return _READ[code](bytes(data))


_decode = msgspec.msgpack.Decoder(ext_hook=_read).decode

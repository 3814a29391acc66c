"""Typed values as bytes: MessagePack, whose types say what may be read; nothing that is read can name code to run."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from functools import cache
from types import GenericAlias
from typing import Any, get_args, get_origin
from zlib import crc32

import msgspec

from mockserver.storage.records import exact
from mockserver.storage.records.unreadable import UnreadableError

#: What an exact value begins with: a byte that MessagePack never uses.
_EXACT = b"\xc1"
#: How many bytes a checksum takes.
SEAL = 4


def _plain(value: Any) -> Any:
    """A value of a type that MessagePack does not know: texts and numbers of the libraries, and proxies of mappings."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, str | int):
        return str(value) if isinstance(value, str) else int(value)
    raise NotImplementedError(f"values of {type(value).__qualname__} cannot be written down")


def _made(kind: Any, value: Any) -> Any:
    """A value of a type that MessagePack does not know: mappings whose order can be changed.

    Raises:
        TypeError: it is of another type.
    """
    wanted = get_origin(kind) or kind
    if wanted is OrderedDict:
        return OrderedDict(msgspec.convert(value, GenericAlias(dict, get_args(kind) or (Any, Any))))
    if not isinstance(value, wanted):
        raise TypeError(f"expected {wanted.__qualname__}, got {type(value).__qualname__}")
    return value


_encode = msgspec.msgpack.Encoder(enc_hook=_plain).encode


def pack(value: object) -> bytes:
    """A value as bytes, at the speed of C unless it holds what MessagePack cannot say."""
    try:
        return _encode(value)
    except (UnicodeEncodeError, OverflowError):
        return _EXACT + exact.pack(msgspec.to_builtins(value, builtin_types=exact.PLAIN, enc_hook=_plain))


def pack_exactly(value: object) -> bytes:
    """A plain value of whatever type as bytes; what is read again has the same types."""
    return _EXACT + exact.pack(value)


def seal(data: bytes) -> bytes:
    """Bytes with a checksum before them, so that a disk that has damaged them is found out."""
    return crc32(data).to_bytes(SEAL) + data


def unseal(data: bytes) -> bytes:
    """The bytes that were sealed.

    Raises:
        UnreadableError: they are not those that were sealed.
    """
    found = data[SEAL:]
    if data[:SEAL] != crc32(found).to_bytes(SEAL):
        raise UnreadableError(f"{len(data):,} bytes are damaged: their checksum is another one")
    return found


def unpack(data: bytes, kind: Any) -> Any:
    """The value of a type that bytes hold.

    Raises:
        UnreadableError: they hold no such value.
    """
    try:
        if data[:1] == _EXACT:
            return msgspec.convert(exact.unpack(data[1:]), kind, builtin_types=exact.PLAIN, dec_hook=_made)
        return _decoder(kind).decode(data)
    # Damaged bytes can say numbers, moments and keys that Python refuses, each by an error of its own.
    except (msgspec.MsgspecError, ValueError, TypeError, OverflowError, RecursionError) as error:
        raise UnreadableError(f"{getattr(kind, '__name__', kind)}: {error}") from error


@cache
def _decoder(kind: Any) -> msgspec.msgpack.Decoder[Any]:
    return msgspec.msgpack.Decoder(kind, dec_hook=_made)

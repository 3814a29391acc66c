"""JSON on the wire: read strictly, written compactly and with one trailing newline (contract/transport)."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from json.scanner import make_scanner
from typing import Any, NoReturn

import orjson

#: The whole numbers of 64 bits with a sign.
INT64 = range(-(2**63), 2**63)
#: The most levels of objects and arrays within each other. Chosen: more than any honest client sends, and far fewer
#: than the thousand or so at which the parser gives up.
DEEPEST = 100
#: The most arrays of a text. Chosen: more than any honest client sends; no thread runs while the parser makes them.
_MOST_BRACKETS = 250_000
#: The most commas of a text, and so of members and items. Chosen: three times those of the largest workspace that is
#: shipped, written as a document.
_MOST_COMMAS = 1_500_000
#: The escape of one half of a surrogate pair.
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
#: Any escape; in groups of their own the halves of a surrogate pair, and a second half that stands alone.
_ESCAPE = re.compile(rb"\\(?:(u[dD][89abAB]..)(\\u[dD][c-fC-F]..)?|(u[dD][c-fC-F]..)|.)", re.DOTALL)
#: How many characters of a member's name an error shows. Chosen: longer than any name of the API.
_LONGEST_NAME = 80


class JsonError(ValueError):
    """A text is invalid JSON, or exceeds a limit of `read`; the message tells the reason."""


def read(raw: bytes, deepest: int = DEEPEST) -> Any:
    """Return the value of a JSON text with at most `deepest` levels.

    Stricter than `json.loads`: no duplicate member, no NaN or Infinity, no number beyond int64 or double, no half of a
    surrogate pair, only UTF-8.
    """
    arrays = raw.count(b"[")
    if arrays > _MOST_BRACKETS:
        raise JsonError(f"more than {_MOST_BRACKETS:,} opening brackets")
    if len(raw) > _MOST_COMMAS and raw.count(b",") > _MOST_COMMAS:
        raise JsonError(f"more than {_MOST_COMMAS:,} commas")
    try:
        value = _decoded(raw.decode())
    except UnicodeDecodeError as error:
        raise JsonError(f"not UTF-8 at byte {error.start}") from error
    except json.JSONDecodeError as error:
        raise JsonError(f"{error.msg} at line {error.lineno} column {error.colno}") from error
    except RecursionError as error:
        raise JsonError("nested too deeply") from error
    if arrays + raw.count(b"{") > deepest and depth(value) > deepest:
        raise JsonError("nested too deeply")
    if b"\\u" in raw and _HALF.search(raw):
        _refuse_half_surrogates(raw)
    return value


def _decoded(text: str) -> Any:
    try:
        value, end = _SCAN(text, 0)
    except StopIteration:  # blanks come first, or there is no value
        return _DECODER.decode(text)
    return value if end == len(text) else _DECODER.decode(text)


def write(value: object, default: Callable[[Any], Any] | None = None) -> bytes:
    """Return compact JSON with the service's trailing newline; `default` replaces moments (RFC 3339) and records."""
    option = 0 if default is None else orjson.OPT_PASSTHROUGH_DATETIME | orjson.OPT_PASSTHROUGH_DATACLASS
    return orjson.dumps(value, default, orjson.OPT_APPEND_NEWLINE | option)


def pieces(value: object, moment: Callable[[datetime], str], levels: int) -> Iterator[bytes]:
    """Yield compact JSON in pieces, so that other threads run in between.

    A piece is a member or item of one of the first `levels` levels; `moment` writes moments.
    """
    if not levels or not isinstance(value, dict | list):
        yield write(value, moment)[:-1]
        return
    named = isinstance(value, dict)
    begin = b"{" if named else b"["
    for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield begin + orjson.dumps(name) + b":" if named else begin
        yield from pieces(inner, moment, levels - 1)
        begin = b","
    yield (b"" if value else begin) + (b"}" if named else b"]")


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise JsonError(f"duplicate member {_repeated(name for name, _ in pairs)!r}")
    return members


def _repeated(names: Iterable[str]) -> str:
    seen: set[str] = set()
    name = next(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]  # adds it
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"


def _constant(text: str) -> NoReturn:
    raise JsonError(f"{text} is not JSON")


def _integer(text: str) -> int:
    # int() itself refuses texts of more than 4,300 digits, with a traceback's worth of advice.
    if len(text) > 20 or int(text) not in INT64:
        raise JsonError("a number is beyond 64 bits")
    return int(text)


def _float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise JsonError("a number is beyond the range of a double")
    return number


def depth(value: object) -> int:
    """Count levels of objects and arrays: 0 for a number, 1 for a list of numbers."""
    count, level = 0, [value]
    while level := [inner for inner in level if isinstance(inner, (dict, list))]:
        count += 1
        level = [inner for outer in level for inner in (outer.values() if isinstance(outer, dict) else outer)]
    return count


def _refuse_half_surrogates(raw: bytes) -> None:
    """Refuse half surrogate pairs, checking each escape; other threads run in between."""
    for found in _ESCAPE.finditer(raw):
        high, low, alone = found.groups()
        if alone or (high and not low):
            raise JsonError("a string holds half of a surrogate pair")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_members, parse_constant=_constant, parse_int=_integer, parse_float=_float
)
#: The decoder's own scanner, which takes two thirds of its time where no blanks stand around the value.
_SCAN = make_scanner(_DECODER)  # type: ignore[arg-type]  # typeshed has the scanner take itself

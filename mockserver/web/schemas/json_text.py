"""JSON on the wire: strict when it comes in, compact with one trailing newline when it goes out
(contract/transport).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any, NoReturn

import orjson

INT64 = range(-(2**63), 2**63)
#: Deeper nesting than any honest client sends; json's own scanner gives up near a thousand.
DEEPEST = 100
#: More arrays than any honest client sends. The parser makes them without letting anybody else run meanwhile.
_MOST_BRACKETS = 250_000
#: More members and items in all than any honest client sends; that of the largest shipped workspace has a third of it.
_MOST_COMMAS = 1_500_000
#: Whether halves of surrogate pairs are written at all, and whatever a backslash begins: of those only whole pairs.
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(rb"\\(?:(u[dD][89abAB]..)(\\u[dD][c-fC-F]..)?|(u[dD][c-fC-F]..)|.)", re.DOTALL)
#: How much of a member's name is told.
_LONGEST_NAME = 80


class JsonError(ValueError):
    """A text that is not the JSON that we take."""


def read(raw: bytes, deepest: int = DEEPEST) -> Any:
    """The value of a JSON text of so many levels at most.

    Stricter than `json.loads`: no duplicate member, no NaN or Infinity, no number that int64 or a double cannot hold,
    no half of a surrogate pair, no bytes that are not UTF-8.

    Raises:
        JsonError: says what is wrong, and where the parser knows it.
    """
    if raw.count(b"[") > _MOST_BRACKETS:
        raise JsonError(f"more than {_MOST_BRACKETS:,} opening brackets")
    if len(raw) > _MOST_COMMAS and raw.count(b",") > _MOST_COMMAS:
        raise JsonError(f"more than {_MOST_COMMAS:,} commas")
    try:
        value = _DECODER.decode(raw.decode())
    except UnicodeDecodeError as error:
        raise JsonError(f"not UTF-8 at byte {error.start}") from error
    except json.JSONDecodeError as error:
        raise JsonError(f"{error.msg} at line {error.lineno} column {error.colno}") from error
    except RecursionError as error:
        raise JsonError("nested too deeply") from error
    if raw.count(b"[") + raw.count(b"{") > deepest and depth(value) > deepest:
        raise JsonError("nested too deeply")
    if _HALF.search(raw):
        _refuse_half_surrogates(raw)
    return value


def write(value: object, moment: Callable[[datetime], str] | None = None) -> bytes:
    """The compact JSON text of a value, with the service's trailing newline.

    `moment` says how moments are written, so that nobody has to look for them in the whole value before.
    """
    as_told = 0 if moment is None else orjson.OPT_PASSTHROUGH_DATETIME
    return orjson.dumps(value, moment, orjson.OPT_APPEND_NEWLINE | as_told)


def parts(value: object, moment: Callable[[datetime], str], levels: int) -> Iterator[bytes]:
    """The same text, but for the newline, in parts that take so many levels apart: others can run in between."""
    if not levels or not isinstance(value, dict | list):
        yield write(value, moment)[:-1]
        return
    named = isinstance(value, dict)
    begin = b"{" if named else b"["
    for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield begin + orjson.dumps(name) + b":" if named else begin
        yield from parts(inner, moment, levels - 1)
        begin = b","
    yield (b"" if value else begin) + (b"}" if named else b"]")


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise JsonError(f"duplicate member {_repeated(name for name, _ in pairs)!r}")
    return members


def _repeated(names: Iterable[str]) -> str:
    """The first name that comes again, cut short; there has to be one."""
    seen: set[str] = set()
    name = next(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]  # it adds
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
    """How many objects and arrays stand in each other: none in a number, one in a list of numbers."""
    found, level = 0, [value]
    while level := [inner for inner in level if isinstance(inner, (dict, list))]:
        found += 1
        level = [part for outer in level for part in (outer.values() if isinstance(outer, dict) else outer)]
    return found


def _refuse_half_surrogates(raw: bytes) -> None:
    """Look at every escape of a text that is JSON: escape by escape others can run in between."""
    for found in _ESCAPE.finditer(raw):
        high, low, alone = found.groups()
        if alone or (high and not low):
            raise JsonError("a string holds half of a surrogate pair")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_members, parse_constant=_constant, parse_int=_integer, parse_float=_float
)

"""What commands print: lines, tables and JSON, coloured on a terminal only, and printable whatever they hold."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from typing import NoReturn, TextIO

#: The codes of SGR (ECMA-48) by what a colour says; terminals choose the shade.
_CODES = {"good": "32", "bad": "31", "warn": "33", "soft": "2", "strong": "1"}
#: What stands between two columns, and where something was cut.
_GAP, _CUT = "  ", "…"
#: A column is not cut to less than this, in characters: one could not tell what it holds.
_LEAST = 8
#: The categories of Unicode whose signs stand on the one before.
_ON_ANOTHER = ("Mn", "Me")


def echo(text: object = "", *, err: bool = False, nl: bool = True) -> None:
    """Print on standard output, or on standard error, at once: who reads may be waiting."""
    print(text, file=sys.stderr if err else sys.stdout, end="\n" if nl else "", flush=True)


def fail(message: str) -> NoReturn:
    """Print a message on standard error, and exit with 1: a check failed, or a server does not answer."""
    echo(message, err=True)
    sys.exit(1)


def as_json(value: object, *, indent: int | None = None) -> str:
    """A value as JSON of ASCII characters."""
    return json.dumps(value, indent=indent)


def printable(text: str, *, lines: bool = False) -> str:
    """A text that a terminal shows and does not obey: what is not printable is escaped, as Python writes it.

    With `lines`, ends of lines and tabs stay.
    """
    if text.isprintable():
        return text
    kept = "\n\t" if lines else ""
    return "".join(sign if sign.isprintable() or sign in kept else _escaped(sign) for sign in text)


def _escaped(sign: str) -> str:
    return repr(sign)[1:-1]


# ------------------------------------------------------------------ colour


class Painted(str):
    """A text with the codes of its colour; `table` needs it without."""

    __slots__ = ("plain", "style")

    plain: str
    style: str


def paint(text: object, style: str, *, err: bool = False) -> Painted:
    """A text made printable, in the colour of a style: good, bad, warn, soft or strong; plain where none is wanted."""
    plain = text.plain if isinstance(text, Painted) else printable(str(text))
    coloured = is_coloured(sys.stderr if err else sys.stdout)
    found = Painted(f"\033[{_CODES[style]}m{plain}\033[0m" if coloured else plain)
    found.plain, found.style = plain, style
    return found


def is_coloured(stream: TextIO) -> bool:
    """Whether colours are wanted on a stream: on a terminal, unless the environment says otherwise.

    The order is that of Python's own programs: NO_COLOR (no-color.org), FORCE_COLOR (force-color.org), TERM.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return os.environ.get("TERM") != "dumb" and stream.isatty()


# ------------------------------------------------------------------ tables


def table(headers: Sequence[str], rows: Iterable[Sequence[object]], *, width: int | None = None) -> str:
    """Rows in columns, below their headers, every value made printable.

    On a terminal the widest columns are cut until a row fits; elsewhere nothing is cut, unless a `width` is given.
    """
    lines: list[list[Painted | str]] = [
        [paint(header, "soft") for header in headers],
        *([_cell(value) for value in row] for row in rows),
    ]
    if width is None and sys.stdout.isatty():
        width = shutil.get_terminal_size().columns
    widths = [max(map(_columns, column)) for column in zip(*lines, strict=True)]
    if width is not None:
        widths = _fitting(widths, width - len(_GAP) * (len(widths) - 1))
    return "\n".join(_line(row, widths) for row in lines)


def _cell(value: object) -> Painted | str:
    return value if isinstance(value, Painted) else printable("" if value is None else str(value))


def _line(row: Sequence[Painted | str], widths: Sequence[int]) -> str:
    return _GAP.join(_padded(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _padded(cell: Painted | str, width: int) -> str:
    shown = _cut(cell, width)
    return f"{shown}{' ' * (width - _columns(shown))}"


def _cut(cell: Painted | str, width: int) -> Painted | str:
    """A cell, shortened to some columns of the terminal."""
    if _columns(cell) <= width:
        return cell
    plain = cell.plain if isinstance(cell, Painted) else cell
    room, kept = width - 1, 0
    for sign in plain:
        room -= _columns(sign)
        if room < 0:
            break
        kept += 1
    shown = plain[:kept] + _CUT
    return paint(shown, cell.style) if isinstance(cell, Painted) else shown


def _columns(text: Painted | str) -> int:
    """How many columns of a terminal a printable text takes: East Asian signs two, combining accents none."""
    plain = text.plain if isinstance(text, Painted) else text
    if plain.isascii():
        return len(plain)
    from unicodedata import category, east_asian_width

    return sum(0 if category(sign) in _ON_ANOTHER else 2 if east_asian_width(sign) in "WF" else 1 for sign in plain)


def _fitting(widths: list[int], room: int) -> list[int]:
    """Widths that take no more than some room together, as far as no column gets too narrow to be of use."""
    found = list(widths)
    while sum(found) > room:
        widest = max(found)
        if widest <= _LEAST:
            break
        # Down to the next widest at once, so that a row of many columns takes few rounds.
        places = [place for place, width in enumerate(found) if width == widest]
        below = max([width for width in found if width < widest], default=_LEAST)
        excess = sum(found) - room
        step = min(widest - max(below, _LEAST), -(-excess // len(places)))
        for place in places:
            found[place] = widest - max(step, 1)
    return found

"""Print lines, tables and JSON for commands: coloured on a terminal only, and printable whatever a server sends."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn, TextIO

#: The SGR codes (ECMA-48) of the styles; terminals choose the shade.
_CODES = {"good": "32", "bad": "31", "warn": "33", "soft": "2", "strong": "1"}
#: The gap between two columns, and the sign at the end of a cell that was cut.
_GAP, _CUT = "  ", "…"
#: The least width of a column that is cut, in characters; a narrower column is unreadable.
_LEAST = 8
#: The headers of columns that are not cut: other commands take their values, or a part of them says nothing.
_WHOLE = frozenset({"id", "timer", "key", "name", "domain", "to", "at", "due at", "fired at", "last used", "next"})
#: The longest lines of wrapped text, in characters.
_WIDEST = 100
#: The Unicode categories of signs that combine with the sign before.
_COMBINING = ("Mn", "Me")
#: After how many seconds progress is shown, and how often it changes. Chosen: a fast command shows nothing.
_AFTER_S, _EVERY_S = 0.5, 0.5
#: Moves the cursor to the beginning of the line and clears the line (ECMA-48: CR, EL).
_CLEAR = "\r\033[K"


def echo(text: object = "", *, err: bool = False, nl: bool = True) -> None:
    """Print on standard output, or on standard error if it can be written, and flush: a reader may be waiting."""
    try:
        print(text, file=sys.stderr if err else sys.stdout, end="\n" if nl else "", flush=True)
    except OSError:
        if not err:
            raise
        forget("stderr")


def forget(name: str) -> None:
    """Replace a broken standard stream: at exit Python would flush it, and print a traceback or change the status."""
    setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115  # until the program ends


def fail(message: str, status: int = 1) -> NoReturn:
    """Print a message on standard error, and exit; by default with 1 (failed check, unreachable server)."""
    echo(message, err=True)
    sys.exit(status)


def printable(text: str, *, lines: bool = False) -> str:
    """Escape control characters with Python's escapes, for terminals; with `lines`, keep line feeds and tabs."""
    kept = "\n\t" if lines else ""
    return "".join(sign if sign.isprintable() or sign in kept else repr(sign)[1:-1] for sign in text)


def document(text: str) -> str:
    """Make a text printable on a terminal; files and pipes get the original."""
    return printable(text, lines=True) if sys.stdout.isatty() else text


def moment(text: object) -> str:
    """Return a moment of the workspace's clock, to the second: `2026-01-15 09:00:00`; empty without a moment."""
    return printable(text[:19].replace("T", " ")) if isinstance(text, str) else ""


def more(found: Mapping[str, Any]) -> None:
    count = found.get("count", 0) - len(found["items"])
    if count > 0:
        echo(paint(f"and {count:,} more", "soft"))


def counted(counts: Mapping[str, int] | None) -> str:
    return ", ".join(f"{number} {name}" for name, number in (counts or {}).items() if number) or "nothing"


# ------------------------------------------------------------------ colour


class Painted(str):
    """A coloured text, with the uncoloured text as `plain`."""

    __slots__ = ("plain", "style")

    plain: str
    style: str


def paint(text: object, style: str, *, err: bool = False) -> Painted:
    """Make a text printable, and colour it if the stream (standard error with `err`) wants colours."""
    plain = text.plain if isinstance(text, Painted) else printable(str(text))
    coloured = is_coloured(sys.stderr if err else sys.stdout)
    found = Painted(f"\033[{_CODES[style]}m{plain}\033[0m" if coloured else plain)
    found.plain, found.style = plain, style
    return found


def is_coloured(stream: TextIO) -> bool:
    """Return whether a stream wants colours.

    NO_COLOR (no-color.org), FORCE_COLOR (force-color.org) and TERM are read in the order of Python's own programs.
    """
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return os.environ.get("TERM") != "dumb" and stream.isatty()


# ------------------------------------------------------------------ tables


def listing(items: str, headers: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows in columns below their headers; without a row, print `No ITEMS.` on standard error."""
    found = list(rows)
    if found:
        echo(table(headers, found))
    else:
        none(items)


def none(items: str) -> None:
    echo(printable(f"No {items}."), err=True)


def table(headers: Sequence[str], rows: Iterable[Sequence[object]], *, width: int | None = None) -> str:
    """Return rows in columns below their headers, with printable values.

    On a terminal the widest columns are cut until a row fits; elsewhere nothing is cut unless `width` is given.
    """
    lines: list[list[Painted | str]] = [
        [paint(header, "soft") for header in headers],
        *([_cell(value) for value in row] for row in rows),
    ]
    if width is None and sys.stdout.isatty():
        width = shutil.get_terminal_size().columns
    widths = [max(map(_columns, column)) for column in zip(*lines, strict=True)]
    if width is not None:
        cut = [number for number, header in enumerate(headers) if header not in _WHOLE]
        widths = _fitting(widths, width - len(_GAP) * (len(widths) - 1), cut)
    return "\n".join(
        _GAP.join(_fitted(cell, room) for cell, room in zip(row, widths, strict=True)).rstrip() for row in lines
    )


def wrapped(rows: Iterable[tuple[str, str]]) -> str:
    """Format names with explanations, wrapped to the terminal width (maximum 100 characters)."""
    lines = [(printable(name), printable(text)) for name, text in rows]
    column = max(len(name) for name, _ in lines) + 2
    width = min(_WIDEST, shutil.get_terminal_size().columns) - column
    found = []
    for name, text in lines:
        first, *others = textwrap.wrap(text, max(width, 20), break_on_hyphens=False)
        found.append(f"{paint(name, 'strong')}{' ' * (column - len(name))}{first}")
        found += [f"{' ' * column}{row}" for row in others]
    return "\n".join(found)


def _cell(value: object) -> Painted | str:
    return value if isinstance(value, Painted) else printable("" if value is None else str(value))


def _fitted(cell: Painted | str, width: int) -> str:
    """Cut or pad a cell to a number of terminal columns."""
    missing = width - _columns(cell)
    if missing >= 0:
        return f"{cell}{' ' * missing}"
    plain = cell.plain if isinstance(cell, Painted) else cell
    kept = max(number for number in range(min(len(plain), 2 * width)) if _columns(plain[:number]) < width)
    shown = f"{plain[:kept]}{_CUT}"
    padding = " " * (width - _columns(shown))
    return f"{paint(shown, cell.style) if isinstance(cell, Painted) else shown}{padding}"


def _columns(text: Painted | str) -> int:
    """Count the terminal columns of a printable text: East Asian signs take two, combining accents none."""
    plain = text.plain if isinstance(text, Painted) else text
    if plain.isascii():
        return len(plain)
    from unicodedata import category, east_asian_width

    return sum(0 if category(sign) in _COMBINING else 2 if east_asian_width(sign) in "WF" else 1 for sign in plain)


def _fitting(widths: list[int], room: int, cut: Iterable[int]) -> list[int]:
    """Narrow the widest of the columns `cut` until the row fits, but no column below the least width."""
    found = dict(enumerate(widths))
    while sum(found.values()) > room and (wide := [number for number in cut if found[number] > _LEAST]):
        found[max(wide, key=found.__getitem__)] -= 1
    return list(found.values())


# ------------------------------------------------------------------ progress


@contextmanager
def progress(words: str) -> Iterator[None]:
    """Show a progress line with elapsed seconds on a terminal."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        yield
        return
    over = threading.Event()
    shown = threading.Thread(target=_show, args=(words, over), daemon=True)
    shown.start()
    try:
        yield
    finally:
        over.set()
        shown.join()


def _show(words: str, over: threading.Event) -> None:
    began = time.monotonic()
    if over.wait(_AFTER_S):
        return
    while True:
        print(f"{_CLEAR}{words}, {time.monotonic() - began:.0f} s", end="", file=sys.stderr, flush=True)
        if over.wait(_EVERY_S):
            break
    print(_CLEAR, end="", file=sys.stderr, flush=True)

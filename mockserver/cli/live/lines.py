"""How values of a workspace are printed."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mockserver.cli.output import echo, paint, printable, table

#: The longest lines of wrapped text, in characters.
_WIDEST = 100


def moment(text: object) -> str:
    """A moment of the workspace's clock, to the second: `2026-01-15 09:00:00`; empty if there is none."""
    return printable(text[:19].replace("T", " ")) if isinstance(text, str) else ""


def more(found: Mapping[str, Any], shown: int) -> str:
    """The last line of a list of which `shown` items are shown; empty if these are all."""
    count = found.get("count", 0)
    return f"and {count - shown:,} more" if count > shown else ""


def listing(items: str, headers: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print rows in columns below their headers; without a row, print `No ITEMS.` on standard error."""
    if rows:
        echo(table(headers, rows))
    else:
        none(items)


def none(items: str) -> None:
    """Print on standard error that a list is empty."""
    echo(printable(f"No {items}."), err=True)


def wrapped(rows: Iterable[tuple[str, str]]) -> str:
    """Return names with their explanations beside them, wrapped to the terminal, 100 characters at most."""
    lines = [(printable(name), printable(text)) for name, text in rows]
    column = max(len(name) for name, _ in lines) + 2
    width = min(_WIDEST, shutil.get_terminal_size().columns) - column
    found = []
    for name, text in lines:
        first, *others = textwrap.wrap(text, max(width, 20), break_on_hyphens=False)
        found.append(f"{paint(name, 'strong')}{' ' * (column - len(name))}{first}")
        found += [f"{' ' * column}{row}" for row in others]
    return "\n".join(found)


def held(workspace: Mapping[str, Any]) -> str:
    """Return how much a workspace holds, such as `3 senders, 2 domains`."""
    counts = workspace.get("counts") or {}
    return ", ".join(f"{number} {name}" for name, number in counts.items() if number) or "nothing"


def document(text: str) -> str:
    """A text that is kept as it is in a file or a pipe, and made printable on a terminal."""
    return printable(text, lines=True) if sys.stdout.isatty() else text

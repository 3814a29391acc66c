"""How values of a workspace are printed."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from mockserver.cli.framework.output import printable


def moment(text: object) -> str:
    """A moment of the workspace's clock, to the second: `2026-01-15 09:00:00`; empty if there is none."""
    return printable(text[:19].replace("T", " ")) if isinstance(text, str) else ""


def more(found: Mapping[str, Any], shown: int) -> str:
    """The last line of a list of which `shown` items are shown; empty if these are all."""
    count = found.get("count")
    return f"and {count - shown:,} more" if isinstance(count, int) and count > shown else ""


def document(text: str) -> str:
    """A text that is kept as it is in a file or a pipe, and made printable on a terminal."""
    return printable(text, lines=True) if sys.stdout.isatty() else text

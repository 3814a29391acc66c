"""What a store takes on the disk, and whether all of it is what was written."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

#: How many things that are wrong with its file SQLite lists at most; chosen: more say nothing more.
_MOST_DAMAGES = 20


class Room(NamedTuple):
    """What a store takes on the disk, in bytes."""

    #: The file, with what the log will add to it.
    bytes: int
    #: What of it nothing takes any more; the next writes use it, and `vacuum` gives it back.
    free: int


def room(connection: sqlite3.Connection) -> Room:
    """What a store takes on the disk."""
    size, pages, free = (_number(connection, name) for name in ("page_size", "page_count", "freelist_count"))
    return Room(size * pages, size * free)


def _number(connection: sqlite3.Connection, pragma: str) -> int:
    found: int = connection.execute(f"PRAGMA {pragma}").fetchone()[0]
    return found


def sizes(connection: sqlite3.Connection) -> dict[str, int]:
    """How many bytes are kept of each workspace, the one written longest ago first."""
    return dict(
        connection.execute(
            "SELECT name,"
            " (SELECT coalesce(sum(length(content)), 0) FROM part WHERE workspace = id)"
            " + (SELECT coalesce(sum(length(content)), 0) FROM entry WHERE workspace = id)"
            " FROM workspace ORDER BY turn"
        )
    )


def broken_pages(connection: sqlite3.Connection) -> list[str]:
    """What is wrong with how SQLite keeps tables and indexes, in its own words."""
    rows = connection.execute(f"PRAGMA integrity_check({_MOST_DAMAGES})")
    return [text for (text,) in rows if text != "ok"]

"""What is read from a store, row by row checked."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator

from mockserver.core.workspaces.keeping import Outline
from mockserver.storage.outlines import decode
from mockserver.storage.records.changes import Entry, Stored
from mockserver.storage.sqlite.rows import check


def outlines(connection: sqlite3.Connection) -> list[Outline]:
    """The outlines of all workspaces, the one written longest ago first."""
    rows = connection.execute("SELECT name, outline, checksum FROM workspace ORDER BY turn")
    return [decode(name, check(content, checksum, f"{name}")) for name, content, checksum in rows]


def has(connection: sqlite3.Connection, name: str) -> bool:
    """Whether a workspace is kept."""
    return connection.execute("SELECT 1 FROM workspace WHERE name = ?", (name,)).fetchone() is not None


def stored(connection: sqlite3.Connection, name: str) -> Stored:
    """All that is kept of a workspace."""
    rows = connection.execute(
        "SELECT part.name, content, part.checksum FROM workspace JOIN part ON workspace = id WHERE workspace.name = ?",
        (name,),
    )
    parts = {part: check(content, checksum, f"{name}/{part}") for part, content, checksum in rows}
    logs: dict[str, list[Entry]] = {}
    rows = connection.execute(
        "SELECT log, position, content, entry.checksum FROM workspace JOIN entry ON workspace = id WHERE name = ?"
        " ORDER BY log, position",
        (name,),
    )
    for log, position, content, checksum in rows:
        logs.setdefault(log, []).append((position, check(content, checksum, f"{name}/{log}/{position}")))
    return Stored(parts, logs)


def parts(connection: sqlite3.Connection, names: Iterable[str], part: str) -> Iterator[tuple[str, bytes]]:
    """One part of several workspaces, each with the name of its workspace."""
    for name in names:
        rows = connection.execute(
            "SELECT content, part.checksum FROM workspace JOIN part ON workspace = id"
            " WHERE workspace.name = ? AND part.name = ?",
            (name, part),
        )
        for content, checksum in rows:
            yield name, check(content, checksum, f"{name}/{part}")


def values(connection: sqlite3.Connection) -> dict[str, bytes]:
    """The values of the server."""
    rows = connection.execute("SELECT name, content, checksum FROM value")
    return {name: check(content, checksum, name) for name, content, checksum in rows}

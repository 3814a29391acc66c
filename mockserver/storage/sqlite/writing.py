"""A batch as statements of SQL."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping

from mockserver.core.workspaces.keeping import Outline
from mockserver.storage.outlines import encode
from mockserver.storage.records.changes import Changes, LogChange
from mockserver.storage.sqlite.rows import checksum


def last_turn(connection: sqlite3.Connection) -> int:
    """The highest turn that a workspace was written in; 0: there is none."""
    found: int = connection.execute("SELECT coalesce(max(turn), 0) FROM workspace").fetchone()[0]
    return found


def remove(connection: sqlite3.Connection, names: Iterable[str]) -> None:
    """Remove workspaces with all that is kept of them; a name that is not there is passed over."""
    for name in names:
        row = connection.execute("SELECT id FROM workspace WHERE name = ?", (name,)).fetchone()
        if row is not None:
            connection.execute("DELETE FROM part WHERE workspace = ?", row)
            connection.execute("DELETE FROM entry WHERE workspace = ?", row)
            connection.execute("DELETE FROM workspace WHERE id = ?", row)


def write_workspace(connection: sqlite3.Connection, turn: int, outline: Outline, changes: Changes) -> None:
    """Write what has changed in a workspace, and its outline."""
    workspace = _write_outline(connection, turn, outline)
    connection.executemany(
        "INSERT OR REPLACE INTO part (workspace, name, content, checksum) VALUES (?, ?, ?, ?)",
        (
            (workspace, name, content, checksum(content, f"{outline.name}/{name}"))
            for name, content in changes.parts.items()
        ),
    )
    connection.executemany(
        "DELETE FROM part WHERE workspace = ? AND name = ?", ((workspace, name) for name in changes.gone)
    )
    for log in changes.logs:
        _write_log(connection, workspace, outline.name, log)


def _write_outline(connection: sqlite3.Connection, turn: int, outline: Outline) -> int:
    """Write the outline of a workspace, and return the number by which its rows know it."""
    content = encode(outline)
    row = (turn, content, checksum(content, outline.name), outline.name)
    if not connection.execute("UPDATE workspace SET turn = ?, outline = ?, checksum = ? WHERE name = ?", row).rowcount:
        connection.execute("INSERT INTO workspace (turn, outline, checksum, name) VALUES (?, ?, ?, ?)", row)
    found: int = connection.execute("SELECT id FROM workspace WHERE name = ?", (outline.name,)).fetchone()[0]
    return found


def _write_log(connection: sqlite3.Connection, workspace: int, name: str, log: LogChange) -> None:
    if log.anew:
        connection.execute("DELETE FROM entry WHERE workspace = ? AND log = ?", (workspace, log.name))
    connection.executemany(
        # A write that has failed may be there all the same, and is done again.
        "INSERT OR REPLACE INTO entry (workspace, log, position, content, checksum) VALUES (?, ?, ?, ?, ?)",
        (
            (workspace, log.name, position, content, checksum(content, f"{name}/{log.name}/{position}"))
            for position, content in log.entries
        ),
    )
    connection.execute(
        "DELETE FROM entry WHERE workspace = ? AND log = ? AND position < ?", (workspace, log.name, log.first)
    )


def write_values(connection: sqlite3.Connection, values: Mapping[str, bytes | None]) -> None:
    """Write values of the server; those that are None go."""
    for name, content in values.items():
        if content is None:
            connection.execute("DELETE FROM value WHERE name = ?", (name,))
        else:
            row = (name, content, checksum(content, name))
            connection.execute("INSERT OR REPLACE INTO value (name, content, checksum) VALUES (?, ?, ?)", row)

"""The tables of a store, and how a file with them is told from others."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from mockserver.storage.errors import DamagedError, EngineError
from mockserver.storage.sqlite.connection import transaction
from mockserver.storage.sqlite.sentences import shown
from mockserver.storage.sqlite.store_file import StoreFile

#: What tells a store from other files of SQLite: the letters MkSv.
APPLICATION_ID = 0x4D6B5376
#: Counts the changes of the tables below.
VERSION = 1
#: The beginning of every file of SQLite, and where its application id is (sqlite.org/fileformat.html).
_MAGIC, _APPLICATION_ID, _HEAD = b"SQLite format 3\0", slice(68, 72), 72

#: The tables by their names. Each content has a checksum, which covers what it belongs to as well.
_TABLES = {
    "header": "CREATE TABLE header (layout TEXT NOT NULL, writer TEXT NOT NULL)",
    "value": "CREATE TABLE value (name TEXT PRIMARY KEY, content BLOB NOT NULL, checksum INTEGER NOT NULL)",
    # `turn` grows with every write, so that it tells which workspace was used longest ago.
    "workspace": "CREATE TABLE workspace (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, turn INTEGER NOT NULL, "
    "outline BLOB NOT NULL, checksum INTEGER NOT NULL)",
    "part": "CREATE TABLE part (workspace INTEGER NOT NULL, name TEXT NOT NULL, content BLOB NOT NULL, "
    "checksum INTEGER NOT NULL, UNIQUE (workspace, name))",
    "entry": "CREATE TABLE entry (workspace INTEGER NOT NULL, log TEXT NOT NULL, position INTEGER NOT NULL, "
    "content BLOB NOT NULL, checksum INTEGER NOT NULL, UNIQUE (workspace, log, position))",
}


class Header(NamedTuple):
    """What a store says of itself."""

    #: A digest of how workspaces are written as bytes.
    layout: str
    #: The program that has opened it last, with its version.
    writer: str


def check_kind(file: StoreFile) -> None:
    """Refuse a file that is neither empty nor a store, before SQLite sees it.

    Raises:
        EngineError: it is neither.
    """
    head = file.head(_HEAD)
    if head and not head.startswith(_MAGIC):
        raise EngineError(f"{shown(file.path)} is no store of this program, and no file of SQLite")
    if head and head[_APPLICATION_ID] != APPLICATION_ID.to_bytes(4):
        raise EngineError(f"{shown(file.path)} is a file of SQLite, but no store of this program")


def open_tables(connection: sqlite3.Connection, file: StoreFile, wanted: Header | None, *, create: bool) -> Header:
    """Check that the tables are what is wanted, where None is any layout; with `create` they are made if need be.

    Raises:
        EngineError: the store is of another version or layout, or there are no tables.
    """
    if connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
        found = _read_header(connection, file)
        if wanted is None or wanted == found:
            return found
        _take_over(connection, file, found, wanted)
    elif wanted is None or not create:
        raise EngineError(f"{shown(file.path)} is empty, and no store yet")
    else:
        _create(connection, wanted)
    return wanted


def _create(connection: sqlite3.Connection, header: Header) -> None:
    """Make the tables; the file still has the journal that SQLite begins with, so that all are there or none."""
    with transaction(connection, "BEGIN EXCLUSIVE"):
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
        for statement in _TABLES.values():
            connection.execute(statement)
        connection.execute("INSERT INTO header VALUES (?, ?)", header)


def _read_header(connection: sqlite3.Connection, file: StoreFile) -> Header:
    """What a store says of itself, if its tables are those of this version.

    Raises:
        EngineError: it is of another version.
        DamagedError: its tables are others than those that were made.
    """
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version != VERSION:
        raise EngineError(f"{shown(file.path)} is of format {version}, and this version reads {VERSION}: {_WAY}")
    found = dict(connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL"))
    rows = connection.execute("SELECT layout, writer FROM header LIMIT 2").fetchall() if found == _TABLES else []
    if len(rows) != 1:
        raise DamagedError(f"{shown(file.path)} is damaged: it has other tables than a store")
    return Header(*rows[0])


def _take_over(connection: sqlite3.Connection, file: StoreFile, found: Header, wanted: Header) -> None:
    """Note that another version with the same layout writes from now on."""
    if found.layout != wanted.layout:
        raise EngineError(f"{shown(file.path)} was written by {found.writer}, in another layout: {_WAY}")
    connection.execute("UPDATE header SET writer = ?", (wanted.writer,))


#: How to go on with a store of another version.
_WAY = (
    "let the version that wrote it write documents (mockserver store export), and this one make a new store of them "
    "(mockserver store import)"
)

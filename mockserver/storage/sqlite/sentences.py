"""What users are told when SQLite fails."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mockserver.storage.errors import DamagedError, EngineError
from mockserver.storage.records.unreadable import UnreadableError
from mockserver.storage.sqlite.rows import RowError

#: What follows the path in a sentence, by the primary code of SQLite's result (sqlite.org/rescode.html).
_SENTENCES = {
    sqlite3.SQLITE_BUSY: "is locked by another program, such as the shell of SQLite",
    sqlite3.SQLITE_LOCKED: "is locked by another program, such as the shell of SQLite",
    sqlite3.SQLITE_FULL: "cannot grow: its disk is full, or a quota is reached",
    sqlite3.SQLITE_READONLY: "cannot be written: the file, its folder or its disk is read-only",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened, or what SQLite writes beside it: {}",
    sqlite3.SQLITE_IOERR: "cannot be read or written: {}",
    sqlite3.SQLITE_TOOBIG: "cannot take a workspace with a part of a gigabyte",
}
#: The codes of a file that does not hold what SQLite has written.
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
#: The primary code is the last byte of an extended one.
_PRIMARY = 0xFF


def shown(path: str | Path) -> str:
    """A path as messages show it: what is no printable character is escaped."""
    text = os.fsencode(path).decode("utf-8", "backslashreplace")
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)


@contextmanager
def told(path: Path) -> Iterator[None]:
    """Tell what goes wrong with a file within a `with` block as a sentence.

    Raises:
        EngineError: SQLite has failed.
        DamagedError: the file does not hold what was written.
    """
    try:
        yield
    except (RowError, UnreadableError) as error:
        raise DamagedError(f"{shown(path)} is damaged: {error}") from error
    except sqlite3.Error as error:
        raise _error(path, error) from error


def _error(path: Path, error: sqlite3.Error) -> EngineError:
    # The module's own errors have no code: that of a closed connection, and that of a text which is not in UTF-8.
    code: int | None = getattr(error, "sqlite_errorcode", None)
    if code is None and isinstance(error, sqlite3.ProgrammingError):
        return EngineError(f"{shown(path)} is closed")
    if code is None or code & _PRIMARY in _DAMAGED:
        return DamagedError(f"{shown(path)} is damaged: {error}")
    sentence = _SENTENCES.get(code & _PRIMARY, "fails: {}")
    return EngineError(f"{shown(path)} {sentence.format(f'{error} ({error.sqlite_errorname})')}")

"""Connections to the file of a store."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from mockserver.storage.sqlite.errors import EngineError
from mockserver.storage.sqlite.sentences import shown

#: How long SQLite waits for another program that has locked the file, in seconds. Chosen: a shell of SQLite that reads
#: or backs up a store is done by then, and whoever waits for an answer has not given up.
_PATIENCE_S = 2.0
#: From how many pages on the log is copied into the file at the next commit, of four kilobytes each: SQLite's default.
_CHECKPOINT_PAGES = 1000
#: How large the log stays once it was copied, in bytes; chosen: twice what it has then.
_LOG_BYTES = 8 << 20
#: How large the log may grow while somebody reads at each moment at which it could be emptied; chosen.
_MOST_LOG_BYTES = 64 << 20


def connect(path: Path) -> sqlite3.Connection:
    """A connection to a file that is there, in which every statement is a transaction unless one was begun."""
    # As an address: SQLite makes no file then, and no sign of the path has a meaning.
    found = sqlite3.connect(
        f"file:{quote(bytes(path))}?mode=rw",
        uri=True,
        timeout=_PATIENCE_S,
        isolation_level=None,
        check_same_thread=False,
    )
    # A file that somebody else has made can hold neither functions nor cells that SQLite trusts.
    found.execute("PRAGMA trusted_schema = OFF")
    found.execute("PRAGMA cell_size_check = ON")
    return found


def connect_writer(path: Path, connection: sqlite3.Connection, *, durable: bool) -> None:
    """Let a connection write to the log of the file, which others read beside it.

    Raises:
        EngineError: SQLite cannot keep a log there.
    """
    mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
    if mode != "wal":
        raise EngineError(f"{shown(path)} is on a file system that SQLite cannot keep a write-ahead log on")
    connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
    connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
    connection.execute(f"PRAGMA journal_size_limit = {_LOG_BYTES}")
    connection.execute("PRAGMA temp_store = MEMORY")


def connect_reader(path: Path) -> sqlite3.Connection:
    """A connection that only reads."""
    found = connect(path)
    found.execute("PRAGMA query_only = ON")
    return found


@contextmanager
def transaction(connection: sqlite3.Connection, begin: str) -> Iterator[None]:
    """Make one transaction of the statements of a `with` block, of which nothing stays when it fails."""
    connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # after some errors SQLite has rolled back by itself
            connection.execute("ROLLBACK")
        raise


def bound_log(path: Path, connection: sqlite3.Connection, reading: threading.Lock) -> None:
    """Empty the log of a file if it has grown too large, as soon as nobody reads."""
    if path.with_name(f"{path.name}-wal").stat().st_size > _MOST_LOG_BYTES:
        with reading, suppress(sqlite3.Error):  # nothing is lost: what cannot be copied stays in the log
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

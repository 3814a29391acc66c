"""Connections to the file of a store."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

from mockserver.storage.errors import EngineError
from mockserver.storage.sqlite.sentences import shown

#: How long SQLite waits for another program that has locked the file, in seconds. Chosen: a shell of SQLite that reads
#: or backs up a store is done by then, and whoever waits for an answer has not given up.
_PATIENCE_S = 2.0
#: From how many pages on the log is copied into the file at the next commit, of four kilobytes each: SQLite's default.
_CHECKPOINT_PAGES = 1000
#: How large the log stays once it was copied, in bytes; chosen: twice what it has then.
_LOG_BYTES = 8 << 20
#: How large the log may grow, in bytes, while somebody reads whenever it could be emptied; chosen.
MOST_LOG_BYTES = 64 << 20


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


class Connections:
    """A connection that writes, and one that reads meanwhile."""

    def __init__(self, path: Path, *, durable: bool) -> None:
        """Connect to a file that is there; `durable`, whether a commit has reached the disk when it returns.

        Raises:
            EngineError: SQLite cannot keep a log of the file.
        """
        with ExitStack() as opened:
            self.writer = opened.enter_context(closing(connect(path)))
            _keep_log(self.writer, path, durable=durable)
            self.reader = opened.enter_context(closing(connect(path)))
            self.reader.execute("PRAGMA query_only = ON")
            # SQLite opens the log, and keeps others from taking it away, with the first look at a table.
            self.reader.execute("SELECT count(*) FROM header").fetchone()
            self._opened = opened.pop_all()

    def close(self) -> None:
        """Close both; what cannot be copied from the log into the file stays in the log."""
        with suppress(sqlite3.Error):
            self._opened.close()


def _keep_log(connection: sqlite3.Connection, path: Path, *, durable: bool) -> None:
    """Let what is committed be written to a log beside the file, so that it can be read meanwhile."""
    if connection.execute("PRAGMA journal_mode = WAL").fetchone() != ("wal",):
        raise EngineError(f"{shown(path)} is on a file system that SQLite cannot keep a write-ahead log on")
    connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
    connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
    connection.execute(f"PRAGMA journal_size_limit = {_LOG_BYTES}")


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


def log_size(path: Path) -> int | None:
    """The size of the log of a file in bytes; None: somebody has removed it."""
    try:
        return path.with_name(f"{path.name}-wal").stat().st_size
    except FileNotFoundError:
        return None


def empty_log(connection: sqlite3.Connection) -> None:
    """Copy the log into the file, and cut it off; where another program reads, or no room is left, it stays for now."""
    _wait_for_others(connection, 0)
    with suppress(sqlite3.Error):
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    _wait_for_others(connection, _PATIENCE_S)


def _wait_for_others(connection: sqlite3.Connection, seconds: float) -> None:
    """Let a connection wait so long for a program that has locked the file."""
    connection.execute(f"PRAGMA busy_timeout = {round(seconds * 1000)}")

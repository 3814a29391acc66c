"""The file of a store: how it is created, whether another program has changed it, and what SQLite says about it."""

from __future__ import annotations

import os
import sqlite3
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from mockserver.storage.engine import DamagedError, EngineError
from mockserver.storage.records.packing import UnreadableError

#: What follows the path in a sentence, by the primary code of SQLite's result (sqlite.org/rescode.html).
_SENTENCES = {
    sqlite3.SQLITE_BUSY: "is used by another process: a store serves one server at a time",
    sqlite3.SQLITE_FULL: "cannot grow: its disk is full, or a quota is reached",
    sqlite3.SQLITE_READONLY: "cannot be written: the file, its folder or its disk is read-only",
    sqlite3.SQLITE_IOERR: "cannot be read or written: {}",
    sqlite3.SQLITE_NOTADB: "is no store of this program, and no file of SQLite",
}
_RESTORE = "put the file back, or start anew"


class StoreFile:
    """A file that only this process should change. Every method may raise `EngineError`.

    Nothing but SQLite opens it: a process that closes a file loses all locks that it has on the file
    (sqlite.org/howtocorrupt.html, 2.2).
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Look at a path and refuse what cannot be a store; a missing file is no error."""
        self.place = _printable(path)
        #: The file as it was after its last use by this process, or None if it is missing.
        self.seen: os.stat_result | None = None
        try:
            # Without symbolic links: SQLite writes its journal beside the file itself.
            self.path = Path(os.path.realpath(path))
            self.place = _printable(self.path)
            self.seen = self.path.stat()
        except FileNotFoundError:
            return
        except (OSError, ValueError) as error:  # ValueError: the path has a zero byte
            raise EngineError(f"{self.place} cannot be opened: {getattr(error, 'strerror', error)}") from error
        if not stat.S_ISREG(self.seen.st_mode):
            raise EngineError(f"{self.place} is no file, but a folder, a device, a pipe or a socket")
        if not self.seen.st_size:
            raise EngineError(f"{self.place} is empty: put a backup in its place, or remove the file to begin anew")
        # SQLite opens what it cannot write, and fails later.
        if not (os.access(self.path, os.R_OK | os.W_OK) and os.access(self.path.parent, os.W_OK)):
            raise EngineError(f"{self.place} {_SENTENCES[sqlite3.SQLITE_READONLY]}")

    def create(self, fill: Callable[[Path], None]) -> None:
        """Create the file, readable by its owner only; `fill` writes it before it appears under its name."""
        try:
            with tempfile.TemporaryDirectory(dir=self.path.parent, prefix=".mockserver-") as folder:
                file = Path(folder) / "store"
                file.touch(0o600)
                fill(file)
                os.link(file, self.path)  # unlike a rename, it replaces nothing
            self.seen = self.path.stat()
        except OSError as error:
            raise EngineError(f"{self.place} cannot be created: {error.strerror}") from error

    def check(self, *, is_used: bool = False) -> None:
        """Refuse a file that another program has removed, replaced or changed, which SQLite may not notice.

        `is_used` tells whether this process may have changed it since the last call.
        """
        found = None
        with suppress(OSError):
            found = self.path.stat()
        if found is None or self.seen is None or not os.path.samestat(found, self.seen):
            raise EngineError(f"{self.place} was removed or replaced while it was used: {_RESTORE}")
        if not is_used and (found.st_size, found.st_mtime_ns) != (self.seen.st_size, self.seen.st_mtime_ns):
            raise EngineError(f"{self.place} was changed by another program while it was used: {_RESTORE}")
        self.seen = found


def _printable(path: str | os.PathLike[str]) -> str:
    """Return a path as messages show it: unprintable characters are escaped."""
    text = os.fsencode(path).decode("utf-8", "backslashreplace")
    return text if text.isprintable() else text.encode("unicode_escape").decode()


@contextmanager
def translated(place: str) -> Iterator[None]:
    """Translate errors within a `with` block into `EngineError` or `DamagedError`, as sentences about a file."""
    try:
        yield
    except UnreadableError as error:
        raise DamagedError(f"{place} is damaged: {error}") from error
    except sqlite3.Error as error:
        # The module's own errors have no code: use of a closed connection, and a text that is not in UTF-8.
        code: int | None = getattr(error, "sqlite_errorcode", None)
        if code is None and "closed" in str(error):
            raise EngineError(f"{place} is closed") from error
        primary = sqlite3.SQLITE_CORRUPT if code is None else code & 0xFF
        if primary == sqlite3.SQLITE_CORRUPT:
            raise DamagedError(f"{place} is damaged: {error}") from error
        sentence = _SENTENCES.get(primary, "fails: {}").format(f"{error} ({error.sqlite_errorname})")
        raise EngineError(f"{place} {sentence}") from error

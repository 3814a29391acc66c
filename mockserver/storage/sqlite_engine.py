"""An engine in one SQLite file, with a single connection that locks out other processes."""

from __future__ import annotations

import os
import sqlite3
import stat
import tempfile
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import Any
from urllib.parse import quote

from mockserver.core.workspaces.storage import Outline
from mockserver.core.workspaces.store import NAME
from mockserver.storage.engine import KEY, UPGRADE, Batch, DamagedError, EngineError, Header, Newer, NoWorkspaceError
from mockserver.storage.packing import UnreadableError, seal, unseal

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
    """A file for exclusive use by this process. Every method may raise `EngineError`.

    Nothing but SQLite opens it: a process that closes a file loses all locks that it has on the file
    (sqlite.org/howtocorrupt.html, 2.2).
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        """Look at a path, and refuse unsuitable files; a missing file is no error."""
        self.place = _printable(path)
        #: The file's status after its last use by this process; None for a missing file.
        self.seen: os.stat_result | None = None
        #: Whether this process may have changed the file since then, as it was moved away during a use.
        self._is_changed = False
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
        """Refuse a file that another program has removed, replaced or changed; SQLite may not notice.

        `is_used` tells whether this process may have changed it since the last call.
        """
        found = None
        self._is_changed |= is_used
        with suppress(OSError):
            found = self.path.stat()
        if found is None or self.seen is None or not os.path.samestat(found, self.seen):
            raise EngineError(f"{self.place} was removed or replaced while it was used: {_RESTORE}")
        if not self._is_changed and (found.st_size, found.st_mtime_ns) != (self.seen.st_size, self.seen.st_mtime_ns):
            raise EngineError(f"{self.place} was changed by another program while it was used: {_RESTORE}")
        self.seen, self._is_changed = found, False


def _printable(path: str | os.PathLike[str]) -> str:
    text = os.fsencode(path).decode("utf-8", "backslashreplace")
    return text if text.isprintable() else text.encode("unicode_escape").decode()


@contextmanager
def translated(place: str) -> Iterator[None]:
    """Translate errors within a `with` block to `EngineError` or `DamagedError`."""
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


#: Tells a store from other files of SQLite: the letters MkSv.
_APPLICATION_ID = 0x4D6B5376
#: Counts the changes of the tables below.
_FORMAT = 3
#: The tables by name. `turn` orders the workspaces by their last write. Fields have row ids, as many are larger than a
#: page: without them writes take half as long again.
_TABLES = {
    "header": "CREATE TABLE header (layout TEXT NOT NULL, writer TEXT NOT NULL)",
    "value": "CREATE TABLE value (name TEXT PRIMARY KEY, content BLOB NOT NULL)",
    "workspace": "CREATE TABLE workspace (name TEXT PRIMARY KEY, turn INTEGER NOT NULL, due REAL)",
    "field": "CREATE TABLE field (workspace TEXT NOT NULL, name TEXT NOT NULL, content BLOB NOT NULL, "
    "PRIMARY KEY (workspace, name))",
}
_SETTINGS = """
PRAGMA synchronous = FULL; -- let each commit wait for the disk
PRAGMA secure_delete = OFF; -- do not overwrite what is deleted, as some builds do, which takes as long again
PRAGMA trusted_schema = OFF; -- somebody else may have made the file
PRAGMA cell_size_check = ON;
"""
#: The name of the value that says that a server uses the file.
_IN_USE = "in use"
#: The beginning of the names of counts among the values.
_COUNT = "count/"


class Engine:
    """A store in a file, for all threads of the process that has opened it; the protocol documents the methods."""

    kind = "sqlite"
    is_alone = True
    was_interrupted = False
    failure: str | None = None  # each use of the file tells whether it can be used

    def __init__(
        self, path: str | PathLike[str], *, layout: str | None = None, writer: str = "", create: bool = True
    ) -> None:
        """Open a file in an existing folder.

        A file of another layout is refused. `layout=None` accepts any layout, and creates no missing file.
        """
        wanted = None if layout is None else Header(layout, writer)
        self._file = StoreFile(path)
        self.place = self._file.place
        #: Held while the connection is used.
        self._lock = threading.Lock()
        with translated(self.place), ExitStack() as opening:
            if self._file.seen is None:
                if wanted is None or not create:
                    raise EngineError(f"there is no file {self.place}")
                self._file.create(lambda file: _fill(file, wanted))
            self._connection = opening.enter_context(closing(_connect(self._file.path)))
            self._open(wanted)
            opening.pop_all()

    def _open(self, wanted: Header | None) -> None:
        self._connection.executescript(_SETTINGS)
        with self._connection as connection:
            connection.execute("BEGIN EXCLUSIVE")
            # Keep the lock until the end, and overwrite the journal at each commit instead of removing it.
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            self.header = _read_header(connection, self.place)
            if wanted is not None and wanted.layout != self.header.layout:
                raise EngineError(f"{self.place} was written by {self.header.writer}, in another layout: {UPGRADE}")
            if wanted is not None and wanted != self.header:
                connection.execute("UPDATE header SET writer = ?", (wanted.writer,))
                self.header = wanted
            row = connection.execute("SELECT coalesce(max(turn), 0) FROM workspace").fetchone()
            (self._turn,) = _checked(row, int)
            if wanted is not None:
                self.was_interrupted = self._get(_IN_USE) is not None
                self._put(_IN_USE, b"")
        self._file.check(is_used=True)

    @property
    def size(self) -> int:
        return self._file.seen.st_size if self._file.seen else 0

    @contextmanager
    def _used(self) -> Iterator[sqlite3.Connection]:
        """Yield the connection, or raise `EngineError` if another program has changed the file."""
        with self._lock, translated(self.place):
            self._file.check()
            try:
                yield self._connection
            finally:
                self._file.check(is_used=True)

    def close(self) -> None:
        self.failure = f"{self.place} is closed"
        with self._lock, suppress(sqlite3.Error):
            with suppress(sqlite3.Error, EngineError), self._connection:
                self._file.check()
                if not self.was_interrupted:
                    self._connection.execute("DELETE FROM value WHERE name = ?", (_IN_USE,))
            self._connection.close()

    def write(self, *batches: Batch) -> None:
        with self._used() as connection, connection:
            if not any(batches):  # two transactions: the file grows, and later writes use the room
                self._put("trial", bytes(1 << 16))
                connection.execute("DELETE FROM value WHERE name = 'trial'")
            connection.execute("BEGIN")
            for batch in batches:
                self._write(connection, batch)

    def _write(self, connection: sqlite3.Connection, batch: Batch) -> None:
        removed = [(name,) for name in (*batch.removed, *(row.name for row in batch.rows if not row.base))]
        connection.executemany("DELETE FROM workspace WHERE name = ?", removed)
        connection.executemany("DELETE FROM field WHERE workspace = ?", removed)
        for row in batch.rows:
            self._turn += 1
            connection.execute(
                "INSERT INTO workspace (name, turn, due) VALUES (?, ?, ?)"
                " ON CONFLICT (name) DO UPDATE SET turn = excluded.turn, due = excluded.due",
                (row.name, self._turn, row.due_at),
            )
            gone = ((row.name, field) for field in row.changes.gone)
            connection.executemany("DELETE FROM field WHERE workspace = ? AND name = ?", gone)
            connection.executemany(
                "INSERT INTO field (workspace, name, content) VALUES (?, ?, ?)"
                " ON CONFLICT (workspace, name) DO UPDATE SET content = excluded.content",
                ((row.name, field, content) for field, content in row.changes.fields.items()),
            )
        for name, number in batch.counts.items():
            self._put(f"{_COUNT}{name}", b"%d" % (int(self._get(f"{_COUNT}{name}") or 0) + number))

    def read(self, name: str, version: str = "") -> Newer | None:
        if version:  # nobody else changes it
            return None
        with self._used() as connection:
            if connection.execute("SELECT 1 FROM workspace WHERE name = ?", (name,)).fetchone() is None:
                raise NoWorkspaceError(f"{self.place} holds no workspace {name}")
            rows = connection.execute("SELECT name, content FROM field WHERE workspace = ?", (name,))
            return Newer("1", dict(_checked(row, str, bytes) for row in rows))

    def outlines(self) -> Sequence[Outline]:
        query = "SELECT workspace.name, due, field.name FROM workspace LEFT JOIN field ON workspace = workspace.name"
        found: dict[tuple[str, float | None], list[str]] = {}
        with self._used() as connection:
            for row in connection.execute(f"{query} AND field.name GLOB '{KEY}*' ORDER BY turn, field.name"):
                name, due_at, field = _checked(row, str, float | None, str | None)
                if not NAME.fullmatch(name):  # commands make file names of them
                    raise UnreadableError(f"{name!r} is not a name that a workspace can have")
                keys = found.setdefault((name, due_at), [])
                if field is not None:
                    keys.append(field.removeprefix(KEY))
        return [Outline(name, keys, due_at) for (name, due_at), keys in found.items()]

    def field(self, names: Collection[str], field: str) -> Mapping[str, bytes]:
        query = "SELECT content FROM field WHERE workspace = ? AND name = ?"
        with self._used() as connection:
            rows = ((name, connection.execute(query, (name, field)).fetchone()) for name in names)
            return {name: _checked(row, bytes)[0] for name, row in rows if row is not None}

    def sizes(self) -> Mapping[str, int]:
        query = "SELECT workspace.name, coalesce(sum(length(content)), 0) FROM workspace LEFT JOIN field"
        with self._used() as connection:
            return dict(connection.execute(f"{query} ON workspace = workspace.name GROUP BY workspace.name"))

    def _get(self, name: str) -> bytes | None:
        row = self._connection.execute("SELECT content FROM value WHERE name = ?", (name,)).fetchone()
        return None if row is None else unseal(_checked(row, bytes)[0])

    def _put(self, name: str, content: bytes) -> None:
        self._connection.execute("INSERT OR REPLACE INTO value (name, content) VALUES (?, ?)", (name, seal(content)))

    def value(self, name: str, draw: bytes | None = None) -> bytes | None:
        with self._used():
            found = self._get(name)
            if found is None and draw is not None:
                self._put(name, draw)
            return draw if found is None else found

    def _values(self, pattern: str) -> dict[str, bytes]:
        with self._used() as connection:
            rows = connection.execute("SELECT name, content FROM value WHERE name GLOB ?", (pattern,))
            return {name: unseal(content) for name, content in (_checked(row, str, bytes) for row in rows)}

    def counts(self) -> Mapping[str, int]:
        return {name.removeprefix(_COUNT): int(number) for name, number in self._values(f"{_COUNT}*").items()}

    def clear_counts(self) -> None:
        with self._used() as connection:
            connection.execute("DELETE FROM value WHERE name GLOB ?", (f"{_COUNT}*",))

    def damages(self) -> Sequence[str]:
        """Return a sentence for each damage of the file and its values; workspace fields are not checked."""
        try:
            with self._used() as connection:
                rows = connection.execute("PRAGMA integrity_check").fetchall()
            self._values("*")
        except DamagedError as error:
            return [str(error)]
        return [f"{self.place} is damaged: {text}" for (text,) in rows if text != "ok"]


def _connect(path: Path) -> sqlite3.Connection:
    # As an address: SQLite creates no file then, and no character of the path has a meaning.
    address = f"file:{quote(bytes(path))}?mode=rw"
    return sqlite3.connect(address, uri=True, timeout=0, isolation_level=None, check_same_thread=False)


def _fill(file: Path, header: Header) -> None:
    with closing(_connect(file)) as connection, connection:
        connection.execute("BEGIN")
        connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {_FORMAT}")
        for statement in _TABLES.values():
            connection.execute(statement)
        connection.execute("INSERT INTO header VALUES (?, ?)", header)


def _read_header(connection: sqlite3.Connection, place: str) -> Header:
    kind, version = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version"))
    if kind != _APPLICATION_ID:
        raise EngineError(f"{place} is a file of SQLite, but no store of this program")
    if version != _FORMAT:
        raise EngineError(f"{place} is of format {version}, and this version reads {_FORMAT}: {UPGRADE}")
    found = dict(connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL"))
    rows = connection.execute("SELECT layout, writer FROM header LIMIT 2").fetchall() if found == _TABLES else []
    if len(rows) != 1:
        raise UnreadableError("it has other tables than a store")
    return Header(*_checked(rows[0], str, str))


def _checked(row: tuple[Any, ...], *kinds: Any) -> tuple[Any, ...]:
    if not all(map(isinstance, row, kinds)):
        raise UnreadableError(f"{row[0]!r:.80} is not what was written")
    return row

"""The file of a store: what it takes and gives."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from itertools import count
from os import PathLike

from mockserver.core.workspaces.keeping import Outline
from mockserver.storage.batch import Batch
from mockserver.storage.errors import DamagedError, EngineError
from mockserver.storage.records.changes import Stored
from mockserver.storage.sqlite import reading, survey, writing
from mockserver.storage.sqlite.connection import MOST_LOG_BYTES, Connections, connect, empty_log, log_size, transaction
from mockserver.storage.sqlite.schema import Header, check_kind, open_tables
from mockserver.storage.sqlite.sentences import shown, told
from mockserver.storage.sqlite.store_file import StoreFile
from mockserver.storage.sqlite.survey import Room


class Engine:
    """A file that holds workspaces, used by this process alone while it is open.

    One thread writes at a time; others may read meanwhile, one after the other, and see what was committed last.
    """

    def __init__(
        self,
        path: str | PathLike[str],
        *,
        layout: str | None = None,
        writer: str = "",
        create: bool = True,
        durable: bool = False,
    ) -> None:
        """Open a file, and make it where there is none or an empty one.

        Args:
            path: where the file is; its folder has to be there.
            layout: of the bytes that are written, so that a file of another layout is refused; None: any will do, and
                no file is made.
            writer: who writes, as `mockserver 0.1.0`, which is told to whoever cannot read the file.
            create: whether the file is made; without it there has to be one.
            durable: whether a write has reached the disk when it returns, and outlasts a power failure too; without it
                a write outlasts the end of the process only.

        Raises:
            EngineError: the file is used by another process, is no store, is of another version or layout, is damaged,
                or cannot be opened.
        """
        create = create and layout is not None
        self._file = StoreFile(path, create=create)
        #: Held while a connection is used; that to write is taken before that to read.
        self._writing, self._reading = threading.Lock(), threading.Lock()
        self._durable = durable
        try:
            self._open(None if layout is None else Header(layout, writer), create=create)
        except BaseException:
            if self._file.is_new:
                self._file.remove()
            self._file.close()
            raise

    def _open(self, wanted: Header | None, *, create: bool) -> None:
        path = self._file.path
        check_kind(self._file)
        with told(path):
            with closing(connect(path)) as connection:
                #: What the file says of itself.
                self.header = open_tables(connection, self._file, wanted, create=create)
                self._turns = count(writing.last_turn(connection) + 1)
            self._connections = Connections(path, durable=self._durable)

    #: As the setting `store` names it.
    kind = "sqlite"

    @property
    def place(self) -> str:
        """Where the file is, as messages show it."""
        return shown(self._file.path)

    @property
    def size(self) -> int:
        """How many bytes the file takes, and the log beside it."""
        return self._file.size() + (log_size(self._file.path) or 0)

    # ------------------------------------------------------------------ writing

    def write(self, batch: Batch) -> Collection[str]:
        """Write a batch: all of it, or nothing; returns the names of what was left out, which are none.

        Raises:
            EngineError: nothing was written; the message says why.
        """
        with self._writing, told(self._file.path):
            self._check_place()
            self._check_log()
            connection = self._connections.writer
            with transaction(connection, "BEGIN IMMEDIATE"):
                writing.remove(connection, batch.removed)
                for outline, changes in batch.workspaces:
                    writing.write_workspace(connection, next(self._turns), outline, changes)
                writing.write_values(connection, batch.values)
        return ()

    def _check_place(self) -> None:
        """Refuse to go on with a file that nobody would find any more: SQLite would write to it all the same."""
        if self._file.is_closed:
            raise EngineError(f"{self.place} is closed")
        if not self._file.is_in_place():
            raise EngineError(
                f"{self.place} was removed or replaced while it was used: put the file back, or start anew"
            )

    def _check_log(self) -> None:
        """Connect anew if somebody has removed the log, which SQLite would not notice; empty it if it is too large."""
        size = log_size(self._file.path)
        if size is None:
            with self._reading:
                self._connections.close()
                self._connections = Connections(self._file.path, durable=self._durable)
        elif size > MOST_LOG_BYTES:
            with self._reading:
                empty_log(self._connections.writer)

    def vacuum(self) -> None:
        """Give the room in the file that nothing takes any more back to the disk; meanwhile it needs twice the room.

        Raises:
            EngineError: there is no room for that, or the file cannot be written.
        """
        with self._writing, self._reading, told(self._file.path):
            self._connections.writer.execute("VACUUM")
            empty_log(self._connections.writer)

    # ------------------------------------------------------------------ reading

    def outlines(self) -> Sequence[Outline]:
        """All workspaces, the one written longest ago first.

        Raises:
            EngineError: they cannot be read.
        """
        with self._snapshot() as connection:
            return reading.outlines(connection)

    def read(self, name: str) -> Stored:
        """All that is held of a workspace.

        Raises:
            DamagedError: it is not what was written.
            EngineError: there is no such workspace, or it cannot be read.
        """
        with self._snapshot() as connection:
            if not reading.has(connection, name):
                raise EngineError(f"{self.place} holds no workspace {name}")
            return reading.stored(connection, name)

    def parts(self, names: Iterable[str], part: str) -> Mapping[str, bytes]:
        """One part of several workspaces, by their names; those that have no such part are left out.

        Raises:
            EngineError: it cannot be read.
        """
        with self._snapshot() as connection:
            return dict(reading.parts(connection, names, part))

    def values(self) -> Mapping[str, bytes]:
        """The values of the server, by name.

        Raises:
            EngineError: they cannot be read.
        """
        with self._snapshot() as connection:
            return reading.values(connection)

    def room(self) -> Room:
        """What the store takes on the disk.

        Raises:
            EngineError: the file cannot be read.
        """
        with self._snapshot() as connection:
            return survey.room(connection)

    def sizes(self) -> Mapping[str, int]:
        """How many bytes are kept of each workspace, the one written longest ago first.

        Raises:
            EngineError: they cannot be read.
        """
        with self._snapshot() as connection:
            return survey.sizes(connection)

    def damages(self) -> Sequence[str]:
        """A sentence for each damage that is found when all of the store is read; none for a sound one.

        Raises:
            EngineError: the file cannot be read, for another reason.
        """
        try:
            with self._snapshot() as connection:
                found = [f"{self.place} is damaged: {text}" for text in survey.broken_pages(connection)]
            self.values()
            names = [outline.name for outline in self.outlines()]
        except DamagedError as error:
            return [str(error)]
        for name in names:
            try:
                self.read(name)
            except DamagedError as error:
                found.append(str(error))
        return found

    @contextmanager
    def _snapshot(self) -> Iterator[sqlite3.Connection]:
        """What was committed last, which stays as it is within a `with` block."""
        with self._reading, told(self._file.path), transaction(self._connections.reader, "BEGIN"):
            yield self._connections.reader

    # ------------------------------------------------------------------ the end

    def close(self) -> None:
        """Let the file go, with all that was written in it; what is called after that raises `EngineError`."""
        with self._writing, self._reading:
            self._connections.close()
            self._file.close()

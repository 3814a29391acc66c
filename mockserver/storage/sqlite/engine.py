"""The file of a store: what it takes and gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike

from mockserver.core.workspaces.keeping import Outline
from mockserver.storage.records.changes import Stored
from mockserver.storage.sqlite.batch import Batch


class Engine:
    """A file that holds workspaces, used by this process alone while it is open.

    One thread writes at a time; any number of threads may read meanwhile, and see what was committed last.
    """

    def __init__(self, path: str | PathLike[str], *, layout: str | None, writer: str, durable: bool = False) -> None:
        """Open a file, and make it where there is none or an empty one.

        Args:
            path: where the file is; its folder has to be there.
            layout: of the bytes that are written, so that a file of another layout is refused; None: any, and a file
                that is not there is refused too.
            writer: who writes, as `mockserver 0.1.0`, which is told to whoever cannot read the file.
            durable: whether a write has reached the disk when it returns, and outlasts a power failure too; without it
                a write outlasts the end of the process only.

        Raises:
            EngineError: the file is used by another process, is no store, is of another version or layout, is damaged,
                or cannot be opened.
        """
        raise NotImplementedError

    def write(self, batch: Batch) -> None:
        """Write a batch: all of it, or nothing.

        Raises:
            EngineError: nothing was written; the message says why.
        """
        raise NotImplementedError

    def outlines(self) -> Sequence[Outline]:
        """All workspaces, the one written longest ago first.

        Raises:
            EngineError: they cannot be read.
        """
        raise NotImplementedError

    def read(self, name: str) -> Stored:
        """All that is held of a workspace.

        Raises:
            DamagedError: it is not what was written.
            EngineError: there is no such workspace, or it cannot be read.
        """
        raise NotImplementedError

    def parts(self, names: Iterable[str], part: str) -> Mapping[str, bytes]:
        """One part of several workspaces, by their names; those that have no such part are left out.

        Raises:
            EngineError: it cannot be read.
        """
        raise NotImplementedError

    def values(self) -> Mapping[str, bytes]:
        """The values of the server, by name.

        Raises:
            EngineError: they cannot be read.
        """
        raise NotImplementedError

    def close(self) -> None:
        """Let the file go, with all that was written in it; what is called after that raises `EngineError`."""
        raise NotImplementedError

"""What a keeper needs of an engine, be it a file of its own or a database that several servers share."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from mockserver.core.workspaces.keeping import News, Outline
from mockserver.storage.batch import Batch
from mockserver.storage.records.changes import Stored


class Engine(Protocol):
    """Holds workspaces as bytes."""

    @property
    def kind(self) -> str:
        """What it is, as the setting `store` names it: `sqlite` or `redis`."""
        ...

    @property
    def place(self) -> str:
        """Where it is, for users; without secrets."""
        ...

    @property
    def size(self) -> int:
        """How many bytes it takes, as far as that is known."""
        ...

    def write(self, batch: Batch) -> Collection[str]:
        """Write a batch: all of it, or nothing, but for the workspaces that this server does not hold any more.

        Returns the names of those, of which nothing was written.

        Raises:
            EngineError: nothing was written, or it is not known whether all was; the message says why.
        """
        ...

    def outlines(self) -> Sequence[Outline]:
        """All workspaces, the one written longest ago first."""
        ...

    def read(self, name: str) -> Stored:
        """All that is held of a workspace, whoever holds it."""
        ...

    def parts(self, names: Iterable[str], part: str) -> Mapping[str, bytes]:
        """One part of several workspaces, by their names; those that have no such part are left out."""
        ...

    def values(self) -> Mapping[str, bytes]:
        """The values of the server, by name."""
        ...

    def close(self) -> None:
        """Let go of everything; what is called after that raises `EngineError`."""
        ...


class SharedEngine(Engine, Protocol):
    """An engine that several servers use at the same time; each workspace is held by one of them, or by none.

    A server that has not been heard of for some seconds holds nothing any more. What a server writes of a workspace
    that it does not hold is refused, so that a workspace never has two versions.
    """

    @property
    def failure(self) -> str | None:
        """Why other servers do not hear of this one at present, as a sentence for users, or None."""
        ...

    def lost(self) -> Collection[str]:
        """The workspaces that this server has lost since the last call as it was not heard of, by name."""
        ...

    def take(self, name: str) -> Stored:
        """Hold a workspace from now on; all that is held of it.

        Raises:
            HeldElsewhereError: another server holds it, or has claimed its name.
            NoWorkspaceError: there is none.
            EngineError: it cannot be read.
        """
        ...

    def claim(self, name: str) -> bool:
        """Hold a name of which there is no workspace; False: there is one, or another server holds the name.

        A name that this server holds already stays held as it was.
        """
        ...

    def evict(self, name: str) -> bool:
        """Remove a workspace, whoever holds it, which is told to all as `evicted`; False: there was none."""
        ...

    def names(self) -> Sequence[str]:
        """The names of all workspaces, the one written longest ago first."""
        ...

    def counts(self) -> Mapping[str, int]:
        """What all servers have added to the counts, by their names."""
        ...

    def clear_counts(self) -> None:
        """Drop all counts, which is told to other servers as `Cleared`."""
        ...

    def let_go(self, outline: Outline) -> None:
        """Hold a workspace no longer, which is then known to all by this outline."""
        ...

    def news(self) -> Sequence[News]:
        """What other servers have done since the last call, in that order; what `outlines` told counts as known."""
        ...

    def value(self, name: str, draw: bytes) -> bytes:
        """A value of all servers: the one that is there, else `draw`, which is there from now on."""
        ...

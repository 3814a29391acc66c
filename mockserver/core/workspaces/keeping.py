"""Keeping workspaces beyond the process: what the store of a server asks of whatever keeps them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from mockserver.core.effects.effects import Effects
from mockserver.core.traffic.coverage import Coverage
from mockserver.core.workspaces.workspace import Workspace

if TYPE_CHECKING:
    import asyncio


class KeepingError(Exception):
    """A workspace cannot be loaded, or what has changed cannot be kept; the text says why, for users."""


class MissingError(KeepingError):
    """There is no such workspace any more, whatever was known of it."""


class HeldElsewhereError(BaseException):
    """Another server of the same store holds a workspace, and has to be asked; nothing was done here.

    A `BaseException`, so that no handler of errors takes it for an error.
    """

    def __init__(self, name: str, address: str) -> None:
        super().__init__(name, address)
        self.name = name
        #: The root address at which servers of the store reach the one that holds it.
        self.address = address


class Outline(NamedTuple):
    """What is known of a workspace that is kept, without loading it."""

    name: str
    #: The keys that lead to it, valid and revoked.
    keys: Sequence[str]
    #: When its next timer is due in real time, in seconds since 1970; None: no timer is set, or its clock stands still.
    due_at: float | None = None
    #: Whether calls or e-mails of it were under way, which go on once it is loaded.
    is_busy: bool = False
    #: Whether its coverage counts in that of the server.
    counted: bool = True


class Known(NamedTuple):
    """Another server has made a workspace, let one go, or added a key to one."""

    outline: Outline


class Departed(NamedTuple):
    """Another server has removed a workspace."""

    name: str
    #: `dropped` or `evicted`.
    why: str


class Cleared(NamedTuple):
    """Another server has set the coverage of all workspaces, and of those that are gone, to zero."""


#: What another server of the same store has done.
News = Known | Departed | Cleared


class KeepingStatus(NamedTuple):
    """How the keeping of workspaces goes."""

    #: The kind of the engine, as the setting `store` names it.
    engine: str
    #: Where it is, for users.
    place: str
    #: How many bytes it takes.
    bytes: int
    #: How many workspaces and other things wait to be written.
    waiting: int
    #: How often something was written since the start, and how often that has failed.
    written: int
    failed: int
    #: Why it has failed last, or None.
    last_failure: str | None


class Keeping(Protocol):
    """Keeps the workspaces of a server, so that another start of it has them again."""

    @property
    def is_shared(self) -> bool:
        """Whether other servers use the same store, each workspace by one at a time: the server that holds it."""
        ...

    @property
    def failure(self) -> str | None:
        """Why nothing can be kept at present, as a sentence for users, or None."""
        ...

    def status(self) -> KeepingStatus | None:
        """How it goes; None: nothing is kept."""
        ...

    def lock(self) -> threading.RLock:
        """The lock of a workspace; whoever takes it may change the workspace, which is looked at again after that."""
        ...

    def outlines(self) -> Sequence[Outline]:
        """The workspaces that are kept, the one used longest ago first; asked once, when the server starts."""
        ...

    def names(self) -> Sequence[str]:
        """The names of the workspaces that are kept now, by all servers, the one used longest ago first.

        Raises:
            KeepingError: nobody can tell.
        """
        ...

    def load(self, name: str) -> Workspace:
        """A workspace that is kept, as it was; nothing is due in it yet, and `add` was not called.

        It is held by this server from now on, until `let_go` or `remove`.

        Raises:
            HeldElsewhereError: another server holds it, or has claimed its name.
            MissingError: there is none.
            KeepingError: it cannot be read.
        """
        ...

    def copy(self, name: str) -> Workspace:
        """A copy of a workspace as it was kept last, whoever holds it: to look at, and never to be added.

        Raises:
            MissingError: there is none.
            KeepingError: it cannot be read.
        """
        ...

    def claim(self, name: str) -> bool:
        """Hold a name of which there is no workspace, so that one may be added; False: there is one, or soon will be.

        A name that this server holds already stays held as it was.

        Raises:
            KeepingError: nobody can tell.
        """
        ...

    def let_go(self, outline: Outline) -> None:
        """Hold a workspace no longer that was released and has left the memory: other servers may load it."""
        ...

    def news(self) -> Sequence[News]:
        """What other servers of the store have done since the last call, in that order.

        A workspace of this server that another one has removed is lost by then.

        Raises:
            KeepingError: nobody can tell.
        """
        ...

    def follow(self, lost: Callable[[str], object]) -> None:
        """Call `lost` with the name of each workspace that this server has lost, from any thread, with no lock held.

        What was done in it last is not kept: another server has taken it, or the store was not to be reached. Whoever
        takes its lock gets a `KeepingError` from then on.
        """
        ...

    def effects(self, workspace: Workspace, effects: Effects) -> Effects:
        """What carries out the effects of a workspace, by means of those of the server.

        They may wait until what has caused them is kept, and never happen if it is not.
        """
        ...

    def add(self, workspace: Workspace) -> None:
        """Keep a workspace, new or just loaded, and all that changes in it from now on."""
        ...

    def remove(self, name: str) -> None:
        """Keep a workspace no longer that this server or none holds, whether it is loaded or not."""
        ...

    def evict(self, name: str) -> bool:
        """Remove a workspace at once, whichever server holds it, and tell all that it went for a newer one.

        Returns False if there was none. Of two servers that evict it, one is told True. Not for the event loop.

        Raises:
            KeepingError: it could not be removed, or nobody can tell.
        """
        ...

    def release(self, workspace: Workspace) -> Outline | None:
        """The outline of a workspace of which all is kept, so that it may leave the memory; the caller holds its lock.

        With that, nothing refers to it here any more. None: something of it is not kept yet, and it has to stay.
        """
        ...

    def begin(self) -> None:
        """Let `settle` and `settled` be about what this thread does from now on, and about nothing before."""
        ...

    def settle(self) -> None:
        """Wait until what this thread has changed is kept, if answers have to wait for that.

        Raises:
            KeepingError: it could not be kept.
        """
        ...

    def settled(self) -> asyncio.Future[str | None] | None:
        """As `settle`, for the event loop that runs in this thread: what is to be awaited, or None: there is nothing.

        Its result is None, or why what this thread has changed could not be kept, as a sentence for users.
        """
        ...

    def coverage(self, names: Iterable[str]) -> Coverage:
        """The coverage of workspaces that are not loaded.

        Raises:
            KeepingError: it cannot be read.
        """
        ...

    def clear_coverage(self, names: Iterable[str]) -> None:
        """Set the coverage of workspaces that are not loaded, and that no other server holds, to zero.

        Nobody loads them meanwhile.

        Raises:
            KeepingError: it could not be kept.
        """
        ...

    def past(self) -> Coverage:
        """The coverage of workspaces that are gone, of all servers and starts, which the caller does not change.

        Raises:
            KeepingError: it cannot be read.
        """
        ...

    def add_past(self, coverage: Coverage) -> None:
        """Add the coverage of a workspace that goes to that of those that are gone."""
        ...

    def clear_past(self) -> None:
        """Set the coverage of workspaces that are gone to zero; other servers hear that it is `Cleared`.

        Raises:
            KeepingError: it could not be kept.
        """
        ...

    def secret(self, name: str, draw: Callable[[], bytes]) -> bytes:
        """A secret of the server, which is drawn once and is the same at every start."""
        ...

    def has_secret(self, name: str) -> bool:
        """Whether a secret of the server was drawn."""
        ...

    def close(self) -> bool:
        """Save the last changes and release everything. Return whether all changes are saved."""
        ...

"""Keeping workspaces beyond the process: what a store asks of its keeper, and the keeper that saves nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol, TypeVar

from mockserver.core.effects import Effects
from mockserver.core.traffic.coverage import Coverage
from mockserver.core.workspaces.workspace import Workspace

Result = TypeVar("Result")


class StorageError(Exception):
    """A workspace cannot be loaded, or changes cannot be saved; the text says why, for users."""


class MissingError(StorageError):
    """The workspace does not exist any more."""


class Outline(NamedTuple):
    """What is known of a saved workspace without loading it."""

    name: str
    #: The API keys that lead to it, valid and revoked.
    keys: Sequence[str] = ()
    #: When something is due in it, in seconds since 1970; None: nothing is, or its clock is frozen.
    due_at: float | None = None


class StorageStatus(NamedTuple):
    """The state of a keeper, for health and metrics."""

    #: The kind of the engine, as the setting `store` names it.
    engine: str
    #: Where it is, for users.
    place: str
    #: How many bytes it takes.
    bytes: int
    #: How many changes wait to be saved.
    waiting: int
    #: How many writes have succeeded and failed since the start.
    written: int
    failed: int
    #: The reason of the last failure, or None.
    last_failure: str | None


class Storage:
    """Keeps the workspaces of a server. This one saves nothing; its subclasses save in a file or a database."""

    def __init__(self) -> None:
        self._past = Coverage()
        self._secrets: dict[str, bytes] = {}
        self._drawing = threading.Lock()

    #: Whether `run` returns only after the changes of its step are saved.
    in_sessions = False

    @property
    def is_shared(self) -> bool:
        """Whether other servers use the same store; then this is a `SharedStorage`."""
        return False

    @property
    def server(self) -> str:
        """The id of this server among those that share the store; empty if the store is not shared."""
        return ""

    @property
    def failure(self) -> str | None:
        """Why nothing can be saved at present, as a sentence for users, or None."""
        return None

    def status(self) -> StorageStatus | None:
        """Return the state of the keeper, or None if nothing is saved."""
        return None

    def close(self) -> bool:
        """Save the last changes and release everything. Return whether all changes are saved."""
        return True

    # ------------------------------------------------------------------ steps

    def run(self, step: Callable[[], Result]) -> Result:
        """Return what a step returns, after its changes are saved if this keeper works in sessions.

        The step runs again, from its beginning and on newer workspaces, if another server was faster. Within a step,
        this just calls the other one.

        Raises:
            StorageError: the changes could not be saved, or it is unknown whether they are.
        """
        return step()

    def attempt(self, step: Callable[[], object]) -> bool:
        """Run a step as `run` does. Return False if its changes are not saved, or a workspace cannot be read."""
        try:
            self.run(step)
        except StorageError:
            return False
        return True

    def after(self, call: Callable[[], object]) -> None:
        """Call a function once the changes of this step are saved; at once outside sessions."""
        call()

    def effects(self, workspace: Workspace, effects: Effects) -> Effects:
        """Return what carries out the effects of a workspace: in sessions, they wait until their cause is saved."""
        return effects

    # ------------------------------------------------------------------ workspaces

    def outlines(self) -> Sequence[Outline]:
        """Return the saved workspaces, the one used longest ago first."""
        return ()

    def lock(self) -> threading.RLock:
        """Return the lock of a new workspace; whoever holds it may change the workspace."""
        return threading.RLock()

    def load(self, name: str) -> Workspace:
        """Return a saved workspace as it was; no timer has fired in it since, and `add` was not called.

        Raises:
            MissingError: there is no such workspace.
            StorageError: it cannot be read.
        """
        raise MissingError(f"workspace {name} is not saved")

    def follow(self, lost: Callable[[str], object]) -> None:
        """Call `lost` with the name of each workspace whose creation or removal could not be saved."""

    def add(self, workspace: Workspace) -> None:
        """Save a workspace, new or just loaded, and all its changes from now on."""

    def remove(self, name: str) -> None:
        """Delete a saved workspace, whether it is loaded or not."""

    def release(self, workspace: Workspace) -> Outline | None:
        """Return the outline of a workspace that may leave the memory, and refer to it no more.

        The caller holds its lock. None: some changes are not saved yet, so it has to stay.
        """
        return None

    # ------------------------------------------------------------------ coverage and secrets

    def coverage(self, names: Iterable[str]) -> Coverage:
        """Return the coverage of saved workspaces that are not loaded.

        Raises:
            StorageError: it cannot be read.
        """
        return Coverage()

    def clear_coverage(self, names: Iterable[str]) -> None:
        """Delete the coverage of saved workspaces that are not loaded.

        Raises:
            StorageError: it cannot be deleted.
        """

    def past(self) -> Coverage:
        """Return the coverage of workspaces that are gone, of all servers and starts; the caller does not change it.

        Raises:
            StorageError: it cannot be read.
        """
        return self._past

    def add_past(self, coverage: Coverage) -> None:
        """Add the coverage of a workspace that goes."""
        self._past.merge(coverage)

    def clear_past(self) -> None:
        """Delete the coverage of workspaces that are gone.

        Raises:
            StorageError: it cannot be deleted.
        """
        self._past.clear()

    def secret(self, name: str, draw: Callable[[], bytes] | None = None) -> bytes | None:
        """Return a secret of the server, or of all that share a store; if there is none, save what `draw` returns.

        Raises:
            StorageError: it cannot be read or saved.
        """
        with self._drawing:
            if name not in self._secrets and draw is not None:
                self._secrets[name] = draw()
            return self._secrets.get(name)


class SharedStorage(Protocol):
    """What a keeper does besides for workspaces that several servers share. All methods may raise `StorageError`."""

    def names(self) -> Sequence[str]:
        """Return the names of all workspaces, the one used longest ago first."""

    def homes(self, key: str) -> Sequence[str]:
        """Return the names of the workspaces that have an API key, the one that has had it longest first."""

    def open(self, workspace: Workspace) -> None:
        """Bring a workspace up to date, and hold its lock until the present step ends.

        Raises:
            MissingError: another server has removed it.
        """

    def copy(self, name: str) -> Workspace:
        """Return a copy of a workspace as it was saved last, to look at.

        Raises:
            MissingError: there is no such workspace.
        """

    def look_after(self, workspace: Workspace) -> None:
        """Take over the calls and e-mails of dead servers, in a step that has opened the workspace."""

    def changes(self) -> Iterator[str]:
        """Yield the names of workspaces in memory that another server has changed, until the keeper is closed."""

    def due(self) -> Sequence[str]:
        """Return the names of some workspaces at which a server has to look now."""

    def remember(self, name: str, seconds: int) -> None:
        """Let `remembers` return True for a name at all servers, for so many seconds."""

    def remembers(self, name: str) -> bool:
        """Return whether a name is remembered."""

    def forget(self, name: str) -> None:
        """Remember a name no longer."""

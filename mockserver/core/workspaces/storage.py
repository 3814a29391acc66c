"""Saving workspaces beyond the process: the interface of a storage, and the storage that saves nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol, TypeVar

from mockserver.core.traffic.coverage import Coverage
from mockserver.core.workspaces.workspace import Workspace

Result = TypeVar("Result")


class StorageError(Exception):
    """A failed load or save; the text tells users why."""


class MissingError(StorageError):
    """The workspace does not exist any more."""


class OutageError(StorageError):
    """The whole storage cannot be used; it has logged why."""


class Outline(NamedTuple):
    """A saved workspace's name, keys and due moment."""

    name: str
    #: Its API keys, valid and revoked.
    keys: Sequence[str] = ()
    #: When a timer is due in it, in seconds since 1970, or None if its clock is frozen or no timer is set.
    due_at: float | None = None


class StorageStatus(NamedTuple):
    #: The kind of the engine, as the setting `store` names it.
    engine: str
    #: The path or the address, for users.
    place: str
    bytes: int
    #: The number of changes that wait to be saved.
    waiting: int
    #: The number of writes since the start that have succeeded and failed.
    written: int
    failed: int
    #: The reason of the last failure, or None.
    last_failure: str | None


class Storage:
    """A storage without persistence; subclasses save in files or databases.

    Every method that reads or writes may raise `StorageError`.
    """

    #: Whether `run` returns only after the changes of its step are saved.
    in_sessions = False

    def __init__(self) -> None:
        self._past = Coverage()
        self._secrets: dict[str, bytes] = {}
        self._drawing = threading.Lock()

    @property
    def is_shared(self) -> bool:
        """Whether several servers share the store, as `SharedStorage`."""
        return False

    @property
    def server(self) -> str:
        return ""

    @property
    def failure(self) -> str | None:
        """Why the last use failed, as a sentence for users; None after a successful write."""
        return None

    def retry(self) -> None:
        """Use the storage again if the last use failed, which renews `failure`."""

    def status(self) -> StorageStatus | None:
        """Return the storage's state, or None without persistence."""
        return None

    def close(self) -> bool:
        """Save the last changes and release everything. Return whether all changes are saved."""
        return True

    def labels(self, names: Iterable[str]) -> Mapping[str, tuple[str, str]]:
        """Return label and outcome of saved workspaces by name."""
        return {}

    def run(self, step: Callable[[], Result]) -> Result:
        """Run a step and return its result, in sessions after its changes are saved.

        The step runs again, from its beginning and on newer workspaces, if another server was faster. A step within a
        step is only called.
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
        """Call a function once this step is saved; outside sessions immediately."""
        call()

    def outlines(self) -> Sequence[Outline]:
        """Return the outlines of the saved workspaces, the one used longest ago first."""
        return ()

    def lock(self) -> threading.RLock:
        return threading.RLock()

    def load(self, name: str) -> Workspace:
        """Return a workspace as saved, with unfired timers, before `add`."""
        raise MissingError(f"workspace {name} is not saved")

    def follow(self, lost: Callable[[str], object]) -> None:
        """Call `lost` with names of workspaces whose creation or removal failed."""

    def add(self, workspace: Workspace) -> None:
        """Save a new or loaded workspace, and all further changes."""

    def remove(self, name: str) -> None:
        """Delete a saved workspace, loaded or not."""

    def release(self, workspace: Workspace) -> Outline | None:
        """Forget a workspace and return its outline, or None while changes are unsaved.

        The caller holds the lock of the workspace.
        """
        return None

    def coverage(self, names: Iterable[str]) -> Coverage:
        """Return the coverage of saved workspaces that are not loaded."""
        return Coverage()

    def clear_coverage(self, names: Iterable[str]) -> None:
        """Delete the coverage of saved workspaces that are not loaded."""

    def past(self) -> Coverage:
        return self._past

    def add_past(self, coverage: Coverage) -> None:
        self._past.merge(coverage)

    def clear_past(self) -> None:
        self._past.clear()

    def secret(self, name: str, draw: Callable[[], bytes] | None = None) -> bytes | None:
        """Return a shared secret; if missing, save the result of `draw`."""
        with self._drawing:
            if name not in self._secrets and draw is not None:
                self._secrets[name] = draw()
            return self._secrets.get(name)


class SharedStorage(Protocol):
    """Further methods of a storage for workspaces that several servers share. All may raise `StorageError`."""

    def names(self) -> Sequence[str]:
        """Return the names of all workspaces, the one used longest ago first."""

    def homes(self, key: str) -> Sequence[str]:
        """Return names of workspaces having an API key, oldest owner first."""

    def open(self, workspace: Workspace) -> None:
        """Bring a workspace up to date, and hold its lock until the present step ends.

        Raises:
            MissingError: Another server has removed the workspace.
        """

    def copy(self, name: str) -> Workspace:
        """Return a read-only copy of a workspace as last saved."""

    def look_after(self, workspace: Workspace) -> None:
        """Take over the calls and e-mails of dead servers, in a step that has opened the workspace."""

    def changes(self) -> Iterator[tuple[str, bool]]:
        """Yield loaded workspaces changed by other servers, and whether they were removed, until closed."""

    def due(self, most: int) -> Sequence[str]:
        """Return names of workspaces needing attention now."""

    def remember(self, name: str, seconds: int) -> None:
        """Let `remembers` return True for a name, at all servers, for some seconds."""

    def remembers(self, name: str) -> bool:
        """Return whether a name is remembered."""

    def forget(self, name: str) -> None:
        """Forget a remembered name."""

"""Steps, which are the only way to a workspace, and the interface of a storage that saves what they change."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import NamedTuple, Protocol, TypeVar

from mockserver.core.traffic.coverage import Coverage
from mockserver.core.workspaces.workspace import Access, Workspace

Result = TypeVar("Result")

_LOG = logging.getLogger(__name__)

#: How long a step that has a workspace waits for another one, in seconds. Chosen: two steps that wait for each other
#: are rare, and clients still wait.
_PATIENCE_S = 5.0


class StorageError(Exception):
    """A failed load or save; the text tells users why."""


class MissingError(StorageError):
    """The workspace does not exist any more."""


class OutageError(StorageError):
    """The whole storage is unusable. The reason is in the log."""


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


class Step:
    """A step's open workspaces, and the calls it makes at its end."""

    __slots__ = ("after", "held")

    def __init__(self) -> None:
        self.held: list[Access] = []
        #: Called at the end, when the workspaces are free and saved: once, however often the step has run.
        self.after: list[Callable[[], object]] = []

    def hold(self, access: Access) -> None:
        """Keep a workspace that was taken until the end."""
        access.step = self
        self.held.append(access)

    def release(self) -> None:
        for access in self.held:
            access.give_back()
        self.held = []

    def finish(self) -> None:
        """Make the calls of `after`, and log those that fail."""
        for call in self.after:
            try:
                call()
            except Exception:  # noqa: BLE001  # the others happen nevertheless
                _LOG.exception("an effect of a step has failed")


class Saving(NamedTuple):
    """The unfinished save of an ended step."""

    #: Done when it is saved; each may have a `StorageError`.
    futures: Sequence[Future[None]]
    #: Called by whoever has waited, for what the step has put off until it is saved.
    finish: Callable[[], object]

    def wait(self) -> None:
        """Wait in a thread.

        Raises:
            StorageError: It cannot be saved.
        """
        for future in self.futures:
            future.result()
        self.finish()

    def then(self) -> None:
        """Wait in another thread, if necessary; a failed save is ignored, since nobody waits for an answer."""
        if not self.futures:
            self.finish()
            return

        def wait() -> None:
            with suppress(StorageError):
                self.wait()

        threading.Thread(target=wait, name="mockserver step", daemon=True).start()


class Storage:
    """A storage without persistence; subclasses save in files or databases.

    Every method that reads or writes may raise `StorageError`.
    """

    def __init__(self) -> None:
        #: Called before a step waits or does long work (`waits=False`); may raise, so that the step runs where it may.
        self.leave: Callable[..., object] = lambda *, waits=False: None
        self._local = threading.local()
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

    @property
    def step(self) -> Step | None:
        """The step of this thread, or None."""
        found: Step | None = getattr(self._local, "step", None)
        return found

    @property
    def current(self) -> Step:
        """The step of this thread, which has to run."""
        step = self.step
        assert step is not None, "a workspace is used in steps only"
        return step

    def run(self, step: Callable[[], Result], *, is_read: bool = False) -> Result:
        """Run a step, which has each workspace that it opens to itself, and return its result once that is saved.

        A step within a step is only called. `is_read` is as in `begin`.

        Where several servers share the store, the step runs again, from its beginning and on newer workspaces, if
        another server was faster.
        """
        if self.step is not None:
            return step()
        current = self._local.step = Step()
        try:
            return step()
        finally:
            self._local.step = None
            current.release()
            current.finish()

    def begin(self, step: Callable[[], Result], *, is_read: bool = False) -> tuple[Result, Saving | None]:
        """Run a step as `run` does, without waiting until it is saved.

        Args:
            step: The step.
            is_read: Whether the step is to change nothing, and to leave but traces such as a row of the journal. If so,
                these are saved a little later.

        Returns:
            The result, and what to wait for, or None if there is nothing to wait for.
        """
        return self.run(step), None

    def open(self, workspace: Workspace) -> None:
        """Let this step have a workspace to itself, up to date and with due timers fired, until it ends.

        Raises:
            MissingError: The workspace has left the memory meanwhile, or another server has removed it.
            StorageError: It cannot be read, or another step has it for too long.
        """
        if workspace.access.step is None or workspace.access.step is not self.step:
            self.hold(workspace)
            if workspace.access.is_gone:
                raise MissingError(f"workspace {workspace.name} has left the memory of this server")
            workspace.catch_up(self.leave)

    def hold(self, workspace: Workspace, patience_s: float | None = None) -> bool:
        """As `open`, but leave due timers alone. Return False after `patience_s` seconds, if given."""
        step, access = self.current, workspace.access
        if access.step is step:
            return True
        if not access.take():
            if patience_s is None:
                self.leave(waits=True)
            if not access.take((_PATIENCE_S if step.held else -1) if patience_s is None else patience_s):
                if patience_s is None:
                    raise StorageError(f"workspace {workspace.name} is busy; send the request again")
                return False
        step.hold(access)
        return True

    def let_go(self, workspace: Workspace) -> None:
        """Give back a workspace that this step has only looked at, so that nobody waits for the rest of the step."""
        if workspace.access.step is self.current:
            self.current.held.remove(workspace.access)
            workspace.access.give_back()

    def let_go_all(self) -> None:
        """Give back all workspaces that this step has only looked at."""
        self.current.release()

    def after(self, call: Callable[[], object]) -> None:
        """Call a function once when this step is saved; outside steps immediately."""
        step = self.step
        if step is None:
            call()
        else:
            step.after.append(call)

    def outlines(self) -> Sequence[Outline]:
        """Return the outlines of the saved workspaces, the one used longest ago first."""
        return ()

    def load(self, name: str) -> Workspace:
        """Return a workspace as saved, with unfired timers, before `add`."""
        raise MissingError(f"workspace {name} is not saved")

    def follow(self, lost: Callable[[str, Outline | None], Workspace | None]) -> None:
        """Call `lost` with the name of each workspace whose creation failed, or whose removal failed (its outline).

        In the latter case, `lost` returns the workspace that was made under the name meanwhile, which is lost, too.
        """

    def add(self, workspace: Workspace) -> None:
        """Save a new or loaded workspace, which this step has from now on, and all further changes."""
        self.hold(workspace)

    def remove(self, name: str, outline: Outline | None = None) -> None:
        """Delete a saved workspace: one that this step has, or a passivated one with its outline."""

    def released(self, workspace: Workspace) -> Outline | None:
        """Return the outline of a workspace that this step has and that may leave; None while changes are unsaved."""
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

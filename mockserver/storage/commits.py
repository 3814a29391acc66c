"""Group commits: one transaction of an engine for the changes of several steps."""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

from mockserver.core.workspaces.storage import Outline, StorageError
from mockserver.storage.engine import Batch, ConflictError
from mockserver.storage.engine_storage import SavedWorkspace

#: How many bytes are written in one transaction, unless one step has more; chosen: they are in memory meanwhile.
_GROUP_BYTES = 8 << 20
#: After how many seconds traces are saved. Chosen: many are saved at once.
TRACES_S = 0.5
#: How long the thread waits for a busy workspace on its rounds, until it looks again, and at the end, in seconds.
#: Chosen: almost all steps are shorter.
_ROUND_S, _AGAIN_S, _PATIENCE_S = 0.02, 0.005, 2.0
#: After how many seconds traces are tried again while the engine is away.
_AWAY_S = 1.0

_LOG = logging.getLogger(__name__)


def unfinished() -> Future[None]:
    """Return a future that nobody can cancel, as several steps wait for it."""
    found = Future[None]()
    found.set_running_or_notify_cancel()
    return found


@dataclass(eq=False)
class Commit:
    """Changes on their way to the engine."""

    batch: Batch
    #: The changed workspaces, each with how often it was lost before.
    saved: Sequence[tuple[SavedWorkspace, int]] = ()
    #: The workspaces that it creates, and those that it removes with their outlines, by name.
    lost: Mapping[str, Outline | None] = field(default_factory=dict)
    #: Done as soon as everything is saved, or with the reason why it is not.
    done: Future[None] = field(default_factory=unfinished)

    @property
    def is_current(self) -> bool:
        """Whether the changes build on the current state of each workspace: none was lost since."""
        return all(saved.losses == losses for saved, losses in self.saved)


class Commits:
    """A thread that commits, in their order, whatever has come while it was busy.

    It takes the changes of a workspace when it can write them: those of many steps at once.
    """

    def __init__(
        self,
        write: Callable[[Sequence[Batch]], object],
        lost: Callable[[Commit], object],
        is_away: Callable[[], bool] = lambda: False,
    ) -> None:
        """Start the thread.

        Args:
            write: Writes batches in one transaction.
            lost: Called with each commit that failed, before its `done`.
            is_away: Whether the engine is still away; traces wait as long.

        Raises:
            StorageError: The system has no thread to spare.
        """
        self._write, self._lost, self._is_away = write, lost, is_away
        self._changed = threading.Condition()
        self._waiting: deque[Commit] = deque()
        #: When the changes of workspaces are taken, by `time.monotonic`.
        self._due: dict[SavedWorkspace, float] = {}
        self._is_closing = self._is_closed = False
        #: What was taken at the end.
        self._last: list[Future[None]] = []
        self._thread = threading.Thread(target=self._run, name="mockserver store", daemon=True)
        try:
            self._thread.start()
        except RuntimeError as error:
            raise StorageError(f"the store cannot be written: {error}") from error

    def __len__(self) -> int:
        return len(self._waiting) + len(self._due)

    def __contains__(self, saved: SavedWorkspace) -> bool:
        """Return whether a workspace has changes that nobody has taken."""
        return saved in self._due

    def add(self, commit: Commit) -> None:
        """Queue changes that were taken.

        Raises:
            ConflictError: The changes on which they build were lost.
            StorageError: The thread has ended.
        """
        with self._changed:
            self._check(commit.is_current)
            for saved, _ in commit.saved:
                self._due.pop(saved, None)
                saved.version, saved.pending = saved.version or "1", commit.done
                if saved.asked not in (None, commit.done):
                    commit.done.add_done_callback(_told(saved.asked))
                saved.asked = None
            self._waiting.append(commit)
            self._changed.notify()

    def ask(self, saved: SavedWorkspace, losses: int) -> Future[None]:
        """Let the changes of a workspace be taken as soon as possible. Return what is done when they are saved.

        Raises:
            ConflictError: The workspace was lost meanwhile.
            StorageError: The thread has ended.
        """
        with self._changed:
            self._check(saved.losses == losses)
            self._due[saved] = 0
            found = saved.asked = saved.asked or unfinished()
            self._changed.notify()
        return found

    def expect(self, saved: SavedWorkspace) -> None:
        """Let the traces in a workspace be saved soon."""
        if saved not in self._due:
            with self._changed:
                self._due.setdefault(saved, time.monotonic() + TRACES_S)
                self._changed.notify()

    def _check(self, is_current: bool) -> None:
        if self._is_closed:
            raise StorageError("the store is closed")
        if not is_current:
            raise ConflictError(())

    def close(self) -> bool:
        """Commit everything, traces included, and end the thread. Return whether all traces are saved."""
        with self._changed:
            self._is_closing = True
            self._changed.notify()
        self._thread.join()
        return not self._due and all(done.exception() is None for done in self._last)

    def _run(self) -> None:
        while self._wait():
            try:
                self._take_due()
                self._commit(self._next())
            except Exception:  # noqa: BLE001  # a bug of the mock: what comes later is saved
                _LOG.exception("changes could not be saved")
        self._take_due()
        with self._changed:
            self._is_closed = True
        while self._waiting:  # of steps that went on until now
            self._commit(self._next())

    def _wait(self) -> bool:
        """Wait for work. Return False at the end."""
        with self._changed:
            while not self._is_closing:
                left = min(self._due.values(), default=None)
                if left is not None:
                    left = max(left - time.monotonic(), 0)
                if self._waiting or left == 0:
                    return True
                self._changed.wait(left)
            return bool(self._waiting)

    # ------------------------------------------------------------------ taking changes

    def _take_due(self) -> None:
        with self._changed:
            now = time.monotonic()
            due = [saved for saved, at in self._due.items() if self._is_closing or at <= now]
        is_away = any(saved.asked is None for saved in due) and self._is_away()
        for saved in due:
            if is_away and saved.asked is None:
                self._put_off(saved, _AWAY_S)
            elif not saved.workspace.access.take(_PATIENCE_S if self._is_closing else _ROUND_S):
                self._put_off(saved, _AGAIN_S)
            else:
                try:
                    self._take(saved)
                finally:
                    saved.workspace.access.give_back()

    def _put_off(self, saved: SavedWorkspace, seconds: float) -> None:
        with self._changed:
            if saved in self._due:
                self._due[saved] = time.monotonic() + seconds

    def _take(self, saved: SavedWorkspace) -> None:
        """Queue the changes of a workspace that no step has."""
        with self._changed:
            is_due = self._due.pop(saved, None) is not None
            is_asked, done = saved.asked is not None, saved.asked or unfinished()
            saved.asked = done
        if self._is_closing:
            self._last.append(done)
        try:
            row = saved.take() if is_due and saved.version and not saved.workspace.access.is_gone else None
            if row is not None:
                self.add(Commit(Batch(rows=(row,)), [(saved, saved.losses)], done=done))
                return
        except (ConflictError, StorageError) as error:
            if not is_asked:  # else a step tells it
                _LOG.warning("what has changed in workspace %s cannot be saved: %s", saved.name, error)
            self.give_up([saved], reason_of(error))
            return
        saved.asked = None
        done.set_result(None)

    # ------------------------------------------------------------------ committing

    def _next(self) -> list[Commit]:
        """Return the next commits that fit into one transaction."""
        found, size = list[Commit](), 0
        with self._changed:
            while self._waiting and size < _GROUP_BYTES:
                found.append(self._waiting.popleft())
                size += sum(row.changes.size for row in found[-1].batch.rows)
        return found

    def _commit(self, commits: Sequence[Commit]) -> None:
        group = [commit for commit in commits if commit.is_current]
        failure: StorageError | None = None
        try:
            if group:
                self._write([commit.batch for commit in group])
        except BaseException as error:  # noqa: BLE001  # each step that waits is told
            failure = reason_of(error)
        for commit in commits:
            if failure is None and commit in group:
                commit.done.set_result(None)
            else:
                self._fail(commit, failure or reason_of(None))

    def _fail(self, commit: Commit, reason: StorageError) -> None:
        self.give_up([saved for saved, losses in commit.saved if saved.losses == losses], reason)
        try:
            self._lost(commit)
        finally:
            commit.done.set_exception(reason)

    def give_up(self, lost: Sequence[SavedWorkspace], reason: StorageError) -> None:
        """Let workspaces be read again, and fail the steps whose changes were not taken."""
        asked = []
        with self._changed:
            for saved in lost:
                saved.losses, saved.version = saved.losses + 1, ""
                self._due.pop(saved, None)
                asked.append(saved.asked)
                saved.asked = None
        for future in asked:
            if future is not None and not future.done():
                future.set_exception(reason)


def _told(asked: Future[None] | None) -> Callable[[Future[None]], None]:
    """Return a function that lets a future end as another one has ended."""

    def tell(done: Future[None]) -> None:
        assert asked is not None, "somebody has asked"
        error = done.exception()
        if error is None:
            asked.set_result(None)
        else:
            asked.set_exception(error)

    return tell


def reason_of(failure: BaseException | None) -> StorageError:
    if isinstance(failure, StorageError):
        return type(failure)(*failure.args)  # the frames of the other one refer to the workspaces
    if failure is None or isinstance(failure, ConflictError):
        return StorageError("what this builds on could not be saved; send the request again")
    return StorageError(f"the store cannot be written: {failure}")

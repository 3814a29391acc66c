"""Background saving for a single server: a thread saves changes within about a second."""

from __future__ import annotations

import logging
import threading
import time
from _thread import RLock  # `threading.RLock` is a function that makes one of these
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial

from mockserver.core.traffic.coverage import Coverage
from mockserver.core.workspaces.storage import Outline, StorageError
from mockserver.core.workspaces.workspace import Parts, Workspace, WorkspaceLimits
from mockserver.storage import forms
from mockserver.storage.engine import ANY_VERSION, Batch, Engine, Row
from mockserver.storage.engine_storage import EngineStorage, SavedWorkspace

#: How many bytes are written in one transaction, unless one workspace has more; chosen: they are in memory meanwhile.
_BATCH_BYTES = 8 << 20
#: How long the writer waits for the lock of a busy workspace, in seconds. Chosen: no request waits for it.
_PATIENCE_S = 0.2
#: How long changes wait at least, in seconds, so that many are written at once. Chosen: half of what is promised.
_PAUSE_S = 0.5
#: The pause is so many times as long as the encoding took, which thus takes a twentieth of the time, but at most so
#: many seconds: the promise comes first.
_REST, _LONGEST_PAUSE_S = 19, 0.9
_RETRY_S = 1.0

_LOG = logging.getLogger(__name__)


class TouchLock(RLock):  # type: ignore[misc]  # CPython lets it be subclassed, whatever typeshed says
    """A lock that calls `report` once, at the next acquisition."""

    report: Callable[[], None] | None = None

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        is_taken = super().acquire(blocking, timeout)
        if is_taken and self.report is not None:
            report, self.report = self.report, None
            report()
        return is_taken

    __enter__ = acquire

    @contextmanager
    def unreported(self, patience_s: float) -> Iterator[bool]:
        """Hold the lock without reporting; yield False after a timeout."""
        if not super().acquire(timeout=patience_s):
            yield False
            return
        try:
            yield True
        finally:
            self.release()


class BackgroundStorage(EngineStorage):
    """Saves workspaces soon after changes, in an engine without other users."""

    def __init__(self, engine: Engine, *, parts: Parts, limits: WorkspaceLimits) -> None:
        """Start the writing thread. `close` closes the engine."""
        super().__init__(engine, parts=parts, limits=limits)
        #: Guards everything below; taken after workspace and store locks.
        self._lock = threading.Lock()
        self._saved: dict[str, SavedWorkspace] = {}
        #: What waits to be written: names of changed workspaces in that order, versions of removed ones, and counts.
        self._touched: dict[str, None] = {}
        self._removed: dict[str, str] = {}
        self._counts: dict[str, int] = {}
        self._write_failure: str | None = None
        self._is_awake, self._is_closing = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="mockserver store", daemon=True)
        try:
            self._thread.start()
        except RuntimeError as error:
            engine.close()
            raise StorageError(f"the store cannot be written: {error}") from error

    @property
    def failure(self) -> str | None:
        return super().failure or self._write_failure

    def _waiting(self) -> int:
        return len(self._touched) + len(self._removed) + len(self._counts)

    def close(self) -> bool:
        """Save the last changes, close the engine, and return whether all is saved; forked processes save nothing."""
        if self._is_forked:
            return True
        self._is_closing.set()
        self._is_awake.set()
        self._thread.join()
        if self._write_failure is not None:
            _LOG.error("the last changes could not be saved and are lost: %s", self._write_failure)
        super().close()
        return self._write_failure is None

    def lock(self) -> threading.RLock:
        return TouchLock()

    def add(self, workspace: Workspace) -> None:
        name, lock = workspace.name, workspace.lock
        assert isinstance(lock, TouchLock), "`lock` has made it"
        with self._lock:
            saved = self._saved[name] = self._taken_up(workspace)
            self._removed.pop(name, None)  # a new workspace replaces the saved one
        if saved.version is None:
            self._touch(name)
        else:
            lock.report = partial(self._touch, name)

    def _touch(self, name: str) -> None:
        with self._lock:
            self._touched[name] = None
        self._is_awake.set()

    def remove(self, name: str) -> None:
        with self._lock:
            self._saved.pop(name, None)
            self._loaded.pop(name, None)
            self._touched.pop(name, None)
            self._removed[name] = ANY_VERSION
        self._is_awake.set()

    def release(self, workspace: Workspace) -> Outline | None:
        saved = self._saved.get(workspace.name)
        if saved is None or saved.version is None or saved.is_taken:
            return None
        if saved.take() is not None:
            saved.take_back()
            return None
        with self._lock:
            del self._saved[workspace.name]
        return saved.outline()

    def add_past(self, coverage: Coverage) -> None:
        with self._lock:
            _add(self._counts, forms.counts_of(coverage))
        self._is_awake.set()

    def past(self) -> Coverage:
        """Return the coverage of removed workspaces and before resets, with the counts that wait to be written."""
        found = super().past()
        with self._lock:
            found.merge(forms.coverage_of(self._counts))
        return found

    def clear_past(self) -> None:
        with self._lock:
            self._counts.clear()
        super().clear_past()

    def _run(self) -> None:
        pause_s = _PAUSE_S
        while not self._is_closing.is_set():
            self._is_awake.wait()
            self._is_closing.wait(pause_s)
            self._is_awake.clear()
            pause_s = self._round()
        if self._is_awake.is_set():  # something has changed since the last round began
            self._round()

    def _round(self) -> float:
        """Write all changes. Return the pause until the next round, in seconds."""
        began = time.thread_time()
        try:
            self.save()
        except StorageError as error:
            return self._fail(str(error), error.__cause__)
        except Exception as error:  # noqa: BLE001  # a bug of the mock: the next round may succeed
            return self._fail(f"the store cannot be written: {type(error).__name__}", error)
        self._write_failure = None
        return min(max(_PAUSE_S, (time.thread_time() - began) * _REST), _LONGEST_PAUSE_S)

    def _fail(self, sentence: str, cause: BaseException | None) -> float:
        if sentence not in (self._write_failure, self._failure):  # the latter was logged
            _LOG.warning("nothing can be saved; retrying every second: %s", sentence, exc_info=cause)
        self._write_failure = self._last_failure = sentence
        self._is_awake.set()
        return _RETRY_S

    def save(self) -> None:
        """Write all waiting changes in batches; after an error the rest waits again. Called by the writing thread."""
        with self._lock:
            names, self._touched = self._touched, {}
            beside = Batch(self._removed, counts=self._counts)
            self._removed, self._counts = {}, {}
        try:
            for taken in self._batches(names):
                self._write_taken(taken, beside)
                beside = Batch()
            if beside:
                self._write(beside)
                beside = Batch()
        finally:
            with self._lock:  # what failed, or stayed busy
                self._removed |= {name: row for name, row in beside.removed.items() if name not in self._saved}
                _add(self._counts, beside.counts)
            for name in names:
                self._touch(name)

    def _batches(self, names: dict[str, None]) -> Iterator[list[tuple[SavedWorkspace, Row]]]:
        """Yield changed workspaces in batches of some megabytes, busy workspaces last, and remove them from `names`.

        Raises StorageError at the end, if a workspace cannot be encoded.
        """
        batch: list[tuple[SavedWorkspace, Row]] = []
        size, failure = 0, None
        for patience_s in (0.0, _PATIENCE_S):
            for name in tuple(names):
                try:
                    taken = self._take(name, names, patience_s)
                except StorageError as error:  # the others are written nevertheless
                    taken, failure = None, error
                if taken is not None:
                    batch.append(taken)
                    size += taken[1].changes.size
                if size >= _BATCH_BYTES:
                    yield batch
                    batch, size = [], 0
        if batch:
            yield batch
        if failure is not None:
            raise failure

    def _take(self, name: str, names: dict[str, None], patience_s: float) -> tuple[SavedWorkspace, Row] | None:
        saved = self._saved.get(name)
        if saved is None:
            del names[name]
            return None
        lock = saved.workspace.lock
        assert isinstance(lock, TouchLock), "`lock` has made it"
        with lock.unreported(patience_s) as is_held:
            if not is_held:
                return None
            lock.report = partial(self._touch, name)
            row = saved.take() if self._saved.get(name) is saved else None
            del names[name]
            return None if row is None else (saved, row)

    def _write_taken(self, taken: list[tuple[SavedWorkspace, Row]], beside: Batch) -> None:
        replaced = {saved.name: ANY_VERSION for saved, _ in taken if saved.version is None}
        try:
            self._write(Batch({**beside.removed, **replaced}, [row for _, row in taken], beside.counts))
        except StorageError:
            for saved, _ in taken:
                saved.take_back()
                self._touch(saved.name)
            raise
        for saved, _ in taken:
            saved.confirm()


def _add(numbers: dict[str, int], others: Mapping[str, int]) -> None:
    for name, number in others.items():
        numbers[name] = numbers.get(name, 0) + number

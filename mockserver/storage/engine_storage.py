"""Storage in an engine: reading workspaces, and what is known of each saved one."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager, suppress

from mockserver.core.traffic.coverage import Coverage
from mockserver.core.workspaces.storage import MissingError, OutageError, Outline, Storage, StorageError, StorageStatus
from mockserver.core.workspaces.workspace import Parts, Workspace, WorkspaceLimits
from mockserver.storage import forms, records
from mockserver.storage.engine import (
    ANY_VERSION,
    PART,
    Batch,
    Changes,
    DamagedError,
    Engine,
    EngineError,
    Newer,
    NoWorkspaceError,
    Row,
)  # fmt: skip
from mockserver.storage.packing import UnreadableError, decode
from mockserver.storage.records import Written

#: The field that holds the coverage of a workspace.
_COVERAGE = f"{PART}coverage"
#: After how many seconds another server looks for abandoned calls. Chosen: as long as a silent server counts as alive.
LEASE_S = 5.0

_LOG = logging.getLogger(__name__)


class SavedWorkspace:
    """An in-memory workspace plus the state of its saved copy."""

    def __init__(self, workspace: Workspace, newer: Newer | None = None) -> None:
        """Begin with a fully loaded workspace, or with a new workspace if `newer` is None."""
        self.name, self.workspace = workspace.name, workspace
        #: The version of the stored copy. None: the workspace is unsaved. Empty: unknown after a failed step.
        self.version: str | None = None if newer is None else newer.version
        self.written = Written(workspace) if newer is None else Written.loaded(workspace, newer)
        #: How often changes of the workspace were lost, as they could not be saved.
        self.losses = 0
        #: The part of the workspace that differs from the saved one by ids only, which were given out in a failed step
        #: and are saved soon; None without any.
        self.owed: bytes | None = None
        #: Done when the last changes that were taken are saved, or cannot be; None without any.
        self.pending: Future[None] | None = None
        #: Done when changes that nobody has taken are saved; None unless a step waits for them.
        self.asked: Future[None] | None = None

    @property
    def unsaved(self) -> Iterator[Future[None]]:
        """What a step waits for that has seen the workspace."""
        return (future for future in (self.pending, self.asked) if future is not None and not future.done())

    def take(self, *, is_wanted: bool = False) -> Row | None:
        """Return the changes since the last call, for `confirm`; None without changes unless `is_wanted`."""
        try:
            changes, due_at = self.written.changes(), self._due_at()
        except Exception as error:
            raise StorageError(f"workspace {self.name} cannot be written: {error}") from error
        if self.owed is not None and changes == Changes({forms.WORKSPACE: self.owed}, []):
            self.written.forget(forms.WORKSPACE)
            changes = Changes()
        else:
            self.owed = None
        if not (changes or self.version is None or is_wanted):
            return None
        return Row(self.name, changes, self.version or "", due_at)

    def confirm(self, nonce: str) -> None:
        """Mark the taken changes as saved by the batch with this nonce."""
        counter = int((self.version or "0").partition("-")[0])
        self.version = f"{counter + 1}-{nonce}"

    def outline(self) -> Outline:
        """Return name, keys and due time for a passivated workspace."""
        return Outline(self.name, self.workspace.leading_keys(), self._due_at())

    def _due_at(self) -> float | None:
        due_at = records.due_at(self.workspace)
        if not self.workspace.is_busy:
            return due_at
        look_at = time.time() + LEASE_S
        return look_at if due_at is None else min(due_at, look_at)


class EngineStorage(Storage):
    """Stores workspaces in an engine."""

    def __init__(self, engine: Engine, *, parts: Parts, limits: WorkspaceLimits) -> None:
        super().__init__()
        self._engine, self._parts, self._limits = engine, parts, limits
        #: A process that was forked off writes and reads nothing: neither SQLite nor connections allow it.
        self._process = os.getpid()
        #: How many writes have succeeded and failed, and why the last one has failed.
        self._written = self._failed = 0
        self._last_failure: str | None = None
        #: Why the last use has failed, until a write succeeds.
        self._failure: str | None = None

    @property
    def _is_forked(self) -> bool:
        return os.getpid() != self._process

    @property
    def failure(self) -> str | None:
        return self._unusable() or self._failure

    def retry(self) -> None:
        if self._failure is not None:
            with suppress(StorageError):
                self._write(Batch())

    def _unusable(self) -> str | None:
        if self._is_forked:
            return "the store is used by the process that has opened it, and not by one that was forked off"
        return self._engine.failure

    def status(self) -> StorageStatus:
        engine = self._engine
        return StorageStatus(
            engine.kind, engine.place, engine.size, self._waiting(), self._written, self._failed, self._last_failure
        )

    def _waiting(self) -> int:
        return 0

    def close(self) -> bool:
        if not self._is_forked:
            self._engine.close()
            self._failure = self._engine.failure  # later uses log nothing
        return True

    @contextmanager
    def _using(self, prefix: str = "") -> Iterator[None]:
        """Translate errors of the engine within a `with` block, and note those that concern all workspaces."""
        try:
            if (failure := self._unusable()) is not None:
                raise EngineError(failure)  # noqa: TRY301  # translated below
            yield
        except NoWorkspaceError as error:
            raise MissingError(f"{prefix}{error}") from None  # the sentence says it all
        except (DamagedError, UnreadableError) as error:
            raise StorageError(f"{prefix}{error}") from None
        except EngineError as error:
            self._note(str(error))
            raise OutageError(f"{prefix}{error}") from None

    def _note(self, failure: str | None) -> None:
        """Note why a use has failed, or None after a successful write; the first failure and the end are logged."""
        if (failure is None) != (self._failure is None):
            _LOG.warning("the store %s", "can be used again" if failure is None else f"cannot be used: {failure}")
        self._failure, self._last_failure = failure, failure or self._last_failure

    def _write(self, *batches: Batch) -> None:
        """Write batches in one transaction."""
        try:
            with self._using():
                self._engine.write(*batches)
        except StorageError as error:
            self._failed += 1
            self._note(str(error))
            raise
        self._written += 1
        self._note(None)

    def outlines(self) -> Sequence[Outline]:
        with self._using():
            return self._engine.outlines()

    def load(self, name: str) -> Workspace:
        found = self._read(name)
        found.workspace.access.saved = found  # until it is added
        return found.workspace

    def _read(self, name: str) -> SavedWorkspace:
        with self._using(f"workspace {name} cannot be loaded: "):
            newer = self._engine.read(name)
            assert newer is not None, "without a version, everything is new"
            workspace = records.load(name, newer.fields, parts=self._parts, limits=self._limits)
        return SavedWorkspace(workspace, newer)

    def coverage(self, names: Iterable[str]) -> Coverage:
        found = Coverage()
        with self._using():
            for content in self._engine.field(tuple(names), _COVERAGE).values():
                found.merge(decode(content, Coverage))
        return found

    def labels(self, names: Iterable[str]) -> Mapping[str, tuple[str, str]]:
        with self._using():
            found = self._engine.field(tuple(names), forms.WORKSPACE)
            read = {name: decode(content, forms.WorkspaceForm) for name, content in found.items()}
        return {name: (form.label, form.outcome) for name, form in read.items()}

    def clear_coverage(self, names: Iterable[str]) -> None:
        wanted, gone = frozenset(names), Changes(gone=(_COVERAGE,))
        rows = [Row(row.name, gone, ANY_VERSION, row.due_at) for row in self.outlines() if row.name in wanted]
        with self._using():
            self._engine.write(Batch(rows=rows))

    def past(self) -> Coverage:
        with self._using():
            return forms.coverage_of(self._engine.counts())

    def clear_past(self) -> None:
        with self._using():
            self._engine.clear_counts()

    def secret(self, name: str, draw: Callable[[], bytes] | None = None) -> bytes | None:
        name = f"secret/{name}"
        with self._using():
            found = self._engine.value(name)
            return found if found is not None or draw is None else self._engine.value(name, draw())

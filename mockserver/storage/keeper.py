"""Keeping the workspaces of a server in an engine: what is new is written soon, in the background."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial

from mockserver.core.effects.effects import Effects
from mockserver.core.traffic.coverage import Coverage
from mockserver.core.workspaces.keeping import KeepingError, KeepingStatus, Outline
from mockserver.core.workspaces.no_keeping import Unshared
from mockserver.core.workspaces.origin import WorkspaceLimits
from mockserver.core.workspaces.workspace import Parts, Workspace
from mockserver.storage.batch import Batch
from mockserver.storage.encoding import Encoding
from mockserver.storage.engine import Engine
from mockserver.storage.kept import Kept, Taken
from mockserver.storage.outbox import Outbox
from mockserver.storage.pending import Pending, Waiting
from mockserver.storage.records import reading
from mockserver.storage.records.changes import Changes, Stored
from mockserver.storage.records.parts import COVERAGE
from mockserver.storage.records.written import Written
from mockserver.storage.server_values import ServerValues
from mockserver.storage.settlement import Settlement
from mockserver.storage.telling import told
from mockserver.storage.touch_lock import TouchLock
from mockserver.storage.writer import Writer

_LOG = logging.getLogger(__name__)


class Keeper(Unshared):
    """Keeps the workspaces of a server in an engine, of which it is the only user: a `Keeping`."""

    def __init__(self, engine: Engine, *, parts: Parts, limits: WorkspaceLimits, waits: bool = False) -> None:
        """Read what the engine holds of the server, and begin to write.

        Args:
            engine: where they are kept; it is closed with the keeper.
            parts: what every workspace that is loaded has.
            limits: the limits of every workspace that is loaded.
            waits: whether `settle` waits until all is kept; else it returns at once.

        Raises:
            KeepingError: the engine cannot be read, or there is no thread to write; the engine is closed.
        """
        self._engine, self._parts, self._limits, self._waits = engine, parts, limits, waits
        #: Nothing is written or read in a process that was forked off: SQLite does not allow it.
        self._process = os.getpid()
        #: Taken after the lock of a workspace and that of the store.
        self._lock = threading.Lock()
        self._kept: dict[str, Kept] = {}
        #: The workspace that was loaded last under a name, with what is written of it, until it is added.
        self._loaded: dict[str, tuple[Workspace, Written]] = {}
        self._pending = Pending()
        try:
            with told():
                self._values = self._values_of(engine)
            self._writer = Writer(self._write)
            self._settlement = Settlement(self._writer)
        except KeepingError:
            engine.close()
            raise

    def _values_of(self, engine: Engine) -> ServerValues:
        return ServerValues(engine.values(), self._set)

    @property
    def failure(self) -> str | None:
        if os.getpid() != self._process:
            return "the store is used by the process that has opened it, and not by one that was forked off"
        return self._writer.failure

    def status(self) -> KeepingStatus:
        engine, writer = self._engine, self._writer
        return KeepingStatus(
            engine.kind,
            engine.place,
            engine.size,
            len(self._pending),
            writer.rounds,
            writer.failures,
            writer.last_failure,
        )

    def close(self) -> bool:
        """Save the last changes and close the engine. Return whether all changes are saved.

        A process that was forked off saves nothing and returns True.
        """
        if os.getpid() != self._process:
            return True
        is_saved = self._writer.close()
        if not is_saved:
            _LOG.error("the last changes could not be saved and are lost: %s", self._writer.failure)
        self._engine.close()
        return is_saved

    # ------------------------------------------------------------------ what is kept

    def lock(self) -> threading.RLock:
        return self._settlement.lock() if self._waits else TouchLock()

    def add(self, workspace: Workspace) -> None:
        name = workspace.name
        with self._lock:
            loaded, written = self._loaded.pop(name, (None, None))
            kept = self._kept[name] = Kept(workspace, written if loaded is workspace else None, confirms=self.is_shared)
        self._pending.begin(name)
        kept.lock.follow(partial(self._touch, name), is_touched=kept.is_new)
        self._settlement.touch()

    def remove(self, name: str) -> None:
        self._forget(name)
        self._pending.remove(name)
        self._wake()

    def _forget(self, name: str) -> None:
        """Write nothing of a workspace any more."""
        with self._lock:
            kept = self._kept.pop(name, None)
            self._loaded.pop(name, None)
        if kept is not None:
            kept.lock.is_let_go = True

    def evict(self, name: str) -> bool:
        self.remove(name)
        return True

    def release(self, workspace: Workspace) -> Outline | None:
        # Without the lock: to see whether all is kept takes a while, and whoever removes it takes its own lock first.
        kept = self._kept.get(workspace.name)
        found = None if kept is None else kept.released()
        if found is not None:
            with self._lock:
                del self._kept[workspace.name]
        return found

    def _touch(self, name: str) -> None:
        self._pending.touch(name)
        self._writer.wake()

    def _set(self, name: str, value: bytes) -> None:
        self._pending.set(name, value)
        self._wake()

    def _wake(self) -> None:
        """Have what this thread has changed written."""
        self._settlement.touch()
        self._writer.wake()

    def begin(self) -> None:
        self._settlement.begin()

    def settle(self) -> None:
        if self._waits and self._settlement.is_due:
            self._refuse_fork()
            self._settlement.settle()

    def settled(self) -> asyncio.Future[str | None] | None:
        return self._settlement.settled() if self._waits and self._settlement.is_due else None

    def _refuse_fork(self) -> None:
        if os.getpid() != self._process:
            raise KeepingError(f"{self.failure}")

    # ------------------------------------------------------------------ reading

    def outlines(self) -> Sequence[Outline]:
        with told():
            return self._engine.outlines()

    def names(self) -> Sequence[str]:
        return [outline.name for outline in self.outlines()]

    def load(self, name: str) -> Workspace:
        return self._load(name, self._engine.read)

    def copy(self, name: str) -> Workspace:
        return self._made_of(name, self._engine.read)[0]

    def _load(self, name: str, read: Callable[[str], Stored]) -> Workspace:
        """A workspace that `read` reads, and which may be added.

        Raises:
            KeepingError: it cannot be read.
        """
        found, stored = self._made_of(name, read)
        with self._lock:
            self._loaded[name] = found, Written.loaded(found, stored)
        return found

    def _made_of(self, name: str, read: Callable[[str], Stored]) -> tuple[Workspace, Stored]:
        """A workspace made of what `read` reads of it, and that itself.

        Raises:
            KeepingError: it cannot be read.
        """
        self._refuse_fork()
        with told(f"workspace {name} cannot be loaded: "):
            stored = read(name)
            return reading.load(name, stored, parts=self._parts, limits=self._limits), stored

    def effects(self, workspace: Workspace, effects: Effects) -> Effects:
        return Outbox(effects, self._writer.hurry) if self._waits else effects

    def coverage(self, names: Iterable[str]) -> Coverage:
        self._refuse_fork()
        found = Coverage()
        with told():
            for part in self._engine.parts(names, COVERAGE).values():
                found.merge(reading.coverage(part))
        return found

    def clear_coverage(self, names: Iterable[str]) -> None:
        self._refuse_fork()
        wanted = frozenset(names)
        gone = Changes({}, (COVERAGE,), ())
        with told():
            rows = [(outline, gone) for outline in self._engine.outlines() if outline.name in wanted]
            self._engine.write(Batch(workspaces=rows))

    def past(self) -> Coverage:
        return self._values.past

    def add_past(self, coverage: Coverage) -> None:
        self._values.past.merge(coverage)
        self._values.keep_past()

    def clear_past(self) -> None:
        self._values.past.clear()
        self._values.keep_past()

    def secret(self, name: str, draw: Callable[[], bytes]) -> bytes:
        return self._values.secret(name, draw)

    def has_secret(self, name: str) -> bool:
        return self._values.has_secret(name)

    # ------------------------------------------------------------------ writing, in the thread of the writer

    def _write(self) -> float:
        """Write all that waits, batch by batch; returns how many seconds the encoding took.

        Raises:
            KeepingError: not all of it could be written; what was not waits again.
        """
        waiting = self._pending.take()
        encoding = Encoding(self._kept, waiting.touched, self._touch)
        rest = Waiting({}, waiting.removed, waiting.values, waiting.counts)
        try:
            for taken in encoding.batches():
                self._write_batch(taken, rest)
                rest = Waiting()
            if rest:
                self._write_batch([], rest)
        except KeepingError as error:
            rest.touched = encoding.left
            self._take_back(rest, str(error))
            raise
        if encoding.failure is not None:
            raise encoding.failure
        return encoding.took_s

    def _write_batch(self, taken: Sequence[Taken], rest: Waiting) -> None:
        """Write a batch of workspaces, and what waits beside them."""
        anew = [row.kept.name for row in taken if row.kept.is_new]
        batch = Batch([*rest.removed, *anew], [(row.outline, row.changes) for row in taken], rest.values, rest.counts)
        kept = [row.kept for row in taken]
        try:
            with told():
                lost = self._engine.write(batch)
        except KeepingError as error:
            self._fail(kept, str(error))
            raise
        self._succeed(kept, lost)

    def _succeed(self, written: Sequence[Kept], lost: Collection[str]) -> None:
        """Note that what was taken of workspaces is kept, but for those of these names."""
        for kept in written:
            kept.keep()

    def _fail(self, unwritten: Sequence[Kept], sentence: str) -> None:
        """Let what was taken of workspaces be taken once more: it is not kept."""
        for kept in unwritten:
            kept.take_back()

    def _take_back(self, rest: Waiting, sentence: str) -> None:
        """Let wait again what a failure has kept from being written."""
        self._pending.take_back(rest, self._kept)

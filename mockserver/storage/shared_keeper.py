"""Keeping the workspaces of a server in an engine that other servers use at the same time."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Sequence

from mockserver.core.traffic.coverage import Coverage
from mockserver.core.workspaces.keeping import Departed, HeldElsewhereError, KeepingError, MissingError, News, Outline
from mockserver.core.workspaces.origin import WorkspaceLimits
from mockserver.core.workspaces.workspace import Parts, Workspace
from mockserver.storage.batch import Batch
from mockserver.storage.engine import Engine, SharedEngine
from mockserver.storage.keeper import Keeper
from mockserver.storage.kept import Kept
from mockserver.storage.pending import Waiting
from mockserver.storage.records import counts
from mockserver.storage.records.changes import Changes
from mockserver.storage.records.outline import outline
from mockserver.storage.records.parts import COVERAGE
from mockserver.storage.server_values import ServerValues, SharedValues
from mockserver.storage.telling import told

_LOG = logging.getLogger(__name__)


class SharedKeeper(Keeper):
    """Keeps the workspaces that a server holds, in an engine of several servers: a `Keeping`.

    A workspace of which something is not written, or nobody knows whether it is, is lost here: what the engine has of
    it counts, and another server may hold it by now.
    """

    is_shared = True

    def __init__(
        self,
        engine: SharedEngine,
        *,
        parts: Parts,
        limits: WorkspaceLimits,
    ) -> None:
        """Read what the engine holds of all servers, and begin to write.

        Args:
            engine: where they are kept; it is closed with the keeper.
            parts: what every workspace that is loaded has.
            limits: the limits of every workspace that is loaded.

        Raises:
            KeepingError: the engine cannot be read, or there is no thread to write; the engine is closed.
        """
        self._shared = engine
        self._lost: Callable[[str], object] = lambda name: None
        super().__init__(engine, parts=parts, limits=limits, waits=True)

    def _values_of(self, engine: Engine) -> ServerValues:
        return SharedValues(self._shared, self._set)

    @property
    def failure(self) -> str | None:
        return super().failure or self._shared.failure

    # ------------------------------------------------------------------ holding

    def names(self) -> Sequence[str]:
        with told():
            return self._shared.names()

    def load(self, name: str) -> Workspace:
        return self._load(name, self._shared.take)

    def claim(self, name: str) -> bool:
        with told():
            return self._shared.claim(name)

    def let_go(self, outline: Outline) -> None:
        try:
            with told():
                self._shared.let_go(outline)
        except KeepingError as error:
            # Whoever asks for it is sent here, where it is loaded again.
            _LOG.warning("workspace %s is still held: %s", outline.name, error)

    def evict(self, name: str) -> bool:
        with told():
            has_gone = self._shared.evict(name)
        self._forget(name)
        return has_gone

    def news(self) -> Sequence[News]:
        with told():
            found = self._shared.news()
        for name in self._shared.lost():
            self._lose_named(name, f"the other servers of the store have not heard of the one that held {name}")
        for row in found:
            if isinstance(row, Departed):
                self._lose_named(row.name, f"another server of the store has removed workspace {row.name}")
        return found

    def _lose_named(self, name: str, sentence: str) -> None:
        kept = self._kept.get(name)
        if kept is not None:
            self._lose(kept, sentence)

    def follow(self, lost: Callable[[str], object]) -> None:
        self._lost = lost

    def secret(self, name: str, draw: Callable[[], bytes]) -> bytes:
        with told():
            return super().secret(name, draw)

    def has_secret(self, name: str) -> bool:
        with told():
            return super().has_secret(name)

    # ------------------------------------------------------------------ coverage

    def clear_coverage(self, names: Iterable[str]) -> None:
        for name in names:
            if name not in self._kept:
                self._clear_coverage(name)

    def _clear_coverage(self, name: str) -> None:
        """Set the coverage of a workspace that no server holds to zero."""
        try:
            found, _ = self._made_of(name, self._shared.take)
        except (HeldElsewhereError, MissingError):
            return  # who holds it hears of it
        row = outline(found)
        with told():
            self._shared.write(Batch(workspaces=[(row, Changes({}, (COVERAGE,), ()))]))
            self._shared.let_go(row)

    def past(self) -> Coverage:
        with told():
            return counts.coverage(self._shared.counts())

    def add_past(self, coverage: Coverage) -> None:
        self._pending.count(counts.of(coverage))
        self._wake()

    def clear_past(self) -> None:
        with told():
            self._shared.clear_counts()

    # ------------------------------------------------------------------ writing, in the thread of the writer

    def _write(self) -> float:
        has_failed = self.failure is not None
        encoding_s = super()._write()
        if has_failed:
            with told():
                self._engine.write(Batch())  # all that was touched is lost, so that nothing else has asked the engine
        return encoding_s

    def _succeed(self, written: Sequence[Kept], lost: Collection[str]) -> None:
        for kept in written:
            if kept.name in lost:
                self._lose(kept, f"workspace {kept.name} is held by another server of the store by now")
            else:
                kept.keep()

    def _fail(self, unwritten: Sequence[Kept], sentence: str) -> None:
        for kept in unwritten:
            self._lose(kept, sentence)

    def _take_back(self, rest: Waiting, sentence: str) -> None:
        self._fail([kept for name in rest.touched if (kept := self._kept.get(name)) is not None], sentence)
        rest.touched = {}
        super()._take_back(rest, sentence)

    def _lose(self, kept: Kept, sentence: str) -> None:
        """Keep a workspace no longer, of which this server does not know any more what is kept."""
        with self._lock:
            if self._kept.get(kept.name) is not kept:
                return
            del self._kept[kept.name]
        kept.lose(sentence)
        _LOG.warning("what was done last in workspace %s is not kept: %s", kept.name, sentence)
        self._lost(kept.name)

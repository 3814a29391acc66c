"""A registry with room for so many workspaces: how they go, and which ones go for newer ones."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from mockserver.core.effects.effects import Effects
from mockserver.core.workspaces.eviction import Candidate, Departures, Gone, first_idle
from mockserver.core.workspaces.keeping import Keeping
from mockserver.core.workspaces.registry import DEFAULT, Registry
from mockserver.core.workspaces.workspace import Workspace

#: How long a new workspace waits for an old one that could be evicted but is busy, in seconds. Chosen: short enough for
#: the event loop.
_PATIENCE_S = 0.05

_LOG = logging.getLogger(__name__)


class StoreFullError(ValueError):
    """There are as many workspaces as there may be, and none could be evicted."""


class LimitedRegistry(Registry):
    """A registry in which newer workspaces take the place of those that were used longest ago."""

    def __init__(self, effects: Effects, keeping: Keeping, limit: int) -> None:
        """A registry of the workspaces that are kept, which may be `limit` at most.

        Raises:
            KeepingError: what is kept cannot be read.
        """
        super().__init__(effects, keeping)
        self._limit = limit
        self._departures = Departures()

    def why_gone(self, name: str) -> Gone | None:
        """Why a workspace of this name is gone; None: there is one, or none has gone lately."""
        return self._departures.why(name)

    @property
    def evicted(self) -> int:
        """How many workspaces were evicted for newer ones."""
        return self._departures.evicted

    def _add(self, workspace: Workspace) -> None:
        """Hold a new workspace."""
        self._prepare(workspace)
        self._hold(workspace)
        self._departures.forget(workspace.name)

    def drop(self, workspace: Workspace) -> bool:
        """Remove a workspace, whose keys are refused from now on; False if it was removed before."""
        with workspace.lock, self._lock:
            has_gone = self._remove(workspace)
            if has_gone:
                self._departures.add(workspace.name, Gone.DROPPED)
        return has_gone

    def discard(self, name: str) -> bool:
        """Remove a workspace that rests, even one that cannot be read; False if none of this name rests."""
        if name in self._resting:
            self.before_loading()  # its coverage is read
        with self._lock:
            has_gone = self._remove_resting(name)
            if has_gone:
                self._departures.add(name, Gone.DROPPED)
        return has_gone

    # ------------------------------------------------------------------ eviction

    def _make_room(self, newest: Workspace) -> None:
        """Evict the workspaces that were used longest ago and have no watchers, until no more are there than may be.

        Raises:
            StoreFullError: none could be evicted; the newest workspace is dropped.
        """
        while (idle := self._evictable(newest)) is not None:
            if self._evict_first(idle, patience_s=0) or self._evict_first(idle, patience_s=_PATIENCE_S):
                continue
            if len(self) > self._limit:
                self._remove(newest)
                raise StoreFullError(f"workspace limit reached: {self._limit} (--workspaces-limit), and all are in use")

    def _evictable(self, newest: Workspace) -> list[Candidate] | None:
        """The workspaces that could be evicted, the one used longest ago first, or None if none has to be."""
        with self._lock:
            if len(self) <= self._limit:
                return None
            return [
                Candidate(name, other)
                for name, other in self._workspaces.items()
                if name != DEFAULT and other is not newest and not (other and other.watchers)
            ]

    def _evict_first(self, candidates: Iterable[Candidate], *, patience_s: float) -> bool:
        """Evict the first idle workspace; False if all stay busy for `patience_s` seconds.

        True as well if none has to be evicted any more, because another thread was faster.
        """
        candidate = first_idle(candidates, patience_s=patience_s)
        if candidate is None:
            return False
        name, workspace = candidate
        try:
            has_gone = self._evict(candidate)
        finally:
            if workspace is not None:
                workspace.lock.release()
        if has_gone:
            self._note_eviction(name)
        return True

    def _evict(self, candidate: Candidate) -> bool:
        """Evict a workspace, if one has to be; whether it was evicted. If it is loaded, the caller holds its lock."""
        name, workspace = candidate
        with self._lock:
            return len(self) > self._limit and (
                self._remove_resting(name) if workspace is None else self._remove(workspace)
            )

    def _note_eviction(self, name: str) -> None:
        with self._lock:
            self._departures.add(name, Gone.EVICTED)
        _LOG.warning("workspace %s was evicted: there may be %d, and it was idle longest", name, self._limit)

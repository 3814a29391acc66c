"""The registry: which workspaces a server has, in memory or only saved, and the API keys that lead to them."""

from __future__ import annotations

import logging
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from functools import partial

from mockserver.core.effects.effects import Effects
from mockserver.core.traffic.coverage import Coverage
from mockserver.core.traffic.meter import Meter
from mockserver.core.workspaces.storage import Outline, Storage, StorageError
from mockserver.core.workspaces.workspace import Workspace

DEFAULT = "default"
#: How many names of workspaces that are gone are remembered. Chosen: as many as there may be by default were evicted,
#: and as many were dropped.
_MOST_GONE = 2_000
#: How long a new workspace waits for an old one that could be evicted but is busy, in seconds. Chosen: short enough for
#: the event loop.
_PATIENCE_S = 0.05

_LOG = logging.getLogger(__name__)


class StoreFullError(ValueError):
    """The limit of workspaces is reached, and none could be evicted."""


class Gone(StrEnum):
    """Why a workspace is gone."""

    DROPPED = "dropped"
    #: A newer one took its place.
    EVICTED = "evicted"


class Homes:
    """The names of the workspaces of each API key, valid or revoked; several scenarios may hold the same key."""

    def __init__(self) -> None:
        self._names: dict[str, dict[str, None]] = {}

    def all(self, key: str) -> tuple[str, ...]:
        """Return the names for a key, the workspace that has had it longest first."""
        return tuple(self._names.get(key, ()))

    def first(self, key: str) -> str | None:
        """Return the name that is meant if a request names no workspace, or None if the key is unknown."""
        return next(iter(self._names.get(key, ())), None)

    def add(self, key: str, workspace: str) -> None:
        self._names.setdefault(key, {})[workspace] = None

    def remove(self, keys: Iterable[str], workspace: str) -> None:
        for key in keys:
            names = self._names.get(key, {})
            names.pop(workspace, None)
            if not names:
                self._names.pop(key, None)


class Passivated:
    """A workspace that is saved and not in memory; it is loaded when it is used."""

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        #: Why it could not be loaded at the last attempt, or None.
        self.failure: str | None = None
        #: Held while it is loaded; taken before its own lock, and before that of the registry.
        self.loading = threading.Lock()


class Registry:
    """All workspaces of a server; when there are more than the limit, those used longest ago are evicted.

    Methods that return a workspace load it if it is passivated, and raise `StorageError` if it cannot be read.
    """

    def __init__(self, effects: Effects, storage: Storage, limit: int) -> None:
        """A registry of the saved workspaces, and of further ones, `limit` at most.

        Raises:
            StorageError: the saved ones cannot be listed.
        """
        self._effects, self._limit = effects, limit
        #: Saves them beyond the process.
        self.storage = storage
        #: Called before a workspace is loaded, which takes a while; it may raise an exception, so that the caller asks
        #: again from where it may wait.
        self.before_loading: Callable[[], object] = lambda: None
        #: Taken after a workspace's lock, never before one.
        self._lock = threading.RLock()
        self._homes = Homes()
        #: In the order of use, the one used longest ago first; None stands for one that is passivated.
        self._workspaces: OrderedDict[str, Workspace | None] = OrderedDict()
        self._passivated: dict[str, Passivated] = {}
        #: Why the last workspaces that are gone went, by name, oldest first.
        self._gone: dict[str, Gone] = {}
        #: How many workspaces were evicted.
        self.evicted = 0
        self.meter = Meter()
        storage.follow(self._lose)
        for outline in self._saved():
            self._know(outline)

    def _saved(self) -> Iterable[Outline]:
        """Return what is saved when the server starts."""
        return self.storage.outlines()

    def _know(self, outline: Outline) -> None:
        """Add a workspace that is passivated."""
        self._workspaces[outline.name] = None
        self._passivated[outline.name] = Passivated(outline)
        for key in outline.keys:
            self._homes.add(key, outline.name)

    def _lose(self, name: str) -> None:
        """Go back to what is saved under a name, as a creation or removal could not be saved."""
        with self._lock:
            found = self._workspaces.pop(name, None)
            if found is not None:
                self._forget_keys(found)
            self._passivated.pop(name, None)
            for outline in self._saved():
                if outline.name == name:
                    self._know(outline)

    # ------------------------------------------------------------------ looking

    def __len__(self) -> int:
        return len(self._workspaces)

    @property
    def known(self) -> int:
        """How many workspaces this server knows without asking its store."""
        return len(self._workspaces)

    def __contains__(self, name: str) -> bool:
        return name in self._workspaces

    def names(self) -> Sequence[str]:
        """Return the names of all workspaces, the one used longest ago first."""
        with self._lock:
            return tuple(self._workspaces)

    def loaded(self) -> Sequence[Workspace]:
        """Return the workspaces in memory, the one used longest ago first."""
        with self._lock:
            return tuple(workspace for workspace in self._workspaces.values() if workspace is not None)

    def passivated(self) -> Sequence[Outline]:
        """Return what is known of the workspaces that are not in memory."""
        with self._lock:
            return tuple(row.outline for row in self._passivated.values())

    def unreadable(self) -> Mapping[str, str]:
        """Return why workspaces could not be read at the last attempt, by name."""
        with self._lock:
            return {name: row.failure for name, row in self._passivated.items() if row.failure is not None}

    def get(self, name: str) -> Workspace | None:
        """Return a workspace, or None if there is none; it counts as used now."""
        with self._lock:
            found = self._used(name)
        return found if found is not None else self._load(name, self._used)

    def peek(self, name: str) -> Workspace | None:
        """Return a workspace if it is in memory, or None. Does not mark it as used."""
        return self._workspaces.get(name)

    def look(self, name: str) -> Workspace | None:
        """Return a workspace, or None if there is none. Does not mark it as used."""
        return self.peek(name) or self._load(name, self.peek)

    def seen(self, name: str) -> Workspace | None:
        """Return a workspace as it is, or as it was saved last, to be shown only; None if there is none."""
        return self.look(name)

    def _used(self, name: str) -> Workspace | None:
        """Return a workspace if it is in memory, and mark it as used. The caller holds the lock."""
        found = self._workspaces.get(name)
        if found is not None:
            self._workspaces.move_to_end(name)
        return found

    def knows(self, key: str) -> bool:
        """Return whether a workspace has a key, valid or revoked."""
        return self._homes.first(key) is not None

    def having(self, key: str) -> Iterable[Workspace]:
        """Return the workspaces that have a key, valid or revoked, the one that has had it longest first."""
        with self._lock:
            names = self._homes.all(key)
        return filter(None, map(self.look, names))

    def why_gone(self, name: str) -> Gone | None:
        """Return why a workspace is gone, or None if it exists or has been gone for long."""
        return self._gone.get(name)

    # ------------------------------------------------------------------ loading and passivating

    def _load(self, name: str, find: Callable[[str], Workspace | None]) -> Workspace | None:
        """Return what `find` finds once the workspace is in memory; threads that ask at once load it once.

        Raises:
            StorageError: it cannot be read.
        """
        while True:
            with self._lock:
                found, passivated = find(name), self._passivated.get(name)
            if found is not None or passivated is None:
                return found
            self.before_loading()
            with passivated.loading:
                if self._passivated.get(name) is passivated:
                    self._activate(self._read(passivated), passivated)

    def _read(self, passivated: Passivated) -> Workspace:
        try:
            return self.storage.load(passivated.outline.name)
        except StorageError as error:
            passivated.failure = str(error)
            raise

    def _activate(self, workspace: Workspace, passivated: Passivated) -> None:
        """Hold a workspace that was just loaded, unless it has gone in the meantime, and resume its calls."""
        self._prepare(workspace)
        with workspace.lock:
            with self._lock:
                if self._passivated.get(workspace.name) is not passivated:
                    return
                self._hold(workspace)
                del self._passivated[workspace.name]
            workspace.resume()

    def passivate(self, name: str) -> bool:
        """Let a workspace leave the memory if it is saved and nobody uses it. Return whether it has left."""
        return self.storage.run(lambda: self._passivate(name))

    def _passivate(self, name: str) -> bool:
        workspace = self.peek(name)
        if workspace is None or name == DEFAULT or workspace.is_busy or workspace.watchers:
            return False
        lock = workspace.lock
        if not lock.acquire(blocking=False):
            return False
        try:
            # Without the lock of the registry: to see whether everything is saved takes a while.
            outline = self.storage.release(workspace) if self.peek(name) is workspace else None
            del workspace  # from here on nothing but the registry may refer to it
            return outline is not None and self._leave_memory(outline)
        finally:
            lock.release()

    def _leave_memory(self, outline: Outline) -> bool:
        """Drop the reference to a workspace that was released, and whose lock the caller holds, if it is the last one.

        Any other one, of a request that waits for its lock perhaps, is going to change it: so it has to stay.
        """
        with self._lock:
            workspace = self._workspaces[outline.name]
            assert workspace is not None, "it leaves only under its lock"
            workspace.on_key = _no_key
            self._workspaces[outline.name] = None
            find = weakref.ref(workspace)
            del workspace
            found = find()
            # In sessions, a request that waits for its lock finds that it has gone, and loads it.
            if found is not None and not self.storage.in_sessions:
                self._hold(found)
                return False
            self._passivated[outline.name] = Passivated(outline)
        return True

    # ------------------------------------------------------------------ adding and removing

    def _add(self, workspace: Workspace) -> None:
        """Hold a new workspace."""
        self._prepare(workspace)
        self._hold(workspace)
        self._gone.pop(workspace.name, None)

    def _prepare(self, workspace: Workspace) -> None:
        """Connect a workspace that no other thread has seen to the server."""
        workspace.lock = self.storage.lock()
        workspace.run, workspace.server = self.storage.run, self.storage.server
        workspace.meter = self.meter
        workspace.effects = self.storage.effects(workspace, self._effects)

    def _hold(self, workspace: Workspace) -> None:
        """Refer to a workspace from now on, save its changes, and fire its timers."""
        self.storage.add(workspace)  # first, as it may refuse
        self._workspaces[workspace.name] = workspace
        self._effects.watch(workspace)
        workspace.on_key = lambda key: self._learn(key, workspace)
        self._learn_keys(workspace)

    def drop(self, workspace: Workspace) -> bool:
        """Remove a workspace, whose keys are refused from now on. Return False if it was removed before."""
        with workspace.lock, self._lock:
            has_gone = self._remove(workspace)
            if has_gone:
                self._note_gone(workspace.name, Gone.DROPPED)
        return has_gone

    def discard(self, name: str) -> bool:
        """Remove a passivated workspace, even an unreadable one. Return False if none of this name is passivated."""
        if name in self._passivated:
            self.before_loading()  # its coverage is read
        with self._lock:
            has_gone = self._remove_passivated(name)
            if has_gone:
                self._note_gone(name, Gone.DROPPED)
        return has_gone

    def _remove(self, workspace: Workspace) -> bool:
        with workspace.lock, self._lock:
            if self._workspaces.get(workspace.name) is not workspace:
                return False
            self._take_coverage(workspace)
            self.storage.remove(workspace.name)
            self._forget(workspace)
        return True

    def _forget(self, workspace: Workspace) -> None:
        """Drop the reference to a workspace, in which nothing happens from now on; the caller holds both locks."""
        del self._workspaces[workspace.name]
        self._forget_keys(workspace)
        workspace.forget_jobs()
        workspace.on_key = _no_key  # it referred to the workspace, which is now freed at once
        workspace.watchers.tell()

    def _remove_passivated(self, name: str) -> bool:
        passivated = self._passivated.pop(name, None)
        if passivated is None:
            return False
        with suppress(StorageError):  # the coverage of a workspace that cannot be read is lost with it
            self.storage.add_past(self.storage.coverage((name,)))
        self.storage.remove(name)
        del self._workspaces[name]
        self._homes.remove(passivated.outline.keys, name)
        return True

    def _note_gone(self, name: str, why: Gone) -> None:
        with self._lock:
            self._gone.pop(name, None)  # the names are in the order of going
            self._gone[name] = why
            if len(self._gone) > _MOST_GONE:
                del self._gone[next(iter(self._gone))]
            if why is Gone.EVICTED:
                self.evicted += 1
                _LOG.warning("workspace %s was evicted: the limit is %d, and it was idle longest", name, self._limit)

    # ------------------------------------------------------------------ keys

    def _learn_keys(self, workspace: Workspace) -> None:
        for key in (*workspace.state.keys, *workspace.state.revoked_keys):
            self._learn(key, workspace)

    def _learn(self, key: str, workspace: Workspace) -> None:
        """Let a key lead to a workspace, unless the workspace has been dropped in the meantime."""
        with self._lock:
            if self._workspaces.get(workspace.name) is workspace:
                self._homes.add(key, workspace.name)

    def _forget_keys(self, workspace: Workspace) -> None:
        self._homes.remove((*workspace.state.keys, *workspace.state.revoked_keys), workspace.name)

    # ------------------------------------------------------------------ eviction

    def _make_room(self, newest: Workspace) -> None:
        """Evict the workspaces that were used longest ago and have no watchers, until the limit is kept.

        Raises:
            StoreFullError: none could be evicted; the newest workspace is removed.
        """
        while len(self) > self._limit:
            if self._evict_one(newest, 0) or self._evict_one(newest, _PATIENCE_S):
                continue
            if len(self) > self._limit:
                self._remove(newest)
                raise StoreFullError(f"workspace limit reached: {self._limit} (--workspaces-limit), and all are in use")

    def _evict_one(self, newest: Workspace, patience_s: float) -> bool:
        """Evict the first workspace that is idle within `patience_s` seconds. Return False if all stay busy."""
        until = time.monotonic() + patience_s
        for name in self.names():
            found = self.peek(name)
            if name == DEFAULT or found is newest or (found is not None and found.watchers):
                continue
            if found is None:
                self._evict(name, partial(self._remove_passivated, name))
                return True
            if found.lock.acquire(timeout=max(until - time.monotonic(), 0)):
                try:
                    self._evict(name, partial(self._remove, found))
                finally:
                    found.lock.release()
                return True
        return False

    def _evict(self, name: str, remove: Callable[[], bool]) -> None:
        """Remove a workspace, unless another thread was faster, so that none has to be evicted any more."""
        with self._lock:
            if len(self) > self._limit and remove():
                self._note_gone(name, Gone.EVICTED)

    # ------------------------------------------------------------------ coverage

    def coverage(self) -> Coverage:
        """Return the coverage of all workspaces, including those that are gone.

        Raises:
            StorageError: the coverage of some cannot be read.
        """
        if self._passivated:
            self.before_loading()
        with self._lock:  # a workspace that is dropped in the meantime would count twice, or not at all
            found = self.storage.coverage(tuple(self._passivated))
            found.merge(self.storage.past())
            for workspace in self.loaded():
                if workspace.counted:
                    found.merge(workspace.coverage)
        return found

    def clear_coverage(self) -> None:
        """Delete the coverage of the server and of every workspace; it waits for their locks."""
        for workspace in self.loaded():
            with workspace.lock:
                workspace.coverage.clear()
        with self._lock:
            self.storage.clear_coverage(tuple(self._passivated))
            self.storage.clear_past()  # last, as a workspace that goes in the meantime leaves its coverage there

    def _take_coverage(self, workspace: Workspace) -> None:
        """Add the coverage of a workspace that goes, or is reset, to that of those that are gone."""
        if workspace.counted:
            self.storage.add_past(workspace.coverage)
        workspace.coverage.clear()


def _no_key(key: str) -> None:
    """Do nothing with a key of a workspace that no registry holds."""

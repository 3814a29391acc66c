"""The registry: which workspaces there are, in memory or resting, and the API keys that lead to them."""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence

from mockserver.core.effects.effects import Effects
from mockserver.core.traffic.coverage import Coverage
from mockserver.core.traffic.meter import Meter
from mockserver.core.workspaces.coverage_total import CoverageTotal
from mockserver.core.workspaces.homes import Homes
from mockserver.core.workspaces.keeping import Keeping, KeepingError, Outline
from mockserver.core.workspaces.resting import Resting
from mockserver.core.workspaces.workspace import Workspace

DEFAULT = "default"


class Registry:
    """All workspaces of a server: those in memory, and those that rest where they are kept.

    Whatever asks for a workspace that rests has it loaded, and raises `KeepingError` if it cannot be read.
    """

    def __init__(self, effects: Effects, keeping: Keeping) -> None:
        self._effects = effects
        #: Keeps them beyond the process.
        self.keeping = keeping
        #: Called before a workspace is loaded, which takes a while; it may raise an exception, so that the caller asks
        #: again from where it may wait.
        self.before_loading: Callable[[], object] = lambda: None
        #: Called before it is heard what other servers have done, which takes a moment, most of it waiting; as above.
        self.before_hearing: Callable[[], object] = lambda: None
        #: Taken after a workspace's lock, never before one.
        self._lock = threading.RLock()
        self._homes = Homes()
        #: In the order of use, the one used longest ago first; None stands for one that rests.
        self._workspaces: OrderedDict[str, Workspace | None] = OrderedDict()
        #: Those that rest, by name.
        self._resting: dict[str, Resting] = {}
        self._total = CoverageTotal(keeping)
        self.meter = Meter()
        for outline in keeping.outlines():
            self._know(outline)

    def _know(self, outline: Outline) -> None:
        """Know of a workspace that rests."""
        self._workspaces[outline.name] = None
        self._resting[outline.name] = Resting(outline)
        for key in outline.keys:
            self._homes.add(key, outline.name)

    def __len__(self) -> int:
        return len(self._workspaces)

    def __contains__(self, name: str) -> bool:
        return name in self._workspaces

    def names(self) -> Sequence[str]:
        """The names of all workspaces, the one used longest ago first."""
        with self._lock:
            return tuple(self._workspaces)

    def loaded(self) -> Sequence[Workspace]:
        """The workspaces in memory, the one used longest ago first."""
        with self._lock:
            return tuple(workspace for workspace in self._workspaces.values() if workspace is not None)

    def resting(self) -> Sequence[Outline]:
        """What is known of the workspaces that rest."""
        with self._lock:
            return tuple(row.outline for row in self._resting.values())

    def unreadable(self) -> Mapping[str, str]:
        """Why workspaces could not be read when somebody asked for them last, by their names."""
        with self._lock:
            return {name: row.failure for name, row in self._resting.items() if row.failure is not None}

    def get(self, name: str) -> Workspace | None:
        """The workspace of a name, or None; it counts as used now."""
        with self._lock:
            found = self._used(name)
        return found if found is not None else self._load(name, self._used)

    def keep_up(self) -> None:
        """Learn what other servers of the store have done, and do what that asks of this one; called now and then.

        Raises:
            KeepingError: nobody can tell.
        """

    def peek(self, name: str) -> Workspace | None:
        """The workspace of a name, or None if there is none or it rests; to look at it is no use of it."""
        return self._workspaces.get(name)

    def look(self, name: str) -> Workspace | None:
        """The workspace of a name, or None; to look at it is no use of it, even if it rested."""
        return self.peek(name) or self._load(name, self.peek)

    def seen(self, name: str) -> Workspace | None:
        """The workspace of a name as it is or was kept last, to be shown and not to be changed; None: there is none.

        Raises:
            KeepingError: it cannot be read.
        """
        return self.look(name)

    def _used(self, name: str) -> Workspace | None:
        """The workspace of a name, or None; it counts as used now. The caller holds the lock."""
        found = self._workspaces.get(name)
        if found is not None:
            self._workspaces.move_to_end(name)
        return found

    def knows(self, key: str) -> bool:
        """Whether a workspace has a key, valid or revoked."""
        return key in self._homes

    def having(self, key: str) -> Iterable[Workspace]:
        """The workspaces that have a key, valid or revoked, the one that has had it longest first; to look at."""
        with self._lock:
            names = self._homes.all(key)
        return filter(None, map(self.look, names))

    # ------------------------------------------------------------------ loading and resting

    def _load(self, name: str, find: Callable[[str], Workspace | None]) -> Workspace | None:
        """What `find` finds, once the workspace of a name does not rest; threads that ask at once load it once.

        Raises:
            KeepingError: it cannot be read.
        """
        while True:
            with self._lock:
                found, resting = find(name), self._resting.get(name)
            if found is not None or resting is None:
                return found
            self.before_loading()
            with resting.loading:
                if self._resting.get(name) is resting:
                    self._wake(self._read(resting), resting)

    def _read(self, resting: Resting) -> Workspace:
        """A workspace that rests, as it was.

        Raises:
            KeepingError: it cannot be read.
        """
        try:
            return self.keeping.load(resting.outline.name)
        except KeepingError as error:
            resting.failure = str(error)
            raise

    def _wake(self, workspace: Workspace, resting: Resting) -> None:
        """Hold a workspace that was just loaded, unless it has gone meanwhile; what was under way in it goes on."""
        self._prepare(workspace)
        with workspace.lock:
            with self._lock:
                if self._resting.get(workspace.name) is not resting:
                    return
                self._hold(workspace)
                del self._resting[workspace.name]
            workspace.resume()

    def rest(self, name: str) -> bool:
        """Let a workspace leave the memory if all of it is kept and nobody uses it; whether it has left."""
        workspace = self.peek(name)
        if workspace is None or name == DEFAULT or workspace.is_busy or workspace.watchers:
            return False
        lock = workspace.lock
        if not lock.acquire(blocking=False):
            return False
        try:
            # Without the lock of the registry: to see whether all is kept takes a while.
            outline = self.keeping.release(workspace) if self.peek(name) is workspace else None
            del workspace  # from here on nothing but the registry may refer to it
            return outline is not None and self._let_rest(outline)
        finally:
            lock.release()

    def _let_rest(self, outline: Outline) -> bool:
        """Let a workspace leave the memory that was released, and whose lock the caller holds, if nobody has it.

        Whoever has it, a request that waits for its lock perhaps, is going to change it: so it has to stay.
        """
        with self._lock:
            workspace = self._workspaces[outline.name]
            assert workspace is not None, "it leaves only under its lock"
            workspace.on_key = _no_key
            self._workspaces[outline.name] = None
            find = weakref.ref(workspace)
            del workspace
            found = find()
            if found is not None:
                self._hold(found)
                return False
            resting = self._resting[outline.name] = Resting(outline)
            resting.loading.acquire()
        try:
            self.keeping.let_go(outline)  # before it may be loaded here again
        finally:
            resting.loading.release()
        return True

    # ------------------------------------------------------------------ holding and removing

    def _prepare(self, workspace: Workspace) -> None:
        """Connect a workspace that no other thread has seen to the server."""
        workspace.lock = self.keeping.lock()
        workspace.meter = self.meter
        workspace.effects = self.keeping.effects(workspace, self._effects)

    def _hold(self, workspace: Workspace) -> None:
        """Refer to a workspace from now on, keep what changes in it, and fire its timers."""
        self._workspaces[workspace.name] = workspace
        self.keeping.add(workspace)
        self._effects.watch(workspace)
        workspace.on_key = lambda key: self._learn(key, workspace)
        self._learn_keys(workspace)

    def _remove(self, workspace: Workspace) -> bool:
        """Remove a workspace, whose keys are refused from now on; False if it was removed before."""
        with workspace.lock, self._lock:
            if self._workspaces.get(workspace.name) is not workspace:
                return False
            self._total.take(workspace)
            self.keeping.remove(workspace.name)
            self._forget(workspace)
        return True

    def _forget(self, workspace: Workspace) -> None:
        """Refer to a workspace no more, in which nothing happens from now on; the caller holds both locks."""
        del self._workspaces[workspace.name]
        self._forget_keys(workspace)
        self._end(workspace)

    @staticmethod
    def _end(workspace: Workspace) -> None:
        """Let nothing happen any more in a workspace to which the registry refers no more."""
        workspace.forget_jobs()
        workspace.on_key = _no_key  # it referred to the workspace, which is now freed at once
        workspace.watchers.tell()

    def _remove_resting(self, name: str) -> bool:
        """Remove a workspace that rests; False if none of this name rests. The caller holds the lock."""
        resting = self._resting.get(name)
        if resting is None:
            return False
        self._total.add(self._total.of_resting(resting.outline))
        self.keeping.remove(name)
        self._forget_resting(name)
        return True

    def _forget_resting(self, name: str) -> None:
        """Know no more of a workspace that rests; nothing if none of this name rests. The caller holds the lock."""
        resting = self._resting.pop(name, None)
        if resting is not None:
            del self._workspaces[name]
            self._homes.remove(resting.outline.keys, name)

    def _learn_keys(self, workspace: Workspace) -> None:
        for key in (*workspace.state.keys, *workspace.state.revoked_keys):
            self._learn(key, workspace)

    def _learn(self, key: str, workspace: Workspace) -> None:
        """Let a key lead to a workspace, unless the workspace has been dropped meanwhile."""
        with self._lock:
            if self._workspaces.get(workspace.name) is workspace:
                self._homes.add(key, workspace.name)

    def _forget_keys(self, workspace: Workspace) -> None:
        self._homes.remove((*workspace.state.keys, *workspace.state.revoked_keys), workspace.name)

    # ------------------------------------------------------------------ coverage

    def coverage(self) -> Coverage:
        """The coverage of all workspaces, including those that are gone."""
        if self._resting:
            self.before_loading()
        with self._lock:  # a workspace that is dropped meanwhile would count twice, or not at all
            return self._total.with_present(self.loaded(), self.resting())

    def clear_coverage(self) -> None:
        """Set the coverage of the server and of every workspace to zero; it waits for their locks."""
        for workspace in self.loaded():
            with workspace.lock:
                workspace.coverage.clear()
        with self._lock:
            self.keeping.clear_coverage(self._resting)
            self._total.clear()  # last, as one that goes meanwhile leaves its coverage there


def _no_key(key: str) -> None:
    """Do nothing with a key of a workspace that no registry holds."""

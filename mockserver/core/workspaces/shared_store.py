"""The store of a server sharing workspaces with others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import cast

from mockserver.core.state.identifiers import is_drawn
from mockserver.core.state.state import Account
from mockserver.core.traffic.coverage import Coverage
from mockserver.core.workspaces.rounds import TIMERS
from mockserver.core.workspaces.storage import MissingError, Outline, SharedStorage, StorageError
from mockserver.core.workspaces.store import DEFAULT, Gone, Store, no_key
from mockserver.core.workspaces.workspace import Workspace

#: For how many seconds all servers know why a workspace is gone; chosen: a working day.
_GONE_S = 12 * 3600
#: How many workspaces with due timers are looked after in one round, beside unreadable ones.
_DUE_AT_ONCE = 100


class SharedStore(Store):
    """A store with workspace copies in memory, refreshed when they are opened."""

    @property
    def _shared(self) -> SharedStorage:
        return cast("SharedStorage", self.storage)

    def _begin(self) -> None:
        #: Why workspaces could not be read at the last attempt, by name.
        self._unreadable: dict[str, str] = {}
        super()._begin()

    def _saved(self) -> Iterable[Outline]:
        return ()  # each is found when it is asked for

    def get(self, name: str) -> Workspace | None:
        try:
            found = self._up_to_date(name)
        except MissingError:
            self._forget_gone(name)
            return None
        except StorageError as error:
            self._unreadable[name] = str(error)
            raise
        self._unreadable.pop(name, None)
        self._used(name)
        return found

    def _up_to_date(self, name: str) -> Workspace:
        found = self._workspaces.get(name)
        if found is not None and found.access.is_gone:  # the step that has found out has not come to forget it
            self._forget_copy(found)
            found = None
        found = found or self._loaded(name)
        if found.access.step is self.storage.step:
            found.catch_up()
        else:
            self.storage.open(found)
        return found

    def _loaded(self, name: str) -> Workspace:
        """Load a workspace, which this step has then; if another step has loaded it meanwhile, return its copy."""
        loaded = self.storage.load(name)
        self._prepare(loaded)
        with self._lock:
            found = self._workspaces.get(name)
            if found is None:
                self._hold(loaded)
        return found or loaded

    def _revert(self, name: str, outline: Outline | None) -> Workspace | None:
        return super()._revert(name, None)  # what could not be removed is found when it is asked for

    def _forget_gone(self, name: str) -> None:
        found = self._workspaces.get(name)
        if found is not None and found.access.is_gone:
            self._forget_copy(found)
        self._unreadable.pop(name, None)

    def _forget_copy(self, workspace: Workspace) -> None:
        with self._lock:
            if self._workspaces.get(workspace.name) is workspace:  # else another step has forgotten it
                self._forget(workspace)

    def look(self, name: str) -> Workspace | None:
        return self.get(name)

    def seen(self, name: str) -> Workspace | None:
        try:
            return self._shared.copy(name)
        except MissingError:
            return None

    @property
    def default(self) -> Workspace:
        return self.get(DEFAULT) or self._make_default()

    def find(self, key: str, within: Workspace | None = None) -> tuple[Workspace, Account] | None:
        is_here = within is not None and not within.state.is_free_key(key)
        home = within if is_here else next(self._having(key), None)
        if home is None:
            return self._find_for_unknown(key, within)
        return self._account_of(key, within or home)

    def _having(self, key: str) -> Iterator[Workspace]:
        for home in self._key_index.all(key)[:1] if is_drawn(key) else ():
            found = self.get(home)
            if found is not None and not found.state.is_free_key(key):
                yield found
        for name in self._shared.homes(key):
            found = self.get(name)
            if found is not None and not found.state.is_free_key(key):
                yield found

    def knows(self, key: str) -> bool:
        return bool(self._shared.homes(key))

    def having(self, key: str) -> Iterable[Workspace]:
        return filter(None, map(self.seen, self._shared.homes(key)))

    def _seen_home(self, key: str) -> Workspace | None:
        return next((found for found in self.having(key) if not found.state.is_free_key(key)), None)

    def names(self) -> Sequence[str]:
        try:
            return self._shared.names()
        except StorageError:
            return super().names()  # those in memory, while nobody can tell

    def __len__(self) -> int:
        return len(self.names())

    def _is_taken(self, name: str) -> bool:
        return self.get(name) is not None

    def unreadable(self) -> Mapping[str, str]:
        return dict(self._unreadable)

    def why_gone(self, name: str) -> Gone | None:
        return next((why for why in Gone if self._shared.remembers(f"gone/{why}/{name}")), None)

    def _passivate(self, name: str) -> bool:
        found = self.peek(name)
        if found is None:
            return False
        try:
            if not (found.may_leave and self.storage.hold(found, 0) and found.may_leave):
                return False
        except MissingError:
            self._forget_copy(found)
            return True
        if self.storage.released(found) is None:
            return False
        with self._lock:  # a step that waits for it finds that it has gone, and loads it
            found.access.leave()
            del self._workspaces[name]
            self._forget_keys(found)
            found.on_key = no_key
        return True

    def discard(self, name: str) -> bool:
        try:
            if self.get(name) is not None:
                return False
        except StorageError:
            self._shared.names()  # raises if it is the store that cannot be read
            if (found := self.peek(name)) is not None:
                self._forget_copy(found)
            self._unreadable.pop(name, None)
            self.storage.remove(name)
            self._note_gone(name, Gone.DROPPED)
            return True
        return False

    def _is_full(self) -> bool:
        return False  # `_make_room` has seen to it: what is in memory says nothing

    def _make_room(self) -> None:
        excess = len(self._shared.names()) + 1 - self._limit
        for name in self._shared.names():
            if excess <= 0:
                return
            local = self.peek(name)
            if name != DEFAULT and not (local is not None and local.is_attended):
                self._evict_saved(name)
                excess -= 1
        if excess > 0:
            self._refuse_new()

    def _evict_saved(self, name: str) -> None:
        try:
            found = self.get(name)
        except StorageError:
            self.discard(name)
        else:
            if found is not None:
                self._remove(found)
        self._note_gone(name, Gone.EVICTED)

    def _note_gone(self, name: str, why: Gone) -> None:
        """Publish a removal's reason once saved."""
        self.storage.after(partial(self._tell_gone, name, why))

    def _tell_gone(self, name: str, why: Gone) -> None:
        super()._note_gone(name, why)
        self._shared.remember(f"gone/{why}/{name}", _GONE_S)

    def heard(self, name: str, *, is_removed: bool = False) -> None:
        """Refresh a watched workspace that another server has changed, or forget a removed one."""
        found = self.peek(name)
        if found is not None and (found.watchers or is_removed):
            self._in_step(f"workspace {name} is not up to date", name, lambda found: None)

    def look_after(self) -> None:
        """Fire timers that are due, take over what dead servers have left, and refresh what is watched."""
        for name in self._shared.due(_DUE_AT_ONCE + len(self._unreadable)):
            self._in_step(TIMERS(name), name, self._look_after)
        for workspace in self.loaded():
            self.heard(workspace.name)

    def _look_after(self, found: Workspace) -> None:
        self._shared.look_after(found)
        found.catch_up()

    def coverage(self) -> Coverage:
        self.storage.leave()
        found = self.storage.coverage(self._shared.names())
        found.merge(self.storage.past())
        return found

    def _clear_all(self) -> None:
        for name in self._shared.names():
            self._in_step(f"coverage of workspace {name} stays", name, lambda found: found.coverage.clear())
        self.storage.clear_past()

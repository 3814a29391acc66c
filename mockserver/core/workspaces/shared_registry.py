"""The registry of one of several servers, which share their workspaces: each is held by one of them at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TypeVar

from mockserver.core.effects.effects import Effects
from mockserver.core.traffic.coverage import Coverage
from mockserver.core.waiting.joint import Joint
from mockserver.core.workspaces.eviction import Candidate, Gone
from mockserver.core.workspaces.keeping import (
    Cleared,
    Departed,
    HeldElsewhereError,
    Keeping,
    KeepingError,
    Known,
    MissingError,
    News,
    Outline,
)
from mockserver.core.workspaces.known_holders import KnownHolders
from mockserver.core.workspaces.limited_registry import LimitedRegistry
from mockserver.core.workspaces.resting import Resting
from mockserver.core.workspaces.workspace import Workspace

Found = TypeVar("Found")


class SharedRegistry(LimitedRegistry):
    """A registry whose keeping is shared: a workspace that rests here may be held by another server.

    Whoever asks for such a one gets a `HeldElsewhereError`, and has to ask that server. What is not known here may have
    been made elsewhere: so before there is said to be none, the registry hears what the other servers have done.
    """

    def __init__(self, effects: Effects, keeping: Keeping, limit: int) -> None:
        super().__init__(effects, keeping, limit)
        #: Which servers have held workspaces a moment ago.
        self._holders = KnownHolders()
        #: How often it came up that something has changed elsewhere.
        self._changes = 0
        #: Hears news, once at a time, so that they are applied in their order.
        self._hearing = Joint(self._hear_all)
        #: Whether another server has set the coverage of all to zero, and that of the loaded ones here still counts.
        self._is_cleared = False
        keeping.follow(self._lose)

    # ------------------------------------------------------------------ what other servers do

    def hear(self) -> None:
        """Learn what other servers have done until now; those that ask at once wait for one answer.

        Raises:
            KeepingError: nobody can tell.
        """
        asked = self._hearing.ask()
        self.before_hearing()
        self._hearing.wait(asked)

    def _hear_all(self) -> None:
        news = self.keeping.news()
        with self._lock:
            self._changes += len(news)
            for one in news:
                self._learn_news(one)

    def keep_up(self) -> None:
        self.hear()
        self._clear_if_told()

    def _learn_news(self, news: News) -> None:
        match news:
            case Known(outline):
                self._learn_outline(outline)
            case Departed(name, why):
                self._forget_resting(name)
                self._departures.add(name, Gone(why))
            case Cleared():
                self._is_cleared = True

    def _learn_outline(self, outline: Outline) -> None:
        """Know of a workspace of another server; of one that is loaded here by now, this server knows more."""
        name = outline.name
        if name not in self._workspaces:
            self._departures.forget(name)
            self._know(outline)
        elif (resting := self._resting.get(name)) is not None:
            self._homes.remove(set(resting.outline.keys) - set(outline.keys), name)
            for key in outline.keys:
                self._homes.add(key, name)
            resting.outline = outline
            self._holders.forget(resting)

    def _lose(self, name: str) -> None:
        """Have a workspace rest of which the keeping says that it is lost: nobody gets its lock any more."""
        workspace = self.peek(name)
        if workspace is None or not _is_lost(workspace):
            return
        with self._lock:
            if self._workspaces.get(name) is not workspace:
                return
            self._workspaces[name] = None
            # As if something was under way: if no other server has taken it, it is loaded here and goes on.
            keys = (*workspace.state.keys, *workspace.state.revoked_keys)
            self._resting[name] = Resting(Outline(name, keys, is_busy=True, counted=workspace.counted))
        self._end(workspace)

    # ------------------------------------------------------------------ finding

    def _load(self, name: str, find: Callable[[str], Workspace | None]) -> Workspace | None:
        """As of any store.

        Raises:
            HeldElsewhereError: another server holds it.
            KeepingError: it cannot be read.
        """
        return self._found(lambda: self._load_known(name, find))

    def _found(self, find: Callable[[], Found | None]) -> Found | None:
        """What `find` finds here, else what it finds once it was heard what the other servers have done."""
        changes, found = self._changes, find()
        if found is None:
            self.hear()
            found = None if self._changes == changes else find()
        return found

    def _load_known(self, name: str, find: Callable[[str], Workspace | None]) -> Workspace | None:
        resting = self._resting.get(name)
        if resting is not None:
            self._holders.raise_if_known(resting)
        try:
            return super()._load(name, find)
        except MissingError:
            with self._lock:
                if self._resting.get(name) is resting:
                    self._forget_resting(name)
                    self._changes += 1
            return None

    def _read(self, resting: Resting) -> Workspace:
        try:
            return super()._read(resting)
        except HeldElsewhereError as elsewhere:
            # What is due or under way there is looked after there.
            resting.outline = resting.outline._replace(due_at=None, is_busy=False)
            resting.failure = None
            self._holders.note(resting, elsewhere.address)
            raise

    def confirm(self, elsewhere: HeldElsewhereError) -> None:
        """Believe a bit longer that a server holds a workspace: it has just answered for it."""
        resting = self._resting.get(elsewhere.name)
        if resting is not None:
            self._holders.note(resting, elsewhere.address)

    def doubt(self, elsewhere: HeldElsewhereError) -> None:
        """Believe no more that a server holds a workspace: it says otherwise, or is not reached."""
        resting = self._resting.get(elsewhere.name)
        if resting is not None:
            self._holders.forget(resting)

    def seen(self, name: str) -> Workspace | None:
        found = self.peek(name)
        if found is not None or name not in self:
            return found
        self.before_loading()
        try:
            return self.keeping.copy(name)
        except MissingError:
            return None
        except KeepingError as error:
            with self._lock:
                if (resting := self._resting.get(name)) is not None:
                    resting.failure = str(error)
            raise

    def names(self) -> Sequence[str]:
        """The names of all workspaces, the one used longest ago first; as far as is known here if nobody can tell."""
        order: Sequence[str] = ()
        if self.keeping.failure is None:
            with suppress(KeepingError):
                self.hear()
                order = self.keeping.names()
        with self._lock:
            return sorted(self._workspaces, key=_ranks(order))

    def knows(self, key: str) -> bool:
        if key not in self._homes:
            self.hear()
        return super().knows(key)

    def having(self, key: str) -> Iterable[Workspace]:
        self.hear()
        with self._lock:
            names = self._homes.all(key)
        return filter(None, map(self.seen, names))

    def discard(self, name: str) -> bool:
        """As of any store; False as well if it was loaded for that, as it can be dropped then.

        Raises:
            HeldElsewhereError: another server holds it.
            KeepingError: nobody can tell whether it can be read.
        """
        try:
            self.get(name)
        except KeepingError:
            self.keeping.names()  # else it is the store that cannot be read
            return super().discard(name)
        return False

    # ------------------------------------------------------------------ eviction

    def _evictable(self, newest: Workspace) -> list[Candidate] | None:
        found = super()._evictable(newest)
        if found is not None:
            rank = _ranks(self.keeping.names())
            found.sort(key=lambda candidate: rank(candidate.name))
        return found

    def _evict(self, candidate: Candidate) -> bool:
        if len(self) <= self._limit:
            return False
        name, workspace = candidate
        left, has_gone = self._left_by(candidate), self.keeping.evict(name)
        with self._lock:
            if has_gone:
                self._total.add(left)
            if workspace is None:
                self._forget_resting(name)
            elif self._workspaces.get(name) is workspace:
                self._forget(workspace)
        return has_gone

    def _left_by(self, candidate: Candidate) -> Coverage:
        """The coverage that a workspace leaves when it goes."""
        if candidate.workspace is not None:
            return self._total.of(candidate.workspace)
        resting = self._resting.get(candidate.name)
        return Coverage() if resting is None else self._total.of_resting(resting.outline)

    # ------------------------------------------------------------------ coverage

    def coverage(self) -> Coverage:
        self.keep_up()
        return super().coverage()

    def clear_coverage(self) -> None:
        """Set the coverage of all servers and of every workspace to zero; it waits for their locks.

        What other servers hold is cleared when they hear of it, about a second later, with all that was counted there
        until then. A workspace that changes hands within that time may keep its own coverage.
        """
        self.hear()
        self._clear_loaded()
        for name, resting in tuple(self._resting.items()):
            with resting.loading:
                if self._resting.get(name) is resting:
                    self.keeping.clear_coverage((name,))
        self._total.clear()

    def _clear_if_told(self) -> None:
        if self._is_cleared:
            self._is_cleared = False
            self._clear_loaded()

    def _clear_loaded(self) -> None:
        for workspace in self.loaded():
            with suppress(KeepingError), workspace.lock:  # what is lost is cleared where it is held
                workspace.coverage.clear()


def _is_lost(workspace: Workspace) -> bool:
    """Whether the lock of a workspace cannot be had any more; whoever had it has left then."""
    try:
        with workspace.lock:
            return False
    except KeepingError:
        return True


def _ranks(order: Sequence[str]) -> Callable[[str], float]:
    """The place of a name in an order; names that are not in it come last."""
    places = {name: place for place, name in enumerate(order)}
    return lambda name: places.get(name, math.inf)

"""Session storage: the changes of a step are saved before its answer leaves.

One rule makes it right, whatever other servers, networks and Redis do: a session reads the version of each workspace
that it opens, and its commit is refused if one of those that it has changed has another version by then. Locks and
claims only save work.
"""

from __future__ import annotations

import logging
import random
import secrets
import threading
import time
from _thread import RLock  # `threading.RLock` is a function that makes one of these
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, cast
from weakref import WeakValueDictionary

from mockserver.core.traffic.causes import Changed
from mockserver.core.traffic.coverage import Coverage
from mockserver.core.workspaces.storage import MissingError, Outline, Result, StorageError
from mockserver.core.workspaces.workspace import Parts, Workspace, WorkspaceLimits
from mockserver.storage import forms, records
from mockserver.storage.engine import ANY_VERSION, Batch, ConflictError, Engine, EngineError, Row
from mockserver.storage.engine_storage import EngineStorage, SavedWorkspace
from mockserver.storage.records import Written

if TYPE_CHECKING:
    from mockserver.storage.redis_engine import Engine as RedisEngine

#: The most attempts of a step, and the attempt from which it waits for its turn among conflicting servers; chosen.
_MOST_TRIES, _IN_TURN = 50, 2
#: The lock timeouts of the first and of further workspaces, in seconds. Chosen: clients still wait; deadlocks are rare
#: and short.
_PATIENCE_S, _SHORT_PATIENCE_S = 30.0, 0.5
#: The longest wait for a turn, and the polling interval, in seconds.
_TURN_S, _LOOK_S = 3.0, 0.005

_LOG = logging.getLogger(__name__)


class GoneError(ConflictError):
    """A workspace has left the memory, and its step has to look it up again."""


class SessionLock(RLock):  # type: ignore[misc]  # CPython lets it be subclassed, whatever typeshed says
    """The lock of a workspace: taking it opens the workspace, and the step holds the lock until its end."""

    storage: SessionStorage
    #: The stored copy; None for a workspace that is gone (it is freed), or unsaved, whose lock is an ordinary lock.
    saved: SavedWorkspace | None = None
    #: Whether the workspace was removed or passivated: waiting steps look it up again.
    is_gone: bool = False

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """Take the lock within a step.

        Raises:
            StorageError: the workspace cannot be read.
            ConflictError: the workspace is gone, or held by a step that may wait for this one.
        """
        is_opened = (self.saved is None and not self.is_gone) or self._is_owned()  # type: ignore[attr-defined]  # as above
        if not is_opened and not self.storage.current.open(self, timeout if blocking else 0):
            return False
        return bool(super().acquire(blocking, timeout))

    __enter__ = acquire

    def take(self, timeout: float) -> bool:
        """Take the lock for a session. Return False after a timeout."""
        return bool(super().acquire(timeout=timeout))


class Session:
    """The opened and changed workspaces of one step."""

    def __init__(self, storage: SessionStorage) -> None:
        self._storage = storage
        self.opened: dict[SessionLock, SavedWorkspace] = {}
        #: The versions of the workspaces to remove, by name.
        self.removed: dict[str, str] = {}
        self.counts: dict[str, int] = {}
        #: The names of workspaces to write even if unchanged.
        self.touched: set[str] = set()
        self.after: list[Callable[[], object]] = []
        #: Lists of transitions with their lengths before the step; a failed step truncates them.
        self._collected: list[tuple[list[Changed], int]] = []

    def open(self, lock: SessionLock, timeout: float = -1) -> bool:
        """Take a workspace's lock until the session ends, and update the workspace. Return False after a timeout."""
        self._storage.before_waiting()
        if not lock.take(timeout if timeout >= 0 else _SHORT_PATIENCE_S if self.opened else _PATIENCE_S):
            if timeout < 0:
                raise ConflictError(())
            return False
        saved = lock.saved
        try:
            if saved is None:
                raise GoneError(())  # noqa: TRY301  # the lock is released below
            self._storage.refresh(saved)
        except BaseException:
            lock.release()
            raise
        self.hold(lock, saved)
        return True

    def hold(self, lock: SessionLock, saved: SavedWorkspace) -> None:
        """Keep a lock of this thread until the session ends."""
        self.opened[lock] = saved
        self._collected += [(rows, len(rows)) for rows in saved.workspace.collecting()]

    def remove(self, name: str) -> None:
        """Remove a workspace with the commit."""
        self.removed[name] = ANY_VERSION
        for lock, saved in self.opened.items():
            if saved.name == name:
                self.removed[name] = saved.version or ANY_VERSION
                lock.saved, lock.is_gone = None, True

    def rows(self) -> dict[SavedWorkspace, Row]:
        """Return the changes of opened workspaces, without removed workspaces."""
        staying = [saved for lock, saved in self.opened.items() if not lock.is_gone]
        taken = {saved: saved.take(is_wanted=saved.name in self.touched) for saved in staying}
        return {saved: row for saved, row in taken.items() if row is not None}

    def drop(self) -> Collection[str]:
        """Discard all changes, and return the names of workspaces to create or remove; others are loaded again."""
        for rows, length in self._collected:
            del rows[length:]
        lost = {saved.name for saved in self.opened.values() if saved.version is None}
        for lock, saved in self.opened.items():
            if saved.version is None:
                lock.saved, lock.is_gone = None, True
            else:
                saved.version = ""
        return lost | set(self.removed)

    def release(self) -> None:
        for lock in self.opened:
            lock.release()
        self.opened = {}


class SessionStorage(EngineStorage):
    """Saves the changes of each step before `run` returns; with a shared engine, a `SharedStorage`."""

    in_sessions = True

    def __init__(
        self,
        engine: Engine,
        *,
        parts: Parts,
        limits: WorkspaceLimits,
        before_waiting: Callable[[], object] = lambda: None,
    ) -> None:
        """Prepare the storage, as `EngineStorage`.

        `before_waiting` is called before a step waits for anything, and may raise an exception, so that the step runs
        where it may wait.
        """
        super().__init__(engine, parts=parts, limits=limits)
        self.before_waiting = before_waiting
        self._lost: Callable[[str], object] = lambda name: None
        self._local = threading.local()
        self._saved: WeakValueDictionary[str, SavedWorkspace] = WeakValueDictionary()

    @property
    def is_shared(self) -> bool:
        return self._engine.kind == "redis"

    @property
    def server(self) -> str:
        return self._shared.server if self.is_shared else ""

    @property
    def session(self) -> Session | None:
        """The session of this thread's step, or None."""
        found: Session | None = getattr(self._local, "session", None)
        return found

    @property
    def current(self) -> Session:
        """The session of this thread's step, which has to run."""
        session = self.session
        if session is None:
            self.before_waiting()  # the event loop runs no steps
        assert session is not None, "a stored workspace is used in steps only"
        return session

    def run(self, step: Callable[[], Result]) -> Result:
        if self.session is not None:
            return step()
        self.before_waiting()
        rivals: Collection[str] = ()
        for tries in range(_MOST_TRIES):
            session = self._local.session = Session(self)
            try:
                with self._in_turn(rivals if tries >= _IN_TURN else ()):
                    found = step()
                    self._commit(session)
            except ConflictError as conflict:
                self._drop(session)
                if isinstance(conflict, GoneError) and tries > _IN_TURN:  # it has not looked it up
                    raise MissingError("the workspace has left the memory of this server") from None
                rivals = conflict.names
            except BaseException:
                self._drop(session)
                raise
            else:
                self._end(session)
                return found
            time.sleep(random.random() * _LOOK_S * tries)  # noqa: S311  # so that two do not meet again
        names = ", ".join(sorted(rivals)) or "of this request"
        raise StorageError(f"workspace {names} is changed by other servers all the time; send the request again")

    def after(self, call: Callable[[], object]) -> None:
        session = self.session
        if session is None:
            call()
        else:
            session.after.append(call)

    @contextmanager
    def _in_turn(self, names: Collection[str]) -> Iterator[None]:
        """Serialize conflicting servers, if possible."""
        taken, until = [], time.monotonic() + _TURN_S
        for name in names:
            while not (is_taken := self._order(name)) and time.monotonic() < until:
                time.sleep(_LOOK_S)
            taken += [name] * is_taken
        try:
            yield
        finally:
            for name in taken:
                with suppress(EngineError):  # the lock runs out by itself
                    self._shared.let_go(name)

    def _order(self, name: str) -> bool:
        return self._asked(lambda engine: engine.order(name))

    def _commit(self, session: Session) -> None:
        rows, nonce = session.rows(), secrets.token_hex(8)
        batch = Batch(session.removed, tuple(rows.values()), session.counts, nonce)
        if not batch:
            return
        self._write(batch)
        for saved in rows:
            saved.confirm(nonce)

    def _drop(self, session: Session) -> None:
        lost = session.drop()
        self._local.session = None
        session.release()
        for name in lost:
            self._lost(name)

    def _end(self, session: Session) -> None:
        self._local.session = None
        session.release()
        for call in session.after:
            try:
                call()
            except Exception:  # noqa: BLE001  # the others happen nevertheless
                _LOG.exception("an effect of a saved step has failed")

    def lock(self) -> threading.RLock:
        found = SessionLock()
        found.storage = self
        return found

    def load(self, name: str) -> Workspace:
        self.before_waiting()
        if self.session is not None and name in self.session.removed:
            raise MissingError(f"workspace {name} was removed")
        return super().load(name)

    def refresh(self, saved: SavedWorkspace) -> None:
        """Update a workspace to the engine's version; this thread holds the lock."""
        with self._using(f"workspace {saved.name} cannot be loaded: "):
            version, saved.version = saved.version or "", ""  # unless this succeeds, all of it is read next time
            newer = self._engine.read(saved.name, version)
            if newer is not None and not newer.is_whole:
                if records.refresh(saved.workspace, newer):
                    saved.written.refreshed(newer)
                else:
                    newer = self._engine.read(saved.name)
            if newer is not None and newer.is_whole:
                workspace = records.load(saved.name, newer.fields, parts=self._parts, limits=self._limits)
                records.take_over(saved.workspace, workspace)
                saved.written = Written.loaded(saved.workspace, newer)
        saved.version = version if newer is None else newer.version
        if newer is not None:
            saved.workspace.effects.watch(saved.workspace)

    def follow(self, lost: Callable[[str], object]) -> None:
        self._lost = lost

    def add(self, workspace: Workspace) -> None:
        lock, saved = workspace.lock, self._taken_up(workspace)
        assert isinstance(lock, SessionLock), "`lock` has made it"
        self.run(lambda: self._hold(lock, saved))

    def _hold(self, lock: SessionLock, saved: SavedWorkspace) -> None:
        lock.take(_PATIENCE_S)  # nobody else has it yet
        lock.saved = self._saved[saved.name] = saved
        self.current.hold(lock, saved)

    def remove(self, name: str) -> None:
        self.run(lambda: self.current.remove(name))

    def release(self, workspace: Workspace) -> Outline | None:
        lock = workspace.lock
        if not isinstance(lock, SessionLock) or lock.saved is None or lock.saved.version is None:
            return None
        outline, lock.saved, lock.is_gone = lock.saved.outline(), None, True
        return outline

    def add_past(self, coverage: Coverage) -> None:
        def count() -> None:
            counts = self.current.counts
            for name, number in forms.counts_of(coverage).items():
                counts[name] = counts.get(name, 0) + number

        self.run(count)

    @property
    def _shared(self) -> RedisEngine:
        assert self.is_shared, "only servers that share a store ask"
        return cast("RedisEngine", self._engine)

    def _asked(self, ask: Callable[[RedisEngine], Result]) -> Result:
        self.before_waiting()
        with self._using():
            return ask(self._shared)

    def names(self) -> Sequence[str]:
        return self._asked(lambda engine: engine.names())

    def homes(self, key: str) -> Sequence[str]:
        return self._asked(lambda engine: engine.homes(key))

    def due(self, most: int) -> Sequence[str]:
        return self._asked(lambda engine: engine.due(most))

    def remember(self, name: str, seconds: int) -> None:
        self._asked(lambda engine: engine.remember(name, seconds))

    def remembers(self, name: str) -> bool:
        return self._asked(lambda engine: engine.remembers(name))

    def forget(self, name: str) -> None:
        self._asked(lambda engine: engine.forget(name))

    def open(self, workspace: Workspace) -> None:
        assert self.current, "a step runs"
        with workspace.lock:
            pass  # the session holds it from now on

    def copy(self, name: str) -> Workspace:
        self.before_waiting()
        return self._read(name).workspace

    def changes(self) -> Iterator[tuple[str, bool]]:
        for name, version in self._shared.changes():
            saved = self._saved.get(name)
            if saved is not None and (saved.version != version or not version):
                yield name, not version

    def look_after(self, workspace: Workspace) -> None:
        if workspace.late:
            return  # what looks abandoned may be over
        others = {job.server for job in workspace.jobs.forms()} | set(workspace.posting.values())
        others.discard(self.server)
        dead = others - set(self._asked(lambda engine: engine.living(others)))
        workspace.resume(dead.__contains__)
        self.current.touched.add(workspace.name)  # so that the time when somebody has to look again is written

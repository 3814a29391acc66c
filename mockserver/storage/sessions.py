"""Session storage: the changes of a step are saved before its answer leaves.

One rule makes it right, whatever other servers, networks and Redis do: a session reads the version of each workspace
that it opens, and its commit is refused if one of those that it has changed has another version by then. Locks and
claims only save work.
"""

from __future__ import annotations

import logging
import random
import secrets
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager, nullcontext, suppress
from itertools import count
from typing import TYPE_CHECKING, cast
from weakref import WeakValueDictionary

from mockserver.core.state.identifiers import skipped
from mockserver.core.time.clock import draw_version
from mockserver.core.traffic.causes import Changed
from mockserver.core.traffic.coverage import Coverage
from mockserver.core.workspaces.storage import MissingError, OutageError, Outline, Result, Saving, Step, StorageError
from mockserver.core.workspaces.workspace import Access, Parts, Workspace, WorkspaceLimits
from mockserver.storage import forms, records
from mockserver.storage.commits import Commit, Commits, reason_of
from mockserver.storage.engine import ANY_VERSION, Batch, Changes, ConflictError, Engine, EngineError, Row
from mockserver.storage.engine_storage import EngineStorage, SavedWorkspace
from mockserver.storage.packing import UnreadableError, decode, encode
from mockserver.storage.records import Written

if TYPE_CHECKING:
    from mockserver.storage.redis_engine import Engine as RedisEngine

#: The most attempts of a step, and the attempt from which it waits for its turn among conflicting servers; chosen.
_MOST_TRIES, _IN_TURN = 50, 2
#: How long a step waits for its first and for further workspaces, in seconds. Chosen: clients still wait.
_PATIENCE_S, _SHORT_PATIENCE_S = 30.0, 0.5
#: The longest wait for a turn, and the polling interval, in seconds.
_TURN_S, _LOOK_S = 3.0, 0.005
#: How often a step looks that only reads, where others change what cannot be saved. Chosen: a full store is read, too.
_MOST_LOOKS = 5
#: How long a step waits for the thread that commits, which takes the changes of a workspace meanwhile, in seconds.
#: Chosen: to run elsewhere takes longer, and the thread needs the interpreter all the time.
_TAKEN_S = 0.01

_LOG = logging.getLogger(__name__)


class GoneError(ConflictError):
    """A workspace has left the memory. Its step must find it again."""


class Session(Step):
    """A step with the changes that it commits."""

    __slots__ = ("_collected", "_drawn", "counts", "given_back", "is_read", "opened", "removed", "touched")

    def __init__(self, *, is_read: bool = False) -> None:
        super().__init__()
        self.is_read = is_read
        #: The opened workspaces, each with how often it was lost before.
        self.opened: dict[SavedWorkspace, int] = {}
        #: The versions of the workspaces to remove, by name, and their outlines.
        self.removed: dict[str, tuple[str, Outline | None]] = {}
        self.counts: dict[str, int] = {}
        #: What to wait for of workspaces that were given back.
        self.given_back: list[Future[None]] = []
        #: The names of workspaces to write even if unchanged.
        self.touched: set[str] = set()
        #: Lists of transitions with their lengths before the step; a failed step truncates them.
        self._collected: list[tuple[list[Changed], int]] = []
        self._drawn = draw_version() if is_read else 0

    def open(self, saved: SavedWorkspace) -> None:
        """Keep a workspace that was taken until the session ends."""
        self.hold(saved.workspace.access)
        self.opened[saved] = saved.losses
        self._collected += [(rows, len(rows)) for rows in saved.workspace.collecting()]

    def remove(self, name: str, outline: Outline | None) -> None:
        """Remove a workspace with the commit."""
        self.removed[name] = ANY_VERSION, outline
        for saved in self.opened:
            if saved.name == name:
                self.removed[name] = saved.version or ANY_VERSION, saved.outline() if saved.version else None
                saved.workspace.access.leave()

    @property
    def staying(self) -> Iterator[SavedWorkspace]:
        """The opened workspaces without the removed ones."""
        return (saved for saved in self.opened if not saved.workspace.access.is_gone)

    def leaves_traces_only(self) -> bool:
        """Return whether the step has changed nothing of the service's state; in doubt it has."""
        states = [saved.workspace.state for saved in self.opened]
        is_plain = self.is_read and not (self.removed or self.counts or self.touched)
        if not is_plain or draw_version() != self._drawn + 1:
            return False
        # Rules count their hits, and what is varied is announced once; all else that changes draws a version.
        return not any(state.faults or state.stubs or state.varied for state in states)

    @property
    def is_about_one(self) -> bool:
        """Whether the step has had one saved workspace, and no other was made or removed."""
        is_plain = len(self.opened) == 1 and not (self.removed or self.counts or self.touched)
        return is_plain and all(saved.version is not None for saved in self.staying)

    def batch(self, nonce: str = "") -> Batch:
        """Return all changes."""
        taken = (saved.take(is_wanted=saved.name in self.touched) for saved in self.staying)
        removed = {name: version for name, (version, _) in self.removed.items()}
        return Batch(removed, [row for row in taken if row is not None], self.counts, nonce)

    def commit(self) -> Commit | None:
        """Return all changes as one atomic commit, or None without changes."""
        batch = self.batch()
        removed = {name: outline for name, (_, outline) in self.removed.items()}
        names = {row.name for row in batch.rows}.union(removed)
        created = {row.name: None for row in batch.rows if not row.base}
        saved = [(saved, losses) for saved, losses in self.opened.items() if saved.name in names]
        return Commit(batch, saved, {**created, **removed}) if batch else None

    def lost(self) -> dict[str, Outline | None]:
        """Return the workspaces whose creation or removal has failed, the latter with their outlines."""
        made = [saved for saved in self.opened if saved.version is None and not saved.workspace.access.is_gone]
        for saved in made:
            saved.workspace.access.leave()
        removed = {name: outline for name, (_, outline) in self.removed.items() if not is_new(name, self.opened)}
        return {**{saved.name: None for saved in made}, **removed}

    def drop(self) -> dict[str, Outline | None]:
        """Discard all changes; the workspaces are read again. Return those that are `lost`."""
        for rows, length in self._collected:
            del rows[length:]
        for saved in self.opened:
            if saved.version is not None:
                saved.version = ""
        return self.lost()


def is_new(name: str, saved: Iterable[SavedWorkspace]) -> bool:
    """Return whether a step has had workspaces of a name, all of them unsaved."""
    versions = [one.version for one in saved if one.name == name]
    return bool(versions) and not any(version is not None for version in versions)


class SessionStorage(EngineStorage):
    """Saves the changes of each step before its answer leaves; with a shared engine, a `SharedStorage`."""

    def __init__(self, engine: Engine, *, parts: Parts, limits: WorkspaceLimits) -> None:
        """Prepare the storage. `close` closes the engine."""
        super().__init__(engine, parts=parts, limits=limits)
        self._lost: Callable[[str, Outline | None], Workspace | None] = lambda name, outline: None
        #: The sessions that remove workspaces and have not committed yet, by name.
        self._removing: dict[str, Session] = {}
        self._saved: WeakValueDictionary[str, SavedWorkspace] = WeakValueDictionary()
        self._commits: Commits | None = None
        if engine.is_alone:
            try:
                if engine.was_interrupted:
                    self._skip_ids()
                self._commits = Commits(lambda batches: self._write(*batches), self._lose, self._is_away)
            except StorageError:
                engine.close()
                raise

    def _skip_ids(self) -> None:
        """Skip request ids that were used and not saved, in all workspaces."""
        outlines, rows = self.outlines(), []
        with self._using():
            saved = self._engine.field([row.name for row in outlines], forms.WORKSPACE)
        for outline in outlines:
            with suppress(LookupError, UnreadableError):  # the workspace cannot be loaded either
                form = decode(saved[outline.name], forms.WorkspaceForm)
                content = encode(form._replace(ids=skipped(form.ids)))
                rows.append(Row(outline.name, Changes({forms.WORKSPACE: content}), ANY_VERSION, outline.due_at))
        self._write(Batch(rows=rows))
        self._engine.was_interrupted = False

    @property
    def is_shared(self) -> bool:
        return self._commits is None

    @property
    def server(self) -> str:
        return self._shared.server if self.is_shared else ""

    @property
    def session(self) -> Session:
        """The session of this thread's step, which has to run."""
        step = self.current
        assert isinstance(step, Session), "`begin` has made it"
        return step

    def _waiting(self) -> int:
        return 0 if self._commits is None else len(self._commits)

    def _is_away(self) -> bool:
        self.retry()
        return self._failure is not None

    def close(self) -> bool:
        """Save the last traces, close the engine, and return whether all is saved; forked processes save nothing."""
        is_saved = self._commits is None or self._is_forked or self._commits.close()
        if not is_saved:
            reason = self._last_failure or "a workspace is in use"
            _LOG.error("the last traces could not be saved and are lost: %s", reason)
            self._engine.was_interrupted = True
        super().close()
        return is_saved

    # ------------------------------------------------------------------ steps

    def run(self, step: Callable[[], Result], *, is_read: bool = False) -> Result:
        if self.step is not None:
            return step()
        for looks in count(1):
            found, saving = self.begin(step, is_read=is_read)
            try:
                if saving is not None:
                    saving.wait()
            except StorageError:  # a look at changes that are lost is repeated
                if not is_read or looks == _MOST_LOOKS:
                    raise
            else:
                return found
        raise AssertionError("it counts for ever")

    def begin(self, step: Callable[[], Result], *, is_read: bool = False) -> tuple[Result, Saving | None]:
        if self._is_forked:
            raise OutageError(str(self.failure))
        rivals: Collection[str] = ()
        for tries in range(_MOST_TRIES):
            session = self._local.step = Session(is_read=is_read)
            try:
                with self._in_turn(rivals) if tries >= _IN_TURN else nullcontext():
                    found = step()
                    saving = self._commit(session)
            except ConflictError as conflict:
                self._undo(session)
                self.leave(waits=True)
                if isinstance(conflict, GoneError) and tries > _IN_TURN:  # it has not looked it up
                    raise MissingError("the workspace has left the memory of this server") from None
                rivals = conflict.names
            except BaseException:
                self._undo(session)
                raise
            else:
                self._release(session)
                if saving.futures:
                    return found, saving
                saving.finish()
                return found, None
            time.sleep(random.random() * _LOOK_S * tries)  # noqa: S311  # so that two do not meet again
        names = ", ".join(sorted(rivals)) or "of this request"
        raise StorageError(f"workspace {names} is changed by other servers all the time; send the request again")

    def _commit(self, session: Session) -> Saving:
        """Save the changes of a session, at once or soon; the workspaces are still the session's."""
        if self._commits is None:
            self._write_now(session)
            return Saving((), session.finish)
        unsaved = session.given_back + [future for saved in session.opened for future in saved.unsaved]
        if session.leaves_traces_only():
            for saved in session.opened:
                self._commits.expect(saved)
        elif session.is_about_one:
            unsaved = session.given_back + [self._commits.ask(*opened) for opened in session.opened.items()]
        elif commit := session.commit():
            self._commits.add(commit)
            unsaved.append(commit.done)
        return Saving(unsaved, session.finish)

    def _write_now(self, session: Session) -> None:
        batch = session.batch(secrets.token_hex(8))
        if batch:
            self.leave(waits=True)
            self._write(batch)
            names = {row.name for row in batch.rows}
            for saved in session.staying:  # another step may have loaded one of the same name
                if saved.name in names:
                    saved.confirm(batch.nonce)

    def _undo(self, session: Session) -> None:
        """End a step that has failed, or that is run again.

        In a store that other servers share nothing of it stays. Else what it has done stays, as it does in memory, such
        as timers that have fired.
        """
        lost: Mapping[str, Outline | None] = {}
        saving: Saving | None = None
        try:
            if self._commits is None:
                lost = session.drop()
            elif session.is_about_one and not session.after:
                for saved in session.opened:
                    self._commits.expect(saved)
            else:
                saving = self._commit(session)
        except (ConflictError, StorageError):  # what it builds on was lost
            lost = session.lost()
        finally:
            self._release(session)
        if saving is not None:
            saving.then()
        for name, outline in lost.items():
            self._lost(name, outline)

    def _release(self, session: Session) -> None:
        self._local.step = None
        session.release()
        session.opened = {}  # who waits for it may hold the session for long
        for name in session.removed:
            if self._removing.get(name) is session:
                del self._removing[name]

    def _lose(self, commit: Commit) -> None:
        self._engine.was_interrupted = True  # traces went with it, and the next server skips their ids
        for name, outline in commit.lost.items():
            own = [saved for saved, _ in commit.saved if saved.name == name]
            if outline is None or not is_new(name, own):
                self._revert(name, outline, own)

    def _revert(self, name: str, outline: Outline | None, own: Iterable[SavedWorkspace]) -> None:
        """Undo a failed creation or removal of a workspace in the store."""
        assert self._commits is not None, "changes of a shared store are saved at once"
        for saved in own:
            saved.workspace.access.leave()
            if outline is None:
                saved.version = None
        later = self._lost(name, outline)
        if outline is not None and later is not None:
            lost = later.access.saved
            later.access.leave()
            self._commits.give_up([lost], reason_of(None))

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

    # ------------------------------------------------------------------ workspaces

    def hold(self, workspace: Workspace, patience_s: float | None = None) -> bool:
        """As `Storage.hold`, after an update of the workspace.

        Raises:
            StorageError: the workspace cannot be read.
            ConflictError: the workspace is gone, or held by a step that may wait for this one.
        """
        session, access = self.session, workspace.access
        if access.step is session:
            return True
        if self._commits is None:
            self.leave(waits=True)
        if not self._take(session, access, patience_s):
            return False
        try:
            self._bring_up_to_date(access.saved)
        except BaseException as error:
            if isinstance(error, MissingError):
                access.leave()
            access.give_back()
            raise
        session.open(access.saved)
        return True

    def let_go(self, workspace: Workspace) -> None:
        """As `Storage.let_go`; with other servers a step keeps what it has seen until its end."""
        session, saved = self.session, workspace.access.saved
        if self._commits is not None and saved in session.opened:
            session.given_back.append(self._commits.ask(saved, session.opened.pop(saved)))
            super().let_go(workspace)

    def let_go_all(self) -> None:
        for saved in tuple(self.session.opened):
            self.let_go(saved.workspace)

    def _take(self, session: Session, access: Access, patience_s: float | None) -> bool:
        if access.take():
            return True
        if patience_s is not None:
            return access.take(patience_s)
        if access.step is None and access.take(_TAKEN_S):
            return True
        self.leave(waits=True)
        if not access.take(_SHORT_PATIENCE_S if session.opened else _PATIENCE_S):
            raise ConflictError(())
        return True

    def _bring_up_to_date(self, saved: SavedWorkspace | None) -> None:
        if saved is None:
            raise GoneError(())
        if self._commits is None or not (saved.version or saved.version is None):
            self.leave(waits=True)
            self.refresh(saved)

    def _read(self, name: str) -> SavedWorkspace:
        self.leave(waits=True)
        if isinstance(self.step, Session) and name in self.step.removed:
            raise MissingError(f"workspace {name} was removed")
        return super()._read(name)

    def refresh(self, saved: SavedWorkspace) -> None:
        """Update a workspace to the engine's version; this step has taken it."""
        if saved.pending is not None:
            wait([saved.pending])
        ids = saved.workspace.ids
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
                if self._commits is not None:
                    saved.workspace.ids.follow_on(ids)
                    saved.owed = encode(forms.WorkspaceForm.of(saved.workspace))
                    self._commits.expect(saved)
        saved.version = version if newer is None else newer.version
        if newer is not None:
            saved.workspace.effects.watch(saved.workspace)

    def follow(self, lost: Callable[[str, Outline | None], Workspace | None]) -> None:
        self._lost = lost

    def add(self, workspace: Workspace) -> None:
        if self._removing.get(workspace.name) not in (None, self.session):
            raise ConflictError(())  # the removal comes first
        access = workspace.access
        saved = access.saved or SavedWorkspace(workspace)
        access.take()  # nobody else has it yet
        access.saved = self._saved[saved.name] = saved
        self.session.open(saved)

    def remove(self, name: str, outline: Outline | None = None) -> None:
        def remove() -> None:
            self.session.remove(name, outline)
            if self._commits is not None:
                self._removing[name] = self.session

        self.run(remove)

    def released(self, workspace: Workspace) -> Outline | None:
        saved: SavedWorkspace | None = workspace.access.saved
        if saved is None or not saved.version or any(saved.unsaved):
            return None
        if self._commits is not None and saved in self._commits:
            return None
        return saved.outline()

    def add_past(self, coverage: Coverage) -> None:
        def count() -> None:
            counts = self.session.counts
            for name, number in forms.counts_of(coverage).items():
                counts[name] = counts.get(name, 0) + number

        self.run(count)

    @property
    def _shared(self) -> RedisEngine:
        assert self.is_shared, "only servers that share a store ask"
        return cast("RedisEngine", self._engine)

    def _asked(self, ask: Callable[[RedisEngine], Result]) -> Result:
        self.leave(waits=True)
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

    def copy(self, name: str) -> Workspace:
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
        self.session.touched.add(workspace.name)  # so that the time when somebody has to look again is written

"""The workspaces of a server, and the API keys that lead to them."""

from __future__ import annotations

import hashlib
import logging
import math
import re
import secrets
import threading
import time
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from functools import partial
from typing import Any, Protocol

from mockserver.core.effects import Effects, NoEffects
from mockserver.core.state.identifiers import Keyring, Replica, is_drawn, is_key
from mockserver.core.state.state import Account
from mockserver.core.traffic.coverage import Coverage, Meter
from mockserver.core.traffic.mail import Mailbox
from mockserver.core.workspaces.storage import Outline, Storage, StorageError
from mockserver.core.workspaces.workspace import Snapshot, Workspace


class Loader(Protocol):
    """What makes a workspace from a scenario, given by name or as a document; the app supplies one.

    `whole`: the document is the state of a workspace, to which nothing is added.
    """

    def __call__(
        self,
        scenario: object,
        *,
        name: str,
        seed: int | None = None,
        keyring: Callable[[int], Keyring] | None = None,
        whole: bool = False,
    ) -> Workspace: ...


class Maker:
    """Makes the workspaces of a server, which no other thread has seen yet.

    Raises:
        ScenarioError: from every method that makes a workspace, if the scenario is invalid.
    """

    def __init__(self, load: Loader, scenario: object, seed: int | None, replica: str = "") -> None:
        self._load = load
        self._replica = replica
        #: The scenario of workspaces for which none is given.
        self.scenario = scenario
        self._seed = seed
        #: How many rows a scenario made when it was last loaded, by its name.
        self._sizes: dict[str, int] = {}

    def rows(self, scenario: object | None = None) -> float:
        """How many rows a scenario makes, by default the server's; infinity if it is a document or was never loaded."""
        chosen = self.scenario if scenario is None else scenario
        return self._sizes.get(chosen, math.inf) if isinstance(chosen, str) else math.inf

    def first(self, name: str) -> Workspace:
        """A workspace of the server's scenario, with the keys of the scenario."""
        return self._made(self.scenario, name=name, seed=self._seed)

    def fresh(
        self, name: str, scenario: object | None = None, *, seed: int | None = None, key: str | None = None
    ) -> Workspace:
        """A workspace with keys of its own, `key` among them if given; by default of the server's scenario and seed."""
        return self._made(
            self.scenario if scenario is None else scenario,
            name=name,
            seed=self._seed if seed is None else seed,
            keyring=lambda seed: Keyring(seed, name, first=key, replica=self._replica),
        )

    def anew(
        self, workspace: Workspace, scenario: object, *, seed: int | None = None, whole: bool = False
    ) -> Workspace:
        """A workspace of a scenario or document, with name and keys of another workspace, which it is to replace.

        `whole`: the document is the state of a workspace, to which nothing is added.
        """
        keyring = workspace.origin.keyring
        own = None if keyring is None else lambda _: keyring
        return self._made(scenario, name=workspace.name, seed=seed, keyring=own, whole=whole)

    def _made(
        self,
        scenario: object,
        *,
        name: str,
        seed: int | None,
        keyring: Callable[[int], Keyring] | None = None,
        whole: bool = False,
    ) -> Workspace:
        found = self._load(scenario, name=name, seed=seed, keyring=keyring, whole=whole)
        if isinstance(scenario, str):
            self._sizes[scenario] = found.state.rows()
        return found


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


#: The names that a workspace may have; chosen to need no escaping in URLs and headers.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


class KeyMode(StrEnum):
    """What a request with an unknown API key gets: the default workspace, 401, or a workspace of its own."""

    ANY = "any"
    KNOWN = "known"
    ISOLATE = "isolate"


class NameTakenError(ValueError):
    """A workspace of the wanted name exists."""


class Store(Registry):
    """The workspaces of one server: which one a key opens, how they are created, and how they go back."""

    def __init__(
        self,
        load: Loader,
        scenario: object,
        *,
        seed: int | None = None,
        keys: KeyMode = KeyMode.ANY,
        limit: int = 1_000,
        effects: Effects | None = None,
        replica: Replica | None = None,
        storage: Storage | None = None,
    ) -> None:
        """Create the default workspace, or load it if it is saved.

        Raises:
            StorageError: the saved workspaces cannot be listed.
            ScenarioError: the scenario is invalid.
        """
        super().__init__(effects or NoEffects(), storage or Storage(), limit)
        #: What this server draws and knows as one of several behind one address.
        self.replica = replica or Replica()
        self.maker = Maker(load, scenario, seed, self.replica.name)
        #: Taken before all others: an unknown key makes one workspace, however many requests bring it at once.
        self._isolating = threading.Lock()
        self.keys = keys
        self.storage.run(self._begin)

    def _begin(self) -> None:
        """Create or load the default workspace; an unreadable one is left for a reset or a removal."""
        try:
            found = self.get(DEFAULT)
        except StorageError as error:
            _LOG.error("the default workspace cannot be used: %s", error)  # the sentence says it all
            return
        if found is None:
            self._make_default()
        else:
            self._check_scenario(found)

    @property
    def default(self) -> Workspace:
        """The default workspace, which is created if there is none.

        Raises:
            StorageError: it cannot be read.
        """
        return self._workspaces.get(DEFAULT) or self.get(DEFAULT) or self._make_default()

    def _make_default(self) -> Workspace:
        fresh = self.maker.first(DEFAULT)
        with self._lock:
            self._add(fresh)
        with fresh.lock:
            fresh.catch_up()
        return fresh

    @property
    def title(self) -> str:
        """The title of the scenario of the default workspace, as far as that is in memory."""
        found = self.peek(DEFAULT)
        return "" if found is None else found.origin.title

    def _check_scenario(self, saved: Workspace) -> None:
        """Warn if the saved default workspace is of another scenario than that of the server."""
        if saved.origin.scenario != self.maker.scenario:
            _LOG.warning(
                "the default workspace is as it was saved, of scenario %s; %s is for new workspaces, and for a reset "
                "that names it", saved.origin.title, self.maker.scenario,
            )  # fmt: skip

    def find(self, key: str, within: Workspace | None = None) -> tuple[Workspace, Account] | None:
        """Return the workspace and the account that an API key opens, or None if the key is refused.

        Only the workspace `within` counts, if that is given.

        Raises:
            StoreFullError: the key would get a workspace of its own, and there is no room for it.
        """
        with self._lock:
            home = self._homes.first(key)
            workspace = None if home is None else self._used(home if within is None else within.name)
        if home is None:
            return self._find_for_unknown(key, within)
        workspace = workspace or self.get(home if within is None else within.name)
        return None if workspace is None else self._account_of(key, workspace)  # None: it has gone in the meantime

    @staticmethod
    def _account_of(key: str, workspace: Workspace) -> tuple[Workspace, Account] | None:
        """Return the workspace and the account that a key opens in it, or None if the key is revoked or unknown."""
        account = None if key in workspace.state.revoked_keys else workspace.state.account_of(key)
        return None if account is None else (workspace, account)

    def _find_for_unknown(self, key: str, within: Workspace | None) -> tuple[Workspace, Account] | None:
        """Return what an unknown key opens in this key mode, or None if it is refused."""
        if self.keys is KeyMode.KNOWN or is_drawn(key) or not is_key(key):
            return None
        if self.keys is KeyMode.ANY:
            workspace = within or self.default
        elif within is None:
            workspace = self._isolated(key)
        else:
            return None
        return workspace, workspace.state.first_account

    def _isolated(self, key: str) -> Workspace:
        """Return the workspace of an unknown key, created when the key is first used."""
        name = self.replica.drawn_name("key", hashlib.blake2b(key.encode(), digest_size=6).hexdigest())
        with self._isolating:
            return self.get(name) or self.create(name=name, key=key)

    # ------------------------------------------------------------------ making

    def makes(self, key: str, within: Workspace | None = None) -> bool:
        """Return whether `find` would create a workspace for a key."""
        return (
            self.keys is KeyMode.ISOLATE
            and within is None
            and not self.knows(key)
            and not is_drawn(key)
            and is_key(key)
        )

    def create(
        self,
        scenario: object | None = None,
        *,
        name: str | None = None,
        seed: int | None = None,
        key: str | None = None,
        counted: bool = True,
    ) -> Workspace:
        """Create a workspace with its own keys, by default of the server's scenario and with a random name.

        One that is not `counted` adds nothing to the server's coverage and log.

        Raises:
            NameTakenError: a workspace of this name exists.
            ScenarioError: the scenario is invalid.
            StoreFullError: there is no room for it.
        """
        name = self.replica.drawn_name("w", secrets.token_hex(4)) if name is None else name
        if self._is_taken(name):
            raise NameTakenError(name)
        # Without the lock: a large scenario takes its time.
        fresh = self.maker.fresh(name, scenario, seed=seed, key=key)
        fresh.counted = counted
        with self._lock:
            if name in self._workspaces:
                raise NameTakenError(name)
            self._add(fresh)
        self._make_room(fresh)
        with fresh.lock:
            fresh.catch_up()
        return fresh

    def _is_taken(self, name: str) -> bool:
        """Return whether a workspace has a name."""
        return name in self._workspaces

    # ------------------------------------------------------------------ going back

    def reset(self, workspace: Workspace, scenario: object | None = None) -> None:
        """Reset a workspace to its own scenario, or to `scenario`; its snapshots stay.

        Raises:
            ScenarioError: `scenario` is invalid; nothing has changed.
        """
        with workspace.changing:
            origin = workspace.origin
            fresh = self.maker.anew(workspace, origin.scenario if scenario is None else scenario, seed=origin.seed)
            if scenario is None:  # a document that was kept does not know its title
                fresh.origin = fresh.origin._replace(title=origin.title)
            with workspace.lock:
                with self._lock:
                    self._take_coverage(workspace)
                self._renew(workspace, partial(workspace.begin_anew, fresh))

    def put(self, workspace: Workspace, document: Mapping[str, Any], mailbox: Mailbox | None = None) -> None:
        """Give a workspace the state that a document describes; journal and coverage go on.

        The mailbox goes on, too, unless `mailbox` replaces it.

        Raises:
            ScenarioError: the document is invalid; nothing has changed.
        """
        with workspace.changing:
            fresh = self.maker.anew(workspace, document, whole=True)
            with workspace.lock:
                if mailbox is None:
                    fresh.state.mailbox = workspace.state.mailbox
                else:
                    fresh.state.mailbox = mailbox
                self._renew(workspace, partial(workspace.put, fresh.state, tuple(fresh.links)))
                if mailbox is not None:
                    workspace.call_off_mails()

    def restore(self, workspace: Workspace, snapshot: Snapshot) -> None:
        """Return a workspace to a snapshot: state, clock, faults and mailbox; journal and coverage go on."""
        self.put(workspace, snapshot.document, snapshot.mailbox.copy())

    def _renew(self, workspace: Workspace, change: Callable[[], None]) -> None:
        """Call `change`, which replaces the state of a workspace, unless it has been dropped in the meantime."""
        with self._lock:
            if self._workspaces.get(workspace.name) is not workspace:
                return
            self._forget_keys(workspace)
            change()
            self._learn_keys(workspace)
        workspace.feed.add("reset", None)
        workspace.catch_up()
        workspace.watchers.tell()

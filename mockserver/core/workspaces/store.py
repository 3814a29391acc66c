"""A server's workspaces, loaded or saved, and their API keys."""

from __future__ import annotations

import hashlib
import logging
import re
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from functools import partial

from mockserver.core.effects import Effects, NoEffects
from mockserver.core.state.identifiers import Replica, is_drawn, is_key
from mockserver.core.state.state import Account
from mockserver.core.traffic.coverage import Coverage, Meter
from mockserver.core.traffic.mail import Mailbox
from mockserver.core.workspaces.maker import Loader, Maker
from mockserver.core.workspaces.rounds import Rounds
from mockserver.core.workspaces.storage import MissingError, Outline, Storage, StorageError
from mockserver.core.workspaces.workspace import Workspace

DEFAULT = "default"
#: The names that a workspace may have. Chosen: they need no escaping in URLs and headers.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
#: The most names of removed workspaces that are remembered. Chosen: twice the default limit.
_MOST_GONE = 2_000
#: After how many removals freed memory is given back to the system. Chosen: together they have some 25 MB.
_MANY_REMOVED = 1_000
#: How long a new workspace waits for a busy one that could be evicted, in seconds. Chosen: short for the loop.
_PATIENCE_S = 0.05

_LOG = logging.getLogger(__name__)


class StoreFullError(ValueError):
    """The workspace limit is reached; all workspaces are busy."""


class NameTakenError(ValueError):
    """A workspace of the wanted name exists."""


class Gone(StrEnum):
    DROPPED = "dropped"
    #: Evicted for a newer workspace.
    EVICTED = "evicted"


class KeyMode(StrEnum):
    """What an unknown API key gets: the default workspace, 401, or a workspace that only this key opens."""

    ANY = "any"
    KNOWN = "known"
    ISOLATE = "isolate"


class KeyIndex:
    """Workspace names by API key, valid or revoked; several scenarios may share keys."""

    def __init__(self) -> None:
        self._names: dict[str, dict[str, None]] = {}

    def all(self, key: str) -> tuple[str, ...]:
        """Return a key's workspace names, oldest owner first."""
        return tuple(self._names.get(key, ()))

    def add(self, key: str, workspace: str) -> None:
        self._names.setdefault(key, {})[workspace] = None

    def remove(self, keys: Iterable[str], workspace: str) -> None:
        for key in keys:
            names = self._names.get(key, {})
            names.pop(workspace, None)
            if not names:
                self._names.pop(key, None)


class Passivated:
    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        #: Why the last attempt to load it failed, or None.
        self.failure: str | None = None
        #: Held while the workspace is loaded; taken before the lock of the store.
        self.loading = threading.Lock()


class Store:
    """All workspaces of a server; above the limit, those used longest ago are evicted.

    Methods that return a workspace load it if it is passivated, and raise `StorageError` if it cannot be read.
    """

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
        """Create or load the default workspace."""
        self._effects, self._limit = effects or NoEffects(), limit
        self.storage = storage or Storage()
        self.replica = replica or Replica()
        self.maker = Maker(load, scenario, seed, self.replica.name)
        self.keys = keys
        self.meter = Meter()
        self.rounds = Rounds()
        #: Taken before the next lock: an unknown key makes one workspace, however many requests bring it at once.
        self._isolating = threading.Lock()
        #: Taken after workspaces, never before.
        self._lock = threading.RLock()
        self._key_index = KeyIndex()
        #: In the order of use, the one used longest ago first; None for a passivated workspace.
        self._workspaces: OrderedDict[str, Workspace | None] = OrderedDict()
        self._passivated: dict[str, Passivated] = {}
        #: Why the last removed workspaces are gone, by name, oldest first.
        self._gone: dict[str, Gone] = {}
        #: The number of evicted workspaces, and of workspaces that left the memory for good.
        self.evicted = self._removed = 0
        self.storage.follow(self._revert)
        for outline in self._saved():
            self._add_passivated(outline)
        self.storage.run(self._begin)

    def _saved(self) -> Iterable[Outline]:
        return self.storage.outlines()

    def _add_passivated(self, outline: Outline) -> None:
        self._workspaces[outline.name] = None
        self._passivated[outline.name] = Passivated(outline)
        for key in outline.keys:
            self._key_index.add(key, outline.name)

    def _revert(self, name: str, outline: Outline | None) -> Workspace | None:
        """Undo a failed creation or removal of a workspace.

        Return the workspace that was made under the name of the latter meanwhile, and is forgotten.
        """
        with self._lock:
            found = self._workspaces.get(name)
            if outline is None and (found is None or not found.access.is_gone):
                return None  # it was removed, or there is another one by now
            if found is not None:
                del self._workspaces[name]
                self._forget_keys(found)
                found.on_key = no_key
            if outline is not None:
                self._add_passivated(outline)
        return found

    def _begin(self) -> None:
        try:
            found = self.get(DEFAULT)
        except StorageError as error:
            _LOG.error("the default workspace cannot be used: %s", error)  # the sentence says it all
            return
        if found is None:
            self._make_default()
        elif found.origin.scenario != self.maker.scenario:
            _LOG.warning(
                "the default workspace is as it was saved, of scenario %s; %s is for new workspaces, and for a reset "
                "that names it", found.origin.title, self.maker.scenario,
            )  # fmt: skip

    # ------------------------------------------------------------------ finding by name

    def __len__(self) -> int:
        return len(self._workspaces)

    @property
    def known(self) -> int:
        """The number of workspaces that this server knows without asking its storage."""
        return len(self._workspaces)

    def __contains__(self, name: str) -> bool:
        return name in self._workspaces

    def names(self) -> Sequence[str]:
        with self._lock:
            return tuple(self._workspaces)

    def loaded(self) -> Sequence[Workspace]:
        with self._lock:
            return tuple(workspace for workspace in self._workspaces.values() if workspace is not None)

    def passivated(self) -> Sequence[Outline]:
        with self._lock:
            return tuple(row.outline for row in self._passivated.values())

    def labels(self) -> Mapping[str, tuple[str, str]]:
        """Return label and outcome of all workspaces by name; the storage is asked for passivated ones."""
        found = {workspace.name: (workspace.label, workspace.outcome) for workspace in self.loaded()}
        saved = [name for name in self.names() if name not in found]
        return {**self.storage.labels(saved), **found} if saved else found

    def unreadable(self) -> Mapping[str, str]:
        """Return the last load errors by workspace name."""
        with self._lock:
            return {name: row.failure for name, row in self._passivated.items() if row.failure is not None}

    def get(self, name: str) -> Workspace | None:
        """Open a workspace, marked as used; None if there is none."""
        return self._opened(name, self._used)

    def _opened(self, name: str, find: Callable[[str], Workspace | None]) -> Workspace | None:
        while (found := self._find(name, find)) is not None:
            try:
                self.storage.open(found)
            except MissingError:
                if not found.access.is_gone:
                    raise
                continue  # it was removed or passivated while this step waited for it
            if self._workspaces.get(name) is found:
                return found
        return None

    def peek(self, name: str) -> Workspace | None:
        """Return a workspace if in memory, otherwise None. Does not mark it as used."""
        return self._workspaces.get(name)

    def look(self, name: str) -> Workspace | None:
        """Open a workspace without marking it as used. Return None for an unknown name."""
        return self._opened(name, self.peek)

    def seen(self, name: str) -> Workspace | None:
        """Return a workspace or its last saved copy for reading only, without opening it, or None."""
        return self._find(name, self.peek)

    @property
    def default(self) -> Workspace:
        """The default workspace, created on first use."""
        return self.get(DEFAULT) or self._make_default()

    def _used(self, name: str) -> Workspace | None:
        """Return a loaded workspace marked as used."""
        with self._lock:
            found = self._workspaces.get(name)
            if found is not None:
                self._workspaces.move_to_end(name)
        return found

    def why_gone(self, name: str) -> Gone | None:
        return self._gone.get(name)

    # ------------------------------------------------------------------ finding by key

    def find(self, key: str, within: Workspace | None = None) -> tuple[Workspace, Account] | None:
        """Return workspace and account opened by an API key, or None if refused.

        Args:
            key: The API key.
            within: If given, the only workspace in which the key counts.

        Raises:
            StoreFullError: The key would get its own workspace, and the limit of workspaces is reached.
        """
        default = self.peek(DEFAULT)
        if within is None and default is not None and key in default.state.keys and not is_drawn(key):
            within = default  # whatever other workspaces have done with a key of its scenario
        homes = self._key_index.all(key)
        if not homes and (within is None or within.state.is_free_key(key)):
            return self._find_for_unknown(key, within)
        workspace = self.get(homes[0] if within is None else within.name)
        return None if workspace is None else self._account_of(key, workspace)  # None: removed in the meantime

    @staticmethod
    def _account_of(key: str, workspace: Workspace) -> tuple[Workspace, Account] | None:
        account = None if key in workspace.state.revoked_keys else workspace.state.account_of(key)
        return None if account is None else (workspace, account)

    def _find_for_unknown(self, key: str, within: Workspace | None) -> tuple[Workspace, Account] | None:
        """Return an unknown key's workspace and account, or None if refused."""
        takes_any = self.keys is KeyMode.ANY
        workspace = (within or self.default) if takes_any else None
        if self.keys is KeyMode.KNOWN or is_drawn(key) or not is_key(key) or (within is not None and not takes_any):
            return None
        workspace = workspace or self._isolated(key)
        return workspace, workspace.state.first_account

    def _isolated(self, key: str) -> Workspace:
        name = self.replica.drawn_name("key", hashlib.blake2b(key.encode(), digest_size=6).hexdigest())
        while (found := self.get(name)) is None:
            # It is opened without the lock, as its step may wait for it long.
            with self._isolating, suppress(NameTakenError):
                return self.create(name=name, key=key)
        return found

    def makes(self, key: str, within: Workspace | None = None) -> bool:
        isolates = self.keys is KeyMode.ISOLATE and within is None
        return isolates and not self.knows(key) and not is_drawn(key) and is_key(key)

    def knows(self, key: str) -> bool:
        """Return whether a workspace has a key, valid or revoked."""
        return bool(self._key_index.all(key))

    def having(self, key: str) -> Iterable[Workspace]:
        """Return workspaces having a key, valid or revoked, oldest owner first."""
        with self._lock:
            names = self._key_index.all(key)
        return filter(None, map(self.seen, names))

    def seen_behind(self, key: str) -> Workspace | None:
        """Return the workspace that an API key opens, as `seen`; None if the key is revoked, or no workspace has it."""
        found = self._seen_home(key)
        if found is None and self.keys is KeyMode.ANY and is_key(key) and not is_drawn(key):
            return self.seen(DEFAULT)
        return found if found is not None and self._account_of(key, found) else None

    def _seen_home(self, key: str) -> Workspace | None:
        default = self.peek(DEFAULT)
        if default is not None and key in default.state.keys and not is_drawn(key):
            return default  # as in `find`
        return next(iter(self.having(key)), None)

    def _learn_keys(self, workspace: Workspace) -> None:
        for key in workspace.leading_keys():
            self._learn(key, workspace)

    def _learn(self, key: str, workspace: Workspace) -> None:
        with self._lock:
            if self._workspaces.get(workspace.name) is workspace and not workspace.is_local(key):
                self._key_index.add(key, workspace.name)

    def _forget_keys(self, workspace: Workspace) -> None:
        self._key_index.remove((*workspace.state.keys, *workspace.state.revoked_keys), workspace.name)

    # ------------------------------------------------------------------ loading and passivating

    def _find(self, name: str, find: Callable[[str], Workspace | None]) -> Workspace | None:
        """Return the result of `find`, after loading the workspace once for all waiting threads."""
        while (found := find(name)) is None:
            passivated = self._passivated.get(name)
            if passivated is None:
                return find(name)  # another thread may have loaded it meanwhile
            self.storage.leave()
            with passivated.loading:
                if self._passivated.get(name) is passivated:
                    self._activate(passivated)
        return found

    def _activate(self, passivated: Passivated) -> None:
        """Load a workspace and resume its calls, unless it is removed in the meantime."""
        try:
            workspace = self.storage.load(passivated.outline.name)
        except StorageError as error:
            passivated.failure = str(error)
            raise
        self._prepare(workspace)
        with self._lock:
            if self._passivated.get(workspace.name) is not passivated:
                return
            self._hold(workspace)
            del self._passivated[workspace.name]
        workspace.resume()
        workspace.catch_up()

    def passivate(self, name: str) -> bool:
        """Unload a saved idle workspace. Return whether it was unloaded."""
        return self.storage.run(lambda: self._passivate(name))

    def _passivate(self, name: str) -> bool:
        workspace = self.peek(name)
        if workspace is None or name == DEFAULT or not (workspace.may_leave and self.storage.hold(workspace, 0)):
            return False
        if self.peek(name) is not workspace or not workspace.may_leave:  # another step has had it meanwhile
            return False
        # Without the lock of the store: to see whether everything is saved takes a while.
        outline = self.storage.released(workspace)
        if outline is None:
            return False
        with self._lock:  # a step that waits for it finds that it has gone, and loads it
            workspace.on_key = no_key
            workspace.access.leave()
            self._workspaces[name] = None
            self._passivated[name] = Passivated(outline)
        return True

    # ------------------------------------------------------------------ creating

    def create(
        self,
        scenario: object | None = None,
        *,
        name: str | None = None,
        seed: int | None = None,
        key: str | None = None,
        counted: bool = True,
        label: str = "",
    ) -> Workspace:
        """Create a workspace with its own keys; scenario, name and seed default to the server's and a random name.

        A workspace that is not `counted` adds nothing to the coverage and the log of the server.

        Raises:
            NameTakenError: A workspace of this name exists.
            ScenarioError: The scenario is invalid.
            StoreFullError: The limit of workspaces is reached.
        """
        name = self.replica.drawn_name("w", secrets.token_hex(4)) if name is None else name
        if self._is_taken(name):
            raise NameTakenError(name)
        # Without the lock: a large scenario takes its time.
        fresh = self.maker.fresh(name, scenario, seed=seed, key=key)
        fresh.counted, fresh.label = counted, label
        self._make_room()
        while not self._add_new(fresh):
            self._make_room()
        fresh.catch_up()
        return fresh

    def _add_new(self, fresh: Workspace) -> bool:
        """Add a new workspace. Return False if other threads have taken the room for it."""
        with self._lock:
            if fresh.name in self._workspaces:
                raise NameTakenError(fresh.name)
            if self._is_full():
                return False
            self._add(fresh)
        return True

    def _is_full(self) -> bool:
        return len(self._workspaces) >= self._limit

    def _make_default(self) -> Workspace:
        fresh = self.maker.first(DEFAULT)
        with self._lock:
            is_first = DEFAULT not in self._workspaces
            if is_first:
                self._add(fresh)
        if not is_first:
            return self.default
        fresh.catch_up()
        return fresh

    def _is_taken(self, name: str) -> bool:
        return name in self._workspaces

    def _add(self, workspace: Workspace) -> None:
        self._prepare(workspace)
        self._hold(workspace)
        self._gone.pop(workspace.name, None)

    def _prepare(self, workspace: Workspace) -> None:
        workspace.opener, workspace.closer = self.storage.open, self.storage.let_go
        workspace.run, workspace.after = self.storage.run, self.storage.after
        workspace.server, workspace.watchers.after = self.storage.server, self.storage.after
        workspace.meter = self.meter
        workspace.effects = self._effects

    def _hold(self, workspace: Workspace) -> None:
        self.storage.add(workspace)  # first, as it may refuse
        self._workspaces[workspace.name] = workspace
        self._effects.watch(workspace)
        workspace.on_key = lambda key: self._learn(key, workspace)
        self._learn_keys(workspace)

    # ------------------------------------------------------------------ resetting

    def reset(self, workspace: Workspace, fresh: Workspace) -> None:
        """Reset a workspace to one that `Maker.again` has made, keeping snapshots."""
        with self._lock:
            self._take_coverage(workspace)
        self._renew(workspace, fresh, partial(workspace.begin_anew, fresh))

    def put(self, workspace: Workspace, fresh: Workspace, mailbox: Mailbox | None = None) -> None:
        """Give a workspace the state of one that `Maker.anew` has made; all records but a given mailbox stay."""
        fresh.state.mailbox = workspace.state.mailbox if mailbox is None else mailbox
        self._renew(workspace, fresh, partial(workspace.put, fresh.state, tuple(fresh.links)))
        if mailbox is not None:
            workspace.call_off_mails()

    def _renew(self, workspace: Workspace, fresh: Workspace, change: Callable[[], None]) -> None:
        """Call `change`, which replaces the state of a workspace by a fresh one, unless it has been removed."""
        known, keyring = workspace.origin.keyring, fresh.origin.keyring
        if known is not None and keyring is not None:
            keyring.adopt(known)  # keys were drawn while the fresh one was made
        with self._lock:
            if self._workspaces.get(workspace.name) is not workspace:
                return
            self._forget_keys(workspace)
            change()
            workspace.origin = workspace.origin._replace(keyring=keyring)
            self._learn_keys(workspace)
        workspace.feed.add("reset", None)
        workspace.catch_up()
        workspace.watchers.tell()

    # ------------------------------------------------------------------ removing

    def drop(self, workspace: Workspace) -> bool:
        """Remove a workspace that this step has, revoking its keys. Return False if already removed."""
        with self._lock:
            has_gone = self._remove(workspace)
            if has_gone:
                self._note_gone(workspace.name, Gone.DROPPED)
        return has_gone

    def discard(self, name: str) -> bool:
        """Remove a passivated workspace, even an unreadable one. Return False if none of this name is passivated."""
        if name in self._passivated:
            self.storage.leave()  # its coverage is read
        with self._lock:
            has_gone = self._remove_passivated(name)
            if has_gone:
                self._note_gone(name, Gone.DROPPED)
        return has_gone

    def _remove(self, workspace: Workspace) -> bool:
        with self._lock:
            if self._workspaces.get(workspace.name) is not workspace:
                return False
            self._take_coverage(workspace)
            self.storage.remove(workspace.name)
            self._forget(workspace)
        return True

    def _forget(self, workspace: Workspace) -> None:
        """Drop a removed workspace, which this step has. The caller holds the lock of the store."""
        del self._workspaces[workspace.name]
        workspace.access.leave()
        self._forget_keys(workspace)
        workspace.forget_jobs()
        workspace.on_key = no_key  # it referred to the workspace, which is now freed at once
        workspace.watchers.tell()
        self._removed += 1
        if self._removed % _MANY_REMOVED == 0:
            self.storage.after(_give_back)

    def _remove_passivated(self, name: str) -> bool:
        passivated = self._passivated.pop(name, None)
        if passivated is None:
            return False
        with suppress(StorageError):  # the coverage of an unreadable workspace is lost with it
            self.storage.add_past(self.storage.coverage((name,)))
        self.storage.remove(name, passivated.outline)
        del self._workspaces[name]
        self._key_index.remove(passivated.outline.keys, name)
        return True

    def _note_gone(self, name: str, why: Gone) -> None:
        with self._lock:
            self._gone.pop(name, None)  # the names are in the order of removal
            self._gone[name] = why
            if len(self._gone) > _MOST_GONE:
                del self._gone[next(iter(self._gone))]
            if why is Gone.EVICTED:
                self.evicted += 1
                _LOG.warning("workspace %s was evicted: the limit is %d, and it was idle longest", name, self._limit)

    def _make_room(self) -> None:
        """Evict least recently used workspaces for which no client waits, until there is room for a new one.

        The new one is added after that, so that no two steps wait for the new workspaces of each other.

        Raises:
            StoreFullError: All workspaces are in use.
        """
        while self._is_full():
            if not (self._evict_one(0) or self._evict_one(_PATIENCE_S)) and self._is_full():
                self._refuse_new()

    def _refuse_new(self) -> None:
        raise StoreFullError(f"workspace limit reached: {self._limit} (--workspaces-limit), and all are in use")

    def _evict_one(self, patience_s: float) -> bool:
        until = time.monotonic() + patience_s
        for name in self.names():
            found = self.peek(name)
            if name == DEFAULT or (found is not None and found.is_attended):
                continue
            if found is None:
                self._evict(name, partial(self._remove_passivated, name))
                return True
            if self.storage.hold(found, max(until - time.monotonic(), 0)):
                self._evict(name, partial(self._remove, found))
                return True
        return False

    def _evict(self, name: str, remove: Callable[[], bool]) -> None:
        """Remove a workspace, unless another thread has made room already."""
        with self._lock:
            if self._is_full() and remove():
                self._note_gone(name, Gone.EVICTED)

    # ------------------------------------------------------------------ coverage

    def coverage(self) -> Coverage:
        """Return the coverage of all workspaces, including removed ones."""
        if self._passivated:
            self.storage.leave()
        with self._lock:  # a workspace that is dropped in the meantime would count twice, or not at all
            found = self.storage.coverage(tuple(self._passivated))
            found.merge(self.storage.past())
            for workspace in self.loaded():
                if workspace.counted:
                    found.merge(workspace.coverage)
        return found

    def clear_coverage(self) -> None:
        """Delete all coverage, workspace by workspace, once this step is saved."""
        self.storage.after(self._clear_all)

    def _clear_all(self) -> None:
        for name in self.names():
            if self.peek(name) is not None:
                self._in_step(f"coverage of workspace {name} stays", name, lambda found: found.coverage.clear())
        with self._lock:
            self.storage.clear_coverage(tuple(self._passivated))
            self.storage.clear_past()  # last, as a workspace that is removed in the meantime leaves its coverage there

    def _in_step(self, complaint: str, name: str, act: Callable[[Workspace], object]) -> None:
        """Let a background round act on a workspace, whose failure is its own."""

        def step() -> None:
            found = self.look(name)
            if found is not None:
                act(found)

        self.rounds.run(complaint, partial(self.storage.run, step))

    def _take_coverage(self, workspace: Workspace) -> None:
        if workspace.counted:
            self.storage.add_past(workspace.coverage)
        workspace.coverage.clear()


def _give_back() -> None:
    from mockserver.core.memory import give_back  # noqa: PLC0415  # few servers remove so many

    give_back()


def no_key(key: str) -> None:
    """Ignore a key of a workspace that no store holds."""

"""The registry of workspaces, and of the keys that lead to them."""

from __future__ import annotations

import hashlib
import logging
import re
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import StrEnum
from functools import partial
from typing import Any

from mockserver.core.effects.effects import Effects, NoEffects
from mockserver.core.state.account import Account
from mockserver.core.state.keys import is_drawn, is_key
from mockserver.core.traffic.coverage import Coverage
from mockserver.core.traffic.mailbox import Mailbox
from mockserver.core.traffic.meter import Meter
from mockserver.core.workspaces.homes import Homes
from mockserver.core.workspaces.maker import Loader, Maker
from mockserver.core.workspaces.origin import Snapshot
from mockserver.core.workspaces.workspace import Workspace

DEFAULT = "default"
#: What a workspace may be called: it stands in addresses and headers.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
#: How long a new workspace waits for one of those that could go, but in each of which something happens, in seconds:
#: short enough for the event loop.
_PATIENCE_S = 0.05
#: How many names of evicted workspaces are kept, to tell why they are not there.
_REMEMBERED = 1_000

_LOG = logging.getLogger(__name__)


class KeyMode(StrEnum):
    """What an unknown API key gets."""

    ANY = "any"
    KNOWN = "known"
    ISOLATE = "isolate"


class NameTakenError(ValueError):
    """There is a workspace of this name already."""


class StoreFullError(ValueError):
    """There are as many workspaces as there may be, and none that could go."""


class Store:
    """All workspaces of one server."""

    def __init__(
        self,
        load: Loader,
        scenario: object,
        *,
        seed: int | None = None,
        keys: KeyMode = KeyMode.ANY,
        limit: int = 1_000,
        effects: Effects | None = None,
    ) -> None:
        self.maker = Maker(load, scenario, seed)
        self._effects = effects or NoEffects()
        self._limit = limit
        #: Taken after a workspace's lock, never before one.
        self._lock = threading.RLock()
        #: Taken before all others: an unknown key makes one workspace, however many requests bring it at once.
        self._isolating = threading.Lock()
        self._homes = Homes()
        #: The one used longest ago comes first.
        self._workspaces: OrderedDict[str, Workspace] = OrderedDict()
        self.keys = keys
        #: How many workspaces had to go for newer ones.
        self.evicted = 0
        self._evicted_names: dict[str, None] = {}
        #: What was met in workspaces that were reset or are gone.
        self._met = Coverage()
        self.meter = Meter()
        self._adopt(self.maker.first(DEFAULT))

    def __iter__(self) -> Iterator[Workspace]:
        with self._lock:
            return iter(tuple(self._workspaces.values()))

    def __len__(self) -> int:
        return len(self._workspaces)

    @property
    def default(self) -> Workspace:
        return self._workspaces[DEFAULT]

    def get(self, name: str) -> Workspace | None:
        """The workspace of this name, which counts as used."""
        with self._lock:
            found = self._workspaces.get(name)
            if found is not None:
                self._workspaces.move_to_end(name)
            return found

    def was_evicted(self, name: str) -> bool:
        """Whether a workspace of this name had to go for newer ones."""
        return name in self._evicted_names

    def knows(self, key: str) -> bool:
        """Whether a key leads to a workspace, or did so until it was revoked."""
        return key in self._homes

    def find(self, key: str, within: Workspace | None = None) -> tuple[Workspace, Account] | None:
        """The workspace and the account that an API key opens, perhaps within one workspace only; None: it is refused.

        Raises:
            StoreFullError: the key would get a workspace of its own, and there is no room for it.
        """
        with self._lock:
            home = self._homes.first(key)
        if home is None:
            return self._stranger(key, within)
        workspace = self.get(home if within is None else within.name)
        if workspace is None or key in workspace.state.revoked_keys:
            return None
        account = workspace.state.account_of(key)
        return None if account is None else (workspace, account)

    def _stranger(self, key: str, within: Workspace | None) -> tuple[Workspace, Account] | None:
        """What a key gets that opens no account."""
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
        """The workspace of an unknown key, made when it first comes."""
        name = f"key-{hashlib.blake2b(key.encode(), digest_size=6).hexdigest()}"
        with self._isolating:
            return self.get(name) or self.create(name=name, key=key)

    # ------------------------------------------------------------------ making and dropping

    def makes(self, key: str, within: Workspace | None = None) -> bool:
        """Whether a key would get a workspace of its own that is not there yet."""
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
        """A fresh workspace with keys of its own, of the server's scenario or another one.

        One that is not counted adds nothing to the server's coverage and log.

        Raises:
            NameTakenError: there is one of this name.
            ScenarioError: the scenario is not a good one.
            StoreFullError: there is no room for it.
        """
        name = f"w-{secrets.token_hex(4)}" if name is None else name
        if name in self._workspaces:
            raise NameTakenError(name)
        # Without the lock: a large scenario takes its time.
        fresh = self.maker.fresh(name, scenario, seed=seed, key=key)
        fresh.counted = counted
        with self._lock:
            if name in self._workspaces:
                raise NameTakenError(name)
            self._adopt(fresh)
        self._make_room(fresh)
        with fresh.lock:
            fresh.catch_up()
        return fresh

    def drop(self, workspace: Workspace) -> bool:
        """Let a workspace go; its keys are refused from now on. Answers whether it was still there."""
        with workspace.lock, self._lock:
            if self._workspaces.get(workspace.name) is not workspace:
                return False
            del self._workspaces[workspace.name]
            self._keep_coverage(workspace)
            self._forget_keys(workspace)
            workspace.forget_jobs()
            workspace.on_key = lambda key: None  # that leads back to the workspace, which so goes at once
            workspace.watchers.tell()
        return True

    def _make_room(self, newest: Workspace) -> None:
        """Let those workspaces go that were used longest ago, and in which nobody waits for anything."""
        while (idle := self._evictable(newest)) is not None:
            if self._evict_first(idle, patience_s=0) or self._evict_first(idle, patience_s=_PATIENCE_S):
                continue
            if len(self) > self._limit:
                self.drop(newest)
                raise StoreFullError(f"there may be {self._limit} workspaces, and there is none that could go")

    def _evictable(self, newest: Workspace) -> list[Workspace] | None:
        """Those that could go, the one used longest ago first; None: none has to."""
        with self._lock:
            if len(self) <= self._limit:
                return None
            return [other for other in self if other.name != DEFAULT and other is not newest and not other.watchers]

    def _evict_first(self, workspaces: Iterable[Workspace], *, patience_s: float) -> bool:
        """Evict the first one in which nothing happens; False: something happens in all, for all these seconds.

        Where another thread was faster and none has to go any more, that is as good.
        """
        until = time.monotonic() + patience_s
        for workspace in workspaces:
            if workspace.lock.acquire(timeout=max(until - time.monotonic(), 0)):
                try:
                    with self._lock:
                        has_gone = len(self) > self._limit and self.drop(workspace)
                finally:
                    workspace.lock.release()
                if has_gone:
                    self._note_eviction(workspace.name)
                return True
        return False

    def _note_eviction(self, name: str) -> None:
        with self._lock:
            self.evicted += 1
            self._evicted_names[name] = None
            if len(self._evicted_names) > _REMEMBERED:
                del self._evicted_names[next(iter(self._evicted_names))]
        _LOG.warning("workspace %s was evicted: there may be %d, and it was idle longest", name, self._limit)

    # ------------------------------------------------------------------ going back

    def reset(self, workspace: Workspace, scenario: object | None = None) -> None:
        """Make a workspace anew, as its scenario or another one says; its snapshots stay.

        Raises:
            ScenarioError: the other scenario is not a good one; nothing has changed.
        """
        with workspace.changing:
            origin = workspace.origin
            fresh = self.maker.anew(workspace, origin.scenario if scenario is None else scenario, seed=origin.seed)
            with workspace.lock:
                with self._lock:
                    self._keep_coverage(workspace)
                self._renew(workspace, partial(workspace.begin_anew, fresh))

    def put(self, workspace: Workspace, document: Mapping[str, Any], mailbox: Mailbox | None = None) -> None:
        """Let a workspace stand as a document says; journal, coverage and mailbox, if there is no other, go on.

        Raises:
            ScenarioError: the document is not a good one; nothing has changed.
        """
        with workspace.changing:
            fresh = self.maker.anew(workspace, document)
            with workspace.lock:
                if mailbox is None:
                    fresh.state.mailbox = workspace.state.mailbox
                else:
                    fresh.state.mailbox = mailbox
                    workspace.call_off_mails()
                self._renew(workspace, partial(workspace.put, fresh.state))

    def restore(self, workspace: Workspace, snapshot: Snapshot) -> None:
        """Return to a moment that was kept: state, clock, faults, mailbox; journal and coverage go on."""
        self.put(workspace, snapshot.document, snapshot.mailbox.copy())

    def _renew(self, workspace: Workspace, change: Callable[[], None]) -> None:
        """Put a state that is ready in the place of another one, unless the workspace is gone meanwhile."""
        with self._lock:
            if self._workspaces.get(workspace.name) is not workspace:
                return
            self._forget_keys(workspace)
            change()
            self._learn_keys(workspace)
        workspace.feed.add("reset", None)
        workspace.catch_up()
        workspace.watchers.tell()

    # ------------------------------------------------------------------ keys and coverage

    def coverage(self) -> Coverage:
        """What was met in all workspaces, those that are gone included."""
        found = Coverage()
        with self._lock:  # a workspace that goes meanwhile would count twice, or not at all
            found.merge(self._met)
            for workspace in self:
                if workspace.counted:
                    found.merge(workspace.coverage)
        return found

    def clear_coverage(self) -> None:
        """Forget what was met anywhere."""
        with self._lock:
            self._met.clear()
            for workspace in self:
                workspace.coverage.clear()

    def _adopt(self, workspace: Workspace) -> None:
        self._workspaces[workspace.name] = workspace
        self._evicted_names.pop(workspace.name, None)
        workspace.meter = self.meter
        workspace.effects = self._effects
        self._effects.watch(workspace)
        workspace.on_key = lambda key: self._learn(key, workspace)
        self._learn_keys(workspace)

    def _learn_keys(self, workspace: Workspace) -> None:
        for key in (*workspace.state.keys, *workspace.state.revoked_keys):
            self._learn(key, workspace)

    def _learn(self, key: str, workspace: Workspace) -> None:
        """Let a key lead to a workspace, unless that has been dropped meanwhile."""
        with self._lock:
            if self._workspaces.get(workspace.name) is workspace:
                self._homes.add(key, workspace.name)

    def _keep_coverage(self, workspace: Workspace) -> None:
        """Move what a workspace has met into the server's total."""
        if workspace.counted:
            self._met.merge(workspace.coverage)
        workspace.coverage.clear()

    def _forget_keys(self, workspace: Workspace) -> None:
        self._homes.remove((*workspace.state.keys, *workspace.state.revoked_keys), workspace.name)

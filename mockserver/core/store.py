"""The registry of workspaces, and of the keys that lead to them."""

from __future__ import annotations

import hashlib
import logging
import re
import secrets
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import Any, Protocol

from mockserver.core.account import Account
from mockserver.core.coverage import Coverage
from mockserver.core.keys import Keyring, is_drawn
from mockserver.core.meter import Meter
from mockserver.core.workspace import Snapshot, Workspace

DEFAULT = "default"
#: What a workspace may be called: it stands in addresses and headers.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
#: How many names of evicted workspaces are kept, to tell why they are not there.
_REMEMBERED = 1_000

_LOG = logging.getLogger(__name__)


class KeyMode(StrEnum):
    """What an unknown API key gets."""

    ANY = "any"
    KNOWN = "known"
    ISOLATE = "isolate"


class Loader(Protocol):
    """Makes a workspace from a scenario, given by name or as a document; filled in by the app."""

    def __call__(
        self, scenario: object, *, name: str, seed: int | None = None, keyring: Callable[[int], Keyring] | None = None
    ) -> Workspace: ...


class NameTakenError(ValueError):
    """There is a workspace of this name already."""


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
    ) -> None:
        self._load = load
        self._seed = seed
        self._limit = limit
        self._lock = threading.RLock()
        #: Which workspace a key leads to, by name.
        self._homes: dict[str, str] = {}
        #: The one used longest ago comes first.
        self._workspaces: OrderedDict[str, Workspace] = OrderedDict()
        self.keys = keys
        #: How many workspaces had to go for newer ones.
        self.evicted = 0
        self._evicted_names: deque[str] = deque(maxlen=_REMEMBERED)
        #: What was met in worlds that were reset or are gone.
        self._met = Coverage()
        self.meter = Meter()
        self._scenario = scenario
        self._adopt(load(scenario, name=DEFAULT, seed=seed))

    def __iter__(self) -> Iterator[Workspace]:
        return iter(tuple(self._workspaces.values()))

    def __len__(self) -> int:
        return len(self._workspaces)

    @property
    def default(self) -> Workspace:
        return self._workspaces[DEFAULT]

    def get(self, name: str) -> Workspace | None:
        """The workspace of this name, which counts as used."""
        found = self._workspaces.get(name)
        if found is not None:
            self._touch(found)
        return found

    def was_evicted(self, name: str) -> bool:
        """Whether a workspace of this name had to go for newer ones."""
        return name in self._evicted_names

    def knows(self, key: str) -> bool:
        """Whether a key leads to a workspace, or did so until it was revoked."""
        return key in self._homes

    def find(self, key: str, within: Workspace | None = None) -> tuple[Workspace, Account] | None:
        """The world and the account that an API key opens, perhaps within one world only; None: it is refused."""
        home = self._homes.get(key)
        if home is None:
            return self._stranger(key, within)
        workspace = self._workspaces.get(home)
        if workspace is None or within not in (None, workspace) or key in workspace.revoked_keys:
            return None
        account = workspace.account_of(key)
        if account is None:
            return self._stranger(key, within)
        self._touch(workspace)
        return workspace, account

    def _stranger(self, key: str, within: Workspace | None) -> tuple[Workspace, Account] | None:
        """What a key gets that opens no account."""
        if self.keys is KeyMode.KNOWN or is_drawn(key):
            return None
        if self.keys is KeyMode.ANY:
            workspace = within or self.default
        elif within is None:
            workspace = self._isolated(key)
        else:
            return None
        return workspace, workspace.first_account

    def _isolated(self, key: str) -> Workspace:
        """The world of an unknown key, made when it first comes."""
        name = f"key-{hashlib.blake2b(key.encode(), digest_size=6).hexdigest()}"
        with self._lock:
            return self._workspaces.get(name) or self.create(name=name, key=key)

    # ------------------------------------------------------------------ making and dropping

    def create(
        self,
        scenario: object | None = None,
        *,
        name: str | None = None,
        seed: int | None = None,
        key: str | None = None,
    ) -> Workspace:
        """A fresh workspace with keys of its own, of the server's scenario or another one.

        Raises:
            NameTakenError: there is one of this name.
            ScenarioError: the scenario is not a good one.
        """
        with self._lock:
            name = self._unused_name() if name is None else name
            if name in self._workspaces:
                raise NameTakenError(name)
            scenario = self._scenario if scenario is None else scenario
            seed = self._seed if seed is None else seed
            fresh = self._load(scenario, name=name, seed=seed, keyring=lambda seed: Keyring(seed, name, first=key))
            self._adopt(fresh)
            while len(self) > self._limit:
                self._evict(fresh)
            return fresh

    def _unused_name(self) -> str:
        while True:
            name = f"w-{secrets.token_hex(4)}"
            if name not in self._workspaces:
                return name

    def drop(self, workspace: Workspace) -> None:
        """Let a workspace go; its keys are refused from now on."""
        with self._lock:
            if self._workspaces.get(workspace.name) is workspace:
                del self._workspaces[workspace.name]
                self._forget(workspace)
        workspace.wake()

    def _evict(self, newest: Workspace) -> None:
        """Let the workspace go that was used longest ago, and in which nobody waits for anything."""
        idle = [workspace for workspace in self if workspace not in (self.default, newest)]
        oldest = next((workspace for workspace in idle if not workspace.watchers), idle[0])
        self.evicted += 1
        self._evicted_names.append(oldest.name)
        _LOG.warning("workspace %s was evicted: there may be %d, and it was idle longest", oldest.name, self._limit)
        self.drop(oldest)

    # ------------------------------------------------------------------ going back

    def reset(self, workspace: Workspace, scenario: object | None = None) -> Workspace:
        """Make a workspace anew, as its scenario or another one says; its snapshots stay.

        Raises:
            ScenarioError: the other scenario is not a good one; nothing has changed.
        """
        origin = workspace.origin
        fresh = self._anew(workspace, origin.scenario if scenario is None else scenario, seed=origin.seed)
        self._met.merge(workspace.coverage)
        self._replace(workspace, fresh)
        return fresh

    def put(self, workspace: Workspace, document: Mapping[str, Any]) -> Workspace:
        """Let a workspace stand as a document says; journal, coverage and mailbox go on.

        Raises:
            ScenarioError: the document is not a good one; nothing has changed.
        """
        fresh = self._anew(workspace, document)
        self.exchange(workspace, fresh)
        return fresh

    def restore(self, workspace: Workspace, snapshot: Snapshot) -> Workspace:
        """Return to a moment that was kept: state, clock, faults, mailbox; journal and coverage go on."""
        fresh = self.put(workspace, snapshot.document)
        fresh.mailbox = snapshot.mailbox.copy()
        return fresh

    def exchange(self, workspace: Workspace, fresh: Workspace) -> None:
        """Put a workspace in the place of its earlier self; journal, coverage and mailbox go on."""
        fresh.origin, fresh.scenario = workspace.origin, workspace.scenario
        fresh.journal, fresh.coverage, fresh.mailbox = workspace.journal, workspace.coverage, workspace.mailbox
        self._replace(workspace, fresh)

    def _anew(self, workspace: Workspace, scenario: object, *, seed: int | None = None) -> Workspace:
        keyring = workspace.origin.keyring
        own = None if keyring is None else lambda _: keyring
        return self._load(scenario, name=workspace.name, seed=seed, keyring=own)

    def _replace(self, workspace: Workspace, fresh: Workspace) -> None:
        fresh.snapshots, fresh.feed = workspace.snapshots, workspace.feed
        fresh.feed.add("reset", None)
        with self._lock:
            self._forget_keys(workspace)
            self._adopt(fresh)
        workspace.wake()

    # ------------------------------------------------------------------ keys and coverage

    def coverage(self) -> Coverage:
        """What was met in all worlds, those that are gone included."""
        found = Coverage()
        found.merge(self._met)
        for workspace in self:
            found.merge(workspace.coverage)
        return found

    def clear_coverage(self) -> None:
        """Forget what was met anywhere."""
        self._met.clear()
        for workspace in self:
            workspace.coverage.clear()

    def _adopt(self, workspace: Workspace) -> None:
        def lead_here(key: str) -> None:
            self._homes.setdefault(key, workspace.name)

        self._workspaces[workspace.name] = workspace
        workspace.on_key, workspace.meter = lead_here, self.meter
        for key in (*workspace.keys, *workspace.revoked_keys):
            lead_here(key)

    def _forget(self, workspace: Workspace) -> None:
        self._met.merge(workspace.coverage)
        self._forget_keys(workspace)

    def _forget_keys(self, workspace: Workspace) -> None:
        for key in (*workspace.keys, *workspace.revoked_keys):
            if self._homes.get(key) == workspace.name:
                del self._homes[key]

    def _touch(self, workspace: Workspace) -> None:
        if workspace.name in self._workspaces:
            self._workspaces.move_to_end(workspace.name)

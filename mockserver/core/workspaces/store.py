"""The registry of workspaces, and of the keys that lead to them."""

from __future__ import annotations

import hashlib
import logging
import re
import secrets
import threading
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import partial
from typing import Any

from mockserver.core.effects.effects import Effects, NoEffects
from mockserver.core.state.account import Account
from mockserver.core.state.keys import is_drawn, is_key
from mockserver.core.traffic.mailbox import Mailbox
from mockserver.core.workspaces.maker import Loader, Maker
from mockserver.core.workspaces.origin import Snapshot
from mockserver.core.workspaces.registry import DEFAULT as DEFAULT
from mockserver.core.workspaces.registry import Registry
from mockserver.core.workspaces.registry import StoreFullError as StoreFullError
from mockserver.core.workspaces.replica import Replica
from mockserver.core.workspaces.storage import Storage, StorageError
from mockserver.core.workspaces.workspace import Workspace

#: The names that a workspace may have; chosen to need no escaping in URLs and headers.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")

_LOG = logging.getLogger(__name__)


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

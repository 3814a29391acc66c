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
from mockserver.core.workspaces.keeping import Keeping
from mockserver.core.workspaces.limited_registry import LimitedRegistry
from mockserver.core.workspaces.limited_registry import StoreFullError as StoreFullError
from mockserver.core.workspaces.maker import Loader, Maker
from mockserver.core.workspaces.no_keeping import NoKeeping
from mockserver.core.workspaces.origin import Snapshot
from mockserver.core.workspaces.registry import DEFAULT as DEFAULT
from mockserver.core.workspaces.replica import Replica
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


class Store(LimitedRegistry):
    """The workspaces of one server: which one a key opens, and how they are made and made anew."""

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
        keeping: Keeping | None = None,
    ) -> None:
        """Make the default workspace, or load it if it is kept.

        Raises:
            KeepingError: what is kept cannot be read.
            ScenarioError: the scenario is invalid.
        """
        super().__init__(effects or NoEffects(), keeping or NoKeeping(), limit)
        #: What this server draws and knows as one of several behind one address.
        self.replica = replica or Replica()
        self.maker = Maker(load, scenario, seed, self.replica.name)
        #: Taken before all others: an unknown key makes one workspace, however many requests bring it at once.
        self._isolating = threading.Lock()
        self.keys = keys
        self._begin()

    def _begin(self) -> None:
        #: It never rests, and never goes.
        self.default = self._first()

    @property
    def title(self) -> str:
        """The title of the scenario of the default workspace."""
        return self.default.origin.title

    def _first(self) -> Workspace:
        """The default workspace as it is kept, or made of the scenario of the server."""
        found = self.get(DEFAULT)
        if found is None:
            found = self.maker.first(DEFAULT)
            self._add(found)
        else:
            self._check_scenario(found)
        return found

    def _check_scenario(self, kept: Workspace) -> None:
        """Warn if the default workspace that was kept is of another scenario than that of the server."""
        if kept.origin.scenario != self.maker.scenario:
            _LOG.warning(
                "the default workspace is as it was kept, of scenario %s; %s is for new workspaces, and for a reset "
                "that names it", kept.origin.title, self.maker.scenario,
            )  # fmt: skip

    def find(self, key: str, within: Workspace | None = None) -> tuple[Workspace, Account] | None:
        """The workspace and the account that an API key opens, or None if the key is refused.

        Only the workspace `within` counts, if that is given.

        Raises:
            StoreFullError: the key would get a workspace of its own, and there is no room for it.
        """
        with self._lock:
            home = self._homes.first(key)
            workspace = None if home is None else self._used(home if within is None else within.name)
        if workspace is None:
            if home is None:
                return self._find_for_unknown(key, within)
            workspace = self.get(home if within is None else within.name)
            if workspace is None:  # it has gone meanwhile
                return None
        if key in workspace.state.revoked_keys:
            return None
        account = workspace.state.account_of(key)
        return None if account is None else (workspace, account)

    def _find_for_unknown(self, key: str, within: Workspace | None) -> tuple[Workspace, Account] | None:
        """The workspace and the account that an unknown key opens by the key mode, or None if it is refused."""
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
        """The workspace of an unknown key, made when the key is first used."""
        name = self.replica.drawn_name("key", hashlib.blake2b(key.encode(), digest_size=6).hexdigest())
        with self._isolating:
            return self.get(name) or self.create(name=name, key=key)

    # ------------------------------------------------------------------ making

    def makes(self, key: str, within: Workspace | None = None) -> bool:
        """Whether `find` would make a workspace for a key."""
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
        """A new workspace with keys of its own, by default of the server's scenario and with a random name.

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
        self._claim(name)
        with self._lock:
            if name in self._workspaces:
                raise NameTakenError(name)
            self._add(fresh)
        self._make_room(fresh)
        with fresh.lock:
            fresh.catch_up()
        return fresh

    def _is_taken(self, name: str) -> bool:
        """Whether there is a workspace of a name."""
        return name in self._workspaces

    def _claim(self, name: str) -> None:
        """Make sure that nobody else makes a workspace of a name.

        Raises:
            NameTakenError: somebody has one, or makes it.
        """
        if not self.keeping.claim(name):
            raise NameTakenError(name)

    # ------------------------------------------------------------------ going back

    def reset(self, workspace: Workspace, scenario: object | None = None) -> None:
        """Make a workspace anew from its own scenario, or from `scenario`; its snapshots stay.

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
                    self._total.take(workspace)
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
                    workspace.call_off_mails()
                self._renew(workspace, partial(workspace.put, fresh.state, tuple(fresh.links)))

    def restore(self, workspace: Workspace, snapshot: Snapshot) -> None:
        """Return a workspace to a snapshot: state, clock, faults and mailbox; journal and coverage go on."""
        self.put(workspace, snapshot.document, snapshot.mailbox.copy())

    def _renew(self, workspace: Workspace, change: Callable[[], None]) -> None:
        """Call `change`, which replaces the state of a workspace, unless the workspace has been dropped meanwhile."""
        with self._lock:
            if self._workspaces.get(workspace.name) is not workspace:
                return
            self._forget_keys(workspace)
            change()
            self._learn_keys(workspace)
        workspace.feed.add("reset", None)
        workspace.catch_up()
        workspace.watchers.tell()

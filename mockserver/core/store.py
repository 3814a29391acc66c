"""The registry of workspaces, and of the keys that lead to them."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Protocol

from mockserver.core.account import Account
from mockserver.core.workspace import Workspace

DEFAULT = "default"


class KeyMode(StrEnum):
    """What an unknown API key gets."""

    ANY = "any"
    KNOWN = "known"


class Loader(Protocol):
    """Makes a workspace from a scenario, given by name or as a document; filled in by the app."""

    def __call__(self, scenario: object, *, name: str) -> Workspace: ...


class Store:
    """All workspaces of one server."""

    def __init__(self, load: Loader, scenario: object, *, keys: KeyMode = KeyMode.ANY) -> None:
        self._load = load
        self._scenarios: dict[str, object] = {DEFAULT: scenario}
        self._workspaces: dict[str, Workspace] = {DEFAULT: load(scenario, name=DEFAULT)}
        self.keys = keys
        #: Keys that the service made in worlds that are gone; they never turn into unknown ones.
        self._dead_keys: set[str] = set()

    def __iter__(self) -> Iterator[Workspace]:
        return iter(self._workspaces.values())

    def __len__(self) -> int:
        return len(self._workspaces)

    @property
    def default(self) -> Workspace:
        return self._workspaces[DEFAULT]

    def get(self, name: str) -> Workspace | None:
        return self._workspaces.get(name)

    def find(self, key: str) -> tuple[Workspace, Account] | None:
        """The world and the account that an API key opens; None: it is refused."""
        for workspace in self._workspaces.values():
            if key in workspace.revoked_keys:
                return None
            account = workspace.account_of(key)
            if account is not None:
                return workspace, account
        if key in self._dead_keys:
            return None
        return (self.default, self.default.first_account) if self.keys is KeyMode.ANY else None

    def reset(self, workspace: Workspace, scenario: object | None = None) -> Workspace:
        """Make a workspace anew, as its scenario or another one says.

        Raises:
            ScenarioError: the other scenario is not a good one; nothing has changed.
        """
        scenario = self._scenarios[workspace.name] if scenario is None else scenario
        fresh = self._load(scenario, name=workspace.name)
        self._scenarios[workspace.name] = scenario
        self._dead_keys |= workspace.made_keys
        self._workspaces[workspace.name] = fresh
        return fresh

"""Makes workspaces of scenarios: new ones, and those that take the place of others."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

from mockserver.core.state.keys import Keyring
from mockserver.core.workspaces.workspace import Workspace


class Loader(Protocol):
    """Makes a workspace from a scenario, given by name or as a document; filled in by the app."""

    def __call__(
        self, scenario: object, *, name: str, seed: int | None = None, keyring: Callable[[int], Keyring] | None = None
    ) -> Workspace: ...


class Maker:
    """Makes the workspaces of one server; nobody else sees them yet. All calls refuse a bad scenario.

    Raises:
        ScenarioError: the scenario is not a good one.
    """

    def __init__(self, load: Loader, scenario: object, seed: int | None) -> None:
        self._load = load
        #: What a workspace is made from for which nobody says otherwise.
        self.scenario = scenario
        self._seed = seed
        #: How many rows a scenario has made when it was last loaded, by its name.
        self._sizes: dict[str, int] = {}

    def rows(self, scenario: object | None = None) -> float:
        """How many rows the server's scenario, or another one, makes: endless where nobody knows."""
        chosen = self.scenario if scenario is None else scenario
        return self._sizes.get(chosen, math.inf) if isinstance(chosen, str) else math.inf

    def first(self, name: str) -> Workspace:
        """The workspace of the server's scenario, with the keys that stand there."""
        return self._made(self.scenario, name=name, seed=self._seed)

    def fresh(
        self, name: str, scenario: object | None = None, *, seed: int | None = None, key: str | None = None
    ) -> Workspace:
        """A workspace with keys of its own, one of which may be given, of the server's scenario or another one."""
        return self._made(
            self.scenario if scenario is None else scenario,
            name=name,
            seed=self._seed if seed is None else seed,
            keyring=lambda seed: Keyring(seed, name, first=key),
        )

    def anew(self, workspace: Workspace, scenario: object, *, seed: int | None = None) -> Workspace:
        """Another workspace of the same name, with the same keys, of any scenario or document."""
        keyring = workspace.origin.keyring
        own = None if keyring is None else lambda _: keyring
        return self._made(scenario, name=workspace.name, seed=seed, keyring=own)

    def _made(
        self, scenario: object, *, name: str, seed: int | None, keyring: Callable[[int], Keyring] | None = None
    ) -> Workspace:
        found = self._load(scenario, name=name, seed=seed, keyring=keyring)
        if isinstance(scenario, str):
            self._sizes[scenario] = found.state.rows()
        return found

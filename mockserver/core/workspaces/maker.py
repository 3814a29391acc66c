"""Making workspaces from scenarios, with their API keys and snapshots."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

from mockserver.core.state.identifiers import Keyring
from mockserver.core.workspaces.workspace import Workspace


class Loader(Protocol):
    """A workspace maker for scenario names or documents; supplied by the app.

    With `whole`, the document is the whole state of a workspace, and nothing is added.
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
    """A server's workspace maker; raises `ScenarioError` for invalid scenarios."""

    def __init__(self, load: Loader, scenario: object, seed: int | None, replica: str = "") -> None:
        #: Loads every scenario; a tool may put another function in its place.
        self.load = load
        self._seed, self._replica = seed, replica
        #: The default scenario.
        self.scenario = scenario
        #: The number of rows of each scenario when it was last loaded.
        self._sizes: dict[str, int] = {}

    def rows(self, scenario: object | None = None) -> float:
        """Return a scenario's row count, or infinity if never loaded by name."""
        chosen = self.scenario if scenario is None else scenario
        return self._sizes.get(chosen, math.inf) if isinstance(chosen, str) else math.inf

    def first(self, name: str) -> Workspace:
        return self._made(self.scenario, name, self._seed)

    def fresh(
        self, name: str, scenario: object | None = None, *, seed: int | None = None, key: str | None = None
    ) -> Workspace:
        """Make a workspace with own keys plus `key`; scenario and seed default to server settings."""
        return self._made(
            self.scenario if scenario is None else scenario,
            name,
            self._seed if seed is None else seed,
            lambda seed: Keyring(seed, name, first=key, replica=self._replica),
        )

    def again(self, seen: Workspace, scenario: object | None = None) -> Workspace:
        """Make what a workspace is reset to: its own scenario, or another one.

        Raises:
            ScenarioError: `scenario` is invalid.
        """
        origin = seen.origin
        if scenario is not None:
            return self.anew(seen, scenario, seed=origin.seed)
        found = self.anew(seen, origin.scenario, seed=origin.seed)
        found.origin = found.origin._replace(title=origin.title)  # a document that was kept does not know its title
        return found

    def anew(self, seen: Workspace, scenario: object, *, seed: int | None = None, whole: bool = False) -> Workspace:
        """Make a replacement of a workspace, with identical name and keys; the workspace need not be open."""
        keyring = None if seen.origin.keyring is None else seen.origin.keyring.copy()
        return self._made(scenario, seen.name, seed, None if keyring is None else lambda _: keyring, whole=whole)

    def _made(
        self,
        scenario: object,
        name: str,
        seed: int | None,
        keyring: Callable[[int], Keyring] | None = None,
        *,
        whole: bool = False,
    ) -> Workspace:
        found = self.load(scenario, name=name, seed=seed, keyring=keyring, whole=whole)
        if isinstance(scenario, str):
            self._sizes[scenario] = found.state.rows()
        return found

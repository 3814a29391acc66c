"""Making workspaces from scenarios: new ones, and those that replace others."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol

from mockserver.core.state.keys import Keyring
from mockserver.core.workspaces.workspace import Workspace


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

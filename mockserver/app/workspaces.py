"""The workspaces of a server, made from scenarios within the limits of its settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from mockserver.core.effects.effects import Effects
from mockserver.core.state.keys import Keyring
from mockserver.core.workspaces.maker import Loader
from mockserver.core.workspaces.origin import WorkspaceLimits
from mockserver.core.workspaces.store import KeyMode, Store
from mockserver.core.workspaces.workspace import Workspace
from mockserver.scenario.documents.document import MappingNode
from mockserver.scenario.documents.library import Library
from mockserver.scenario.load import load
from mockserver.settings import Settings


def library_of(settings: Settings) -> Library:
    """The shipped scenarios, and before them those of the folder that the settings name, if they name one.

    Raises:
        ValueError: the folder does not exist.
    """
    if settings.scenarios and not Path(settings.scenarios).is_dir():
        raise ValueError(f"there is no folder {settings.scenarios} of scenarios")
    return Library(*([Path(settings.scenarios)] if settings.scenarios else []))


def store_of(settings: Settings, library: Library, effects: Effects) -> Store:
    """A store that makes the workspaces of a server; it holds the default workspace from the start.

    Raises:
        ScenarioError: the scenario of the settings is unknown or not valid.
    """
    return Store(
        _loader(library, settings),
        settings.scenario,
        seed=settings.seed,
        keys=KeyMode(settings.keys),
        limit=settings.workspaces_limit,
        effects=effects,
    )


def _loader(library: Library, settings: Settings) -> Loader:
    """A function that makes a workspace of a scenario, given by its name, its path or as a document."""
    limits = WorkspaceLimits.of(settings)

    def from_library(
        scenario: object, *, name: str, seed: int | None = None, keyring: Callable[[int], Keyring] | None = None
    ) -> Workspace:
        title = scenario if isinstance(scenario, str) else getattr(scenario, "title", MappingNode.title)
        found = load(library.document(scenario), name=name, title=title, seed=seed, keyring=keyring, limits=limits)
        found.origin = found.origin._replace(scenario=scenario)
        return found

    return from_library

"""The workspaces of a server, made from scenarios within the limits of its settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from mockserver.core.effects import Effects
from mockserver.core.lazy import lazy
from mockserver.core.state.identifiers import Keyring, Replica
from mockserver.core.state.stubs import Stub
from mockserver.core.workspaces.maker import Loader
from mockserver.core.workspaces.storage import Storage
from mockserver.core.workspaces.store import KeyMode, Store
from mockserver.core.workspaces.workspace import Workspace, WorkspaceLimits
from mockserver.resources.section import SectionError
from mockserver.scenario.documents.document import MappingNode
from mockserver.scenario.documents.library import Library
from mockserver.scenario.documents.mistakes import Mistake, ScenarioError
from mockserver.scenario.load import load
from mockserver.settings import Settings
from mockserver.web.server import loop

if TYPE_CHECKING:
    from mockserver.beyond.stubs import stub_list
else:
    (stub_list,) = lazy("mockserver.beyond.stubs", "stub_list")


def library_of(settings: Settings) -> Library:
    """The shipped scenarios, and before them those of the folder that the settings name, if they name one.

    Raises:
        ValueError: the folder does not exist.
    """
    if settings.scenarios and not Path(settings.scenarios).is_dir():
        raise ValueError(f"no such folder of scenarios: got {settings.scenarios!r}")
    return Library(*([Path(settings.scenarios)] if settings.scenarios else []))


def store_of(settings: Settings, library: Library, effects: Effects, storage: Storage | None = None) -> Store:
    """A store that makes the workspaces of a server; it holds the default workspace from the start.

    `storage` saves them beyond the process; None: nothing does.

    Raises:
        StorageError: what is kept cannot be read.
        ScenarioError: the scenario or a stub library of the settings is unknown or not valid.
    """
    found = _store_type(storage)(
        _loader(library, settings),
        settings.scenario,
        seed=settings.seed,
        keys=KeyMode(settings.keys),
        limit=settings.workspaces_limit,
        effects=effects,
        replica=Replica(settings.replica or ""),
        storage=storage,
    )
    found.before_loading = loop.leave_here
    return found


def _store_type(storage: Storage | None) -> type[Store]:
    if storage is None or not storage.is_shared:
        return Store
    from mockserver.core.workspaces.shared_store import SharedStore  # noqa: PLC0415  # few servers share anything

    return SharedStore


def _loader(library: Library, settings: Settings) -> Loader:
    """A function that makes a workspace of a scenario, given by its name, its path or as a document."""
    limits = WorkspaceLimits.of(settings)
    stubs = tuple(_stubs_of(library, settings))

    def from_library(
        scenario: object,
        *,
        name: str,
        seed: int | None = None,
        keyring: Callable[[int], Keyring] | None = None,
        whole: bool = False,
    ) -> Workspace:
        title = scenario if isinstance(scenario, str) else getattr(scenario, "title", MappingNode.title)
        found = load(
            library.document(scenario),
            name=name,
            title=title,
            seed=seed,
            keyring=keyring,
            limits=limits,
            replica=settings.replica or "",
        )
        found.origin = found.origin._replace(scenario=scenario)
        if stubs and not whole:
            _add_behind(found, stubs)
        return found

    return from_library


def _stubs_of(library: Library, settings: Settings) -> Iterator[Stub]:
    """The stubs of all stub libraries of the settings, in their order.

    Raises:
        ScenarioError: a library is unknown, no library or not valid.
    """
    for name in settings.stubs:
        yield from load(library.stub_library(name), name="stubs", title=name).state.stubs


def _add_behind(workspace: Workspace, stubs: tuple[Stub, ...]) -> None:
    """Add the stubs of the settings to a workspace.

    Raises:
        ScenarioError: there would be too many.
    """
    try:
        stub_list.add_behind(workspace, stubs)
    except SectionError as error:
        raise ScenarioError([Mistake(error.path, error.message)]) from error

"""Workspaces of a server: scenarios, limits and storage by settings."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from mockserver.core.effects import Effects
from mockserver.core.lazy import lazy
from mockserver.core.state.behaviour import DOCUMENTED
from mockserver.core.state.identifiers import Keyring, Replica
from mockserver.core.state.stubs import Stub
from mockserver.core.workspaces.maker import Loader
from mockserver.core.workspaces.storage import Storage, StorageError
from mockserver.core.workspaces.store import KeyMode, Store
from mockserver.core.workspaces.workspace import Workspace, WorkspaceLimits
from mockserver.resources.registry import PARTS
from mockserver.resources.section import SectionError
from mockserver.scenario.documents.document import MappingNode, overlay
from mockserver.scenario.documents.library import Library
from mockserver.scenario.documents.mistakes import Mistake, ScenarioError
from mockserver.scenario.load import load
from mockserver.settings import Settings, version
from mockserver.settings.distribution import advice
from mockserver.web.server import loop

if TYPE_CHECKING:
    from mockserver.storage.engine import Engine

if TYPE_CHECKING:
    from mockserver.beyond.stubs import schema as stub_schema
else:
    (stub_schema,) = lazy("mockserver.beyond.stubs", "schema")


def library_of(settings: Settings) -> Library:
    """Return shipped scenarios, preceded by those of the settings' folder.

    Raises:
        ValueError: the folder does not exist.
    """
    if settings.scenarios and not Path(settings.scenarios).is_dir():
        raise ValueError(f"no such folder of scenarios: got {settings.scenarios!r}")
    return Library(*([Path(settings.scenarios)] if settings.scenarios else []))


def store_of(settings: Settings, library: Library, effects: Effects, storage: Storage | None = None) -> Store:
    """Return a store with its default workspace; `storage` saves workspaces.

    Raises:
        StorageError: a saved workspace is unreadable.
        ScenarioError: a scenario or stub library of the settings is unknown or invalid.
    """
    store_type = Store
    if storage is not None and storage.is_shared:
        from mockserver.core.workspaces.shared_store import SharedStore as store_type  # noqa: N813, PLC0415  # rare

    found = store_type(
        _loader(library, settings),
        settings.scenario,
        seed=settings.seed,
        keys=KeyMode(settings.keys),
        limit=settings.workspaces_limit,
        effects=effects,
        replica=Replica(settings.replica or ""),
        storage=storage,
    )
    found.storage.leave = loop.leave
    return found


def _loader(library: Library, settings: Settings) -> Loader:
    """Return a function that makes workspaces from scenarios: by name, path or document."""
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
            _over_preset(library.document(scenario), settings.behaviour),
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


def _over_preset(document: MappingNode, preset: str) -> MappingNode:
    """Return a document with a preset of behaviour for the case that it names none."""
    found = document
    if preset != DOCUMENTED:  # that of documents without a preset
        found = overlay(MappingNode.of({"behaviour": preset}), document)
        found.mistakes = document.mistakes
    return found


def _stubs_of(library: Library, settings: Settings) -> Iterator[Stub]:
    for name in settings.stubs:
        yield from load(library.stub_library(name), name="stubs", title=name).state.stubs


def _add_behind(workspace: Workspace, stubs: tuple[Stub, ...]) -> None:
    try:
        stub_schema.add_behind(workspace, stubs)
    except SectionError as error:
        raise ScenarioError([Mistake(error.path, error.message)]) from error


#: After how many seconds a thread that computes lets another one run, where each request waits for its engine several
#: times, and behind a long computation takes so long each time. Chosen: a fifth of the default of Python.
_SWITCH_S = 0.001
#: How the addresses of stores begin that several servers share.
_SHARED = ("redis:", "rediss:")


def storage_of(settings: Settings) -> Storage:
    """Return the storage of workspaces; the caller closes it."""
    if settings.store == "memory":
        return Storage()
    from mockserver.storage.engine import EngineError  # noqa: PLC0415  # few servers save anything
    from mockserver.storage.sessions import SessionStorage  # noqa: PLC0415  # as above

    try:
        engine = _engine(settings)
    except EngineError as error:
        raise StorageError(str(error)) from error
    limits = WorkspaceLimits.of(settings)
    if not engine.is_alone:
        sys.setswitchinterval(_SWITCH_S)
    return SessionStorage(engine, parts=PARTS, limits=limits)


def _engine(settings: Settings) -> Engine:
    from mockserver.storage.packing import layout  # noqa: PLC0415  # few servers save anything

    if settings.store.startswith(_SHARED):
        check_client()
        from mockserver.storage.redis_engine import Engine as RedisEngine  # noqa: PLC0415  # few servers share a store

        return RedisEngine(settings.store, layout=layout(), writer=f"mockserver {version()}")
    from mockserver.storage.sqlite_engine import Engine as FileEngine  # noqa: PLC0415  # as above

    return FileEngine(settings.store.partition(":")[2], layout=layout(), writer=f"mockserver {version()}")


def check_client() -> None:
    """Refuse `redis://` without installed client."""
    try:
        import redis  # noqa: F401, PLC0415  # few servers share a store
    except ModuleNotFoundError as error:
        if error.name != "redis":
            raise
        raise StorageError(
            f"a store redis:// needs a client of Redis, which is not installed here{advice('redis')}"
        ) from error

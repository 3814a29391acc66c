"""What keeps the workspaces of a server, by its settings."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING

from mockserver.core.workspaces.storage import Storage, StorageError
from mockserver.core.workspaces.workspace import WorkspaceLimits
from mockserver.resources.registry import PARTS
from mockserver.settings import Settings, version
from mockserver.settings.distribution import requirement
from mockserver.web.server import loop

if TYPE_CHECKING:
    from mockserver.storage.engine import Engine

#: After how many seconds a thread that computes lets another one run, where each request waits for its engine several
#: times, and behind a long computation takes so long each time. Chosen: a fifth of the default of Python.
_SWITCH_S = 0.001
#: How the addresses of stores begin that several servers share.
_SHARED = ("redis:", "rediss:")


def storage_of(settings: Settings) -> Storage:
    """Return what saves the workspaces; the caller closes it.

    Raises:
        StorageError: the store cannot be used.
    """
    if settings.store == "memory":
        return Storage()
    from mockserver.storage.background import BackgroundStorage  # noqa: PLC0415  # few servers save anything
    from mockserver.storage.engine import EngineError  # noqa: PLC0415  # as above
    from mockserver.storage.sessions import SessionStorage  # noqa: PLC0415  # as above

    try:
        engine = _engine(settings)
    except EngineError as error:
        raise StorageError(str(error)) from error
    limits = WorkspaceLimits.of(settings)
    if engine.kind == "sqlite" and settings.store_sync != "always":
        return BackgroundStorage(engine, parts=PARTS, limits=limits)
    sys.setswitchinterval(_SWITCH_S)
    return SessionStorage(engine, parts=PARTS, limits=limits, before_waiting=partial(loop.leave_here, waits=True))


def _engine(settings: Settings) -> Engine:
    """Open the store of the settings.

    Raises:
        EngineError: it cannot be used.
        StorageError: the client of its database is not installed.
    """
    from mockserver.storage.packing import layout  # noqa: PLC0415  # few servers save anything

    if settings.store.startswith(_SHARED):
        check_client()
        from mockserver.storage.redis_engine import Engine as RedisEngine  # noqa: PLC0415  # few servers share a store

        return RedisEngine(settings.store, layout=layout(), writer=f"mockserver {version()}")
    from mockserver.storage.sqlite_engine import Engine as FileEngine  # noqa: PLC0415  # as above

    return FileEngine(settings.store.partition(":")[2], layout=layout(), writer=f"mockserver {version()}")


def check_client() -> None:
    """Refuse to use a database where there is no client of it.

    Raises:
        StorageError: it is not installed.
    """
    try:
        import redis  # noqa: F401, PLC0415  # few servers share a store
    except ModuleNotFoundError as error:
        if error.name != "redis":
            raise
        raise StorageError(
            "a store redis:// needs a client of Redis, which is not installed here: "
            f"pip install '{requirement('redis')}'"
        ) from error

"""What keeps the workspaces of a server, by its settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockserver.app.peers import own_address, shares
from mockserver.core.workspaces.keeping import Keeping, KeepingError
from mockserver.core.workspaces.no_keeping import NoKeeping
from mockserver.core.workspaces.origin import WorkspaceLimits
from mockserver.resources.registry import PARTS
from mockserver.settings import Settings, version
from mockserver.settings.distribution import requirement

if TYPE_CHECKING:
    from mockserver.storage.engine import SharedEngine


def keeping_of(settings: Settings) -> Keeping:
    """What keeps the workspaces; whoever asks for it closes it.

    Raises:
        KeepingError: the store cannot be used.
        ValueError: the server cannot tell the others of its store where it is.
    """
    if settings.store == "memory":
        return NoKeeping()
    from mockserver.storage.errors import EngineError  # noqa: PLC0415  # few servers keep anything

    try:
        return _shared(settings) if shares(settings) else _in_file(settings)
    except EngineError as error:
        raise KeepingError(str(error)) from error


def _in_file(settings: Settings) -> Keeping:
    """What keeps them in a file, which this server uses alone.

    Raises:
        EngineError, KeepingError: the file cannot be used.
    """
    from mockserver.storage.keeper import Keeper  # noqa: PLC0415  # few servers keep anything
    from mockserver.storage.records.layout import layout  # noqa: PLC0415  # as above
    from mockserver.storage.sqlite import Engine  # noqa: PLC0415  # as above

    waits = settings.store_sync == "always"
    engine = Engine(settings.store.partition(":")[2], layout=layout(), writer=_writer(), durable=waits)
    return Keeper(engine, parts=PARTS, limits=WorkspaceLimits.of(settings), waits=waits)


def _shared(settings: Settings) -> Keeping:
    """What keeps them in a database, which other servers use as well.

    Raises:
        EngineError, KeepingError: the database cannot be used.
        ValueError: the server cannot tell the others of its store where it is.
    """
    from mockserver.storage.shared_keeper import SharedKeeper  # noqa: PLC0415  # few servers share a store

    return SharedKeeper(_shared_engine(settings), parts=PARTS, limits=WorkspaceLimits.of(settings))


def _shared_engine(settings: Settings) -> SharedEngine:
    """The database, as this server uses it.

    Raises:
        EngineError: it cannot be used.
        KeepingError: its client is not installed.
        ValueError: the server cannot tell the others of its store where it is.
    """
    from mockserver.storage.records.layout import layout  # noqa: PLC0415  # few servers keep anything

    check_client()
    from mockserver.storage.redis import Engine  # noqa: PLC0415  # few servers share a store

    return Engine(settings.store, layout=layout(), writer=_writer(), address=own_address(settings))


def check_client() -> None:
    """Refuse to use a database where there is no client of it.

    Raises:
        KeepingError: it is not installed.
    """
    try:
        import redis  # noqa: F401, PLC0415  # few servers share a store
    except ModuleNotFoundError as error:
        if error.name != "redis":
            raise
        raise KeepingError(
            "a store redis:// needs a client of Redis, which is not installed here: "
            f"pip install '{requirement('redis')}'"
        ) from error


def _writer() -> str:
    """Who writes, for whoever cannot read what was written."""
    return f"mockserver {version()}"

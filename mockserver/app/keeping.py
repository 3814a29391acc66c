"""What keeps the workspaces of a server, by its settings."""

from __future__ import annotations

from mockserver.core.workspaces.keeping import Keeping, KeepingError, NoKeeping
from mockserver.core.workspaces.origin import WorkspaceLimits
from mockserver.resources.registry import PARTS
from mockserver.settings import Settings, version


def keeping_of(settings: Settings) -> Keeping:
    """What keeps the workspaces; whoever asks for it closes it.

    Raises:
        KeepingError: the file of the store cannot be used.
    """
    if settings.store == "memory":
        return NoKeeping()
    from mockserver.storage.keeper import Keeper  # noqa: PLC0415  # few servers keep anything
    from mockserver.storage.records.layout import layout  # noqa: PLC0415  # as above
    from mockserver.storage.sqlite import Engine, EngineError  # noqa: PLC0415  # as above

    waits = settings.store_sync == "always"
    try:
        engine = Engine(
            settings.store.partition(":")[2], layout=layout(), writer=f"mockserver {version()}", durable=waits
        )
    except EngineError as error:
        raise KeepingError(str(error)) from error
    return Keeper(engine, parts=PARTS, limits=WorkspaceLimits.of(settings), waits=waits)

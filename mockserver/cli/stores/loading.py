"""Workspaces of a store, read for a command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockserver.cli.stores.opening import Readable

if TYPE_CHECKING:
    from mockserver.core.workspaces.workspace import Workspace
    from mockserver.storage.redis.inspection import Inspection


def loaded(store: Readable, name: str) -> Workspace | str:
    """A workspace of a store, or what is wrong with it.

    Raises:
        EngineError: there is no such workspace, or the store cannot be read.
    """
    from mockserver.cli.stores.workspace_document import UNLIMITED
    from mockserver.resources.registry import PARTS
    from mockserver.storage.errors import DamagedError
    from mockserver.storage.records.reading import load
    from mockserver.storage.records.unreadable import UnreadableError

    try:
        return load(name, store.read(name), parts=PARTS, limits=UNLIMITED)
    except DamagedError as error:
        return str(error)
    except UnreadableError as error:
        return f"workspace {name} of {store.place} cannot be read: {error}"


def damages_of(store: Inspection, *, is_readable: bool) -> list[str]:
    """A sentence for each damage of a store in a database; of workspaces only if this version reads their layout.

    Raises:
        EngineError: the store cannot be read, for another reason.
    """
    from mockserver.storage.errors import NoWorkspaceError

    found = list(store.damages())
    for name in store.names() if is_readable else ():
        try:
            read = loaded(store, name)
        except NoWorkspaceError:
            continue  # a server has dropped it meanwhile
        if isinstance(read, str):
            found.append(read)
    return found

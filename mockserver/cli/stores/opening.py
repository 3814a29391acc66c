"""Open a store for a command, and load workspaces from it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import click

from mockserver.cli.program import Misused, argument

if TYPE_CHECKING:
    from mockserver.core.workspaces.workspace import Workspace, WorkspaceLimits
    from mockserver.storage.engine import Engine

#: The beginning of a store's name as `--store` takes it, which a command takes as well.
_SQLITE = "sqlite:"
#: The beginnings of the addresses of databases.
_DATABASES = ("redis:", "rediss:")
STORE = argument(
    "path",
    metavar="STORE",
    type=click.Path(),
    help="The file, also as --store names it: sqlite:FILE; or a database: redis://HOST:PORT/DB.",
)


def is_database(path: str) -> bool:
    """Return whether a store is in a database, which servers may use meanwhile."""
    return path.startswith(_DATABASES)


@contextmanager
def opened(path: str, *, layout: str | None = None, writer: str = "", create: bool = False) -> Iterator[Engine]:
    """Open a store for the time of a `with` block.

    Args:
        path: the file or the address.
        layout: a store of another layout is refused; None: any layout will do.
        writer: the program that writes.
        create: whether a missing store is created.

    Raises:
        Misused: the store cannot be opened, or the block has failed to use it.
    """
    from mockserver.storage.engine import EngineError

    try:
        with closing(_engine(path, layout, writer, create=create)) as engine:
            yield engine
    except EngineError as error:
        raise Misused(str(error)) from error


def _engine(path: str, layout: str | None, writer: str, *, create: bool) -> Engine:
    if is_database(path):
        _check_client()
        from mockserver.storage.redis_engine import Engine as Database

        return Database(path, layout=layout or "", writer=writer, is_server=create)
    from mockserver.storage.sqlite_engine import Engine as File

    return File(path.removeprefix(_SQLITE), layout=layout, writer=writer, create=create)


def _check_client() -> None:
    from mockserver.app.workspaces import check_client
    from mockserver.core.workspaces.storage import StorageError

    try:
        check_client()
    except StorageError as error:
        raise Misused(str(error)) from error


def loaded(store: Engine, name: str) -> Workspace | str:
    """Return a workspace of a store, or a sentence about its damage.

    Raises:
        EngineError: there is no such workspace, or the store cannot be read.
    """
    from mockserver.resources.registry import PARTS
    from mockserver.storage.engine import DamagedError
    from mockserver.storage.packing import UnreadableError
    from mockserver.storage.records import load

    try:
        found = store.read(name)
        assert found is not None, "no version is known"
        return load(name, found.fields, parts=PARTS, limits=unlimited())
    except DamagedError as error:
        return str(error)
    except UnreadableError as error:
        return f"workspace {name} of {store.place} cannot be read: {error}"


def unlimited() -> WorkspaceLimits:
    """Return limits that no workspace reaches: the server that loads a workspace has its own."""
    from mockserver.core.workspaces.workspace import WorkspaceLimits

    return WorkspaceLimits(*[1 << 40] * len(WorkspaceLimits._fields))

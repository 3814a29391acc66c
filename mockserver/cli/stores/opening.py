"""Opening a store for a command."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Protocol

from mockserver.cli.framework import Misused, argument

if TYPE_CHECKING:
    from mockserver.core.workspaces.keeping import Outline
    from mockserver.storage.records.changes import Stored
    from mockserver.storage.redis.inspection import Inspection
    from mockserver.storage.sqlite import Engine

#: The beginning of a store's name as `--store` takes it, which a command takes as well.
_SQLITE = "sqlite:"
#: The beginnings of the addresses of databases.
_DATABASES = ("redis:", "rediss:")
FILE = argument("path", metavar="FILE", completes="file", help="The file, also as --store names it: sqlite:FILE.")
STORE = argument(
    "path",
    metavar="STORE",
    completes="file",
    help="The file, also as --store names it: sqlite:FILE; or a database: redis://HOST:PORT/DB.",
)


class Readable(Protocol):
    """A store that can be read."""

    @property
    def place(self) -> str:
        """Where it is, for users; without secrets."""
        ...

    def outlines(self) -> Sequence[Outline]:
        """All workspaces, the one written longest ago first."""
        ...

    def read(self, name: str) -> Stored:
        """All that is held of a workspace, whoever holds it."""
        ...


def is_database(path: str) -> bool:
    """Whether a store is in a database, which servers may use meanwhile."""
    return path.startswith(_DATABASES)


@contextmanager
def opened(path: str, *, layout: str | None = None, writer: str = "", create: bool = False) -> Iterator[Engine]:
    """The store of a file, as `Engine` opens it, for the time of a `with` block.

    Raises:
        Misused: it cannot be opened, or what the block does with it has failed.
    """
    from mockserver.storage.sqlite import Engine

    with told(), closing(Engine(path.removeprefix(_SQLITE), layout=layout, writer=writer, create=create)) as engine:
        yield engine


@contextmanager
def inspected(url: str, *, layout: str = "") -> Iterator[Inspection]:
    """The store in a database, to be looked at for the time of a `with` block; '' stands for any layout.

    Raises:
        Misused: it cannot be read, or what the block does with it has failed.
    """
    check_client()
    from mockserver.storage.redis.inspection import Inspection

    with told(), closing(Inspection(url, layout=layout)) as store:
        yield store


@contextmanager
def readable(path: str, *, layout: str, writer: str) -> Iterator[Readable]:
    """A store in a layout, to be read for the time of a `with` block.

    Raises:
        Misused: it cannot be read, or what the block does with it has failed.
    """
    with inspected(path, layout=layout) if is_database(path) else opened(path, layout=layout, writer=writer) as store:
        yield store


def check_client() -> None:
    """Refuse to use a database where there is no client of it.

    Raises:
        Misused: it is not installed.
    """
    from mockserver.app.keeping import check_client as check
    from mockserver.core.workspaces.keeping import KeepingError

    try:
        check()
    except KeepingError as error:
        raise Misused(str(error)) from error


@contextmanager
def told() -> Iterator[None]:
    """Tell what goes wrong with a store within a `with` block.

    Raises:
        Misused: the message says what.
    """
    from mockserver.storage.errors import EngineError

    try:
        yield
    except EngineError as error:
        raise Misused(str(error)) from error

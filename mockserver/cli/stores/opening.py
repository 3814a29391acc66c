"""Opening the file of a store for a command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from mockserver.cli.framework import Misused, argument

if TYPE_CHECKING:
    from mockserver.storage.sqlite import Engine

#: The beginning of a store's name as `--store` takes it, which a command takes as well.
_SQLITE = "sqlite:"
#: The beginnings of the addresses of databases, which have tools of their own.
_DATABASES = ("redis:", "rediss:")
PATH = argument("path", metavar="FILE", completes="file", help="The file, also as --store names it: sqlite:FILE.")


@contextmanager
def opened(path: str, *, layout: str | None = None, writer: str = "", create: bool = False) -> Iterator[Engine]:
    """The store of a file, as `Engine` opens it, for the time of a `with` block.

    Raises:
        Misused: it cannot be opened, or what the block does with it has failed.
    """
    if path.startswith(_DATABASES):
        raise Misused("these commands are for files: what a database holds is looked after by its own tools")
    from mockserver.storage.sqlite import Engine, EngineError

    try:
        with closing(Engine(path.removeprefix(_SQLITE), layout=layout, writer=writer, create=create)) as engine:
            yield engine
    except EngineError as error:
        raise Misused(str(error)) from error

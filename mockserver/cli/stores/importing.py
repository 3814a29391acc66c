"""Workspaces written to a store that holds none of their names."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from mockserver.cli.framework import Misused
from mockserver.cli.stores.opening import check_client, opened, told

if TYPE_CHECKING:
    from mockserver.storage.batch import Batch

#: Where a command that holds workspaces for a moment is to be reached by servers: nowhere, so that they ask again.
_NOWHERE = "http://localhost:9"


def write_file(path: str, batch: Batch, *, layout: str, writer: str) -> str:
    """Make a store in a file; returns where it is, for users.

    Raises:
        Misused: it holds workspaces already, or cannot be written.
    """
    with opened(path, layout=layout, writer=writer, create=True) as engine:
        if engine.outlines():
            raise Misused(f"{engine.place} holds workspaces already: name a new file")
        engine.write(batch)
        return engine.place


def write_database(url: str, batch: Batch, *, layout: str, writer: str) -> str:
    """Add workspaces to the store in a database, which is made if there is none; returns where it is, for users.

    Raises:
        Misused: it holds one of them already, or a server is just making one, and nothing was written; or the database
            cannot be used.
    """
    check_client()
    from mockserver.storage.redis import Engine

    with told(), closing(Engine(url, layout=layout, writer=writer, address=_NOWHERE)) as engine:
        taken = [outline.name for outline, _ in batch.workspaces if not engine.claim(outline.name)]
        if taken:
            raise Misused(f"{engine.place} holds a workspace {taken[0]} already, and nothing was written")
        if engine.write(batch):
            raise Misused(f"{engine.place} was emptied, or the servers have taken this command for dead: try again")
        return engine.place

"""`store vacuum`: room that nothing takes any more goes back to the disk."""

from __future__ import annotations

from mockserver.cli.framework import Misused, command
from mockserver.cli.framework.output import as_json as to_json
from mockserver.cli.framework.output import echo
from mockserver.cli.options import JSON
from mockserver.cli.stores.opening import FILE, is_database, opened
from mockserver.cli.stores.sizes import shown


@command(FILE, JSON)
def vacuum(path: str, as_json: bool) -> None:
    """Give the room that nothing takes any more back to the disk, which has to have room for a copy meanwhile."""
    if is_database(path):
        raise Misused("vacuum is for files: a database takes no room for what has gone")
    with opened(path) as engine:
        before = engine.room().bytes
        engine.vacuum()
        after = engine.room().bytes
        path = engine.place
    sizes = {"path": path, "bytes_before": before, "bytes": after}
    echo(to_json(sizes) if as_json else f"{path}: {shown(before)} before, {shown(after)} now")

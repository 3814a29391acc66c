"""`snapshot`, `restore` and `snapshots`: moments of a workspace to return to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mockserver.cli.known_names import names_of
from mockserver.cli.live.lines import listing, moment
from mockserver.cli.options import JSON, SERVER
from mockserver.cli.output import as_json as to_json
from mockserver.cli.output import echo, printable
from mockserver.cli.program import Group, argument, command
from mockserver.cli.remote import Target
from mockserver.testing.client import path_segment


@command("snapshot")
@argument("name", required=False, metavar="NAME", help="The name; the default is generated.")
@JSON
@SERVER
def snapshot(name: str | None, as_json: bool, **server: Any) -> None:
    """Take a snapshot of state, clock, faults and mailbox; prints its name."""
    found = Target(**server).call("POST", "/snapshots", {} if name is None else {"name": name})
    echo(to_json(found) if as_json else printable(found["name"]))


@command("restore")
@argument("name", metavar="NAME", shell_complete=names_of("snapshot"))
@JSON
@SERVER
def restore(name: str, as_json: bool, **server: Any) -> None:
    """Restore a snapshot; journal and coverage stay."""
    found = Target(**server).call("POST", f"/snapshots/{path_segment(name)}/restore")
    echo(to_json(found) if as_json else printable(f"restored: {found['name']} is as it was at {name}"))


snapshots = Group("snapshots", default="list", help="List and delete the snapshots of a workspace.")


@snapshots.command("list")
@JSON
@SERVER
def list_(as_json: bool, **server: Any) -> None:
    """List the snapshots of a workspace, oldest first."""
    found = Target(**server).get("/snapshots")
    if as_json:
        echo(to_json(found))
    else:
        listing("snapshots", ("name", "at"), [(row["name"], moment(row["at"])) for row in found["items"]])


@snapshots.command("remove")
@argument("names", nargs=-1, required=True, metavar="NAME", shell_complete=names_of("snapshot"))
@JSON
@SERVER
def remove(names: Sequence[str], as_json: bool, **server: Any) -> None:
    """Delete snapshots."""
    target = Target(**server)
    for name in names:
        target.call("DELETE", f"/snapshots/{path_segment(name)}")
    echo(to_json({"removed": list(names)}) if as_json else printable(f"removed: {' '.join(names)}"))

"""`machines`: the state machines, their instances in a workspace, and firing events."""

from __future__ import annotations

import json
from typing import Any, get_args

from mockserver.cli.known_names import names_of
from mockserver.cli.live.lines import listing, moment
from mockserver.cli.options import JSON, SERVER
from mockserver.cli.output import as_json as to_json
from mockserver.cli.output import echo, paint, printable
from mockserver.cli.program import Group, argument
from mockserver.cli.remote import Target
from mockserver.testing.client import path_segment
from mockserver.testing.names import MachineName

_MACHINE = argument(
    "machine", metavar="MACHINE", shell_complete=names_of("machine"), help="A state machine, such as sender."
)
#: The members of an instance that have columns.
_COLUMNS = frozenset({"key", "account", "state", "allowed"})
_KEY_HELP = "The key of an instance: the id of a sender, the name of a domain."


machines = Group("machines", default="list", help="Show the state machines and their instances, and fire events.")


@machines.command("list")
@JSON
def list_(as_json: bool) -> None:
    """Print every state machine as a Mermaid diagram; needs no server."""
    from mockserver.resources.registry import LIFECYCLES

    found = [row.machine for row in LIFECYCLES.values()]
    if as_json:
        echo(json.dumps([{"name": row.name, "mermaid": row.mermaid()} for row in found], indent=2))
        return
    for machine in found:
        echo(f"%% {machine.name}\n{machine.mermaid()}\n")


@machines.command("show")
@argument(
    "machine",
    metavar="MACHINE",
    required=False,
    shell_complete=names_of("machine"),
    help="A state machine, such as sender; without it, all of them.",
)
@argument("key", metavar="KEY", required=False, help=f"{_KEY_HELP} Without it, all instances.")
@JSON
@SERVER
def show(machine: str | None, key: str | None, as_json: bool, **server: Any) -> None:
    """Show the instances in a workspace: their states, and the events that apply; with a key, one with its history."""
    target = Target(**server)
    if machine is not None and key is not None:
        _show_one(target, machine, key, as_json)
        return
    names = get_args(MachineName) if machine is None else (machine,)
    rows = [(name, row) for name in names for row in target.get(f"/machines/{path_segment(name)}")["items"]]
    if as_json:
        echo(to_json({"items": [{"machine": name, **row} for name, row in rows], "count": len(rows)}))
    else:
        _print(rows)


@machines.command("fire")
@_MACHINE
@argument("key", metavar="KEY", help=_KEY_HELP)
@argument("event", metavar="EVENT", shell_complete=names_of("machine event"), help="An event, such as expire_otp.")
@JSON
@SERVER
def fire(machine: str, key: str, event: str, as_json: bool, **server: Any) -> None:
    """Fire an event of an instance, and print the instance; `machines show` lists the events that apply."""
    path = f"/machines/{path_segment(machine)}/{path_segment(key)}/{path_segment(event)}"
    found = Target(**server).call("POST", path)
    if as_json:
        echo(to_json(found))
    else:
        _print([(machine, found)])


def _show_one(target: Target, machine: str, key: str, as_json: bool) -> None:
    path = f"/machines/{path_segment(machine)}/{path_segment(key)}"
    found = target.get(path)
    history = target.get(f"{path}/history")["items"]
    if as_json:
        echo(to_json({**found, "history": history}))
        return
    _print([(machine, found)])
    for name, value in found.items():
        if name not in _COLUMNS and value is not None:
            echo(f"{paint(name, 'soft')}: {printable(str(value))}")
    for row in history:
        echo(printable(f"{moment(row['at'])}  {row['event']}: {row['from']} to {row['to']}"))


def _print(rows: list[tuple[str, Any]]) -> None:
    listing(
        "instances", ("machine", "key", "account", "state", "events that apply"),
        [(name, row["key"], row["account"], row["state"], ", ".join(map(str, row["allowed"]))) for name, row in rows],
    )  # fmt: skip

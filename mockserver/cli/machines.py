"""`machines`: the state machines, their instances in a workspace, and firing events."""

from __future__ import annotations

import json
from typing import Any, get_args

from mockserver.cli.options import JSON, TARGET, Name
from mockserver.cli.output import echo, listing, moment, paint, printable
from mockserver.cli.program import Group, argument
from mockserver.cli.remote import Target
from mockserver.testing.client import path_of
from mockserver.testing.names import MachineName

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
    "machine", required=False, type=Name("machine"), help="A state machine, such as sender; without it, all of them."
)
@argument("key", required=False, type=Name("instance"), help=f"{_KEY_HELP} Without it, all instances.")
@TARGET
def show(machine: str | None, key: str | None, target: Target) -> None:
    """Show instances with state and allowed events; with a key, one instance with its history."""
    if machine is not None and key is not None:
        found = target.get(path_of("machines", machine, key))
        history = target.items(path_of("machines", machine, key, "history"))
        target.show({**found, "history": history}, lambda _: _print_history(machine, found, history))
        return
    names = get_args(MachineName) if machine is None else (machine,)
    rows = [{"machine": name, **row} for name in names for row in target.items(path_of("machines", name))]
    target.show({"items": rows, "count": len(rows)}, lambda _: _print(rows))


@machines.command("fire")
@argument("machine", type=Name("machine"), help="A state machine, such as sender.")
@argument("key", type=Name("instance"), help=_KEY_HELP)
@argument("event", type=Name("machine event"), help="An event, such as expire_otp.")
@TARGET
def fire(machine: str, key: str, event: str, target: Target) -> None:
    """Fire an event of an instance, and print the instance; `machines show` lists the events that apply."""
    found = target.post(path_of("machines", machine, key, event))
    target.show(found, lambda row: _print([{"machine": machine, **row}]))


def _print_history(machine: str, found: Any, history: list[Any]) -> None:
    _print([{"machine": machine, **found}])
    for name, value in found.items():
        if name not in _COLUMNS and value is not None:
            echo(f"{paint(name, 'soft')}: {printable(str(value))}")
    for row in history:
        echo(printable(f"{moment(row['at'])}  {row['event']}: {row['from']} to {row['to']}"))


def _print(rows: list[Any]) -> None:
    headers = ("machine", "key", "account", "state", "events that apply")
    cells = [[*(row[name] for name in headers[:-1]), ", ".join(map(str, row["allowed"]))] for row in rows]
    listing("instances", headers, cells)

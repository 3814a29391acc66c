"""`workspaces` and `reset`: private copies of the service on a server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mockserver.cli.known_names import names_of
from mockserver.cli.live.lines import held, listing, moment, more
from mockserver.cli.options import JSON, SERVER, TOKEN, URL
from mockserver.cli.output import as_json as to_json
from mockserver.cli.output import echo, paint, printable, table
from mockserver.cli.program import Group, Misused, argument, command, option
from mockserver.cli.remote import Target
from mockserver.cli.values import Integer
from mockserver.testing.client import path_segment

_SCENARIO = "The name of a scenario, or the path of a file"


workspaces = Group(
    "workspaces", default="list", help="List, create and delete workspaces: isolated copies of the service."
)


@workspaces.command("list")
@option("--name", metavar="TEXT", help="Workspaces with this text in their name only.")
@option("-n", "--limit", type=Integer(1, 1000), default=50, metavar="N", help="How many workspaces to list.")
@JSON
@URL
@TOKEN
def list_(name: str | None, limit: int, as_json: bool, **server: Any) -> None:
    """List the workspaces, most recently used first."""
    found = Target(**server).get("/workspaces", name=name, limit=limit)
    if as_json:
        echo(to_json(found))
        return
    rows = [(row["name"], row["scenario"], _used(row), row["counts"]["requests"], row["url"]) for row in found["items"]]
    listing("workspaces", ("name", "scenario", "last used", "requests", "url"), rows)
    if others := more(found, len(rows)):
        echo(paint(others, "soft"))


@workspaces.command("new")
@argument(
    "scenario",
    required=False,
    metavar="SCENARIO",
    shell_complete=names_of("scenario"),
    help=f"{_SCENARIO}; else the server's.",
)
@option("--name", metavar="NAME", help="The name; the default is generated.")
@option("--seed", type=Integer(), metavar="N", help="The seed of its identifiers and codes.")
@option("--strict", is_flag=True, help="Refuse body fields that the service does not know.")
@JSON
@URL
@TOKEN
def new(scenario: str | None, as_json: bool, **others: Any) -> None:
    """Create a workspace, and print its name, address and key."""
    given = {name: others.pop(name) for name in ("name", "seed")}
    body = {name: value for name, value in given.items() if value is not None}
    if others.pop("strict"):
        body["strict"] = True
    if scenario is not None:
        body |= choice_of(scenario)
    try:
        found = Target(**others).call("POST", "/workspaces", body)
    except Misused as error:
        if scenario is None or given["name"] is not None or "unknown scenario" not in str(error):
            raise
        hint = f"a workspace called {scenario}: `mockserver workspaces new --name {scenario}`"
        raise Misused(f"{error}; for {hint}.") from error
    echo(to_json(found) if as_json else _shown(found))


@workspaces.command("show")
@argument("name", metavar="NAME", shell_complete=names_of("workspace"))
@JSON
@URL
@TOKEN
def show(name: str, as_json: bool, **server: Any) -> None:
    """Show one workspace with its accounts, keys, clock and sizes."""
    found = Target(**server).get(f"/workspaces/{path_segment(name)}")
    echo(to_json(found) if as_json else _shown(found))


@workspaces.command("drop")
@argument("names", nargs=-1, required=True, metavar="NAME", shell_complete=names_of("workspace"))
@JSON
@URL
@TOKEN
def drop(names: Sequence[str], as_json: bool, **server: Any) -> None:
    """Delete workspaces; their keys are refused from now on."""
    target = Target(**server)
    for name in names:
        target.call("DELETE", f"/workspaces/{path_segment(name)}")
    echo(to_json({"dropped": list(names)}) if as_json else printable(f"dropped: {' '.join(names)}"))


@command("reset")
@option(
    "--scenario",
    metavar="SCENARIO",
    shell_complete=names_of("scenario"),
    help=f"{_SCENARIO}; else that of the workspace.",
)
@JSON
@SERVER
def reset(scenario: str | None, as_json: bool, **server: Any) -> None:
    """Reset a workspace to its scenario, or to another one; only snapshots and keys stay."""
    body = {} if scenario is None else choice_of(scenario)
    found = Target(**server).call("POST", "/reset", body)
    echo(to_json(found) if as_json else printable(f"reset: {found['name']} is {found['scenario']} again"))


def choice_of(text: str) -> dict[str, Any]:
    """The member of a body that chooses a scenario: by a name that the server knows, or by what is in a file.

    Raises:
        Misused: there is no such file, or it is none of a scenario.
    """
    if not _is_path(text):
        return {"scenario": text}
    from mockserver.testing.scenario import choice, sendable

    try:
        return choice(sendable(Path(text)))
    except UnicodeDecodeError as error:
        raise Misused(f"{text} is no text in UTF-8: {error}") from error
    except OSError as error:
        raise Misused(f"{text} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise Misused(str(error)) from error


def _is_path(text: str) -> bool:
    return "/" in text or "\\" in text or text.endswith((".yaml", ".yml", ".json"))


# ------------------------------------------------------------------ lines


def _used(row: Mapping[str, Any]) -> str:
    return moment((row.get("last_request") or {}).get("real_at"))


def _shown(found: Mapping[str, Any]) -> str:
    lines = [("name", found["name"]), ("scenario", found["scenario"]), ("url", found["url"])]
    lines += [("dashboard", f"{found['url'].removesuffix('/v3')}/_mock/ui/")]
    if clock := found.get("clock"):
        lines.append(("clock", f"{moment(clock['now'])} UTC, {'frozen' if clock['frozen'] else 'running'}"))
    if found.get("counts"):
        lines.append(("holds", held(found)))
    width = max(len(name) for name, _ in lines)
    told = [f"{paint(f'{name:{width}}', 'soft')}  {printable(str(value))}" for name, value in lines]
    rows = [(row["name"], row["role"], row["api_key"]) for row in found["accounts"]]
    keys = table(("account", "role", "api key"), rows)
    return "\n".join([*told, keys])

"""`workspaces`, `reset` and snapshots: manage isolated copies of the service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mockserver.cli.options import SERVER, TARGET, Name, limit, read_scenario
from mockserver.cli.output import counted, echo, listing, moment, more, paint, printable, table
from mockserver.cli.program import Group, Misused, argument, command, option
from mockserver.cli.remote import Target, told
from mockserver.testing.client import MockServerError, path_of
from mockserver.testing.handles.link import given

_SCENARIO = "The name of a scenario, or the path of a file"


workspaces = Group("workspaces", default="list", help="List, create and delete workspaces: copies of the service.")


@workspaces.command("list")
@option("--name", metavar="TEXT", help="Workspaces with this text in their name only.")
@limit("workspaces", 50)
@SERVER
def list_(name: str | None, limit: int, target: Target) -> None:
    """List the workspaces, most recently used first."""
    target.show(target.get("/workspaces", name=name, limit=limit), _print_all)


@workspaces.command("new")
@argument("scenario", required=False, type=Name("scenario"), help=f"{_SCENARIO}; else the server's.")
@option("--name", metavar="NAME", help="The name; the default is generated.")
@option("--seed", type=int, metavar="N", help="The seed of its identifiers and codes.")
@option("--strict", is_flag=True, help="Refuse body fields that the service does not know.")
@option("--label", metavar="TEXT", help="A label, such as the id of a test.")
@SERVER
def new(
    scenario: str | None, name: str | None, seed: int | None, strict: bool, label: str | None, target: Target
) -> None:
    """Create a workspace, and print its name, address and key."""
    members = given({"name": name, "seed": seed, "strict": strict or None, "label": label})
    try:
        found = _post(target, "/workspaces", scenario, members)
    except MockServerError as error:
        from mockserver.core.workspaces.store import NAME

        if (
            scenario is None
            or name is not None
            or "unknown scenario" not in error.detail
            or not NAME.fullmatch(scenario)
        ):
            raise
        hint = f"a workspace called {scenario}: `mockserver workspaces new --name {scenario}`"
        raise Misused(f"{told(target.root, error)}; for {hint}.") from error
    target.show(found, _print)


@workspaces.command("show")
@argument("name", type=Name("workspace"))
@SERVER
def show(name: str, target: Target) -> None:
    """Show one workspace with its accounts, keys, clock and sizes."""
    target.show(target.get(path_of("workspaces", name)), _print)


@workspaces.command("delete")
@argument("names", nargs=-1, required=True, metavar="NAME", type=Name("workspace"))
@SERVER
def delete(names: Sequence[str], target: Target) -> None:
    """Delete workspaces, and revoke their keys."""
    target.remove("workspaces", names)


@command("reset")
@option("--scenario", type=Name("scenario"), help=f"{_SCENARIO}; else that of the workspace.")
@TARGET
def reset(scenario: str | None, target: Target) -> None:
    """Reset a workspace to its scenario or a given scenario; snapshots and keys stay."""
    found = _post(target, "/reset", scenario, {})
    target.show(found, f"reset: {found['name']} is {found['scenario']} again")


def _post(target: Target, path: str, scenario: str | None, members: Mapping[str, Any]) -> Any:
    """Make a call with a scenario: a name, or a file, whose text is sent."""
    from mockserver.scenario.documents.mistakes import is_name

    if scenario is None or (is_name(scenario) and "\\" not in scenario):
        return target.post(path, {**members, **given({"scenario": scenario})})
    return target.post(path, {**members, "yaml": read_scenario(scenario)}, file=scenario)


def _print_all(found: Any) -> None:
    rows = [(row["name"], row["scenario"], _used(row), row["counts"]["requests"], row["url"]) for row in found["items"]]
    listing("workspaces", ("name", "scenario", "last used", "requests", "url"), rows)
    more(found)


def _used(row: Mapping[str, Any]) -> str:
    return moment((row.get("last_request") or {}).get("real_at"))


def _print(found: Mapping[str, Any]) -> None:
    lines = {name: found[name] for name in ("name", "scenario", "url")}
    lines["dashboard"] = f"{found['url'].removesuffix('/v3')}/_mock/ui/"
    lines |= {name: found[name] for name in ("label", "outcome") if name in found}
    if clock := found.get("clock"):
        lines["clock"] = f"{moment(clock['now'])} UTC, {'frozen' if clock['frozen'] else 'running'}"
    if found.get("counts"):
        lines["holds"] = counted(found["counts"])
    width = max(map(len, lines))
    for name, value in lines.items():
        echo(f"{paint(f'{name:{width}}', 'soft')}  {printable(str(value))}")
    rows = [(row["name"], row["role"], row["api_key"]) for row in found["accounts"]]
    echo(table(("account", "role", "api key"), rows))


# ------------------------------------------------------------------ snapshots


@command("restore")
@argument("name", type=Name("snapshot"))
@TARGET
def restore(name: str, target: Target) -> None:
    """Restore a snapshot; journal and coverage stay."""
    found = target.post(path_of("snapshots", name, "restore"))
    target.show(found, f"restored: {found['name']} is as it was at {name}")


snapshots = Group("snapshots", default="list", help="Take, list and delete snapshots of a workspace.")


@snapshots.command("list")
@TARGET
def list_snapshots(target: Target) -> None:
    """List the snapshots of a workspace, oldest first."""
    found = target.get("/snapshots")
    rows = [(row["name"], moment(row["at"])) for row in found["items"]]
    target.show(found, lambda _: listing("snapshots", ("name", "at"), rows))


@snapshots.command("new")
@argument("name", required=False, metavar="NAME", help="The name; the default is generated.")
@TARGET
def new_snapshot(name: str | None, target: Target) -> None:
    """Take a snapshot of state, clock, faults and mailbox; prints its name."""
    found = target.post("/snapshots", given({"name": name}))
    target.show(found, found["name"])


@snapshots.command("delete")
@argument("names", nargs=-1, required=True, metavar="NAME", type=Name("snapshot"))
@TARGET
def delete_snapshots(names: Sequence[str], target: Target) -> None:
    """Delete snapshots."""
    target.remove("snapshots", names)

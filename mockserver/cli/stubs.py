"""`stubs`: answers for operations that the mock does not have, on a running server and in files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from mockserver.cli.known_names import names_of
from mockserver.cli.live.lines import none
from mockserver.cli.openapi_import import from_openapi
from mockserver.cli.options import JSON, SCENARIOS, TOKEN, URL, workspace
from mockserver.cli.output import echo, fail
from mockserver.cli.program import Group, argument, decorated, option
from mockserver.cli.recording import record
from mockserver.cli.remote import Target
from mockserver.testing.client import path_segment

#: The options that choose a server and a workspace, and `--json`.
_TARGET = decorated(JSON, URL, TOKEN, workspace("The workspace that has the stubs."))


stubs = Group("stubs", default="list", help="Add, list and remove stubs: answers for other operations.")
stubs.add_command(from_openapi)
stubs.add_command(record)


@stubs.command("list")
@_TARGET
def list_(as_json: bool, **target: Any) -> None:
    """The stubs in the order in which they are asked, with their hits."""
    _show(Target(**target).get("/stubs")["items"], as_json=as_json)


@stubs.command("show")
@argument("identifier", metavar="ID", shell_complete=names_of("stub"))
@_TARGET
def show(identifier: str, as_json: bool, **target: Any) -> None:
    """One stub, as YAML."""
    found = Target(**target).get(f"/stubs/{path_segment(identifier)}")
    if as_json:
        echo(json.dumps(found))
        return
    from mockserver.scenario.dump import to_yaml

    echo(to_yaml(found), nl=False)


@stubs.command("add")
@argument("names", nargs=-1, required=True, metavar="NAME|PATH", shell_complete=names_of("scenario"))
@option("--replace", is_flag=True, help="Remove the stubs that are there.")
@SCENARIOS
@_TARGET
def add(names: list[str], replace: bool, folder: Path | None, as_json: bool, **target: Any) -> None:
    """Add the stubs of scenarios, before those that are there: of stub libraries such as contacts, or of files."""
    items = [stub for name in names for stub in _written(name, folder)]
    found = Target(**target).call("PUT" if replace else "POST", "/stubs", {"items": items})
    _show(found["items"], as_json=as_json)


@stubs.command("remove")
@argument("identifiers", nargs=-1, required=True, metavar="ID", shell_complete=names_of("stub"))
@_TARGET
def remove(identifiers: list[str], as_json: bool, **target: Any) -> None:
    """Remove stubs; what they have stored stays."""
    server = Target(**target)
    for identifier in identifiers:
        server.call("DELETE", f"/stubs/{path_segment(identifier)}")
    echo(json.dumps({"removed": identifiers}) if as_json else f"removed: {' '.join(identifiers)}")


@stubs.command("clear")
@_TARGET
def clear(as_json: bool, **target: Any) -> None:
    """Remove all stubs; what they have stored stays."""
    server = Target(**target)
    count = len(server.get("/stubs")["items"])
    server.call("DELETE", "/stubs")
    echo(json.dumps({"removed": count}) if as_json else f"removed: {count}")


def _written(name: str, folder: Path | None) -> list[Any]:
    """The stubs of a scenario as they are written; exits with all mistakes if it is not valid, or has none."""
    from mockserver.scenario.documents.library import Library
    from mockserver.scenario.documents.mistakes import ScenarioError
    from mockserver.scenario.load import load

    try:
        document = Library(*([folder] if folder else [])).read(name)
        load(document, name="check", title=name)
    except ScenarioError as error:
        fail(str(error))
    found: list[Any] = document.get("stubs", [])
    if not found:
        fail(f"{name} has no stubs")
    return found


def _show(rows: list[Any], *, as_json: bool) -> None:
    """Print stubs, a line each."""
    if as_json:
        echo(json.dumps(rows))
        return
    if not rows:
        none("stubs")
    width = max((len(row["id"]) for row in rows), default=0)
    for row in rows:
        spent = "" if row["active"] else ", spent"
        echo(f"{row['id']:{width}}  {row['method']:6} {row['path']}  {_counted(row['hits'])}{spent}")


def _counted(hits: int) -> str:
    return f"{hits} hit{'s' * (hits != 1)}"

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
from mockserver.cli.remote import Shape, Unreachable, answer_or_exit, checked, root_of

#: The options that choose a server and a workspace, and `--json`.
_TARGET = decorated(JSON, URL, TOKEN, workspace("The workspace that has the stubs."))

#: The members of a stub that the commands print.
_STUB: Shape = {"id": str, "method": str, "path": str, "hits": int, "active": bool}
_STUBS: Shape = {"items": list}


stubs = Group("stubs", default="list", help="Add, list and remove stubs: answers for other operations.")
stubs.add_command(from_openapi)
stubs.add_command(record)


@stubs.command("list")
@_TARGET
def list_(as_json: bool, **target: Any) -> None:
    """The stubs in the order in which they are asked, with their hits."""
    _show(_call("GET", "", target, _STUBS)["items"], target, as_json=as_json)


@stubs.command("show")
@argument("identifier", metavar="ID", shell_complete=names_of("stub"))
@_TARGET
def show(identifier: str, as_json: bool, **target: Any) -> None:
    """One stub, as YAML."""
    found = _call("GET", f"/{_path_segment(identifier)}", target, _STUB)
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
    found = _call("PUT" if replace else "POST", "", target, _STUBS, {"items": items})["items"]
    _show(found, target, as_json=as_json)


@stubs.command("remove")
@argument("identifiers", nargs=-1, required=True, metavar="ID", shell_complete=names_of("stub"))
@_TARGET
def remove(identifiers: list[str], as_json: bool, **target: Any) -> None:
    """Remove stubs; what they have stored stays."""
    for identifier in identifiers:
        _call("DELETE", f"/{_path_segment(identifier)}", target, None)
    echo(json.dumps({"removed": identifiers}) if as_json else f"removed: {' '.join(identifiers)}")


@stubs.command("clear")
@_TARGET
def clear(as_json: bool, **target: Any) -> None:
    """Remove all stubs; what they have stored stays."""
    count = len(_call("GET", "", target, _STUBS)["items"])
    _call("DELETE", "", target, None)
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


def _call(method: str, path: str, target: dict[str, Any], shape: Shape | None, body: object = None) -> Any:
    """The JSON answer to a control call about stubs; exits if there is none."""
    options = {name: target[name] for name in ("workspace", "token")}
    return answer_or_exit(root_of(target["url"]), method, f"/_mock/stubs{path}", shape, body=body, **options)


def _show(rows: list[Any], target: dict[str, Any], *, as_json: bool) -> None:
    """Print stubs, a line each."""
    try:
        for row in rows:
            checked(root_of(target["url"]), row, _STUB)
    except Unreachable as error:
        fail(str(error))
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


def _path_segment(text: str) -> str:
    from urllib.parse import quote

    return quote(text, safe="")

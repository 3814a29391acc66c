"""`scenarios`: lists, checks and shows the scenarios from which a workspace can be made."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mockserver.cli.options import JSON, OUTPUT, SCENARIOS, Name, write
from mockserver.cli.output import echo, fail
from mockserver.cli.program import Group, argument
from mockserver.settings.files import SCHEMA_FILE

if TYPE_CHECKING:
    from mockserver.scenario.documents.library import Library


scenarios = Group("scenarios", default="list", help="List, check and show scenarios.")


@scenarios.command("list")
@SCENARIOS
@JSON
def list_(folder: Path | None, as_json: bool) -> None:
    """List the names and descriptions of all scenarios."""
    rows = list(_library(folder).describe())
    if as_json:
        echo(json.dumps(rows, indent=2))
        return
    width = max(len(row["name"]) for row in rows)
    for row in rows:
        kind = "Stub library: " if "stub_library" in row else ""
        echo(f"{row['name']:{width}}  {kind}{row.get('error') or row['description'].strip()}")


@scenarios.command("check")
@argument("names", nargs=-1, metavar="NAME|PATH", type=Name("scenario"))
@SCENARIOS
@JSON
def check(names: Sequence[str], folder: Path | None, as_json: bool) -> int:
    """Validate scenarios (default: all), and print every mistake with its line."""
    from mockserver.scenario.documents.mistakes import ScenarioError
    from mockserver.scenario.load import load

    library = _library(folder)
    found: dict[str, list[dict[str, Any]]] = {}
    for name in names or library.names():
        try:
            load(library.read(name), name="check", title=name)
            found[name] = []
        except ScenarioError as error:
            found[name] = [_as_json(mistake) for mistake in error.mistakes]
    if as_json:
        echo(json.dumps(found, indent=2))
    else:
        for name, rows in found.items():
            echo("\n".join([row["text"] for row in rows]) or f"{name}: ok")
    return 1 if any(found.values()) else 0


def _as_json(mistake: Any) -> dict[str, Any]:
    location = {"file": mistake.mark.file, "line": mistake.mark.line} if mistake.mark else {}
    return {**location, "path": mistake.pointer, "message": mistake.message, "text": str(mistake)}


@scenarios.command("show")
@argument("name", metavar="NAME|PATH", type=Name("scenario"))
@SCENARIOS
@JSON
def show(name: str, folder: Path | None, as_json: bool) -> None:
    """Show a scenario merged with its parents, as YAML."""
    from mockserver.scenario.documents.document import refuse_unreadable
    from mockserver.scenario.documents.mistakes import ScenarioError
    from mockserver.scenario.dump import to_yaml

    try:
        found = _library(folder).read(name)
        refuse_unreadable(found)
        document = json.loads(json.dumps(found, default=_as_text))
    except ScenarioError as error:
        fail(str(error))
    echo(json.dumps(document, indent=2) if as_json else to_yaml(document), nl=as_json)


def _as_text(value: Any) -> str:
    """Return the text of a YAML value that JSON lacks; a moment as scenarios write it."""
    from datetime import datetime

    from mockserver.resources.section import write_instant

    return write_instant(value) if isinstance(value, datetime) else str(value)


@scenarios.command("schema")
@OUTPUT
def schema(output: Path | None) -> None:
    """Print the JSON Schema of scenarios, which editors use by a first line `# yaml-language-server: $schema=FILE`."""
    write(output, SCHEMA_FILE.read_text(encoding="utf-8"))


def _library(folder: Path | None) -> Library:
    from mockserver.scenario.documents.library import Library

    return Library(*([folder] if folder else []))

"""`scenarios`: lists, checks and shows the scenarios from which a workspace can be made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mockserver.cli.known_names import names_of
from mockserver.cli.options import JSON, OUTPUT, SCENARIOS
from mockserver.cli.output import echo, fail
from mockserver.cli.program import Group, argument
from mockserver.cli.writing import write
from mockserver.settings.files import SCHEMA_FILE

if TYPE_CHECKING:
    from mockserver.scenario.documents.library import Library


scenarios = Group("scenarios", default="list", help="List, check and show scenarios.")


@scenarios.command("list")
@SCENARIOS
@JSON
def list_(folder: Path | None, as_json: bool) -> None:
    """Names and descriptions of all scenarios."""
    rows = list(_library(folder).describe())
    if as_json:
        echo(json.dumps(rows, indent=2))
        return
    width = max(len(row["name"]) for row in rows)
    for row in rows:
        kind = "Stub library: " if "stub_library" in row else ""
        echo(f"{row['name']:{width}}  {kind}{row.get('error') or row['description'].strip()}")


@scenarios.command("check")
@argument("names", nargs=-1, metavar="NAME|PATH", shell_complete=names_of("scenario"))
@SCENARIOS
@JSON
def check(names: list[str], folder: Path | None, as_json: bool) -> int:
    """Load scenarios, all if none is named; tell every mistake with its line."""
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
    """A mistake of a scenario as `check --json` prints it; without `file` and `line` where they are not known."""
    location = {"file": mistake.mark.file, "line": mistake.mark.line} if mistake.mark else {}
    return {**location, "path": mistake.pointer, "message": mistake.message, "text": str(mistake)}


@scenarios.command("show")
@argument("name", metavar="NAME|PATH", shell_complete=names_of("scenario"))
@SCENARIOS
@JSON
def show(name: str, folder: Path | None, as_json: bool) -> None:
    """A scenario with all that it extends, as YAML."""
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
    """A value of YAML that JSON lacks, as a text; a moment as scenarios write it."""
    from datetime import datetime

    from mockserver.resources.section import write_instant

    return write_instant(value) if isinstance(value, datetime) else str(value)


@scenarios.command("schema")
@OUTPUT
def schema(output: Path | None) -> None:
    """The JSON Schema of scenarios, which editors use by a first line `# yaml-language-server: $schema=FILE`."""
    write(output, SCHEMA_FILE.read_text(encoding="utf-8"))


def _library(folder: Path | None) -> Library:
    from mockserver.scenario.documents.library import Library

    return Library(*([folder] if folder else []))

"""`scenarios`: lists, checks and shows the scenarios from which a workspace can be made."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mockserver.cli.environment import variable
from mockserver.cli.output import FOLDER, JSON, fail
from mockserver.cli.program import Program

if TYPE_CHECKING:
    from mockserver.scenario.documents.library import Library

_FOLDER = click.option(
    "--scenarios", "folder", envvar=variable("scenarios"), type=FOLDER, metavar="DIR",
    show_envvar=True,
    help="A folder of scenarios, searched before the shipped ones.",
)  # fmt: skip


@click.group(cls=Program)
def scenarios() -> None:
    """List, check and show scenarios."""


@scenarios.command("list")
@_FOLDER
@JSON
def list_scenarios(folder: str | None, as_json: bool) -> None:
    """Names and descriptions of all scenarios."""
    rows = list(_library(folder).describe())
    if as_json:
        click.echo(json.dumps(rows, indent=2))
        return
    width = max(len(row["name"]) for row in rows)
    for row in rows:
        kind = "Stub library: " if "stub_library" in row else ""
        click.echo(f"{row['name']:{width}}  {kind}{row.get('error') or row['description'].strip()}")


@scenarios.command("check")
@click.argument("names", nargs=-1, metavar="[NAME|PATH]...")
@_FOLDER
@JSON
def check_scenarios(names: tuple[str, ...], folder: str | None, as_json: bool) -> None:
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
        click.echo(json.dumps(found, indent=2))
    else:
        for name, rows in found.items():
            click.echo("\n".join([row["text"] for row in rows]) or f"{name}: ok")
    sys.exit(1 if any(found.values()) else 0)


def _as_json(mistake: Any) -> dict[str, Any]:
    """A mistake of a scenario as `check --json` prints it; without `file` and `line` where they are not known."""
    location = {"file": mistake.mark.file, "line": mistake.mark.line} if mistake.mark else {}
    return {**location, "path": mistake.pointer, "message": mistake.message, "text": str(mistake)}


@scenarios.command("show")
@click.argument("name", metavar="NAME|PATH")
@_FOLDER
@JSON
def show_scenario(name: str, folder: str | None, as_json: bool) -> None:
    """A scenario with all that it extends, as YAML."""
    from mockserver.scenario.documents.document import refuse_invalid_values
    from mockserver.scenario.documents.mistakes import ScenarioError
    from mockserver.scenario.dump import to_yaml

    try:
        found = _library(folder).read(name)
        refuse_invalid_values(found)
        document = json.loads(json.dumps(found, default=_as_text))
    except ScenarioError as error:
        fail(str(error))
    click.echo(json.dumps(document, indent=2) if as_json else to_yaml(document), nl=as_json)


def _as_text(value: Any) -> str:
    """A value of YAML that JSON lacks, as a text; a moment as scenarios write it."""
    from datetime import datetime

    from mockserver.resources.section import write_instant

    return write_instant(value) if isinstance(value, datetime) else str(value)


def _library(folder: str | None) -> Library:
    from mockserver.scenario.documents.library import Library

    return Library(*([Path(folder)] if folder else []))

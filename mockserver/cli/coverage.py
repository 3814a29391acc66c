"""`coverage`: which part of the contract the requests so far have met, and whether that is enough."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from mockserver.cli.options import JSON, OUTPUT, TOKEN, URL, workspace
from mockserver.cli.output import echo
from mockserver.cli.program import Misused, command, option
from mockserver.cli.remote import Target, answered
from mockserver.cli.values import OUTPUT_FILE, Number
from mockserver.cli.writing import write
from mockserver.testing.baseline import BaselineError, compare, points_of, selected, told


@command("coverage")
@option("--fail-under", type=Number(0, 100), metavar="PERCENT", help="End with 1 if less of the contract was met.")
@option(
    "--of",
    metavar="WHAT",
    default="specification",
    help="What is counted: specification, the 34 operations; all, sending and contacts, too; used, the operations "
    "that were called; names of operations and state machines with commas; or @FILE, a file of such names.",
)
@option(
    "--baseline", type=OUTPUT_FILE, metavar="FILE", help="End with 1 if a point was not met that stands in this file."
)
@option("--update-baseline", is_flag=True, help="Add the points to that file that are new.")
@option(
    "--format",
    "report_format",
    type=click.Choice(["text", "json", "html", "junit"]),
    default="text",
    help="The format of the report.",
)
@OUTPUT
@JSON
@URL
@TOKEN
@workspace("A workspace, or * for all that the server has seen.", default="*")
def coverage(  # noqa: PLR0913, PLR0917  # its options
    url: str | None,
    token: str | None,
    workspace: str,
    fail_under: float | None,
    of: str,
    baseline: Path | None,
    update_baseline: bool,
    report_format: str,
    output: Path | None,
    as_json: bool,
) -> int:
    """Report the coverage of the contract on a running server."""
    if update_baseline and baseline is None:
        raise Misused("--update-baseline goes with --baseline FILE.")
    try:
        ask = _Asking(of=selected(of), workspace=workspace, target=Target(url, token))
        text = ask.report("json" if as_json else report_format)
        write(output, text if output or text.endswith("\n") else f"{text}\n")
        is_enough = fail_under is None or _is_enough(ask, fail_under)
        holds = baseline is None or _holds(ask, baseline, update_baseline)
    except BaselineError as error:
        raise Misused(str(error)) from error
    return 0 if is_enough and holds else 1


@dataclass(frozen=True)
class _Asking:
    """The server that the command asks, and what it asks about."""

    target: Target
    workspace: str
    of: str

    def report(self, format_: str) -> str:
        """Return the report of the server in one of its formats."""
        query = {"workspace": self.workspace, "format": format_, "of": self.of}
        with answered(self.target.root):
            return self.target.client.call("GET", "/_mock/coverage", query=query).text

    def figures(self, of: str | None = None) -> dict[str, Any]:
        """Return the report as plain data."""
        found: dict[str, Any] = json.loads(replace(self, of=of or self.of).report("json"))
        return found


def _is_enough(ask: _Asking, wanted: float) -> bool:
    percent = float(ask.figures()["percent"])
    if percent < wanted:
        counted = "the contract" if ask.of == "specification" else f"the contract (--of {ask.of})"
        echo(f"{percent} % of {counted} was met, and {wanted:g} % are wanted", err=True)
    return percent >= wanted


def _holds(ask: _Asking, baseline: Path, update: bool) -> bool:
    """Whether all points of a baseline were met, whatever else is counted."""
    found = compare(baseline, points_of(ask.figures(of="specification")), update=update)
    for line in told(found, baseline, updated=update):
        echo(line, err=True)
    return not found.lost

"""`coverage`: report and check the contract coverage of a running server."""

from __future__ import annotations

import json
from pathlib import Path

import click

from mockserver.cli.options import JSON, OUTPUT, OUTPUT_FILE, TOKEN, URL, Number, targeted, workspace, write
from mockserver.cli.output import echo
from mockserver.cli.program import Misused, command, option
from mockserver.cli.remote import Target
from mockserver.testing.baseline import BaselineError, compare, differences, points_of, selected


@command("coverage")
@option("--fail-under", type=Number(0, 100), metavar="PERCENT", help="End with 1 if less of the contract was met.")
@option(
    "--of",
    metavar="WHAT",
    default="specification",
    help="What is counted: specification, the 34 operations; all, further operations, too; used, the operations "
    "that were called; names of operations and state machines with commas; or @FILE, a file of such names.",
)
@option("--baseline", type=OUTPUT_FILE, metavar="FILE", help="End with 1 if a point in this file was not met.")
@option("--update-baseline", is_flag=True, help="Add the points to that file that are new.")
@option(
    "--format",
    "report_format",
    type=click.Choice(["text", "json", "html", "junit"]),
    default="text",
    help="The format of the report.",
)
@OUTPUT
@targeted(JSON, URL, TOKEN, workspace("A workspace, or * for all that the server has seen.", default="*"))
def coverage(
    fail_under: float | None,
    of: str,
    baseline: Path | None,
    update_baseline: bool,
    report_format: str,
    output: Path | None,
    target: Target,
) -> int:
    """Report the coverage of the contract on a running server."""
    if update_baseline and baseline is None:
        raise Misused("--update-baseline needs --baseline FILE.")
    try:
        of = selected(of)
        text = _report(target, of, "json" if target.as_json else report_format)
        write(output, text if output or text.endswith("\n") else f"{text}\n")
        is_enough = fail_under is None or _is_enough(target, of, fail_under)
        is_met = baseline is None or _is_met(target, baseline, update_baseline)
    except BaselineError as error:
        raise Misused(str(error)) from error
    return 0 if is_enough and is_met else 1


def _report(target: Target, of: str, format_: str) -> str:
    target.check()
    query = {"workspace": target.workspace, "format": format_, "of": of}
    return target.client.call("GET", "/_mock/coverage", query=query).text


def _is_enough(target: Target, of: str, wanted: float) -> bool:
    percent = float(json.loads(_report(target, of, "json"))["percent"])
    if percent < wanted:
        counted = "the contract" if of == "specification" else f"the contract (--of {of})"
        echo(f"{percent} % of {counted} was met, and {wanted:g} % are wanted", err=True)
    return percent >= wanted


def _is_met(target: Target, baseline: Path, update: bool) -> bool:
    figures = json.loads(_report(target, "specification", "json"))
    found = compare(baseline, points_of(figures), update=update)
    for line in differences(found, baseline, updated=update):
        echo(line, err=True)
    return not found.lost

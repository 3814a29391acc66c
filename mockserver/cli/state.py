"""`state` and `seed`: a workspace as a scenario, to export, replace, compare and extend."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click

from mockserver.cli.options import OUTPUT, TARGET, read_scenario, write
from mockserver.cli.output import counted, document, echo, paint, printable
from mockserver.cli.program import Group, Misused, argument, command, option
from mockserver.cli.remote import Target
from mockserver.testing.client import path_of

_YAML = "application/yaml"
#: The line of a state with which its clock begins.
_CLOCK = "clock:"
_FILE = argument("file", metavar="FILE", help="A scenario in YAML or JSON; - is the standard input.", type=click.Path())
#: The styles of the lines of a comparison, by their first sign.
_STYLES = {"+": "good", "-": "bad", "@": "soft"}


state = Group("state", default="get", help="Export, replace and compare the state of a workspace, as a scenario.")


@state.command("get")
@OUTPUT
@TARGET
def get(output: Path | None, target: Target) -> None:
    """Print the state of a workspace as a scenario, in YAML or JSON.

    Journal, coverage and mailbox are not part of it.
    """
    as_json = target.as_json
    text = json.dumps(target.get("/state"), indent=2) + "\n" if as_json else target.text("/state", accept=_YAML)
    write(output, text if output else document(text))
    if output:
        echo(f"written: {output}")


@state.command("put")
@_FILE
@TARGET
def put(file: str, target: Target) -> None:
    """Replace the state of a workspace from a file; journal, coverage and mailbox stay.

    A file with a mistake changes nothing.
    """
    target.put("/state", yaml=read_scenario(file), file=file)
    found = target.described()
    target.show(found, f"put: {found['name']} has the state of {file}")


@state.command("diff")
@_FILE
@TARGET
def diff(file: str, target: Target) -> int:
    """Compare a workspace with a file; exit status 1 if they differ.

    The server loads the file into a temporary workspace: members that the file leaves out have their defaults.
    """
    import difflib

    wanted, there = _loaded(target, file), target.text("/state", accept=_YAML)
    compared = (_comparable(wanted), _comparable(there), file, target.workspace)
    lines = list(difflib.unified_diff(*compared, lineterm=""))
    target.show({"equal": not lines, "diff": lines}, lambda _: _print_difference(lines))
    return 1 if lines else 0


@command("seed")
@argument(
    "file",
    metavar="FILE",
    required=False,
    type=click.Path(),
    help="A part of a scenario in YAML or JSON, such as `senders: [...]`; - is the standard input.",
)
@option("--generate", multiple=True, metavar="NAME=N", help="Make up rows, such as senders=500; may be repeated.")
@option("--account", metavar="NAME", help="The account that gets the rows; the default is the first one.")
@TARGET
def seed(file: str | None, generate: Sequence[str], account: str | None, target: Target) -> None:
    """Add rows to a workspace: from a file, generated, or both.

    A file with a mistake, or with a row that exists already, adds nothing.
    """
    counts = dict(map(_count, generate))
    if file is None and not counts:
        raise Misused("Give a file, or --generate such as --generate senders=500.")
    text = None if file is None else read_scenario(file)
    keys = _keys(target)
    if account is not None and account not in keys:
        raise Misused(f"no account {account!r} with an API key; there are {', '.join(keys)}.")
    headers = {} if account is None else {"api-key": keys[account]}
    if text is not None:
        target.post("/seed", yaml=text, headers=headers, file=file)
    if counts:
        target.post("/seed", {"generate": counts}, headers=headers)
    found = target.described()
    target.show(found, f"seeded: {found['name']} holds {counted(found.get('counts'))}")


def _count(text: str) -> tuple[str, int]:
    name, _, number = text.partition("=")
    if not name or not (number.isascii() and number.isdigit()):
        raise Misused(f"Invalid value for '--generate': {text!r} is not NAME=NUMBER, such as senders=500.")
    return name, int(number)


def _loaded(target: Target, file: str) -> str:
    """Load a scenario file into a temporary workspace; return the YAML state with the target's keys."""
    content = read_scenario(file)
    twin = target.beside(target.post("/workspaces", {"counted": False})["name"])
    try:
        twin.put("/state", yaml=content, file=file)
        text = twin.text("/state", accept=_YAML)
        keys = _keys(target)
        for name, key in _keys(twin).items():
            text = text.replace(key, keys.get(name, key))
        return text
    finally:
        target.delete(path_of("workspaces", twin.workspace))


def _keys(target: Target) -> dict[str, str]:
    return {row["name"]: row["api_key"] for row in target.described()["accounts"] if row["api_key"] is not None}


def _comparable(text: str) -> list[str]:
    """Split a state into lines, without the changing time of a running clock."""
    lines = text.splitlines()
    if _CLOCK not in lines:
        return lines
    begin = lines.index(_CLOCK) + 1
    end = next((place for place in range(begin, len(lines)) if not lines[place].startswith(" ")), len(lines))
    if "  frozen: false" not in lines[begin:end]:
        return lines
    return [*lines[:begin], *(line for line in lines[begin:end] if not line.startswith("  start:")), *lines[end:]]


def _print_difference(lines: Sequence[str]) -> None:
    for line in lines:
        echo(paint(line, _STYLES[line[0]]) if line[0] in _STYLES else printable(line))

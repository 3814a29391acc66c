"""`state`: a workspace as a scenario, to keep, to put back and to compare."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from mockserver.cli.live.lines import document, held
from mockserver.cli.options import JSON, OUTPUT, SERVER
from mockserver.cli.output import as_json as to_json
from mockserver.cli.output import echo, paint, printable
from mockserver.cli.program import Group, Misused, argument, command, option
from mockserver.cli.remote import Target
from mockserver.cli.writing import write
from mockserver.settings import files
from mockserver.testing.client import path_segment

_YAML = "application/yaml"
#: The line of a state with which its clock begins.
_CLOCK = "clock:"
_FILE = argument("file", metavar="FILE", help="A scenario in YAML or JSON; - is the standard input.", type=click.Path())
#: How the lines of a comparison are coloured, by their first sign.
_STYLES = {"+": "good", "-": "bad", "@": "soft"}


state = Group("state", default="get", help="Export, replace and compare the state of a workspace, as a scenario.")


@state.command("get")
@OUTPUT
@JSON
@SERVER
def get(output: Path | None, as_json: bool, **server: Any) -> None:
    """Print the state of a workspace as a scenario that recreates it, in YAML or JSON.

    Journal, coverage and mailbox are not part of it.
    """
    target = Target(**server)
    text = to_json(target.get("/state"), indent=2) + "\n" if as_json else target.text("/state", _YAML)
    write(output, text if output else document(text))
    if output:
        echo(f"written: {output}")


@state.command("put")
@_FILE
@JSON
@SERVER
def put(file: str, as_json: bool, **server: Any) -> None:
    """Replace the state of a workspace by that of a file; journal, coverage and mailbox stay.

    A file with a mistake changes nothing.
    """
    target = Target(**server)
    _put(target, _read(file))
    found = target.get(f"/workspaces/{path_segment(target.workspace)}")
    echo(to_json(found) if as_json else printable(f"put: {found['name']} stands as {file} says"))


@state.command("diff")
@_FILE
@JSON
@SERVER
def diff(file: str, as_json: bool, **server: Any) -> int:
    """Compare a workspace with a file; exit status 1 if they differ.

    The file is read by the server, into a workspace that it drops again: so members that it leaves out have their
    defaults, and only what counts is compared.
    """
    target = Target(**server)
    content = _read(file)
    with _twin(target) as twin:
        _put(twin, content)
        wanted = _state(twin, _about(target))
    import difflib

    there = target.text("/state", _YAML)
    compared = (_comparable(wanted), _comparable(there), file, target.workspace)
    lines = list(difflib.unified_diff(*compared, lineterm=""))
    if as_json:
        echo(to_json({"equal": not lines, "diff": lines}))
    for line in () if as_json else lines:
        echo(paint(line, _STYLES[line[0]]) if line[0] in _STYLES else printable(line))
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
@JSON
@SERVER
def seed(file: str | None, generate: Sequence[str], account: str | None, as_json: bool, **server: Any) -> None:
    """Add rows to a workspace: from a file, generated, or both.

    A file with a mistake, or with a row that exists already, adds nothing.
    """
    counts = dict(map(_count, generate))
    if file is None and not counts:
        raise Misused("Give a file, or --generate such as --generate senders=500.")
    content = None if file is None else _read(file)
    target = Target(**server)
    key = None if account is None else _key(target, account)
    bodies = [*([] if content is None else [content]), *([to_json({"generate": counts})] if counts else [])]
    for body in bodies:
        target.call("POST", "/seed", yaml=body, headers={} if key is None else {"api-key": key})
    found = _about(target)
    echo(to_json(found) if as_json else printable(f"seeded: {found['name']} holds {held(found)}"))


def _count(text: str) -> tuple[str, int]:
    """Return the name and the number of rows to make up.

    Raises:
        Misused: The text is not NAME=NUMBER.
    """
    name, _, number = text.partition("=")
    if not name or not (number.isascii() and number.isdigit()):
        raise Misused(f"Invalid value for '--generate': {text!r} is not NAME=NUMBER, such as senders=500.")
    return name, int(number)


def _key(target: Target, account: str) -> str:
    """Return the API key of an account.

    Raises:
        Misused: The workspace has no such account, or the account has no key.
    """
    keys = _keys(_about(target)["accounts"])
    if account not in keys:
        raise Misused(f"no account {account!r} with an API key; there are {', '.join(keys)}.")
    return keys[account]


def _read(file: str) -> str:
    """Return the text of a file.

    Raises:
        Misused: it cannot be read.
    """
    try:
        content = files.read_from(sys.stdin.buffer, file) if file == "-" else files.read_bytes(file)
        return content.decode()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise Misused(f"{'stdin' if file == '-' else file} cannot be read: {reason}") from error


def _put(target: Target, content: str) -> None:
    """Replace a state; what is sent is YAML, of which JSON is a part."""
    target.call("PUT", "/state", yaml=content)


@contextmanager
def _twin(target: Target) -> Iterator[Target]:
    """A workspace for a while."""
    made = target.call("POST", "/workspaces", {"counted": False})
    twin = target.beside(made["name"])
    try:
        yield twin
    finally:
        target.call("DELETE", f"/workspaces/{path_segment(made['name'])}")


def _about(target: Target) -> Any:
    return target.get(f"/workspaces/{path_segment(target.workspace)}")


def _state(twin: Target, about: Mapping[str, Any]) -> str:
    """The state of a twin in YAML, with the keys that the accounts of a workspace have."""
    text = twin.text("/state", _YAML)
    keys = _keys(about["accounts"])
    for name, key in _keys(_about(twin)["accounts"]).items():
        text = text.replace(key, keys.get(name, key))
    return text


def _comparable(text: str) -> list[str]:
    """The lines of a state, without the time that a running clock shows: it is another at every look."""
    lines = text.splitlines()
    if _CLOCK not in lines:
        return lines
    begin = lines.index(_CLOCK) + 1
    end = next((place for place in range(begin, len(lines)) if not lines[place].startswith(" ")), len(lines))
    if "  frozen: false" not in lines[begin:end]:
        return lines
    return [*lines[:begin], *(line for line in lines[begin:end] if not line.startswith("  start:")), *lines[end:]]


def _keys(accounts: Sequence[Any]) -> dict[str, str]:
    return {row["name"]: row["api_key"] for row in accounts if row["api_key"] is not None}

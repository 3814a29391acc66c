"""`stubs`: manage stubs on a running server, and create stub files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mockserver.cli.openapi_import import from_openapi
from mockserver.cli.options import ALL, JSON, OUTPUT, SCENARIOS, TOKEN, URL, Name, targeted, workspace, write
from mockserver.cli.output import echo, fail, none, printable
from mockserver.cli.program import Group, argument, option
from mockserver.cli.remote import Target
from mockserver.core.text.messages import counted
from mockserver.testing.client import path_of

if TYPE_CHECKING:
    from mockserver.beyond.recording import Recording

_TARGET = targeted(JSON, URL, TOKEN, workspace("The workspace that has the stubs."))
#: How many exchanges are asked for at once: the most that the control API returns.
_AT_ONCE = 1_000
#: How long an answer with so many exchanges may take, in seconds. Chosen: far above what it takes.
_TIMEOUT_S = 60.0


stubs = Group("stubs", default="list", help="Add, list and delete stubs: answers for other operations.")
stubs.add_command(from_openapi)


@stubs.command("list")
@_TARGET
def list_(target: Target) -> None:
    """List the stubs in matching order, with hit counts."""
    target.show(target.items("/stubs"), _print)


@stubs.command("show")
@argument("identifier", metavar="ID", type=Name("stub"))
@_TARGET
def show(identifier: str, target: Target) -> None:
    """Show one stub as YAML."""
    from mockserver.scenario.dump import to_yaml

    target.show(target.get(path_of("stubs", identifier)), lambda found: echo(to_yaml(found), nl=False))


@stubs.command("new")
@argument("names", nargs=-1, required=True, metavar="NAME|PATH", type=Name("scenario"))
@option("--replace", is_flag=True, help="Replace the existing stubs.")
@SCENARIOS
@_TARGET
def new(names: Sequence[str], replace: bool, folder: Path | None, target: Target) -> None:
    """Add the stubs of scenarios, by name or file, before the existing stubs."""
    items = [stub for name in names for stub in _stubs_of(name, folder)]
    found = target.json("PUT" if replace else "POST", "/stubs", body={"items": items})
    target.show(found["items"], _print)


@stubs.command("delete")
@argument("identifiers", metavar="ID", nargs=-1, type=Name("stub"))
@ALL
@_TARGET
def delete(identifiers: Sequence[str], every: bool, target: Target) -> None:
    """Delete stubs, by id or with --all; their stored values stay."""
    target.remove("stubs", identifiers, every=every)


def _stubs_of(name: str, folder: Path | None) -> list[Any]:
    from mockserver.scenario.documents.library import Library
    from mockserver.scenario.documents.mistakes import ScenarioError
    from mockserver.scenario.load import load

    try:
        document = Library(*([folder] if folder else [])).read(name)
        load(document, name="check", title=name)
    except ScenarioError as error:
        fail(str(error))
    found: list[Any] = document.get("stubs", [])
    return found or fail(f"{name} has no stubs")


def _print(rows: Sequence[Any]) -> None:
    if not rows:
        none("stubs")
    width = max((len(row["id"]) for row in rows), default=0)
    for row in rows:
        spent = "" if row["active"] else ", spent"
        echo(printable(f"{row['id']:{width}}  {row['method']:6} {row['path']}  {counted(row['hits'], 'hit')}{spent}"))


# ------------------------------------------------------------------ recording


@stubs.command("record")
@OUTPUT
@targeted(URL, TOKEN, workspace("The workspace that has forwarded."))
def record(output: Path | None, target: Target) -> None:
    """Record the forwarded calls in a server's journal as a scenario of stubs.

    Keys, e-mail addresses, host names and IP addresses are replaced, equal ones alike. Names of people, telephone
    numbers and other personal data stay: read the scenario before you share it. Several answers to one method, path and
    query become a sequence. A stub accepts any value where a part of the path was replaced.
    """
    from mockserver.beyond.recording import recorded
    from mockserver.scenario.dump import to_yaml

    entries, evicted = _entries(target)
    found = recorded(reversed(entries))
    for row in found.left_out:
        echo(f"left out: {row.exchange}: {row.reason}", err=True)
    if evicted:
        echo(f"{counted(evicted, 'older request')} not in the journal any more", err=True)
    if not found.stubs:
        fail(f"{target.workspace} has forwarded nothing of which a stub could be made")
    write(output, to_yaml(found.scenario))
    _print_summary(found, output)


def _entries(target: Target) -> tuple[list[dict[str, Any]], int]:
    found: dict[str, dict[str, Any]] = {}
    while True:
        query = {"limit": _AT_ONCE, "offset": len(found)}
        page = target.json("GET", "/requests", query=query, timeout=_TIMEOUT_S)
        # New requests move the others on, so that some come twice.
        fresh = {row["id"]: row for row in page["items"] if row["id"] not in found}
        found |= fresh
        if len(page["items"]) < _AT_ONCE or not fresh:
            return list(found.values()), page["evicted"]


def _print_summary(found: Recording, output: Path | None) -> None:
    where = f" in {output}" if output else ""
    made = counted(len(found.stubs), "stub")
    echo(f"{made} of {counted(found.exchanges, 'exchange')}{where}", err=True)
    replaced = [counted(count, kind) for kind, count in found.replaced.items() if count]
    if replaced:
        echo(f"replaced: {', '.join(replaced)}", err=True)

"""`stubs record`: makes a scenario of stubs out of what was forwarded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from mockserver.cli.options import OUTPUT, TOKEN, URL, workspace
from mockserver.cli.output import echo, fail
from mockserver.cli.program import command
from mockserver.cli.remote import Target
from mockserver.cli.writing import write

if TYPE_CHECKING:
    from mockserver.beyond.recording import Recording

#: How many exchanges are asked for at once; as many as the control API tells.
_AT_ONCE = 1_000
#: How long an answer with so many exchanges may take, in seconds; chosen far above what it takes.
_TIMEOUT_S = 60.0


@command("record")
@OUTPUT
@URL
@TOKEN
@workspace("The workspace that has forwarded.")
def record(url: str | None, token: str | None, workspace: str, output: Path | None) -> None:
    """Make a scenario of stubs out of what a running server has forwarded, as its journal holds it.

    Keys, e-mail addresses, names of hosts and IP addresses are replaced, the same one always by the same; names of
    people, telephone numbers and what else is somebody's stay: read the scenario before you share it. Several answers
    to one call, with the same method, path and query, become a sequence; where something in a path was replaced, a stub
    takes any value.
    """
    from mockserver.beyond.recording import recorded
    from mockserver.scenario.dump import to_yaml

    entries, evicted = _entries(Target(url, token, workspace))
    found = recorded(reversed(entries))
    for row in found.left_out:
        echo(f"left out: {row.exchange}: {row.reason}", err=True)
    if evicted:
        echo(f"{_counted(evicted, 'older request')} not in the journal any more", err=True)
    if not found.stubs:
        fail(f"{workspace} has forwarded nothing of which a stub could be made")
    write(output, to_yaml(found.scenario))
    _tell(found, output)


def _entries(target: Target) -> tuple[list[dict[str, Any]], int]:
    """Return the entries of a journal, the newest first, and how many older ones were evicted."""
    found: dict[str, dict[str, Any]] = {}
    while True:
        query = {"limit": _AT_ONCE, "offset": len(found)}
        page = target.call("GET", "/requests", query=query, timeout=_TIMEOUT_S)
        # What came meanwhile moves all others on, so that some come twice.
        fresh = {row["id"]: row for row in page["items"] if row["id"] not in found}
        found |= fresh
        if len(page["items"]) < _AT_ONCE or not fresh:
            return list(found.values()), page["evicted"]


def _tell(found: Recording, output: Path | None) -> None:
    where = f" in {output}" if output else ""
    made = _counted(len(found.stubs), "stub")
    echo(f"{made} of {_counted(found.exchanges, 'exchange')}{where}", err=True)
    replaced = [_counted(count, kind) for kind, count in found.replaced.items() if count]
    if replaced:
        echo(f"replaced: {', '.join(replaced)}", err=True)


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 'es' if what.endswith('s') else 's'}"

"""`stubs record`: makes a scenario of stubs out of what was forwarded."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from mockserver.cli.options import OUTPUT, TOKEN, URL, workspace
from mockserver.cli.output import echo, fail
from mockserver.cli.program import command
from mockserver.cli.remote import Unreachable, answer_or_exit, checked, root_of
from mockserver.cli.writing import write

if TYPE_CHECKING:
    from mockserver.beyond.recording.stubs import Recording

#: How many exchanges are asked for at once; as many as the control API tells.
_AT_ONCE = 1_000
#: How long an answer with so many exchanges may take, in seconds; chosen far above what it takes.
_TIMEOUT_S = 60.0
#: The members of the journal and of its entries of which stubs are made.
_JOURNAL = {"items": list, "count": int, "evicted": int}
_ENTRY = {
    "id": str, "operation": str | None, "method": str, "path": str, "query": dict, "status": int | None,
    "answer": dict | None, "fault": str | None, "beyond": str | None, "warnings": list,
}  # fmt: skip
_ANSWER = {"headers": dict, "body": object}


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
    from mockserver.beyond.recording.stubs import recorded
    from mockserver.scenario.dump import to_yaml

    entries, evicted = _entries(root_of(url), token, workspace)
    found = recorded(reversed(entries))
    for row in found.left_out:
        echo(f"left out: {row.exchange}: {row.reason}", err=True)
    if evicted:
        echo(f"{_counted(evicted, 'older request')} not in the journal any more", err=True)
    if not found.stubs:
        fail(f"{workspace} has forwarded nothing of which a stub could be made")
    write(output, to_yaml(found.scenario))
    _tell(found, output)


def _entries(root: str, token: str | None, workspace: str) -> tuple[list[dict[str, Any]], int]:
    """The entries of a journal, the newest first, and how many older ones were evicted."""
    found: dict[str, dict[str, Any]] = {}
    while True:
        path = f"/_mock/requests?limit={_AT_ONCE}&offset={len(found)}"
        options: dict[str, Any] = {"token": token, "workspace": workspace, "timeout": _TIMEOUT_S}
        page = answer_or_exit(root, "GET", path, _JOURNAL, **options)
        # What came meanwhile moves all others on, so that some come twice.
        fresh = {row["id"]: row for row in _checked(root, page["items"]) if row["id"] not in found}
        found |= fresh
        if len(page["items"]) < _AT_ONCE or not fresh:
            return list(found.values()), page["evicted"]


def _checked(root: str, rows: list[Any]) -> list[dict[str, Any]]:
    """Entries of a journal; exits if a row is none."""
    try:
        for row in rows:
            answer = checked(root, row, _ENTRY)["answer"]
            if answer is not None:
                checked(root, answer, _ANSWER)
    except Unreachable as error:
        fail(str(error))
    return rows


def _tell(found: Recording, output: Path | None) -> None:
    where = f" in {output}" if output else ""
    made = _counted(len(found.stubs), "stub")
    echo(f"{made} of {_counted(found.exchanges, 'exchange')}{where}", err=True)
    replaced = [_counted(count, kind) for kind, count in found.replaced.items() if count]
    if replaced:
        echo(f"replaced: {', '.join(replaced)}", err=True)


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 'es' if what.endswith('s') else 's'}"

"""`receivers`: addresses of the mock that take webhook calls."""

from __future__ import annotations

from typing import Any

from mockserver.cli.known_names import names_of
from mockserver.cli.live.lines import listing, moment
from mockserver.cli.options import JSON, SERVER, waiting
from mockserver.cli.output import as_json as to_json
from mockserver.cli.output import echo, fail, printable
from mockserver.cli.program import Group, Misused, argument, option
from mockserver.cli.remote import Target, until
from mockserver.cli.values import Integer, Seconds
from mockserver.testing.client import path_segment

_NAME = argument("name", metavar="NAME", shell_complete=names_of("receiver"))


receivers = Group(
    "receivers", default="list", help="Receive webhook calls at an address of the mock, without an own HTTP server."
)


@receivers.command("list")
@JSON
@SERVER
def list_(as_json: bool, **server: Any) -> None:
    """List the receivers that were called or given an answer, with their addresses for a webhook."""
    target = Target(**server)
    found = target.get("/receivers")
    if as_json:
        echo(to_json(found))
    else:
        _print(target, found["items"])


@receivers.command("show")
@_NAME
@option("--count", type=Integer(1, 1000), default=1, metavar="N", help="With --wait, how many calls to wait for.")
@waiting("How long to wait for calls.")
@option("-n", "--limit", type=Integer(1, 1000), default=20, metavar="N", help="How many calls to show.")
@JSON
@SERVER
def show(name: str, count: int, wait: float, limit: int, as_json: bool, **server: Any) -> None:
    """Show the calls that a receiver got, newest first; with --wait, exit status 1 if too few come."""
    target = Target(**server)
    found: Any = None

    def look(seconds: float) -> Any:
        nonlocal found
        found = target.get(f"/receivers/{path_segment(name)}", wait=seconds, count=count, limit=limit)
        return found if found.get("count", 0) >= count else None

    is_missed = until(wait, look, "webhook calls") is None and wait > 0
    if as_json:
        echo(to_json(found))
    elif found["items"] or not is_missed:
        listing(
            f"calls of receiver {name}", ("at", "method", "path", "body"),
            [(moment(row["at"]), row["method"], row["path"], to_json(row.get("body"))) for row in found["items"]],
        )  # fmt: skip
    if is_missed:
        fail(f"{found.get('count', 0)} of {count} webhook calls after {wait:g} s.")


@receivers.command("answer")
@_NAME
@argument("status", metavar="STATUS", required=False, type=Integer(200, 599), help="The HTTP status, 200 to 599.")
@option("--delay", type=Seconds(0), metavar="DURATION", help="Wait so long before the answer, such as 500ms or 2s.")
@option("--reset", is_flag=True, help="Reset the connection instead of answering.")
@option("--times", type=Integer(1), metavar="N", help="So many calls are answered so; later ones with 200.")
@JSON
@SERVER
def answer(name: str, status: int | None, as_json: bool, **others: Any) -> None:
    """Set the answer of a receiver to webhook calls: `mockserver receivers answer shop 429 --times 2`."""
    delay, reset, times = (others.pop(member) for member in ("delay", "reset", "times"))
    given = {"status": status, "delay_ms": None if delay is None else delay * 1000, "reset": reset or None}
    body = {member: value for member, value in {**given, "times": times}.items() if value is not None}
    if not body:
        raise Misused("Give a status such as 429, or --delay, --reset or --times.")
    target = Target(**others)
    found = target.call("PUT", f"/receivers/{path_segment(name)}", body)
    if as_json:
        echo(to_json(found))
    else:
        _print(target, [found])


@receivers.command("clear")
@argument("names", metavar="NAME", nargs=-1, required=True, shell_complete=names_of("receiver"))
@JSON
@SERVER
def clear(names: list[str], as_json: bool, **server: Any) -> None:
    """Remove the calls of receivers, which answer 200 again."""
    target = Target(**server)
    for name in names:
        target.call("DELETE", f"/receivers/{path_segment(name)}")
    echo(to_json({"cleared": names}) if as_json else printable(f"cleared: {' '.join(names)}"))


def _print(target: Target, rows: list[Any]) -> None:
    root = target.root if target.workspace == "default" else f"{target.root}/w/{target.workspace}"
    listing(
        "receivers", ("name", "calls", "answer", "url for a webhook"),
        [
            (row["name"], row["count"], _manner(row["answers"]), f"{root}/_mock/receiver/{path_segment(row['name'])}")
            for row in rows
        ],
    )  # fmt: skip


def _manner(answers: Any) -> str:
    """Return the answer of a receiver in a few words."""
    words = ["reset" if answers.get("reset") else str(answers.get("status"))]
    words += [f"after {answers['delay_ms']:g} ms"] if answers.get("delay_ms") else []
    words += [f"{answers['times']} times"] if answers.get("times") else []
    return ", ".join(words)

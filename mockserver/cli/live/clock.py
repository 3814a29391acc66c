"""`clock` and `advance`: the time in a workspace, and moving it."""

from __future__ import annotations

from typing import Any

import click

from mockserver.cli.known_names import names_of
from mockserver.cli.live.lines import moment, more
from mockserver.cli.options import JSON, SERVER
from mockserver.cli.output import as_json as to_json
from mockserver.cli.output import echo, paint, table
from mockserver.cli.program import Command, Group, Misused, argument, command, option
from mockserver.cli.progress import progress
from mockserver.cli.remote import Target
from mockserver.cli.values import Integer
from mockserver.core.time import duration

#: How long an advance may take, in seconds: the server gives up after 600, as webhook calls on the way are waited for.
_LONGEST_S = 660.0
#: How a negative duration begins.
_SIGNED = tuple(f"-{sign}" for sign in "0123456789P")


class _Signed(Command):
    """A command whose argument may be negative: `-1h` is not taken for options, but told what is wrong with it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the words of a command line, an argument with a sign last."""
        signed = [word for word in args if word.startswith(_SIGNED)]
        others = [word for word in args if word not in signed]
        return super().parse_args(ctx, [*others, "--", *signed] if signed else args)


clock = Group("clock", default="show", help="Show or change the clock of a workspace.")


@clock.command("show")
@option("--freeze", is_flag=True, help="Stop the clock: only commands move it.")
@option("--thaw", is_flag=True, help="Let the clock run with real time.")
@option("--set", "now", metavar="MOMENT", help="Move the clock forward to it, such as 2026-03-01T09:00:00Z.")
@option("-n", "--limit", type=Integer(0, 1000), default=10, metavar="N", help="How many timers to list.")
@JSON
@SERVER
def show(freeze: bool, thaw: bool, now: str | None, limit: int, as_json: bool, **server: Any) -> None:
    """Show the time in a workspace and its next timers; or freeze, thaw or set its clock.

    A timer is an argument of advance, by its id. Only reset moves a clock back.
    """
    if freeze and thaw:
        raise Misused("Give one of --freeze and --thaw.")
    target = Target(**server)
    change = {**({"now": now} if now is not None else {}), **({"frozen": freeze} if freeze or thaw else {})}
    if change:
        _change(target, change, as_json)
        return
    found, due = target.get("/clock"), _timers(target, limit)
    if as_json:
        echo(to_json({**found, "timers": due["items"]}))
    else:
        _show(found, due)


@clock.command("freeze")
@JSON
@SERVER
def freeze(as_json: bool, **server: Any) -> None:
    """Stop the clock: only commands move it."""
    _change(Target(**server), {"frozen": True}, as_json)


@clock.command("thaw")
@JSON
@SERVER
def thaw(as_json: bool, **server: Any) -> None:
    """Let the clock run with real time."""
    _change(Target(**server), {"frozen": False}, as_json)


@clock.command("set", cls=_Signed)
@argument("now", metavar="MOMENT", help="A moment such as 2026-03-01T09:00:00Z, or a duration from now.")
@JSON
@SERVER
def set_(now: str, as_json: bool, **server: Any) -> None:
    """Move the clock forward to a moment, and fire the timers that are due on the way."""
    _change(Target(**server), {"now": now}, as_json)


def _change(target: Target, change: dict[str, Any], as_json: bool) -> None:
    """Change the clock, and print it."""
    with progress("moving the clock"):
        found = target.call("PUT", "/clock", change, timeout=_LONGEST_S)
    echo(to_json(found) if as_json else _now(found))


def _show(found: Any, due: Any) -> None:
    """Print the time, and the timers that are due."""
    echo(_now(found))
    if due["items"]:
        rows = [(moment(row["at"]), row["machine"], row.get("key"), row["event"], row["id"]) for row in due["items"]]
        echo(table(("due at", "machine", "key", "event", "timer"), rows))
        if others := more(due, len(rows)):
            echo(paint(others, "soft"))


@command("advance", cls=_Signed)
@argument(
    "by",
    metavar="DURATION|next|TIMER",
    shell_complete=names_of("length"),
    help="16m, 1h30m, 2d or PT16M; next; or the id of a timer.",
)
@JSON
@SERVER
def advance(by: str, as_json: bool, **server: Any) -> None:
    """Move the clock of a workspace forward, and fire the timers that are due on the way.

    The units of a duration are w, d, h, m, s and ms. With next, the clock goes to the next timer; the command clock
    lists the timers. Webhook calls that become due are waited for.
    """
    body = _length(by)
    target = Target(**server)
    with progress("advancing"):
        found = target.call("POST", "/clock/advance", body, timeout=_LONGEST_S)
    if as_json:
        echo(to_json(found))
        return
    if found["fired"]:
        rows = [(moment(row["at"]), row["machine"], row.get("key"), row["event"]) for row in found["fired"]]
        echo(table(("fired at", "machine", "key", "event"), rows))
    echo(_now(found))


def _length(text: str) -> dict[str, str]:
    """Return the body of an advance: by a duration, or to a timer.

    Raises:
        Misused: The text is neither, or is a negative duration.
    """
    try:
        is_negative = duration.parse(text).total_seconds() < 0
    except ValueError as error:
        if text == "next" or ("." in text and not duration.is_duration(text)):  # every id of a timer has dots
            return {"to": text}
        raise Misused(f"{text!r} is {error}; or give next, or the id of a timer from `mockserver clock`.") from error
    if is_negative:
        raise Misused(
            f"cannot advance by {text}: the clock moves forward only. `mockserver reset` begins anew, and "
            "`mockserver restore NAME` returns to a snapshot."
        )
    return {"by": text}


def _timers(target: Target, limit: int) -> Any:
    return target.get("/clock/timers", limit=limit) if limit else {"items": []}


def _now(found: Any) -> str:
    return f"{paint(moment(found['now']), 'strong')} UTC, {'frozen' if found['frozen'] else 'running'}"

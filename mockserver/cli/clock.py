"""`clock` and `advance`: show and move the time of a workspace."""

from __future__ import annotations

from typing import Any

import click

from mockserver.cli.options import TARGET, limit
from mockserver.cli.output import echo, moment, more, paint, progress, table
from mockserver.cli.program import Command, Group, Misused, argument, command, option
from mockserver.cli.remote import Target
from mockserver.core.time import duration

#: How long an advance may take, in seconds: the server gives up after 600, as webhook calls on the way are waited for.
_LONGEST_S = 660.0
#: How a negative duration begins.
_SIGNED = tuple(f"-{sign}" for sign in "0123456789P")


class _Signed(Command):
    """A command with a possibly negative argument: `-1h` is no option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        signed = [word for word in args if word.startswith(_SIGNED)]
        others = [word for word in args if word not in signed]
        return super().parse_args(ctx, [*others, "--", *signed] if signed else args)


clock = Group("clock", default="show", help="Show or change the clock of a workspace.")


@clock.command("show")
@option("--freeze", is_flag=True, help="Stop the clock: only commands move it.")
@option("--thaw", is_flag=True, help="Let the clock run with real time.")
@option("--set", "now", metavar="MOMENT", help="Move the clock forward to it, such as 2026-03-01T09:00:00Z.")
@limit("timers", 10, least=0)
@TARGET
def show(freeze: bool, thaw: bool, now: str | None, limit: int, target: Target) -> None:
    """Show the time in a workspace and its next timers; or freeze, thaw or set its clock.

    `mockserver advance TIMER` takes an id from this list. Only reset moves a clock back.
    """
    if freeze and thaw:
        raise Misused("Give one of --freeze and --thaw.")
    change = {**({"now": now} if now is not None else {}), **({"frozen": freeze} if freeze or thaw else {})}
    if change:
        _change(target, change)
        return
    found = target.get("/clock")
    due = target.get("/clock/timers", limit=limit) if limit else {"items": []}
    target.show({**found, "timers": due["items"]}, lambda _: _print(found, due))


@clock.command("freeze")
@TARGET
def freeze(target: Target) -> None:
    """Stop the clock: only commands move it."""
    _change(target, {"frozen": True})


@clock.command("thaw")
@TARGET
def thaw(target: Target) -> None:
    """Let the clock run with real time."""
    _change(target, {"frozen": False})


@clock.command("set", cls=_Signed)
@argument("now", metavar="MOMENT", help="A moment such as 2026-03-01T09:00:00Z, or a duration from now.")
@TARGET
def set_(now: str, target: Target) -> None:
    """Move the clock forward to a moment, and fire timers that become due."""
    _change(target, {"now": now})


def _change(target: Target, change: dict[str, Any]) -> None:
    with progress("moving the clock"):
        found = target.put("/clock", change, timeout=_LONGEST_S)
    target.show(found, _print_now)


def _print(found: Any, due: Any) -> None:
    _print_now(found)
    if due["items"]:
        rows = [(moment(row["at"]), row["machine"], row.get("key"), row["event"], row["id"]) for row in due["items"]]
        echo(table(("due at", "machine", "key", "event", "timer"), rows))
        more(due)


@command("advance", cls=_Signed)
@argument(
    "by",
    metavar="DURATION|next|TIMER",
    shell_complete=lambda ctx, param, incomplete: ["next"] if "next".startswith(incomplete) else [],
    help="16m, 1h30m, 2d or PT16M; next; or the id of a timer.",
)
@TARGET
def advance(by: str, target: Target) -> None:
    """Advance the clock of a workspace, and fire the timers that become due.

    The units of a duration are w, d, h, m, s and ms. With next, the clock advances to the next timer; the command clock
    lists the timers. Webhook calls that become due are waited for.
    """
    body = _length(by)
    with progress("advancing"):
        found = target.post("/clock/advance", body, timeout=_LONGEST_S)
    target.show(found, _print_fired)


def _length(text: str) -> dict[str, str]:
    try:
        is_negative = duration.parse(text).total_seconds() < 0
    except ValueError as error:
        if text == "next" or ("." in text and not duration.is_duration(text)):  # the id of a timer has dots
            return {"to": text}
        raise Misused(f"{text!r} is {error}; or give next, or the id of a timer from `mockserver clock`.") from error
    if is_negative:
        raise Misused(
            f"cannot advance by {text}: the clock moves forward only. `mockserver reset` begins anew, and "
            "`mockserver restore NAME` returns to a snapshot."
        )
    return {"by": text}


def _print_fired(found: Any) -> None:
    if found["fired"]:
        rows = [(moment(row["at"]), row["machine"], row.get("key"), row["event"]) for row in found["fired"]]
        echo(table(("fired at", "machine", "key", "event"), rows))
    _print_now(found)


def _print_now(found: Any) -> None:
    echo(f"{paint(moment(found['now']), 'strong')} UTC, {'frozen' if found['frozen'] else 'running'}")

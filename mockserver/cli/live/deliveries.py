"""`deliveries` and `trigger`: the webhook calls of a workspace, and events that cause some."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

import click

from mockserver.cli.known_names import names_of
from mockserver.cli.live.lines import listing, moment
from mockserver.cli.options import JSON, SERVER, waiting
from mockserver.cli.output import Painted, echo, fail, paint, printable
from mockserver.cli.output import as_json as to_json
from mockserver.cli.program import Group, Misused, argument, command, option
from mockserver.cli.remote import Target, until
from mockserver.cli.values import Integer
from mockserver.testing.client import path_segment

_STATES = ("scheduled", "delivered", "retrying", "dropped")
_HEADERS = ("id", "state", "event", "url", "outcome", "attempts", "next")
#: How long an attempt that was asked for may take, in seconds: a webhook's receiver has at most a minute to answer.
_ATTEMPT_S = 90.0
#: Between two looks at deliveries whose attempts are waited for, in seconds.
_LOOK_S = 0.1


deliveries = Group("deliveries", default="list", help="List the webhook calls of a workspace, with their attempts.")


@deliveries.command("list")
@option("--webhook", type=Integer(), metavar="ID", help="Calls to this webhook only.")
@option("--state", type=click.Choice(_STATES), help="Calls in this state only.")
@option("--event", metavar="EVENT", shell_complete=names_of("event"), help="Calls about this event only.")
@waiting("How long to wait for the first such call.")
@option("-n", "--limit", type=Integer(1, 1000), default=20, metavar="N", help="How many calls to list.")
@JSON
@SERVER
def list_(wait: float, as_json: bool, **others: Any) -> None:
    """List the webhook calls, newest first; with --wait, exit status 1 if none is made in time."""
    asked = {name: others.pop(name) for name in ("webhook", "state", "event", "limit")}
    found = Target(**others).awaited("/deliveries", wait, "a webhook call", **asked)
    is_missed = wait > 0 and not found["items"]
    if as_json:
        echo(to_json(found))
    elif not is_missed:
        _print(found["items"])
    if is_missed:
        fail(f"No webhook calls after {wait:g} s.")


@deliveries.command("show")
@argument("identifier", metavar="ID", shell_complete=names_of("delivery"))
@JSON
@SERVER
def show(identifier: str, as_json: bool, **server: Any) -> None:
    """Show one webhook call with its attempts and payload."""
    found = Target(**server).get(f"/deliveries/{path_segment(identifier)}")
    if as_json:
        echo(to_json(found))
        return
    _print([found])
    for attempt in found["attempts"]:
        echo("\n".join(_attempt(attempt)))


@deliveries.command("redeliver")
@argument("identifier", metavar="ID", shell_complete=names_of("delivery"))
@JSON
@SERVER
def redeliver(identifier: str, as_json: bool, **server: Any) -> int:
    """Send a webhook call again, with retries if it fails; exit status 1 if this attempt fails."""
    path = f"/deliveries/{path_segment(identifier)}/redeliver"
    found = Target(**server).call("POST", path, timeout=_ATTEMPT_S)
    if as_json:
        echo(to_json(found))
    else:
        _print([found])
    return 0 if found["state"] == "delivered" else 1


@command("trigger")
@argument(
    "event",
    required=False,
    metavar="EVENT",
    shell_complete=names_of("event or story"),
    help="An event such as hardBounce, or a story such as hard_bounce.",
)
@option(
    "--story",
    metavar="STORY",
    shell_complete=names_of("story"),
    help="A story: a sequence of events that happen to one e-mail.",
)
@option("--to", metavar="ADDRESS", help="The recipient; the default is generated.")
@option(
    "--type", type=click.Choice(("transactional", "marketing", "inbound")), help="Notify only webhooks of this type."
)
@option("--channel", type=click.Choice(("email", "sms")), help="Notify only webhooks of this channel.")
@option("--payload", metavar="JSON", help="Fields that replace those of the payload.")
@option("--account", metavar="NAME", help="The account in which it happens; without it, the first one.")
@waiting("How long to wait for their outcome.")
@JSON
@SERVER
def trigger(event: str | None, story: str | None, wait: float, as_json: bool, **others: Any) -> None:
    """Trigger an event or a sequence of events; prints the webhook calls that it causes.

    A name that is both, such as delivered, is the event. The calls are made on the clock of the workspace: those of a
    story that happen later are due when it gets there.
    """
    given = {name: others.pop(name) for name in ("to", "type", "channel", "payload", "account")}
    target = Target(**others)
    body = {name: value for name, value in given.items() if value is not None}
    if "payload" in body:
        body["payload"] = _object(body["payload"])
    found = target.call("POST", "/trigger", {**_what(event, story), **body})
    if wait:
        identifiers = [row["id"] for row in found["items"]]
        found["items"] = until(wait, lambda _: _settled(target, identifiers), "webhook calls") or [
            _one(target, identifier) for identifier in identifiers
        ]
    if as_json:
        echo(to_json(found))
    elif found["items"]:
        _print(found["items"])
    else:
        echo("Event recorded. No webhook subscribes to it.")


def _what(event: str | None, story: str | None) -> dict[str, str]:
    """The member of the body that says what happens.

    Raises:
        Misused: nothing is named, or both an event and a story.
    """
    if (event is None) is (story is None):
        raise Misused("Give an event, or --story with a story.")
    if story is not None:
        return {"story": story}
    from typing import get_args

    from mockserver.testing.names import Story, WebhookEvent

    assert event is not None
    is_story = event in get_args(Story) and event not in get_args(WebhookEvent)
    return {"story": event} if is_story else {"event": event}


def _object(text: str) -> Any:
    """The JSON object of an option.

    Raises:
        Misused: the text is none.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Misused(f"Invalid value for '--payload': it is no JSON: {error}") from error
    if not isinstance(found, dict):
        raise Misused("Invalid value for '--payload': it is no JSON object.")
    return found


def _one(target: Target, identifier: int) -> Any:
    return target.get(f"/deliveries/{path_segment(identifier)}")


def _settled(target: Target, identifiers: Sequence[int]) -> Any:
    """The deliveries, if an attempt was made of each of them."""
    found = [_one(target, identifier) for identifier in identifiers]
    if all(row["attempts"] for row in found):
        return found
    time.sleep(_LOOK_S)
    return None


# ------------------------------------------------------------------ lines


def _print(rows: Sequence[Mapping[str, Any]]) -> None:
    listing("webhook calls", _HEADERS, [_row(row) for row in rows])


def _row(row: Mapping[str, Any]) -> tuple[object, ...]:
    attempts = row["attempts"]
    last = attempts[-1] if attempts else {}
    event = row["event"] if isinstance(row["event"], str) else ", ".join(map(str, row["event"]))
    tries = len(attempts) + row.get("attempts_evicted", 0)
    return (row["id"], _state(row["state"]), event, row["url"], _outcome(last), tries, moment(row.get("next_at")))


def _state(state: str) -> Painted:
    return paint(state, {"delivered": "good", "dropped": "bad", "retrying": "warn"}.get(state, "soft"))


def _outcome(attempt: Mapping[str, Any]) -> object:
    return attempt.get("error") or attempt.get("status") or ""


def _attempt(attempt: Mapping[str, Any]) -> list[str]:
    """An attempt: when, with which outcome, and what was sent."""
    sent = attempt.get("request") or {}
    lines = [
        f"\n{moment(attempt.get('at'))}  {printable(str(_outcome(attempt)))}",
        printable(f"{sent.get('method')} {sent.get('url')}"),
    ]
    for name, value in (sent.get("headers") or {}).items():
        lines.append(f"  {paint(name, 'soft')}: {printable(str(value))}")
    return [*lines, printable(to_json(sent.get("body"), indent=2), lines=True)]

"""`deliveries`, `trigger` and `receivers`: webhook calls, events that cause calls, and addresses that take calls."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, get_args

import click

from mockserver.cli.options import TARGET, Integer, Name, Seconds, json_object, limit, waiting
from mockserver.cli.output import echo, fail, listing, moment, paint, printable
from mockserver.cli.program import Group, Misused, argument, command, option
from mockserver.cli.remote import Target, until
from mockserver.testing.client import MockServerError, path_of
from mockserver.testing.handles.link import given
from mockserver.testing.names import Story, WebhookEvent
from mockserver.testing.records import SentAs

_STATES = ("scheduled", "delivered", "retrying", "dropped")
_HEADERS = ("id", "state", "event", "url", "outcome", "attempts", "next")
#: How long a requested attempt may take, in seconds: the receiver of a webhook has at most a minute to answer.
_ATTEMPT_S = 90.0
#: Between two looks at deliveries whose attempts are waited for, in seconds.
_LOOK_S = 0.1
_DELIVERY = argument("identifier", metavar="ID", type=Name("delivery"))
_RECEIVER = argument("name", type=Name("receiver"))


deliveries = Group("deliveries", default="list", help="List the webhook calls of a workspace, with their attempts.")


@deliveries.command("list")
@option("--webhook", type=int, metavar="ID", help="Calls to this webhook only.")
@option("--state", type=click.Choice(_STATES), help="Calls in this state only.")
@option("--event", type=Name("event"), help="Calls about this event only.")
@waiting("How long to wait for the first such call.")
@limit("calls", 20)
@TARGET
def list_(wait: float, target: Target, **asked: Any) -> None:
    """List the webhook calls, newest first; with --wait, exit status 1 if none is made in time."""
    found = target.awaited("/deliveries", wait, "a webhook call", **asked)
    is_missed = wait > 0 and not found["items"]
    target.show(found, lambda _: None if is_missed else _print(found["items"]))
    if is_missed:
        fail(f"No webhook calls after {wait:g} s.")


@deliveries.command("show")
@_DELIVERY
@TARGET
def show(identifier: str, target: Target) -> None:
    """Show one webhook call with its attempts and payload."""
    target.show(target.get(path_of("deliveries", identifier)), _print_attempts)


@deliveries.command("redeliver")
@_DELIVERY
@TARGET
def redeliver(identifier: str, target: Target) -> int:
    """Send a webhook call again, with retries if it fails; exit status 1 if this attempt fails."""
    found = target.post(path_of("deliveries", identifier, "redeliver"), timeout=_ATTEMPT_S)
    target.show(found, lambda row: _print([row]))
    return 0 if found["state"] == "delivered" else 1


@deliveries.command("probe")
@option("--webhook", type=int, metavar="ID", help="The receiver of this webhook only.")
@TARGET
def probe(webhook: int | None, target: Target) -> int:
    """Put receivers on trial with forged, duplicated, reordered and late calls; exit status 1 if one accepts a forgery.

    Sends the newest call of each webhook again in every way, and prints the answers of the receivers.
    """
    rows = target.get("/deliveries", webhook=webhook, limit=1000)["items"]
    sent = [row for row in rows if row["attempts"] and row["sent_as"] is None and row["webhook"] is not None]
    newest = {row["webhook"]: row for row in reversed(sent)}
    if not newest:
        fail("No webhook call has been made yet: `mockserver trigger delivered` makes one.")
    found = [_probed(target, row, kind) for row in newest.values() for kind in get_args(SentAs)]
    target.show({"items": found, "count": len(found)}, lambda _: _print_probes(found))
    forged = [answer for row in found if row["sent_as"] == "forged" for answer in row["answers"]]
    return 1 if any(isinstance(answer, int) and 200 <= answer < 300 for answer in forged) else 0


def _probed(target: Target, delivery: Mapping[str, Any], sent_as: str) -> Mapping[str, Any]:
    """Return the receiver's answer to a dry run of a delivery, or the reason for making no call."""
    row = {"webhook": delivery["webhook"], "url": delivery["url"], "sent_as": sent_as}
    path = path_of("deliveries", delivery["id"], "redeliver")
    try:
        made = target.post(path, {"as": sent_as}, timeout=_ATTEMPT_S)
    except MockServerError as error:
        if error.status != 409:
            raise
        return {**row, "delivery": None, "answers": [], "problem": error.detail}
    return {**row, "delivery": made["id"], "answers": [outcome({"attempts": [each]}) for each in made["attempts"]]}


def _print_probes(rows: Sequence[Mapping[str, Any]]) -> None:
    cells = [
        (row["webhook"], row["url"], row["sent_as"], row.get("problem") or ", ".join(map(str, row["answers"])))
        for row in rows
    ]
    listing("trials", ("webhook", "url", "sent as", "answers"), cells)


@command("trigger")
@argument(
    "event",
    required=False,
    type=Name("event or story"),
    help="An event such as hardBounce, or a story such as hard_bounce.",
)
@option("--story", type=Name("story"), help="A story: a sequence of events that happen to one e-mail.")
@option("--to", metavar="ADDRESS", help="The recipient; the default is generated.")
@option(
    "--type", type=click.Choice(("transactional", "marketing", "inbound")), help="Notify only webhooks of this type."
)
@option("--channel", type=click.Choice(("email", "sms")), help="Notify only webhooks of this channel.")
@option("--payload", metavar="JSON", help="Fields that replace those of the payload.")
@option("--account", metavar="NAME", help="The account in which it happens; without it, the first one.")
@option(
    "--campaign", type=int, metavar="ID", help="The campaign of a marketing event; without it, the recipient's last."
)
@waiting("How long to wait for their outcome.")
@TARGET
def trigger(
    event: str | None, story: str | None, payload: str | None, wait: float, target: Target, **members: Any
) -> None:
    """Trigger an event or a sequence of events; prints the webhook calls that it causes.

    A name that is both, such as delivered, is the event. The calls are made on the clock of the workspace: those of a
    story that happen later are due when it gets there.
    """
    if (event is None) is (story is None):
        raise Misused("Give an event, or --story with a story.")
    if event in get_args(Story) and event not in get_args(WebhookEvent):
        event, story = None, event
    body = {"event": event, "story": story, **members}
    if payload is not None:
        body["payload"] = json_object(payload, "--payload")
    found = target.post("/trigger", given(body))
    if wait:
        identifiers = [row["id"] for row in found["items"]]
        found["items"] = until(wait, lambda _: _attempted(target, identifiers), "webhook calls") or [
            target.get(path_of("deliveries", identifier)) for identifier in identifiers
        ]
    none = "Event recorded. No webhook subscribes to it."
    target.show(found, lambda _: _print(found["items"]) if found["items"] else echo(none))


def _attempted(target: Target, identifiers: Sequence[int]) -> Any:
    """Return the deliveries once each has an attempt; otherwise pause and return None."""
    found = [target.get(path_of("deliveries", identifier)) for identifier in identifiers]
    if all(row["attempts"] for row in found):
        return found
    time.sleep(_LOOK_S)
    return None


def outcome(row: Mapping[str, Any]) -> object:
    """Return the last attempt's error or status; empty without attempts."""
    last = row["attempts"][-1] if row.get("attempts") else {}
    return last.get("error") or last.get("status") or ""


def _print(rows: Sequence[Mapping[str, Any]]) -> None:
    listing("webhook calls", _HEADERS, map(_row, rows))


def _row(row: Mapping[str, Any]) -> tuple[object, ...]:
    event = row["event"] if isinstance(row["event"], str) else ", ".join(map(str, row["event"]))
    attempts = len(row["attempts"]) + row.get("attempts_evicted", 0)
    style = {"delivered": "good", "dropped": "bad", "retrying": "warn"}.get(row["state"], "soft")
    due = moment(row.get("next_at"))
    return (row["id"], paint(row["state"], style), event, row["url"], outcome(row), attempts, due)


def _print_attempts(found: Mapping[str, Any]) -> None:
    _print([found])
    for attempt in found["attempts"]:
        sent = attempt.get("request") or {}
        echo(f"\n{moment(attempt.get('at'))}  {printable(str(outcome({'attempts': [attempt]})))}")
        echo(printable(f"{sent.get('method')} {sent.get('url')}"))
        for name, value in (sent.get("headers") or {}).items():
            echo(f"  {paint(name, 'soft')}: {printable(str(value))}")
        echo(printable(json.dumps(sent.get("body"), indent=2), lines=True))


# ------------------------------------------------------------------ receivers


receivers = Group("receivers", default="list", help="Receive webhook calls at an address of the mock.")


@receivers.command("list")
@TARGET
def list_receivers(target: Target) -> None:
    """List the called or configured receivers, with their addresses for webhooks."""
    target.show(target.get("/receivers"), lambda found: _print_receivers(target, found["items"]))


@receivers.command("show")
@_RECEIVER
@option("--count", type=Integer(1, 1000), default=1, metavar="N", help="With --wait, how many calls to wait for.")
@waiting("How long to wait for calls.")
@limit("calls", 20)
@TARGET
def show_receiver(name: str, count: int, wait: float, limit: int, target: Target) -> None:
    """Show the calls that a receiver got, newest first; with --wait, exit status 1 if too few come."""
    found: Any = None

    def look(seconds: float) -> Any:
        nonlocal found
        found = target.get(path_of("receivers", name), wait=seconds, count=count, limit=limit)
        return found if found.get("count", 0) >= count else None

    is_missed = until(wait, look, "webhook calls") is None and wait > 0
    target.show(found, lambda _: None if is_missed and not found["items"] else _print_calls(name, found["items"]))
    if is_missed:
        fail(f"{found.get('count', 0)} of {count} webhook calls after {wait:g} s.")


@receivers.command("answer")
@_RECEIVER
@argument("status", metavar="STATUS", required=False, type=Integer(200, 599), help="The HTTP status, 200 to 599.")
@option("--delay", type=Seconds(0), metavar="DURATION", help="Wait so long before the answer, such as 500ms or 2s.")
@option("--reset", is_flag=True, help="Reset the connection instead of answering.")
@option("--times", type=Integer(1), metavar="N", help="So many calls are answered so; later ones with 200.")
@TARGET
def answer(name: str, status: int | None, delay: float | None, reset: bool, times: int | None, target: Target) -> None:
    """Set the answer of a receiver to webhook calls: `mockserver receivers answer shop 429 --times 2`."""
    delay_ms = None if delay is None else delay * 1000
    body = given({"status": status, "delay_ms": delay_ms, "reset": reset or None, "times": times})
    if not body:
        raise Misused("Give a status such as 429, or --delay, --reset or --times.")
    target.show(target.put(path_of("receivers", name), body), lambda found: _print_receivers(target, [found]))


@receivers.command("delete")
@argument("names", metavar="NAME", nargs=-1, required=True, type=Name("receiver"))
@TARGET
def delete(names: Sequence[str], target: Target) -> None:
    """Delete the calls of receivers, which answer 200 again."""
    target.remove("receivers", names)


def _print_calls(name: str, rows: Sequence[Any]) -> None:
    cells = [(moment(row["at"]), row["method"], row["path"], json.dumps(row.get("body"))) for row in rows]
    listing(f"calls of receiver {name}", ("at", "method", "path", "body"), cells)


def _print_receivers(target: Target, rows: Sequence[Any]) -> None:
    url = f"{target.url}/_mock/receiver"
    cells = [(row["name"], row["count"], _manner(row["answers"]), url + path_of(row["name"])) for row in rows]
    listing("receivers", ("name", "calls", "answer", "url for a webhook"), cells)


def _manner(answers: Any) -> str:
    words = ["reset" if answers.get("reset") else str(answers.get("status"))]
    words += [f"after {answers['delay_ms']:g} ms"] if answers.get("delay_ms") else []
    words += [f"{answers['times']} times"] if answers.get("times") else []
    return ", ".join(words)

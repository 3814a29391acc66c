"""`logs`, `requests` and `trace`: list and follow what happens in a workspace, or write it into a file."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import click

from mockserver.cli.deliveries import outcome
from mockserver.cli.options import OUTPUT_FILE, TARGET, TOKEN, URL, Name, limit, targeted, workspace, write
from mockserver.cli.output import Painted, echo, fail, moment, none, paint, printable
from mockserver.cli.program import Group, Misused, argument, command, decorated, option
from mockserver.cli.remote import Target, health_of, told
from mockserver.testing.client import MockServerError, path_of

#: The kinds of events that can be followed.
_KINDS = ("request", "mail", "delivery", "transition")
#: How many requests are asked for at once.
_PAGE = 200
#: The indentation of the lines below a request.
_INDENT = " " * 10
#: How often the server shows that the connection is alive, in seconds; three times as long without a sign, and the
#: connection is opened again. Chosen: a server that is gone is noticed while the user looks.
_HEARTBEAT_S = 5.0
#: The first and the longest pause before a connection is opened again, in seconds. Chosen: a restarted server is seen
#: at once, and a server that stays away is not asked all the time.
_PAUSE_S, _LONGEST_PAUSE_S = 0.1, 2.0


def _status(ctx: click.Context, param: click.Parameter, text: str | None) -> str | None:
    if text is None:
        return None
    is_class = len(text) == 3 and text[0] in "12345" and text[1:].lower() == "xx"
    if not is_class and text != "none" and not (text.isascii() and text.isdigit() and len(text) == 3):
        raise click.BadParameter(f"{text!r} is no status: write 404, a class as 4xx, or none for no answer.")
    return text.lower()


_FILTERS = decorated(
    option("--operation", type=Name("operation", "id"), help="Requests of this operation only, such as createSender."),
    option("--status", callback=_status, metavar="STATUS", help="Requests with this status only: 404, 4xx, or none."),
    option("--method", metavar="METHOD", help="Requests of this method only."),
    option("--path", metavar="GLOB", help="Requests whose path matches only, such as '/v3/senders*'."),
    option("--code", metavar="CODE", help="Requests that were answered with this error code only."),
)


logs = Group("logs", default="list", help="List the requests of a workspace with their answers and reasons.")


@logs.command("list")
@option("-f", "--follow", is_flag=True, help="Follow new requests until interrupted.")
@limit("requests", 20, least=0)
@option(
    "--kind",
    multiple=True,
    type=click.Choice(_KINDS),
    help="With --follow: show this kind of event, not requests; may be given several times.",
)
@_FILTERS
@TARGET
def list_(follow: bool, limit: int, kind: Sequence[str], target: Target, **filters: Any) -> None:
    """List the last requests, oldest first, with their answers and the reasons of refusals; --follow adds new ones.

    With --follow and --json every line is a JSON object: event and data, as /_mock/stream has them. A server that is
    restarted is waited for.
    """
    if kind and not follow:
        raise Misused("--kind needs --follow.")
    if follow:
        _follow(target, tuple(kind) or ("request",), filters, limit)
        return
    found = _past(target, filters, limit)
    target.show({"items": found, "count": len(found)}, lambda _: _print_all(found) if limit else None)


@logs.command("show")
@argument("identifier", metavar="ID")
@TARGET
def show(identifier: str, target: Target) -> None:
    """Show one request with its answer, headers and bodies; secrets are redacted."""
    target.show(target.get(path_of("requests", identifier)), _print_request)


@logs.command("clear")
@TARGET
def clear(target: Target) -> None:
    """Empty the journal."""
    target.delete("/requests")
    target.show({"cleared": True}, "cleared")


@command("trace")
@argument("file", metavar="FILE", type=OUTPUT_FILE, help="The HTML file to write, such as trace.html.")
@TARGET
def trace(file: Path, target: Target) -> None:
    """Write what happened in a workspace into one HTML file, which opens offline: `mockserver trace trace.html`.

    It has the requests with their reasons, control calls, timers, e-mails, webhook calls and the change of the state.
    Secrets are redacted.
    """
    write(file, target.text("/trace", accept="text/html"))
    target.show({"written": str(file)}, f"written: {file}")


@command("requests")
@option(
    "--har",
    type=OUTPUT_FILE,
    required=True,
    metavar="FILE",
    help="Write the journal to this file as HAR 1.2, oldest request first; - is the standard output.",
)
@targeted(URL, TOKEN, workspace())
def requests(har: Path, target: Target) -> None:
    """Export the requests of a workspace with their answers to a HAR file, for tools that read or replay those.

    Secrets are redacted as in the journal. mockserver logs shows the requests.
    """
    write(None if str(har) == "-" else har, f"{json.dumps(target.get('/requests', format='har'))}\n")


# ------------------------------------------------------------------ past and future requests


def _past(target: Target, filters: Mapping[str, Any], limit: int) -> list[Any]:
    """Return the last requests that pass the filters, oldest first."""
    asked = {name: value for name, value in filters.items() if value is not None}
    if not str(asked.get("status", "")).isdigit():
        asked.pop("status", None)  # the server knows no classes of statuses
    if not limit:
        target.items("/requests", limit=1, **asked)  # it refuses a misspelt filter
    return list(islice((item for item in _pages(target, asked, limit) if _passes(item, filters)), limit))[::-1]


def _pages(target: Target, asked: Mapping[str, Any], limit: int) -> Iterator[Any]:
    offset = 0
    while limit and (page := target.items("/requests", limit=max(limit, _PAGE), offset=offset, **asked)):
        yield from page
        offset += len(page)


def _passes(item: Mapping[str, Any], filters: Mapping[str, Any]) -> bool:
    """Apply the filters to a request, by the server's rules."""
    body = (item.get("answer") or {}).get("body")
    found = {**item, "code": body.get("code") if isinstance(body, dict) else None}
    for name, wanted in filters.items():
        if wanted is None:
            continue
        if name == "status":
            if not _has_status(found.get("status"), wanted):
                return False
        elif name == "path":
            if not fnmatchcase(str(found.get("path")), wanted):
                return False
        elif found.get(name) != (wanted.upper() if name == "method" else wanted):
            return False
    return True


def _has_status(status: int | None, wanted: str) -> bool:
    if status is None or wanted == "none":
        return status is None and wanted == "none"
    return str(status) == wanted or (wanted.endswith("xx") and str(status)[0] == wanted[0])


def _follow(target: Target, kinds: Sequence[str], filters: Mapping[str, Any], limit: int) -> None:
    """Print the last requests, and then events until the command is interrupted."""
    # With the moment in real time: a server that is started again gives the same ids again.
    shown: set[tuple[str, str]] = set()
    for event in _events(target, kinds):
        if not event.kind:
            # Only now, so that no request is missed in between; a request in both is shown once.
            if not shown and "request" in kinds:
                for item in _past(target, filters, limit):
                    shown.add(_identity(item))
                    _print(target, Event("request", "", item))
            continue
        is_shown = event.kind == "request" and _identity(event.data) in shown
        if not is_shown and (event.kind != "request" or _passes(event.data, filters)):
            _print(target, event)


def _identity(item: Mapping[str, Any]) -> tuple[str, str]:
    return str(item.get("id")), str(item.get("real_at"))


# ------------------------------------------------------------------ the stream of events


class Event(NamedTuple):
    #: `request`, `mail` and so on; empty: the event only tells the id.
    kind: str
    #: The number of the event.
    id: str
    data: Mapping[str, Any]


def _events(target: Target, kinds: Iterable[str]) -> Iterator[Event]:
    """Yield new events of some kinds; the first event, without a kind, says that the server listens.

    A lost connection is opened again, for as long as it takes, and the missed events follow. Exits with 2 if the server
    refuses, and with 1 if the server cannot be reached at first or the workspace is gone.
    """
    path = f"/_mock/stream?kind={','.join(kinds)}&heartbeat={_HEARTBEAT_S:g}"
    last: str | None = None
    pause, is_told, started = _PAUSE_S, False, None
    while True:
        try:
            before, started = started, health_of(target.client).get("started")
            # A restarted server numbers its events from 1 again: all its events are new.
            last = "0" if before not in (None, started) else last
            headers = {"X-Mock-Workspace": target.workspace, **({} if last is None else {"Last-Event-ID": last})}
            for event in _parsed(target.client.lines(path, headers=headers, timeout=3 * _HEARTBEAT_S)):
                last, pause, is_told = event.id or last, _PAUSE_S, False
                yield event
        except MockServerError as error:
            if last is None:
                raise
            if error.members:
                fail(told(target.root, error))
            if not is_told:
                echo(f"{target.root} does not answer; trying again", err=True)
            is_told = True
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE_S)


def _parsed(lines: Iterable[bytes]) -> Iterator[Event]:
    """Parse a stream of events (https://html.spec.whatwg.org/multipage/server-sent-events.html)."""
    fields: dict[str, str] = {}
    for raw in lines:
        line = raw.decode(errors="replace").rstrip("\r\n")
        if line:
            name, _, value = line.partition(":")
            fields[name] = value.removeprefix(" ")
            continue
        if "id" in fields:
            yield Event(fields.get("event", ""), fields["id"], json.loads(fields.get("data", "{}")))
        fields = {}


# ------------------------------------------------------------------ lines


def _print(target: Target, event: Event) -> None:
    if target.as_json:
        echo(json.dumps({"event": event.kind, "data": event.data}))
    elif event.kind in _LINES:
        echo(_LINES[event.kind](event.data))


def _print_all(items: Sequence[Any]) -> None:
    if not items:
        none("requests")
    for item in items:
        echo(_request(item))


def _print_request(found: Mapping[str, Any]) -> None:
    echo(_request(found))
    for title in ("request", "answer"):
        if found.get(title):
            echo(paint(title, "strong"))
            echo("\n".join(_message(found[title])))
    for title in ("transitions", "caused", "caused_by"):
        if found.get(title):
            echo(paint(title, "strong"))
            for row in found[title]:
                echo(f"  {printable(' '.join(map(str, row.values())) if isinstance(row, dict) else str(row))}")


def _request(item: Mapping[str, Any]) -> str:
    query = f"?{urlencode(item['query'], doseq=True)}" if item.get("query") else ""
    address = printable(f"{item.get('method')} {item.get('path')}{query}")
    operation, ms = item.get("operation"), item.get("ms")
    notes = [str(operation) if operation else "", f"{ms:.0f} ms" if isinstance(ms, float) else ""]
    lines = [f"{_when(item)}  {_coloured(item)}  {address}  {paint('  '.join(filter(None, notes)), 'soft')}"]
    if item.get("reason"):
        lines.append(f"{_INDENT}{printable(str(item['reason']))}")
    if item.get("fault"):
        lines.append(f"{_INDENT}{paint('fault ' + str(item['fault']), 'warn')}")
    lines += [f"{_INDENT}{paint('warning: ' + str(warning), 'warn')}" for warning in item.get("warnings", ())]
    return "\n".join(lines)


def _when(item: Mapping[str, Any]) -> Painted | str:
    """Format the workspace time of an item, and real time (UTC) in brackets."""
    real_at = item.get("real_at")
    at = moment(item.get("at"))
    return f"{at} {paint(f'({real_at[11:23]})', 'soft')}" if isinstance(real_at, str) else at


def _coloured(item: Mapping[str, Any]) -> Painted:
    status = item.get("status")
    if status is None:
        return paint("---", "bad")
    return paint(status, "good" if str(status) < "400" else "warn" if str(status) < "500" else "bad")


def _mail(item: Mapping[str, Any]) -> str:
    code = "" if item.get("otp") is None else f"  {paint(item['otp'], 'strong')}"
    words = printable(f"to {item.get('to')}: {item.get('subject')}")
    return f"{_when(item)}  {paint('mail', 'good')} {words}{code}"


def _delivery(item: Mapping[str, Any]) -> str:
    attempts = item.get("attempts") or [{}]
    state = paint(str(item.get("state")), {"delivered": "good", "dropped": "bad"}.get(str(item.get("state")), "warn"))
    at = attempts[-1].get("at") or item.get("created_at")
    words = printable(f"{item.get('event')} to {item.get('url')}: {outcome(item) or 'not tried yet'}")
    return f"{moment(at)}  webhook {state} {words}"


def _transition(item: Mapping[str, Any]) -> str:
    words = f"{item.get('machine')} {item.get('key')}: {item.get('event')}, {item.get('from')} to {item.get('to')}"
    return f"{_when(item)}  {paint('state', 'soft')} {printable(words)}"


_LINES = {"request": _request, "mail": _mail, "delivery": _delivery, "transition": _transition}


def _message(message: Mapping[str, Any]) -> Iterator[str]:
    for name, value in (message.get("headers") or {}).items():
        yield f"  {paint(name, 'soft')}: {printable(str(value))}"
    body = message.get("body")
    if body is not None:
        yield printable(body if isinstance(body, str) else json.dumps(body, indent=2), lines=True)

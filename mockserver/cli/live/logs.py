"""`logs`: the requests of a workspace with their answers, and what else happens there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import islice
from typing import Any
from urllib.parse import urlencode

import click

from mockserver.cli.known_names import names_of
from mockserver.cli.live.lines import moment, none
from mockserver.cli.live.stream import Event, follow
from mockserver.cli.options import JSON, SERVER
from mockserver.cli.output import Painted, echo, paint, printable
from mockserver.cli.output import as_json as to_json
from mockserver.cli.program import Group, Misused, argument, option
from mockserver.cli.remote import Target
from mockserver.cli.values import Integer
from mockserver.testing.client import path_segment

#: The kinds of events that can be followed.
_KINDS = ("request", "mail", "delivery", "transition")
#: How many requests one control call gives.
_PAGE = 200
#: The indentation of what belongs to a line.
_INDENT = " " * 10
#: The options that say which requests are shown.
_FILTERS = ("operation", "status", "method", "path", "code")


def _status(ctx: click.Context, param: click.Parameter, text: str | None) -> str | None:
    """A status, a class of them, or `none`.

    Raises:
        BadParameter: The text is neither.
    """
    if text is None:
        return None
    is_class = len(text) == 3 and text[0] in "12345" and text[1:].lower() == "xx"
    if not is_class and text != "none" and not (text.isascii() and text.isdigit() and len(text) == 3):
        raise click.BadParameter(
            f"{text!r} is no status: write one as 404, a class as 4xx, or none for requests without an answer."
        )
    return text.lower()


_OPERATION = option(
    "--operation",
    metavar="ID",
    shell_complete=names_of("operation"),
    help="Requests of this operation only, such as createSender.",
)
_STATUS = option(
    "--status",
    callback=_status,
    metavar="STATUS",
    help="Requests with this status only: 404, 4xx, or none.",
)
_METHOD = option("--method", metavar="METHOD", help="Requests of this method only.")
_PATH = option("--path", metavar="GLOB", help="Requests whose path matches only, such as '/v3/senders*'.")
_CODE = option("--code", metavar="CODE", help="Requests that were answered with this error code only.")


logs = Group("logs", default="list", help="List the requests of a workspace with their answers and reasons.")


@logs.command("list")
@option("-f", "--follow", is_flag=True, help="Go on with what happens, until it is interrupted.")
@option("-n", "--limit", type=Integer(0, 1000), default=20, metavar="N", help="How many requests to list.")
@option(
    "--kind",
    multiple=True,
    type=click.Choice(_KINDS),
    help="With --follow: what is shown, instead of requests only; may be given several times.",
)
@_OPERATION
@_STATUS
@_METHOD
@_PATH
@_CODE
@JSON
@SERVER
def list_(follow: bool, limit: int, kind: Sequence[str], as_json: bool, **others: Any) -> None:
    """List the last requests, oldest first, with their answers and the reasons of refusals; --follow adds new ones.

    With --follow and --json every line is a JSON object: event and data, as /_mock/stream has them. A server that is
    restarted is waited for.
    """
    if kind and not follow:
        raise Misused("--kind goes with --follow.")
    filters = {name: others.pop(name) for name in _FILTERS}
    target = Target(**others)
    if follow:
        _follow(target, tuple(kind) or ("request",), filters, limit, as_json=as_json)
        return
    found = _made(target, filters, limit)
    if as_json:
        echo(to_json({"items": found, "count": len(found)}))
        return
    if not found:
        none("requests")
    for item in found:
        echo(_request(item))


@logs.command("show")
@argument("identifier", metavar="ID")
@JSON
@SERVER
def show(identifier: str, as_json: bool, **server: Any) -> None:
    """Show one request with its answer, headers and bodies; secrets are redacted."""
    target = Target(**server)
    found = target.get(f"/requests/{path_segment(identifier)}")
    if as_json:
        echo(to_json(found))
        return
    echo(_request(found))
    for title, message in (("request", found.get("request")), ("answer", found.get("answer"))):
        if message:
            echo(paint(title, "strong"))
            echo("\n".join(_message(message)))
    for title in ("transitions", "caused", "caused_by"):
        if found.get(title):
            echo(paint(title, "strong"))
            echo("\n".join(f"  {printable(_compact(row))}" for row in found[title]))


@logs.command("clear")
@JSON
@SERVER
def clear(as_json: bool, **server: Any) -> None:
    """Empty the journal."""
    Target(**server).call("DELETE", "/requests")
    echo(to_json({"cleared": True}) if as_json else "cleared")


# ------------------------------------------------------------------ what was, and what comes


def _made(target: Target, filters: Mapping[str, Any], limit: int) -> list[Any]:
    """The last requests that pass the filters, oldest first."""
    asked = {name: value for name, value in filters.items() if value is not None and _is_asked(name, value)}
    return list(islice((item for item in _pages(target, asked, limit) if _passes(item, filters)), limit))[::-1]


def _is_asked(name: str, value: str) -> bool:
    """Whether the server knows the filter: it knows no classes of statuses."""
    return name != "status" or value.isdigit()


def _pages(target: Target, asked: Mapping[str, Any], limit: int) -> Iterator[Any]:
    offset = 0
    while limit:
        page = target.get("/requests", limit=max(limit, _PAGE), offset=offset, **asked)["items"]
        yield from page
        offset += len(page)
        if not page:
            return


def _follow(target: Target, kinds: Sequence[str], filters: Mapping[str, Any], limit: int, *, as_json: bool) -> None:
    # With the moment in real time: a server that is started again gives the same ids again.
    shown: set[tuple[str, str]] = set()
    for event in follow(target, kinds):
        if not event.kind:
            # Only now, so that nothing is missed in between; what is in both is shown once.
            if not shown and "request" in kinds:
                for item in _made(target, filters, limit):
                    shown.add(_known_by(item))
                    _print(Event("request", "", item), as_json=as_json)
            continue
        is_shown = event.kind == "request" and _known_by(event.data) in shown
        if not is_shown and (event.kind != "request" or _passes(event.data, filters)):
            _print(event, as_json=as_json)


def _known_by(item: Mapping[str, Any]) -> tuple[str, str]:
    return str(item.get("id")), str(item.get("real_at"))


def _passes(item: Mapping[str, Any], filters: Mapping[str, Any]) -> bool:
    """Whether a request passes the filters, as the server would judge."""
    body = (item.get("answer") or {}).get("body")
    tests: Mapping[str, Callable[[Any], bool]] = {
        "operation": lambda wanted: item.get("operation") == wanted,
        "status": lambda wanted: _has_status(item.get("status"), wanted),
        "method": lambda wanted: item.get("method") == wanted.upper(),
        "path": lambda wanted: fnmatchcase(str(item.get("path")), wanted),
        "code": lambda wanted: isinstance(body, dict) and body.get("code") == wanted,
    }
    return all(tests[name](wanted) for name, wanted in filters.items() if wanted is not None)


def _has_status(status: int | None, wanted: str) -> bool:
    if status is None or wanted == "none":
        return status is None and wanted == "none"
    return str(status) == wanted or (wanted.endswith("xx") and str(status)[0] == wanted[0])


# ------------------------------------------------------------------ lines


def _print(event: Event, *, as_json: bool) -> None:
    if as_json:
        echo(to_json({"event": event.kind, "data": event.data}))
        return
    line = _LINES.get(event.kind)
    if line is not None:
        echo(line(event.data))


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
    """Return when something happened: on the workspace's clock, and in brackets in real time, in UTC."""
    real_at = item.get("real_at")
    at = moment(item.get("at"))
    return f"{at} {paint(f'({real_at[11:23]})', 'soft')}" if isinstance(real_at, str) else at


def _coloured(item: Mapping[str, Any]) -> Painted:
    status = item.get("status")
    if status is None:
        return paint("---", "bad")
    style = "good" if str(status) < "400" else "warn" if str(status) < "500" else "bad"
    return paint(str(status), style)


def _mail(item: Mapping[str, Any]) -> str:
    code = "" if item.get("otp") is None else f"  {paint(item['otp'], 'strong')}"
    words = printable(f"to {item.get('to')}: {item.get('subject')}")
    return f"{_when(item)}  {paint('mail', 'good')} {words}{code}"


def _delivery(item: Mapping[str, Any]) -> str:
    attempts = item.get("attempts") or [{}]
    outcome = attempts[-1].get("error") or attempts[-1].get("status") or "not tried yet"
    state = paint(str(item.get("state")), {"delivered": "good", "dropped": "bad"}.get(str(item.get("state")), "warn"))
    at = attempts[-1].get("at") or item.get("created_at")
    words = printable(f"{item.get('event')} to {item.get('url')}: {outcome}")
    return f"{moment(at)}  webhook {state} {words}"


def _transition(item: Mapping[str, Any]) -> str:
    words = f"{item.get('machine')} {item.get('key')}: {item.get('event')}, {item.get('from')} to {item.get('to')}"
    return f"{_when(item)}  {paint('state', 'soft')} {printable(words)}"


_LINES = {"request": _request, "mail": _mail, "delivery": _delivery, "transition": _transition}


def _message(message: Mapping[str, Any]) -> Iterator[str]:
    """The headers and the body of a request or an answer."""
    for name, value in (message.get("headers") or {}).items():
        yield f"  {paint(name, 'soft')}: {printable(str(value))}"
    body = message.get("body")
    if body is not None:
        text = body if isinstance(body, str) else to_json(body, indent=2)
        yield printable(text, lines=True)


def _compact(row: object) -> str:
    return " ".join(map(str, row.values())) if isinstance(row, dict) else str(row)

"""`trace.html`: what happened in a workspace as one file, made of the events, names and templates of the dashboard."""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from html import escape
from typing import Any
from urllib.parse import quote, unquote

from markupsafe import Markup

from mockserver.core.traffic.causes import CallRecord, FiredTimer
from mockserver.core.traffic.exchange import Exchange
from mockserver.core.traffic.mail import Mail
from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard import rendering
from mockserver.dashboard.events import KINDS, Call, Event, events
from mockserver.dashboard.names import Named, named_in
from mockserver.dashboard.pages.requests import evidence_of
from mockserver.dashboard.states import ABSENT, differences, initial_state
from mockserver.dashboard.timeline import with_days
from mockserver.dashboard.trouble import block_of
from mockserver.resources.inbound.model import InboundEvent
from mockserver.resources.section import write_instant
from mockserver.scenario.dump import dump
from mockserver.settings import version
from mockserver.views import redaction
from mockserver.views.record import plain
from mockserver.views.traffic import show_control_call, show_delivery, show_exchange, show_inbound, show_mail
from mockserver.views.workspaces import show_timer

#: The most events, the newest ones. Chosen: more than anybody reads of one test.
_MOST = 500
#: The bytes of all events. Chosen: with the style and the difference of the state, the file is below 1.5 MB.
_BYTES = 1_150_000
#: The most bytes of one event with its details, and the bytes that are kept free for the line of each older event.
_EVENT_BYTES, _LINE_BYTES = 50_000, 800
#: The longest message with its headers, in characters.
_LONGEST = 4_000
#: The rest of a word, of which few are longer.
_REST = re.compile(r"[\w-]{0,200}")
#: The characters of the difference of the state, which take up to five bytes each when they are escaped.
_DIFFERENCE = 50_000
#: The most rows of a state to compare. Chosen: it takes about a second.
_MOST_ROWS = 20_000
#: The address of the dashboard in links, which become links within the file.
_ROOT = "trace:"
_LINK = re.compile(rf'<a ([^<>]*?)href="{_ROOT}/_mock/ui/([^"]*)"[^>]*>(.*?)</a>', re.DOTALL)


def trace_of(workspace: Workspace) -> str:
    """Write the trace of a workspace in HTML, without secrets."""
    after, kept = dump(workspace), list(events(workspace))
    found = kept[:_MOST][::-1]
    rows = [_row(workspace, event) for event in found]
    numbers = {row.id: len(workspace.journal) - index for index, row in enumerate(workspace.journal)}
    codes = [str(mail.otp) for mail in workspace.state.mailbox if mail.otp is not None]
    clock = workspace.state.clock
    values = {"now": write_instant(clock.now()), "frozen": clock.frozen}
    number = len(kept) + workspace.journal.evicted + workspace.calls.evicted
    for event, row in zip(found, rows, strict=True):
        if isinstance(event.what, Exchange):
            row["record"] |= _of_exchange(event.what)
    is_large = workspace.state.rows() > _MOST_ROWS
    before = None if is_large else initial_state(workspace)
    secrets = redaction.KnownSecrets([*codes, *redaction.secrets_of(after), *redaction.secrets_of(before)])
    rows = list(with_days(secrets.hide(rows)))
    places = {unquote(path): row["id"] for row in reversed(rows) for path in row["paths"]}
    texts = {
        "workspace": workspace.name,
        "scenario": workspace.origin.title,
        "trouble": block_of(workspace, is_file=True),
        "difference": None if before is None else list(_difference(before, after)),
    }
    values |= {
        **secrets.hide(texts),
        "root": _ROOT,
        "named": partial(_named, workspace, secrets),
        "instant": write_instant,
        "version": version(),
        "made_at": write_instant(workspace.made_at),
        "kinds": KINDS,
        "numbers": numbers,
    }
    shown = list(with_days(_within_limits(rows, values)))
    values |= {**_files(), "rows": shown, "older": number - len(shown)}
    values["counts"] = Counter(row["type"] for row in shown)
    html = rendering.written("trace.html", values)
    return _LINK.sub(partial(_inner_link, places), html)


def _named(workspace: Workspace, secrets: redaction.KnownSecrets, cause: Mapping[str, Any]) -> Named:
    found = named_in(workspace, cause)
    return found._replace(text=secrets.hide(found.text))


def _inner_link(places: Mapping[str, str], link: re.Match[str]) -> str:
    """Return a link within the file, or only its text if the file lacks the place."""
    place = places.get(unquote(link[2]))
    return link[3] if place is None else f'<a {link[1]}href="#{quote(place, safe="")}">{link[3]}</a>'


@cache
def _files() -> Mapping[str, Any]:
    """Return style and script, and a policy that allows only these, and no request to any network."""
    style, script = rendering.content_of("dashboard.css"), rendering.content_of("trace.js")
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{digest}'"
    return {"style": Markup(style), "script": Markup(script), "policy": policy}  # noqa: S704  # files of the package


def _within_limits(rows: Sequence[dict[str, Any]], values: Mapping[str, Any]) -> Sequence[dict[str, Any]]:
    """Return the newest rows that fit into the file, each with its HTML; a row that is too long has no details."""
    left = _BYTES
    for row in rows:
        texts = row["record"]["messages"].items()
        # Between tags, quotes need no escaping, which would double the size of JSON.
        row["record"]["messages"] = {title: Markup(escape(text, quote=False)) for title, text in texts}  # noqa: S704
    write = rendering.macro("trace_event.html", "event", values)
    for older, row in reversed(list(enumerate(rows))):
        row["html"] = write(row, has_details=True)
        if len(row["html"].encode()) > min(left - older * _LINE_BYTES, _EVENT_BYTES):
            row["html"] = write(row, has_details=False)
        left -= len(row["html"].encode())
        if left < 0:
            return rows[older + 1 :]
    return rows


# ---------------------------------------------------------------------- rows


def _row(workspace: Workspace, event: Event) -> dict[str, Any]:
    """Return an event as its line of the timeline, with the record of its details and its messages as texts."""
    line = event.line()
    paths = [line.get("path", f"requests/calls/{line['id']}")]
    if isinstance(event.what, Call):
        paths.append(f"clock/{event.what.fired.timer.id}")
    record: dict[str, Any] = {"id": "", "warnings": [], "query": {}, "evidence": None, "messages": {}}
    return {**line, "type": event.kind, "paths": paths, "record": {**record, **_details(workspace, event)}}


def _of_exchange(exchange: Exchange) -> dict[str, Any]:
    found: dict[str, Any] = plain(show_exchange(exchange))
    messages = {"Request": _message(found["request"]), "Answer": _message(found["answer"])}
    return {**found, "evidence": evidence_of(exchange), "messages": messages}


def _details(workspace: Workspace, event: Event) -> dict[str, Any]:
    """Return the record of an event with its messages as texts, without secrets that are known by their names."""
    links, what = workspace.links, event.what
    found: dict[str, Any] = {}
    if isinstance(what, CallRecord):
        found = plain(show_control_call(what, links))
        found["messages"] = {"Body": _text(found["body"])}
    elif isinstance(what, Mail):
        found = plain(show_mail(what, workspace.state.mailbox.sending(what), links))
        found["messages"] = {"Text": _text(redaction.text(what.text or what.html))}
    elif isinstance(what, Call) and what.delivery is not None:
        found = plain(show_delivery(event.account, what.delivery, links))
        body = what.delivery.payloads if what.delivery.batched else what.delivery.payloads[0]
        found["messages"] = {"Body": _text(redaction.member("", body))}
    elif isinstance(what, InboundEvent):
        found = plain(show_inbound(event.account, what, links))
    elif not isinstance(what, Exchange):
        fired: FiredTimer = what.fired if isinstance(what, Call) else what
        found = plain(show_timer(workspace, fired.timer, fired))
    return found


def _message(message: Mapping[str, Any] | None) -> str:
    """Return the headers and the body of a message as a text."""
    if message is None:
        return ""
    headers = "\n".join(f"{name}: {value}" for name, value in message["headers"].items())
    return f"{headers}\n\n{_text(message['body'])}".strip()


def _text(body: Any) -> str:
    """Return the first part of a body as text, cut at a word boundary so that no partial secret escapes redaction."""
    text = body if isinstance(body, str) else "" if body is None else json.dumps(body, indent=2, ensure_ascii=False)
    if len(text) <= _LONGEST:
        return text
    rest = _REST.match(text, _LONGEST)
    end = rest.end() if rest else _LONGEST
    return f"{text[:end]}… and {len(text) - end:,} more characters"


# ---------------------------------------------------------------------- the difference of the state


def _difference(before: dict[str, Any], after: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the values that differ between two states as texts, without the deliveries, which are events."""
    left = _DIFFERENCE
    for path, *values in differences(_without_deliveries(before), _without_deliveries(after)):
        # Beside its header, the name of a `value` is unknown.
        name, parent = "secret" if path[-1] == "value" else path[-1], "_".join(path[-2:-1])
        texts = ["not there" if value is ABSENT else _value(redaction.member(name, value, parent)) for value in values]
        left -= sum(map(len, (*path, *texts)))
        if left < 0:
            yield {"path": ["and more"], "before": "", "after": ""}
            return
        yield {"path": list(map(redaction.plain, path)), "before": texts[0], "after": texts[1]}


def _value(value: Any) -> str:
    return "null" if value is None else _text(value)


def _without_deliveries(document: dict[str, Any]) -> dict[str, Any]:
    return {**document, "accounts": [{**account, "deliveries": []} for account in document["accounts"]]}

"""The page "Timeline": the list of all events, and single requests with answer, effects and code."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache, partial
from typing import Any, NamedTuple
from urllib.parse import urlencode

from flask import Response, request

from mockserver.control.framework import target
from mockserver.control.framework.problem import Problem
from mockserver.core.text.messages import nearest
from mockserver.core.traffic import causes
from mockserver.core.traffic.exchange import Exchange, Journal
from mockserver.core.traffic.match import Match
from mockserver.core.traffic.ring import Ring
from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard import sending, snippets
from mockserver.dashboard.addresses import absolute_root, root
from mockserver.dashboard.curl import curl_of, example_key, of_call
from mockserver.dashboard.events import KINDS, Event, added, counts, events
from mockserver.dashboard.looks import look_of_state, look_of_status
from mockserver.dashboard.rendering import Page
from mockserver.dashboard.rows import Line
from mockserver.dashboard.timeline import is_move, took_ms, with_days, write_ms
from mockserver.dashboard.trouble import block_of
from mockserver.resources.registry import ALL_OPERATIONS, API_OPERATIONS
from mockserver.resources.section import write_instant
from mockserver.scenario.faults import HEADER_ID
from mockserver.views.record import plain
from mockserver.views.traffic import show_control_call, show_exchange
from mockserver.web.routing.address import DASHBOARD_PREFIX, server_url
from mockserver.web.server import loop

#: Query parameters that are members of a match.
_MATCHED = ("code", "fault", "transition", "field")
#: The keys of conditions in the text field, with the query parameter that each sets.
KEYS = {"status": "status", "op": "operation", "account": "account", **{name: name for name in _MATCHED}}
#: The words of conditions without a value.
WORDS = ("held", "faulted")
_TERM = re.compile(r'(?P<key>[A-Za-z]+):(?!//)(?:"(?P<quoted>[^"]*)"|(?P<value>\S*))|"(?P<phrase>[^"]*)"|(?P<word>\S+)')
#: The longest value of a parameter, in characters. Chosen: longer than any name, and than the id of a timer.
_LONGEST_VALUE = 400


class Filter(NamedTuple):
    """Conditions on events. Empty values match all; kinds of events that lack a condition's field match none."""

    kinds: Sequence[str] = tuple(KINDS)
    #: A part of the name of an operation or account, in any case; the whole name if one has this name.
    operation: str = ""
    account: str = ""
    has_whole_account: bool = False
    #: The status as typed: `404`, `4xx` or `none`.
    status: str = ""
    #: A text in the operation, the path, the query, the reason or a body, or the id. Case is ignored.
    text: str = ""
    #: Whether to list only requests that a fault holds.
    held: bool = False
    #: Whether to list only requests that a fault hit.
    faulted: bool = False
    #: Further query parameters.
    more: Mapping[str, str] = {}
    statuses: range | None = None
    match: Match = Match()

    @property
    def is_empty(self) -> bool:
        return len(self.kinds) == len(KINDS) and not self.has_conditions

    @property
    def has_conditions(self) -> bool:
        return bool(self.is_of_requests or self.status or self.account or self.text)

    @property
    def is_of_requests(self) -> bool:
        """Whether a condition admits requests only."""
        return bool(self.operation or self.held or self.faulted or self.more)

    def admits(self, exchange: Exchange) -> bool:
        return (
            _is_like(exchange.operation, self.operation, whole=self.operation in ALL_OPERATIONS)
            and (self.statuses is None or (exchange.status or 0) in self.statuses)
            and _is_like(exchange.account, self.account, whole=self.has_whole_account)
            and (exchange.is_held or not self.held)
            and (exchange.fault is not None or not self.faulted)
            and (not self.more or self.match.admits(exchange))
            and (not self.text or _mentions(exchange, self.text.lower()))
        )

    def lists(self, event: Event) -> bool:
        if event.kind not in self.kinds:
            return False
        if event.kind == causes.REQUEST:
            return self.admits(event.what)
        return (
            not self.is_of_requests
            and (self.statuses is None or event.status in self.statuses)
            and _is_like(event.account, self.account, whole=self.has_whole_account)
            and (not self.text or event.mentions(self.text.lower()))
        )


def _is_like(name: str | None, wanted: str, *, whole: bool) -> bool:
    return not wanted or (name == wanted if whole else wanted.lower() in (name or "").lower())


def parsed(parameters: Mapping[str, str]) -> tuple[dict[str, str], str | None]:
    """Return query parameters with the conditions of the text field `q` in its place, and an error sentence or None.

    A condition in `q` replaces a parameter of the same meaning. Text is quoted if it looks like a condition.
    """
    found = {name: value.strip()[:_LONGEST_VALUE] for name, value in parameters.items() if name != "q"}
    texts, complaint = [], None
    for term in _TERM.finditer(parameters.get("q", "")[:_LONGEST_VALUE]):
        key, value = (term["key"] or "").lower(), term["quoted"] or term["value"] or ""
        if term["key"] and key in KEYS and value:
            found[KEYS[key]] = value
        elif term["key"]:
            known = ", ".join(f"{name}:" for name in KEYS)
            wrong = f"{key}: has no value" if key in KEYS else f"{term[0]}: there is no condition {key}"
            complaint = f'{wrong}; the conditions are {known}. Put text with a colon in quotes: "{term[0]}".'
        elif term["word"] in WORDS:
            found[term["word"]] = "true"
        else:
            texts.append(term["phrase"] or term["word"] or "")
    return found | ({"text": " ".join(texts)} if any(texts) else {}), complaint


def written(given: Mapping[str, str]) -> str:
    """Return the conditions of query parameters as a text for the text field."""
    terms = [f"{key}:{_quoted(given[name])}" for key, name in KEYS.items() if given.get(name)]
    terms += [word for word in WORDS if given.get(word, "") not in ("", "false")]
    text = given.get("text", "")
    is_plain = all(match["word"] and match["word"] not in WORDS for match in _TERM.finditer(text))
    return " ".join(filter(None, (*terms, text if is_plain else f'"{text}"')))


def _quoted(value: str) -> str:
    return f'"{value}"' if " " in value else value


def filter_of(workspace: Workspace, parameters: Mapping[str, str]) -> tuple[Filter, str | None]:
    """Return the filter in a query string, and an error sentence or None.

    A condition on the status lists requests only, unless the query names kinds.
    """
    given, complaint = parsed(parameters)
    more = {name: given[name] for name in _MATCHED if given.get(name)}
    kinds = [kind for kind in given.get("kinds", "").split(",") if kind]
    usual = (causes.REQUEST,) if given.get("status") else tuple(KINDS)
    found = Filter(
        kinds=[kind for kind in KINDS if kind in kinds] or usual,
        operation=given.get("operation", ""),
        account=given.get("account", ""),
        has_whole_account=workspace.state.account_named(given.get("account", "")) is not None,
        status=given.get("status", ""),
        text=given.get("text", ""),
        held=given.get("held", "") not in ("", "false"),
        faulted=given.get("faulted", "") not in ("", "false"),
        more=more,
        match=Match(**more),  # type: ignore[arg-type]  # these members are texts
    )
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        return found, f"{unknown[0]} is no kind of event: the kinds are {', '.join(KINDS)}."
    try:
        return found._replace(statuses=_statuses(found.status)), complaint
    except ValueError as error:
        return found._replace(status=""), str(error)


def doubt(operation: str) -> str | None:
    """Return a sentence about an unknown operation name in the filter, or None."""
    if any(_is_like(name, operation, whole=False) for name in ALL_OPERATIONS):
        return None
    return f"There is no operation {operation}; {nearest(operation, ALL_OPERATIONS)}"


def _statuses(text: str) -> range | None:
    """Parse a status filter: `404`, `4xx`, or `none`, which is 0, for missing answers. Empty text gives None: all."""
    lowered = text.lower()
    if not lowered:
        return None
    if lowered == "none":
        return range(1)
    if re.fullmatch(r"[1-5]xx", lowered):
        return range(int(lowered[0]) * 100, int(lowered[0]) * 100 + 100)
    if re.fullmatch(r"[0-9]{3}", lowered):
        return range(int(lowered), int(lowered) + 1)
    raise ValueError(f"{text} is no status: write one as 404, a class as 4xx, or none for requests without an answer.")


def _mentions(exchange: Exchange, text: str) -> bool:
    if text == exchange.id or any(
        text in (part or "").lower() for part in (exchange.operation, exchange.path, exchange.query, exchange.reason)
    ):
        return True
    # Many clients escape letters beyond ASCII in JSON.
    forms = {text.encode(), json.dumps(text)[1:-1].encode()}
    bodies = (exchange.body.lower(), exchange.answer_body.lower())
    return any(form in body for form in forms for body in bodies)


#: The most events on a page. Chosen: a page has about 60 kB.
MOST = 200


#: The chips above the list: label, and the parameter that the chip sets.
CHIPS = (
    ("All", "", ""),
    ("2xx", "status", "2xx"),
    ("4xx", "status", "4xx"),
    ("5xx", "status", "5xx"),
    ("No answer", "status", "none"),
    ("Fault", "faulted", "true"),
)


def chips(parameters: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return a chip per condition, each with the query for removing it."""
    now = {name: value for name in ("status", "faulted") if (value := parameters.get(name))}
    return [
        {
            "label": label,
            "query": query_of(parameters, **{"status": "", "faulted": "", name: value}),
            "is_on": now == ({name: value} if name else {}),
        }
        for label, name, value in CHIPS
    ]


def toggles(parameters: Mapping[str, str], wanted: Filter, numbers: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return a toggle per kind of event: count, and the query for switching the kind on or off."""
    return [
        {
            "label": label,
            "number": numbers[kind],
            "is_on": kind in wanted.kinds,
            "query": query_of(parameters, kinds=_toggled(wanted, kind)),
        }
        for kind, label in KINDS.items()
    ]


def _toggled(wanted: Filter, kind: str) -> str:
    found = [each for each in KINDS if (each in wanted.kinds) != (each == kind)]
    return "" if len(found) == len(KINDS) and not wanted.status else ",".join(found)


def query_of(parameters: Mapping[str, str], **changes: str) -> str:
    """Return the query of an address with its conditions and some changes, without empty ones; `?` included."""
    found = {**parameters, "before": "", **changes}
    query = urlencode({name: value[:_LONGEST_VALUE] for name, value in found.items() if value}, safe=",")
    return f"?{query}" if query else ""


def lines(workspace: Workspace, wanted: Filter, before: str = "", *, is_collapsed: bool = True) -> dict[str, Any]:
    """Return the newest matching events, and the moves of the clock between them.

    The workspace is open.

    Args:
        workspace: The workspace.
        wanted: The conditions on the events.
        before: The id of a row; only older events are listed. An empty id lists from the newest event on.
        is_collapsed: Whether consecutive equal refused requests are one row.
    """
    numbers = counts(workspace)
    kept = sum(numbers[kind] for kind in wanted.kinds)
    shown: list[Event] = []
    moves: list[Event] = []  # since the last shown event
    total = newer = number = 0
    is_after = not before
    for event in events(workspace):
        is_match = wanted.lists(event)
        total += is_match
        if not is_after:
            newer += is_match
            is_after = event.id == before
        elif is_match and number < MOST:
            shown += [*moves, event]
            number, moves = number + 1, []
        elif is_match and not wanted.has_conditions:
            total = kept  # the rest need not be looked at
            break
        elif len(moves) < MOST and event.kind == causes.CONTROL and is_move(event.what):
            moves.append(event)
    further = total - newer - number
    rings: dict[str, Ring[Any]] = {
        causes.REQUEST: workspace.journal, causes.CONTROL: workspace.calls, causes.TIMER: workspace.fired,
    }  # fmt: skip
    evicted = [ring for kind, ring in rings.items() if kind in wanted.kinds and ring.evicted]
    runs = _runs(shown) if is_collapsed else [(event, 1) for event in shown]
    rows = with_days({**event.line(), "times": times} for event, times in runs)
    return {
        "shown": [_line(row) for row in rows],
        "has_runs": len(runs) < len(shown),
        "numbers": numbers,
        "total": total,
        "kept": kept,
        "newer": newer,
        "further": further,
        "is_lost": not is_after,
        "older": shown[-1].id if further else "",
        "added": added(workspace),
        "evicted": sum(ring.evicted for ring in evicted),
        "limit": met_limit(evicted[0], workspace) if evicted else "",
    }


def _runs(shown: Sequence[Event]) -> list[tuple[Event, int]]:
    """Return the events, consecutive equal refused requests as the newest of them, each with its number."""
    found: list[tuple[Event, int]] = []
    for event in shown:
        if found and _refusal(event) and _refusal(event) == _refusal(found[-1][0]):
            found[-1] = (found[-1][0], found[-1][1] + 1)
        else:
            found.append((event, 1))
    return found


def _refusal(event: Event) -> tuple[Any, ...] | None:
    """Return what equal refused requests of a day have in common, or None for other events."""
    if event.kind != causes.REQUEST or (event.status or 0) < 400:
        return None
    row: Exchange = event.what
    return event.at.date(), row.method, row.operation or row.path, row.status, row.reason, row.account, row.fault


def _line(row: Mapping[str, Any]) -> Line:
    """Return a row of the timeline of what an event shows."""
    cells = {"time": row["at"], "mark": row["kind"]}
    found = Line(row["id"], cells, day=row["day"], day_id=row.get("day_id", ""))
    if row["kind"] == "move":
        name, to, moment = row["text"].partition(" to ")
        moved = {**cells, "mark": causes.CONTROL, "name": name, "detail": f"{to}{moment}".strip()}
        return found._replace(id=f"c-{row['id']}", cells=moved, path=f"requests/calls/{row['id']}", look="move")
    method = "" if row["label"].islower() else f"{row['label']} "
    is_named = row["kind"] == causes.REQUEST and row["detail"]
    detail = f"{method}{row['detail']}" if row["detail"] else ""
    cells |= {
        "status": row["status"] or 0 if row["state"] is None else row["state"],
        "name": row["title"] if is_named else f"{method}{row['title']}",
        "detail": row["reason"] if is_named and row["reason"] else ": ".join(filter(None, (detail, row["reason"]))),
        "note": f"fault {row['fault']}" if row["fault"] else row["note"],
        "took": row["took"],
        "account": row["account"],
    }
    if row["times"] > 1:
        cells["name"] = f"{cells['name']} \N{MULTIPLICATION SIGN} {row['times']}"
    return found._replace(path=row["path"], kind=row["kind"], look=_look(row), real=row["real"])


def _look(row: Mapping[str, Any]) -> str:
    if row["state"]:
        return look_of_state(row["state"]).replace("ok", "")
    return look_of_status(row["status"]).replace("ok", "") if row["state"] is None else ""


def met_limit(journal: Ring[Any], workspace: Workspace) -> str:
    """Return the option that made a journal drop rows: by their number, or by their bytes."""
    limits = workspace.limits
    if len(journal) >= limits.journal:
        return f"--journal-limit {limits.journal}"
    return f"--journal-bytes-limit {limits.journal_bytes}"


def neighbours(journal: Journal, identifier: str, wanted: Filter) -> tuple[str | None, str | None]:
    """Return ids of the previous and next matching request, None at journal ends."""
    after: str | None = None
    rows = iter(journal)
    for exchange in rows:
        if exchange.id == identifier:
            return next((row.id for row in rows if wanted.admits(row)), None), after
        if wanted.admits(exchange):
            after = exchange.id
    return None, None


def evidence_of(exchange: Exchange) -> Mapping[str, Any] | None:
    """Return evidence for the called operation and its refusal, or None for unknown operations."""
    operation = ALL_OPERATIONS.get(exchange.operation or "")
    if operation is None:
        return None
    known = _record()[operation.id]
    met = (exchange.status, exchange.code)
    errors = () if exchange.injected else known["errors"]
    return {
        "summary": operation.summary,
        "tag": operation.tag if operation.id in API_OPERATIONS else None,
        "page": page_of(known["source"]),
        "error": next((row for row in errors if (row["status"], row["code"]) == met), None),
        "fields": known["fields"],
    }


def page_of(source: str) -> str | None:
    """Return the contract page of a source, as address below `/_mock/docs/`, or None."""
    parts = map(str.strip, source.split(","))
    return next((part.removeprefix("docs/") for part in parts if part.startswith("docs/")), None)


@cache
def _record() -> Mapping[str, Any]:
    from mockserver.evidence.fidelity import record  # noqa: PLC0415  # only pages of single requests need it

    operations: Mapping[str, Any] = record(ALL_OPERATIONS.values())["operations"]
    return operations


PAGE = Page("requests", "Timeline")


@PAGE.view()
def index() -> Mapping[str, Any] | Response:
    before = request.args.get("before", "")
    if not all(request.args.values()):
        return _redirect(query_of(request.args, before=before))
    workspace = target.workspace()
    wanted, complaint = filter_of(workspace, request.args)
    _leave_for(wanted, workspace)
    trouble = block_of(workspace)
    given, _ = parsed(request.args)
    found = lines(workspace, wanted, before, is_collapsed=given.get("collapse") != "no")
    return {
        "trouble": trouble,
        "found": found,
        "wanted": wanted,
        "complaint": complaint or (None if found["shown"] else doubt(wanted.operation)),
        "chips": chips(given),
        "toggles": toggles(given, wanted, found["numbers"]),
        "query": query_of(given),
        "query_of": partial(query_of, given),
        "text": request.args["q"][:_LONGEST_VALUE] if complaint and "q" in request.args else written(given),
        "kinds": given.get("kinds", ""),
        "operations": list(ALL_OPERATIONS),
        "key": example_key(workspace),
    }


def _redirect(query: str) -> Response:
    return Response(status=302, headers={"Location": f"{root()}{DASHBOARD_PREFIX}/{PAGE.name}{query}"})


def _leave_for(wanted: Filter, workspace: Workspace) -> None:
    """Leave the event loop before a search that takes long."""
    if wanted.text or (not wanted.is_empty and len(workspace.journal) > loop.LARGE_TABLE):
        loop.leave()


@PAGE.view("/calls")
def calls() -> Response:
    return _redirect(query_of({}, kinds=causes.CONTROL))


@PAGE.view("/calls/<identifier>", "requests_call.html")
def call(identifier: str) -> Mapping[str, Any]:
    workspace = target.workspace()
    found = workspace.recorded_call(identifier)
    if found is None:
        raise Problem(404, f"there is no control call {identifier[:100]!r}; it may have been removed to make room")
    loop.leave_if_long([found.size])
    return {
        "row": plain(show_control_call(found, workspace.links)),
        "curl": curl_of(of_call(found), absolute_root(), None, asks_token=target.current().wants_token),
        "instant": write_instant,
    }


@PAGE.view("/<identifier>", "requests_one.html")
def show(identifier: str) -> Mapping[str, Any]:
    workspace = target.workspace()
    exchange = _found(workspace, identifier)
    wanted, _ = filter_of(workspace, request.args)
    _leave_for(wanted, workspace)
    before, after = neighbours(workspace.journal, identifier, wanted)
    fault = exchange.fault
    rule = fault if fault and workspace.state.faults.get(fault) is not None else None
    number, origin = sending.number_of(workspace, identifier), sending.origin_of(workspace, exchange)
    row = plain(show_exchange(exchange))
    return {
        "row": row,
        "instant": write_instant,
        "title": exchange.operation or f"{exchange.method} {row['path']}",
        "held": exchange.held if exchange.is_held else None,
        "rule": rule,
        "by_header": fault == HEADER_ID,
        "fault_kind": exchange.fault_kind,
        "took": write_ms(took_ms(exchange)),
        "by_mock": write_ms(exchange.ms),
        "is_delayed": took_ms(exchange) > exchange.ms,
        "query": query_of(request.args),
        "before": before,
        "after": after,
        "evidence": evidence_of(exchange),
        "server": server_url(request.environ),
        "number": number,
        "origin": origin,
        "again": sending.form_of(workspace, exchange),
        "snippets": snippets.snippets(workspace, exchange, absolute_root()),
    }


@PAGE.view(f"/<identifier>/<any({', '.join(snippets.TITLES)}):name>")
def code(identifier: str, name: str) -> Response:
    workspace = target.workspace()
    if name == "pytest":
        loop.leave()  # it repeats many requests
    exchange = _found(workspace, identifier)
    text = snippets.text(name, workspace, exchange, absolute_root())
    return Response(text, content_type="text/plain; charset=utf-8")


def _found(workspace: Workspace, identifier: str) -> Exchange:
    """Return a request by its id. Leave the event loop before a large request is shown."""
    exchange = workspace.journal.find(identifier)
    if exchange is None:
        detail = f"there is no request {identifier[:100]!r} in the journal; it may have been removed to make room"
        raise Problem(404, detail)
    loop.leave_if_long([exchange.size])
    return exchange

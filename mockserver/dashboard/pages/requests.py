"""The page "Requests": journal list, and single requests with answer, effects and code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import islice
from time import gmtime, strftime
from typing import Any, NamedTuple

from flask import Response, request

from mockserver.control.framework import off_loop, target
from mockserver.control.framework.problem import Problem
from mockserver.core.text.messages import nearest
from mockserver.core.traffic.exchange import Exchange, Journal
from mockserver.core.traffic.match import Match
from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard import snippets
from mockserver.dashboard.addresses import absolute_root
from mockserver.dashboard.curl import curl_of, example_key, of_call
from mockserver.dashboard.rendering import Page
from mockserver.resources.registry import ALL_OPERATIONS, API_OPERATIONS
from mockserver.resources.section import write_instant
from mockserver.scenario.faults import HEADER_ID
from mockserver.views import redaction
from mockserver.views.record import plain
from mockserver.views.traffic import show_control_call, show_exchange
from mockserver.web.server import loop

#: Query parameters that are members of a match.
_MATCHED = ("code", "fault", "transition", "field")
#: The longest value to search, in characters. Chosen: longer than any name.
_LONGEST_VALUE = 200


class Filter(NamedTuple):
    """Conditions on requests. Empty values match all."""

    operation: str = ""
    #: The status as typed: `404`, `4xx` or `none`.
    status: str = ""
    account: str = ""
    #: A text in the path, the query, the reason or a body. Case is ignored.
    text: str = ""
    #: Whether to list only requests that a fault holds.
    held: bool = False
    #: Further query parameters.
    more: Mapping[str, str] = {}
    statuses: range | None = None
    match: Match = Match()

    @property
    def is_empty(self) -> bool:
        return not (self.operation or self.status or self.account or self.text or self.held or self.more)

    def admits(self, exchange: Exchange) -> bool:
        return (
            self.operation in ("", exchange.operation)
            and (self.statuses is None or (exchange.status or 0) in self.statuses)
            and self.account in ("", exchange.account)
            and (exchange.is_held or not self.held)
            and (not self.more or self.match.admits(exchange))
            and (not self.text or _mentions(exchange, self.text.lower()))
        )


def filter_of(parameters: Mapping[str, str]) -> tuple[Filter, str | None]:
    given = {name: value.strip()[:_LONGEST_VALUE] for name, value in parameters.items()}
    more = {name: given[name] for name in _MATCHED if given.get(name)}
    found = Filter(
        operation=given.get("operation", ""),
        status=given.get("status", ""),
        account=given.get("account", ""),
        text=given.get("text", ""),
        held=given.get("held", "") not in ("", "false"),
        more=more,
        match=Match(**more),  # type: ignore[arg-type]  # these members are texts
    )
    try:
        return found._replace(statuses=_statuses(found.status)), None
    except ValueError as error:
        return found._replace(status=""), str(error)


def doubt(operation: str) -> str | None:
    """Return a sentence about an unknown operation name in the filter, or None."""
    if not operation or operation in ALL_OPERATIONS:
        return None
    return f"There is no operation {operation}; {nearest(operation, ALL_OPERATIONS)}"


def _statuses(text: str) -> range | None:
    """Parse a status filter: `404`, `4xx`, or `none` for missing answers. Empty text matches all.

    Returns:
        The statuses, 0 for a missing answer, or None for all.
    """
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
    if text in exchange.path.lower() or text in exchange.query.lower() or text in (exchange.reason or "").lower():
        return True
    raw = text.encode()
    return raw in exchange.body.lower() or raw in exchange.answer_body.lower()


#: The most requests on a page. Chosen: a page has about 60 kB.
MOST = 200
#: The longest text in a line, in characters.
_LONGEST = 300
#: The most redacted texts to cache: most requests have the same paths and reasons.
_REMEMBERED = 2_048


def lines(journal: Journal, wanted: Filter) -> dict[str, Any]:
    """Return the newest matching requests. The caller holds the lock of the workspace."""
    found: Iterable[Exchange] = journal
    total = len(journal)
    if not wanted.is_empty:
        admitted = [exchange for exchange in journal if wanted.admits(exchange)]
        found, total = admitted, len(admitted)
    shown = [line(exchange) for exchange in islice(found, MOST)]
    return {"shown": shown, "further": total - len(shown), "kept": len(journal), "evicted": journal.evicted}


def line(exchange: Exchange) -> dict[str, Any]:
    at = write_instant(exchange.at)
    address = f"{exchange.method} {_shown(exchange.path)}"
    return {
        "id": exchange.id,
        "at": at,
        "time": at[11:19],
        "real": strftime("%H:%M:%S", gmtime(exchange.real_at)),
        "title": exchange.operation or address,
        "address": address if exchange.operation is not None else "",
        "status": exchange.status,
        # The reason of a held request is not final.
        "reason": _shown(exchange.reason) if exchange.reason and not exchange.is_held else "",
        "account": exchange.account or "",
        "fault": exchange.fault or "",
        "is_held": exchange.is_held,
    }


def _shown(text: str) -> str:
    # Long texts are not cached, so that a hostile client cannot fill the memory.
    return _redacted(text) if len(text) <= _LONGEST else f"{redaction.plain(text)[:_LONGEST]}…"


@lru_cache(maxsize=_REMEMBERED)
def _redacted(text: str) -> str:
    return redaction.plain(text)


def neighbours(journal: Journal, identifier: str) -> tuple[str | None, str | None]:
    """Return ids of the previous and next request, None at journal ends."""
    after: str | None = None
    rows: Iterator[Exchange] = iter(journal)
    for exchange in rows:
        if exchange.id == identifier:
            before = next(rows, None)
            return (None if before is None else before.id), after
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


PAGE = Page("requests", "Requests")


@PAGE.view()
def index() -> Mapping[str, Any]:
    workspace = target.workspace()
    wanted, complaint = filter_of(request.args)
    with workspace.lock:
        if wanted.text or (not wanted.is_empty and len(workspace.journal) > loop.LARGE_TABLE):
            off_loop.leave()
        found = lines(workspace.journal, wanted)
        return {
            "found": found,
            "wanted": wanted,
            "complaint": complaint or (None if found["shown"] else doubt(wanted.operation)),
            "operations": list(ALL_OPERATIONS),
            "key": example_key(workspace),
        }


@PAGE.view("/calls", "requests_calls.html")
def calls() -> Mapping[str, Any]:
    workspace = target.workspace()
    with workspace.lock:
        found = list(islice(workspace.calls, MOST))
        off_loop.before_showing(call.size for call in found)
        return {
            "calls": [plain(show_control_call(call, workspace.links)) for call in found],
            "further": len(workspace.calls) - len(found),
            "evicted": workspace.calls.evicted,
            "instant": write_instant,
        }


@PAGE.view("/calls/<identifier>", "requests_call.html")
def call(identifier: str) -> Mapping[str, Any]:
    workspace = target.workspace()
    with workspace.lock:
        found = workspace.recorded_call(identifier)
        if found is None:
            raise Problem(404, f"there is no control call {identifier[:100]!r}; it may have been removed to make room")
        off_loop.before_showing([found.size])
        return {
            "row": plain(show_control_call(found, workspace.links)),
            "curl": curl_of(of_call(found), absolute_root(), None, asks_token=target.current().wants_token),
            "instant": write_instant,
        }


@PAGE.view("/<identifier>", "requests_one.html")
def show(identifier: str) -> Mapping[str, Any]:
    workspace = target.workspace()
    with workspace.lock:
        exchange = _found(workspace, identifier)
        before, after = neighbours(workspace.journal, identifier)
        fault = exchange.fault
        rule = fault if fault and workspace.state.faults.get(fault) is not None else None
    # Outside the lock, as a large request takes long.
    row = plain(show_exchange(exchange))
    return {
        "row": row,
        "instant": write_instant,
        "title": exchange.operation or f"{exchange.method} {row['path']}",
        "held": exchange.held if exchange.is_held else None,
        "rule": rule,
        "by_header": fault == HEADER_ID,
        "before": before,
        "after": after,
        "evidence": evidence_of(exchange),
        "snippets": snippets.snippets(workspace, exchange, absolute_root()),
    }


@PAGE.view("/<identifier>/<any(curl, python, pytest):name>")
def code(identifier: str, name: str) -> Response:
    workspace = target.workspace()
    if name == "pytest":
        off_loop.leave()  # it repeats many requests
    with workspace.lock:
        exchange = _found(workspace, identifier)
    text = snippets.text(name, workspace, exchange, absolute_root())
    return Response(text, content_type="text/plain; charset=utf-8")


def _found(workspace: Workspace, identifier: str) -> Exchange:
    """Return a request by its id. Leave the event loop before a large request is shown."""
    exchange = workspace.journal.find(identifier)
    if exchange is None:
        detail = f"there is no request {identifier[:100]!r} in the journal; it may have been removed to make room"
        raise Problem(404, detail)
    off_loop.before_showing([exchange.size])
    return exchange

"""The page "Requests": the journal as a list, and one request with its answer, its effects, and itself as code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice
from time import gmtime, strftime
from typing import Any, NamedTuple

from flask import Response, request

from mockserver.control.framework import off_loop, target
from mockserver.control.framework.problem import Problem
from mockserver.core.traffic.exchange import Exchange, Journal
from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard import filter as filters
from mockserver.dashboard.addresses import absolute_root
from mockserver.dashboard.filter import Filter
from mockserver.dashboard.framework.page import Page
from mockserver.dashboard.snippets import as_code, shell
from mockserver.dashboard.snippets.example import example_key
from mockserver.dashboard.snippets.sent import of_call
from mockserver.resources.registry import ALL_OPERATIONS
from mockserver.resources.section import write_instant
from mockserver.scenario.rules.faults import HEADER_ID
from mockserver.views import redaction
from mockserver.views.record import plain
from mockserver.views.traffic import show_control_call, show_exchange
from mockserver.web.server import loop

#: How many exchanges the list shows; chosen: more than anybody reads, and a page of some 60 kB.
MOST = 200
#: How long a text of a line may be; the page of the request has it all.
_LONGEST = 300
#: How many texts are remembered without their secrets: most requests of a run have the same few paths and reasons.
_REMEMBERED = 2_048


class Line(NamedTuple):
    """One exchange in the list."""

    id: str
    #: The moment of the workspace's clock, whole and as the time of the day.
    at: str
    time: str
    #: The same moment in real time (UTC), as the time of the day.
    real: str
    #: The operation, or the method and the path of a request that leads to none.
    title: str
    #: The method and the path, where an operation is the title.
    address: str
    status: int | None
    reason: str
    account: str
    fault: str
    is_held: bool


class Lines(NamedTuple):
    """The newest exchanges that a filter admits."""

    shown: list[Line]
    #: How many further ones there are, and how many exchanges the journal has, and has evicted.
    further: int
    kept: int
    evicted: int


def lines(journal: Journal, wanted: Filter) -> Lines:
    """The lines of a journal; its workspace's lock is held."""
    found: Iterable[Exchange] = journal
    total = len(journal)
    if not wanted.is_empty:
        admitted = [exchange for exchange in journal if wanted.admits(exchange)]
        found, total = admitted, len(admitted)
    shown = [line(exchange) for exchange in islice(found, MOST)]
    return Lines(shown, total - len(shown), len(journal), journal.evicted)


def line(exchange: Exchange) -> Line:
    """The line of an exchange."""
    at = write_instant(exchange.at)
    address = f"{exchange.method} {_shown(exchange.path)}"
    is_named = exchange.operation is not None
    return Line(
        id=exchange.id,
        at=at,
        time=at[11:19],
        real=strftime("%H:%M:%S", gmtime(exchange.real_at)),
        title=exchange.operation or address,
        address=address if is_named else "",
        status=exchange.status,
        # What is said of a request that hangs is not yet true.
        reason=_shown(exchange.reason) if exchange.reason and not exchange.is_held else "",
        account=exchange.account or "",
        fault=exchange.fault or "",
        is_held=exchange.is_held,
    )


def _shown(text: str) -> str:
    """A text without secrets, cut to the length of a line."""
    # A long text is not remembered: those of a hostile client would fill the memory.
    return _redacted(text) if len(text) <= _LONGEST else f"{redaction.plain(text)[:_LONGEST]}…"


@lru_cache(maxsize=_REMEMBERED)
def _redacted(text: str) -> str:
    return redaction.plain(text)


def neighbours(journal: Journal, identifier: str) -> tuple[str | None, str | None]:
    """The ids of the exchanges before and after one, in time."""
    after: str | None = None
    rows: Iterator[Exchange] = iter(journal)
    for exchange in rows:
        if exchange.id == identifier:
            before = next(rows, None)
            return (None if before is None else before.id), after
        after = exchange.id
    return None, None


#: Begins the part of a source that is a page of the contract.
_PAGE = "docs/"


class Evidence(NamedTuple):
    """What is known of an operation."""

    #: What the operation does, in a line.
    summary: str
    #: Where its contract stands, below the documents of the mock, or None.
    page: str | None
    #: The refusal that was answered, as the contract has it, or None.
    error: Mapping[str, Any] | None
    #: The fields of the operation, each with its place, its name and its mark.
    fields: Sequence[Mapping[str, Any]]


def evidence_of(exchange: Exchange) -> Evidence | None:
    """What is known of the operation that was called; None where the mock has none."""
    operation = ALL_OPERATIONS.get(exchange.operation or "")
    if operation is None:
        return None
    known = _record()[operation.id]
    met = (exchange.status, exchange.code)
    error = next((row for row in known["errors"] if (row["status"], row["code"]) == met), None)
    return Evidence(operation.summary, page_of(known["source"]), None if exchange.injected else error, known["fields"])


def page_of(source: str) -> str | None:
    """The page of the contract that a source names, as an address below `/_mock/docs/`."""
    return next(
        (part.strip().removeprefix(_PAGE) for part in source.split(",") if part.strip().startswith(_PAGE)), None
    )


@cache
def _record() -> Mapping[str, Any]:
    from mockserver.evidence.fidelity import record  # noqa: PLC0415  # it is made when a request is first looked at

    found: Mapping[str, Any] = record(ALL_OPERATIONS.values())["operations"]
    return found


PAGE = Page("requests", "Requests")


@PAGE.view()
def index() -> Mapping[str, Any]:
    """The requests that the address asks for, newest first."""
    workspace = target.workspace()
    wanted, complaint = filters.asked(request.args)
    with workspace.lock:
        _leave_if_long(workspace, wanted)
        found = lines(workspace.journal, wanted)
        return {
            "found": found,
            "wanted": wanted,
            "complaint": complaint or (None if found.shown else filters.doubt(wanted.operation)),
            "operations": list(ALL_OPERATIONS),
            "key": example_key(workspace),
        }


def _leave_if_long(workspace: Workspace, wanted: filters.Filter) -> None:
    """Leave the event loop before bodies are searched for a text, and before a long journal is gone through."""
    if wanted.text or (not wanted.is_empty and len(workspace.journal) > loop.LARGE_TABLE):
        off_loop.leave()


@PAGE.view("/calls", "requests_calls.html")
def calls() -> Mapping[str, Any]:
    """The control calls that have changed something, newest first."""
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
    """One control call: what was sent, and what came of it."""
    workspace = target.workspace()
    with workspace.lock:
        found = workspace.recorded_call(identifier)
        if found is None:
            raise Problem(404, f"there is no control call {identifier[:100]!r}; it may have been removed to make room")
        off_loop.before_showing([found.size])
        return {
            "row": plain(show_control_call(found, workspace.links)),
            "curl": shell.curl(of_call(found), absolute_root(), None, asks_token=target.current().wants_token),
            "instant": write_instant,
        }


@PAGE.view("/<identifier>", "requests_one.html")
def show(identifier: str) -> Mapping[str, Any]:
    """One request: what was sent, what was answered and why, and what came of it."""
    workspace = target.workspace()
    with workspace.lock:
        exchange = _found(workspace, identifier)
        before, after = neighbours(workspace.journal, identifier)
        fault = exchange.fault
        rule = fault if fault and workspace.state.faults.get(fault) is not None else None
    # To write a large one takes long, and others are not to wait for that.
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
        "snippets": as_code.snippets(workspace, exchange, absolute_root()),
    }


@PAGE.view("/<identifier>/<any(curl, python, pytest):name>")
def code(identifier: str, name: str) -> Response:
    """One request as code, however long."""
    workspace = target.workspace()
    with workspace.lock:
        exchange = _found(workspace, identifier)
    text = as_code.text(name, workspace, exchange, absolute_root())
    return Response(text, content_type="text/plain; charset=utf-8")


def _found(workspace: Workspace, identifier: str) -> Exchange:
    """The request with an id; the event loop is left before a large one is shown.

    Raises:
        Problem: 404, there is none.
    """
    exchange = workspace.journal.find(identifier)
    if exchange is None:
        detail = f"there is no request {identifier[:100]!r} in the journal; it may have been removed to make room"
        raise Problem(404, detail)
    off_loop.before_showing([exchange.size])
    return exchange

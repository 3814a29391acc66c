"""The page "Requests": the journal as a list, and one request with its answer, its effects, and itself as code."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from flask import Response, request

from mockserver.control.framework import dependencies, off_loop, target
from mockserver.control.framework.problem import Problem
from mockserver.core.traffic.exchange import Exchange
from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard.exchanges import filter as filters
from mockserver.dashboard.exchanges import snippets
from mockserver.dashboard.exchanges.evidence import evidence_of
from mockserver.dashboard.exchanges.rows import MOST, lines, neighbours
from mockserver.dashboard.framework.addresses import absolute_root
from mockserver.dashboard.framework.page import Page
from mockserver.dashboard.snippets import shell
from mockserver.dashboard.snippets.example import example_key
from mockserver.dashboard.snippets.sent import of_call
from mockserver.resources.registry import ALL_OPERATIONS
from mockserver.resources.section import write_instant
from mockserver.scenario.rules.faults import HEADER_ID
from mockserver.views.traffic.calls import ControlCall, Recorded
from mockserver.views.traffic.requests import Request
from mockserver.web.server import loop

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
            "calls": [ControlCall.show(Recorded(call, workspace.links)) for call in found],
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
            "row": ControlCall.show(Recorded(found, workspace.links)),
            "curl": shell.curl(of_call(found), absolute_root(), None, asks_token=dependencies.current().wants_token),
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
    row = Request.show(exchange)
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
    """One request as code, however long."""
    workspace = target.workspace()
    with workspace.lock:
        exchange = _found(workspace, identifier)
    text = snippets.text(name, workspace, exchange, absolute_root())
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

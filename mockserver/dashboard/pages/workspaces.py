"""The page "Workspaces": all of them, and one with its keys, its snapshots and what can be done with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from itertools import islice
from typing import Any
from urllib.parse import quote

from flask import Response, request

from mockserver.control.framework import off_loop, target
from mockserver.control.workspaces.workspaces import found_by, loaded, unreadable
from mockserver.core.workspaces.store import DEFAULT
from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard.addresses import server_root
from mockserver.dashboard.connecting import Connection, Lines, lines
from mockserver.dashboard.framework.page import Page
from mockserver.resources.section import write_instant
from mockserver.views.record import plain
from mockserver.views.workspaces import show_account, show_workspace_line
from mockserver.web.routing.address import DASHBOARD_PREFIX, WORKSPACE, WORKSPACE_PREFIX

#: The units in which an age is told, the largest first, in seconds.
_UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60))


def age(since: datetime, now: datetime) -> str:
    """The time from one moment to another in its largest unit, as `3 hours`; below a minute, `less than a minute`."""
    seconds = (now - since).total_seconds()
    for unit, length in _UNITS:
        if seconds >= length:
            number = int(seconds // length)
            return f"{number} {unit}{'s' * (number != 1)}"
    return "less than a minute"


PAGE = Page("workspaces", "Workspaces")

#: How many workspaces, or accounts of one, stand on a page; chosen: few enough to be written on the event loop.
_MOST = 100
#: The longest text of a filter that a page repeats; chosen: longer than any name.
_LONGEST = 100


@PAGE.view()
def index() -> Mapping[str, Any]:
    """All workspaces, a hundred at once, the one used last first."""
    target.in_address()
    wanted = request.args.get("name", "")[:_LONGEST]
    found = found_by(wanted)
    number, wrong = _page_number(-(-len(found) // _MOST) or 1)
    part = loaded(found[(number - 1) * _MOST : number * _MOST])
    off_loop.before_showing(0 for workspace in part for _ in range(len(workspace.state.accounts)))
    return {
        **_shared(),
        "lines": list(map(_line, part)),
        "count": len(found),
        "of": len(target.store()),
        "evicted": target.store().evicted,
        "unreadable": unreadable(),
        "wanted": wanted,
        "number": number,
        "first": (number - 1) * _MOST + 1,
        "has_more": number * _MOST < len(found),
        "wrong": wrong,
        "scenarios": _scenarios(),
        "own_scenario": target.store().maker.scenario,
    }


@PAGE.view("/<name>", template="workspaces_one.html")
def show(name: str) -> Mapping[str, Any] | Response:
    """One workspace; its page stands below its own address, to which every other one leads."""
    if name != request.environ.get(WORKSPACE, DEFAULT):
        target.named(name)
        own = f"{server_root()}{WORKSPACE_PREFIX}{quote(name)}{DASHBOARD_PREFIX}/{PAGE.name}/{quote(name)}"
        return Response(status=302, headers={"Location": own})
    workspace = target.workspace()
    off_loop.before_showing(0 for _ in range(len(workspace.state.accounts)))
    with workspace.lock:
        return {
            **_shared(),
            "line": _line(workspace),
            "is_default": name == DEFAULT,
            "snapshots": [{"name": row.name, "at": row.at} for row in workspace.snapshots.values()],
            "scenarios": _scenarios(),
            **_accounts(workspace),
        }


def _shared() -> dict[str, Any]:
    return {"instant": write_instant, "server": request.host_url.rstrip("/")}


def _line(workspace: Workspace) -> dict[str, Any]:
    """What is shown of a workspace, with its age, and how long ago its last request was."""
    now, shown = datetime.now(UTC), show_workspace_line(workspace, request.host_url)
    last = shown["last_request"]
    return {**shown, "age": age(workspace.made_at, now), "ago": last and age(last["real_at"], now)}


def _page_number(last: int) -> tuple[int, str]:
    """The number of the page that is asked for, from 1 to `last`; and what was asked for instead, else nothing."""
    asked = request.args.get("page", "1")
    if len(asked) < 10 and asked.isdecimal() and asked.isascii() and 1 <= int(asked) <= last:
        return int(asked), ""
    return 1, asked[:_LONGEST]


def _scenarios() -> list[dict[str, Any]]:
    """The scenarios that a workspace can be made of."""
    found = target.library().describe()
    return [row for row in found if "error" not in row and "stub_library" not in row]


def _accounts(workspace: Workspace) -> dict[str, Any]:
    """The accounts with their keys, and how to connect to one of them: the one that is asked for, else the first."""
    accounts = workspace.state.accounts
    asked = request.args.get("account", "")
    account = workspace.state.account_named(asked) if asked else workspace.state.first_account
    chosen = None if account is None else plain(show_account(account))
    return {
        "accounts": _shown(islice(accounts.values(), _MOST)),
        "further": max(len(accounts) - _MOST, 0),
        "asked": asked[:_LONGEST],
        "chosen": chosen,
        "connection": _connection(workspace, chosen["api_key"]) if chosen else [],
    }


def _shown(accounts: Iterable[Any]) -> list[dict[str, Any]]:
    return [plain(show_account(account)) for account in accounts]


def _connection(workspace: Workspace, key: str | None) -> list[Lines]:
    """Lines of code that lead to an account of a workspace; none where no key opens it."""
    if key is None:
        return []
    title = workspace.origin.title
    shown = show_workspace_line(workspace, request.host_url)
    scenario = title if title in target.library().names() else ""
    return lines(Connection(request.host_url.rstrip("/"), shown["url"], key, scenario))

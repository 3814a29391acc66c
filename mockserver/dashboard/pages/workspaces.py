"""The page "Workspaces": the list, and one workspace with its keys, snapshots and actions."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import islice
from typing import Any
from urllib.parse import quote

from flask import Response, request
from markupsafe import Markup

from mockserver.control.framework import target
from mockserver.control.workspaces.workspaces import OUTCOMES, found_by, loaded, unreadable
from mockserver.core.workspaces.store import DEFAULT
from mockserver.core.workspaces.workspace import Snapshot, Workspace
from mockserver.dashboard.addresses import server_root
from mockserver.dashboard.looks import look_of_state
from mockserver.dashboard.rendering import Page
from mockserver.dashboard.rows import Line
from mockserver.resources.section import write_instant
from mockserver.views.record import plain
from mockserver.views.workspaces import show_account, show_workspace_line
from mockserver.web.routing.address import DASHBOARD_PREFIX, WORKSPACE, WORKSPACE_PREFIX, server_url
from mockserver.web.server import loop

#: The units of an age, in seconds.
_UNITS = (("d", 86_400), ("h", 3_600), ("min", 60))


def age(since: datetime, now: datetime) -> str:
    """Return the time between two moments in its largest unit, such as `3 h` or `< 1 min`."""
    seconds = (now - since).total_seconds()
    return next((f"{int(seconds // length)} {unit}" for unit, length in _UNITS if seconds >= length), "< 1 min")


PAGE = Page("workspaces", "Workspaces")

#: The most workspaces or accounts on a page. Chosen: few enough to render on the event loop.
_MOST = 100
#: The longest filter text that a page repeats. Chosen: longer than any name.
_LONGEST = 100


@PAGE.view()
def index() -> Mapping[str, Any]:
    """Show the workspaces, a hundred on a page, the last used first."""
    target.addressed(by_header=False)
    wanted, outcome = request.args.get("name", "")[:_LONGEST], request.args.get("outcome", "")
    outcome = outcome if outcome in OUTCOMES else ""
    found = found_by(text=wanted, outcome=outcome)
    number, wrong = _page_number(-(-len(found) // _MOST) or 1)
    part = loaded(found[(number - 1) * _MOST : number * _MOST])
    loop.leave_if_long(0 for workspace in part for _ in range(len(workspace.state.accounts)))
    return {
        **_shared(),
        "lines": list(map(_row, part)),
        "count": len(found),
        "of": len(target.store()),
        "evicted": target.store().evicted,
        "unreadable": unreadable(),
        "wanted": wanted,
        "outcome": outcome,
        "outcomes": OUTCOMES,
        "number": number,
        "first": (number - 1) * _MOST + 1,
        "has_more": number * _MOST < len(found),
        "wrong": wrong,
        "scenarios": _scenarios(),
        "own_scenario": target.store().maker.scenario,
    }


@PAGE.view("/<name>", template="workspaces_one.html")
def show(name: str) -> Mapping[str, Any] | Response:
    """Show one workspace below its own address. Other addresses redirect there."""
    if name != request.environ.get(WORKSPACE, DEFAULT):
        target.named(name)
        own = f"{server_root()}{WORKSPACE_PREFIX}{quote(name)}{DASHBOARD_PREFIX}/{PAGE.name}/{quote(name)}"
        return Response(status=302, headers={"Location": own})
    workspace = target.workspace()
    loop.leave_if_long(0 for _ in range(len(workspace.state.accounts)))
    return {
        **_shared(),
        "line": _line(workspace),
        "last": _row(workspace).cells.get("last"),
        "is_default": name == DEFAULT,
        "snapshots": list(map(_snapshot, workspace.snapshots.values())),
        "scenarios": _scenarios(),
        **_accounts(workspace),
    }


def _shared() -> dict[str, Any]:
    return {"instant": write_instant, "server": server_url(request.environ)}


def _line(workspace: Workspace) -> dict[str, Any]:
    now, shown = datetime.now(UTC), show_workspace_line(workspace, server_url(request.environ))
    last = shown["last_request"]
    return {**shown, "age": age(workspace.made_at, now), "ago": last and age(last["real_at"], now)}


def _row(workspace: Workspace) -> Line:
    """Return a workspace as a row, which leads to its timeline."""
    line, name, label = _line(workspace), workspace.name, workspace.label
    last, counts = line["last_request"], line["counts"]
    pages = f"{server_root()}{'' if name == DEFAULT else WORKSPACE_PREFIX + quote(name)}{DASHBOARD_PREFIX}"
    link = Markup('<a href="{}/{}" title="{}">{}</a>').format
    # Most tests are told apart by the end of their ids.
    test = Markup('<span title="{0}">{1}</span>').format(label, label.rpartition("::")[2]) if label else ""
    cells = {
        "name": name, "outcome": line["outcome"], "label": test, "scenario": line["scenario"],
        "requests": f"{counts['requests']:,}", "mails": f"{counts['mails']:,}", "calls": f"{counts['deliveries']:,}",
        "clock": _clock(line["clock"]), "age": line["age"],
        "connect": link(pages, f"{PAGE.name}/{quote(name)}", f"Connect to {name}", "Connect"),
    }  # fmt: skip
    if last:
        called = last["operation"] or f"{last['method']} {last['path']}"
        cells["last"] = link(pages, f"requests/{last['id']}", f"{called}, {line['ago']} ago", called[:_LONGEST])
        cells["status"] = last["status"] or 0
    look = look_of_state(line["outcome"] or "").replace("ok", "")
    return Line(f"workspace-{name}", cells, f"{pages}/requests", look=look)


def _clock(shown: Mapping[str, Any]) -> str:
    """Return the moment of a clock, or the day of a frozen one, unless it is real time."""
    if not shown["frozen"] and abs(shown["offset_s"]) < 1:
        return "real time"
    moment = write_instant(shown["now"])
    return f"{moment[:10]}, frozen" if shown["frozen"] else moment[:16].replace("T", " ")


def _snapshot(row: Snapshot) -> Line:
    cells = {"name": row.name, "at": write_instant(row.at)}
    return Line(f"snapshot-{row.name}", cells, f"state/compare?from={quote(row.name)}")


def _page_number(last: int) -> tuple[int, str]:
    """Return the requested page number, and the value if invalid."""
    asked = request.args.get("page", "1")
    if len(asked) < 10 and asked.isdecimal() and asked.isascii() and 1 <= int(asked) <= last:
        return int(asked), ""
    return 1, asked[:_LONGEST]


def _scenarios() -> list[dict[str, Any]]:
    found = target.library().describe()
    return [row for row in found if "error" not in row and "stub_library" not in row]


def _accounts(workspace: Workspace) -> dict[str, Any]:
    accounts = workspace.state.accounts
    asked = request.args.get("account", "")
    account = workspace.state.account_named(asked) if asked else workspace.state.first_account
    chosen = None if account is None else plain(show_account(account))
    return {
        "accounts": [plain(show_account(row)) for row in islice(accounts.values(), _MOST)],
        "further": max(len(accounts) - _MOST, 0),
        "asked": asked[:_LONGEST],
        "chosen": chosen,
        "connection": _connection(workspace, chosen["api_key"]) if chosen else [],
    }


def _connection(workspace: Workspace, key: str | None) -> list[tuple[str, str]]:
    """Return titles, each with the code in one language that connects clients to an account with a key."""
    if key is None:
        return []
    root, title = server_url(request.environ), workspace.origin.title
    url = show_workspace_line(workspace, server_url(request.environ))["url"]
    scenario = title if title in target.library().names() else ""
    variables = {"MOCKSERVER_URL": root, "BREVO_API_URL": url, "BREVO_BASE_URL": url, "BREVO_API_KEY": key}
    return [
        ("Shell", "\n".join(f"export {name}={shlex.quote(value)}" for name, value in variables.items())),
        ("Python, with brevo-python", _PYTHON.format(key=_literal(key), url=_literal(url))),
        ("A test in Python, with a workspace for each test", _pytest(root, scenario)),
        ("JavaScript, with @getbrevo/brevo", _JAVASCRIPT.format(key=_literal(key), url=_literal(url))),
    ]


_PYTHON = """from brevo import Brevo

client = Brevo(api_key={key}, base_url={url})"""
_JAVASCRIPT = """import {{ BrevoClient }} from "@getbrevo/brevo";

const client = new BrevoClient({{
  apiKey: {key},
  baseUrl: {url},
}});"""


def _pytest(root: str, scenario: str) -> str:
    imported = "import pytest\n" if scenario else ""
    marker = f"@pytest.mark.mockserver(scenario={_literal(scenario)})\n" if scenario else ""
    return f"""# MOCKSERVER_URL={shlex.quote(root)} pytest
{imported}from brevo import Brevo


{marker}def test_account(mockserver):
    client = Brevo(api_key=mockserver.api_key, base_url=mockserver.url)
    assert client.account.get_account().email"""


def _literal(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)

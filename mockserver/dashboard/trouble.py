"""The block "What went wrong" of the timeline and of `trace.html`: the report on a workspace as rows with links."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from mockserver.control.traffic.report import report_of
from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard.looks import look_of_status
from mockserver.dashboard.rows import Line
from mockserver.views.traffic_records import Trouble
from mockserver.web.server import loop

#: The most rows, and how many of them the line above names. Chosen: more kinds of trouble than anybody reads.
_MOST, _NAMED = 50, 4
#: What rows are called that have no status; all others are called as their kind.
_TITLES = {"failed-delivery": "webhook failed", "failed-mail": "mail failed", "held-request": "held"}
#: The filter of the timeline that lists all rows of a kind.
_FILTERS = {
    "failed-delivery": {"kinds": "delivery"}, "failed-mail": {"kinds": "mail"}, "held-request": {"held": "true"},
    "fault": {"faulted": "true"},
}  # fmt: skip


def block_of(workspace: Workspace, *, is_file: bool = False) -> dict[str, Any]:
    """Return the test of a workspace, its outcome, and what went wrong, as plain data.

    Args:
        workspace: The workspace, which is open.
        is_file: Whether rows lead to the newest event only, as a file has no filters.
    """
    loop.leave_if_long(row.size for row in workspace.journal)
    report = report_of(workspace, limit=_MOST)
    lines = [_line(workspace, row, is_file=is_file)._asdict() for row in report.items]
    outcome = workspace.outcome or ""
    return {
        "label": workspace.label or "", "outcome": outcome, "summary": report.summary, "lines": lines,
        "is_open": outcome not in ("", "passed") or (is_file and not outcome),
        "titles": list(dict.fromkeys(line["cells"]["title"] for line in lines))[:_NAMED],
        "more": report.count - len(report.items),
    }  # fmt: skip


def _line(workspace: Workspace, row: Trouble, *, is_file: bool) -> Line:
    title, text, query = _TITLES.get(row.kind, row.kind), row.message, _FILTERS.get(row.kind, {})
    look, exchange = "warn", workspace.journal.find(row.id) if row.id else None
    if row.kind == "finding":
        title, _, text = text.partition(": ")
    elif row.kind in ("refused-request", "unanswered-request", "failed-stub", "fault") and exchange is not None:
        title, look = str(exchange.status or "no answer"), look_of_status(exchange.status)
        text = text.replace(f" {title}: ", ": ", 1).removesuffix(f" {title}")
        query = {**query, "status": str(exchange.status or "none"), "operation": exchange.operation or ""}
    elif row.kind.startswith("failed"):
        look = "bad"
    page = "mail" if row.kind == "failed-mail" else "requests" if exchange else "webhooks"
    path = f"{page}/{row.id}" if row.id else ""
    if row.times > 1:
        title = f"{title} \N{MULTIPLICATION SIGN} {row.times:,}"
        if query and not is_file:
            wanted = {name: value for name, value in {**query, "collapse": "no"}.items() if value}
            path = f"requests?{urlencode(wanted)}"
    return Line("", {"title": title, "text": text}, path, look=look)

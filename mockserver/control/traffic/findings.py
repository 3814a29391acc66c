"""`/_mock/findings`: mistakes of clients that the journal shows."""

from __future__ import annotations

from typing import Annotated, Any

from flask import request

from mockserver.control.framework import target
from mockserver.control.framework.call import ControlResource, listed
from mockserver.core.workspaces.workspace import Workspace
from mockserver.lint.linter import findings_of
from mockserver.views import redaction
from mockserver.views.record import Count, listing
from mockserver.views.traffic_records import Finding
from mockserver.web.routing.address import server_url
from mockserver.web.server import loop

FINDINGS = ControlResource("findings", "/_mock/findings")

_Seen = Annotated[Count, "how many requests the rules have seen"]
_Unseen = Annotated[Count, "how many requests the journal has evicted, which no rule has seen"]


@FINDINGS.call("GET", answer=listing("Findings", Finding, requests=_Seen, unseen=_Unseen))
def index(workspace: Workspace) -> Any:
    """List mistakes of the client that the requests show, by rule; computed for each call."""
    loop.leave_if_long(row.size for row in workspace.journal)
    rows = show_findings(workspace, server_url(request.environ))
    return listed(rows, requests=len(workspace.journal), unseen=workspace.journal.evicted)


def show_findings(workspace: Workspace, root: str) -> list[Finding]:
    """Return the findings of a workspace; `root` is the address of the server without a final slash."""
    return [
        Finding(
            row.rule,  # type: ignore[arg-type]  # a test compares the names
            redaction.plain(row.message),
            row.requests,
            row.deliveries,
            f"{root}/_mock/docs/lint.md#{row.rule}",
            redaction.plain(row.subject),
        )
        for row in findings_of(workspace, target.current().lint_timeout)
    ]

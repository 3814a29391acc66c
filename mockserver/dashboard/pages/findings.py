"""The page "Findings": mistakes of the client, with links to its requests."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from mockserver.control.framework import target
from mockserver.control.traffic.findings import show_findings
from mockserver.dashboard.addresses import server_root
from mockserver.dashboard.rendering import Page

PAGE = Page("findings", "Findings")


@PAGE.view()
def index() -> Mapping[str, Any]:
    workspace = target.workspace()
    found = show_findings(workspace, server_root())
    unseen = workspace.journal.evicted
    return {"rules": [(rule, list(rows)) for rule, rows in groupby(found, lambda row: row.rule)], "unseen": unseen}

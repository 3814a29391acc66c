"""The findings of all rules."""

from __future__ import annotations

from collections.abc import Sequence

from mockserver.core.workspaces.workspace import Workspace
from mockserver.lint.finding import Finding
from mockserver.lint.inputs import find_outdated, find_unused_inputs
from mockserver.lint.limits import find_ignored_limits
from mockserver.lint.pages import find_first_pages
from mockserver.lint.traffic import Traffic
from mockserver.lint.waiting import find_missing_timeouts
from mockserver.lint.webhooks import find_secrets_in_urls, find_unverified_webhooks
from mockserver.lint.writes import find_repeated_writes

_RULES = (
    find_repeated_writes, find_ignored_limits, find_first_pages, find_secrets_in_urls, find_unverified_webhooks,
    find_unused_inputs, find_missing_timeouts, find_outdated,
)  # fmt: skip


def findings_of(workspace: Workspace, timeout: float) -> Sequence[Finding]:
    """Return what the rules find in an open workspace, by rule; a client may wait `timeout` seconds for an answer."""
    traffic = Traffic(workspace, timeout)
    return [finding for find in _RULES for finding in find(traffic)]

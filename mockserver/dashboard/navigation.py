"""All pages of the dashboard, in the order of the navigation."""

from __future__ import annotations

from mockserver.dashboard.framework.page import Page
from mockserver.dashboard.pages import clock, coverage, faults, machines, mail, requests, state, webhooks, workspaces

PAGES: tuple[Page, ...] = (
    workspaces.PAGE, requests.PAGE, machines.PAGE, mail.PAGE, webhooks.PAGE, clock.PAGE, faults.PAGE, coverage.PAGE,
    state.PAGE,
)  # fmt: skip

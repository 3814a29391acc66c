"""The handler of requests of people with a browser: forms in, pages out."""

from __future__ import annotations

from werkzeug.wrappers import Request

from mockserver.core.contract.errors import ServiceError
from mockserver.core.traffic.exchange import Exchange, Reply
from mockserver.core.workspaces.caller import AnonymousCaller
from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.pages import page
from mockserver.web.routing.route import Route
from mockserver.web.server import loop
from mockserver.web.service.handlers.anonymous import AnonymousHandler


class PageHandler(AnonymousHandler):
    """Refuses with a page; where many can sign in, requests leave the event loop, as a page may list all of them."""

    def identify(self, request: Request, route: Route, within: Workspace | None) -> AnonymousCaller:
        caller = super().identify(request, route, within)
        if _is_crowded(caller.workspace):
            loop.leave(request.environ)
        return caller

    def refusal(self, error: ServiceError, caller: AnonymousCaller, exchange: Exchange) -> Reply:
        return page.refusal(error, caller, exchange)


def _is_crowded(workspace: Workspace) -> bool:
    """Whether a page that lists all accounts and users takes too long for the event loop."""
    accounts = tuple(workspace.state.accounts.values())
    return len(accounts) > loop.LARGE_TABLE or sum(len(row.users) for row in accounts) > loop.LARGE_TABLE

"""The handlers of requests of anonymous callers: apps that want OAuth tokens, and people with a browser."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import replace
from typing import Protocol

from werkzeug.wrappers import Request

from mockserver.core.contract.errors import METHOD_NOT_ALLOWED, NOT_FOUND, ServiceError
from mockserver.core.state import reasons
from mockserver.core.traffic.exchange import Exchange, Reply
from mockserver.core.workspaces.caller import AnonymousCaller
from mockserver.core.workspaces.store import Store
from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.endpoints import oauth_error
from mockserver.web.pages import page
from mockserver.web.routing.encoded_slash import shown_path
from mockserver.web.routing.endpoint_table import EndpointTable
from mockserver.web.routing.route import Route
from mockserver.web.server import loop
from mockserver.web.service.answer import HeaderList
from mockserver.web.service.handlers.handler import Handler, Identified
from mockserver.web.service.visit import visit_of

#: The longest path that is shown whole, in characters. Chosen: above those of the service.
_LONGEST = 200


class Named(Protocol):
    """What has a method and an id: an operation."""

    @property
    def method(self) -> str: ...

    @property
    def id(self) -> str: ...


def why_nowhere(request: Request, operations: Iterable[Named]) -> str:
    """Why no operation answers a request; `operations` have its address, and take other methods."""
    shown = reasons.shown(shown_path(request), _LONGEST)
    methods = ", ".join(f"{operation.method} ({operation.id})" for operation in operations)
    if not methods:
        return f"unknown route: no operation has the path {shown}"
    return f"method {request.method} not allowed for {shown}; allowed: {methods}"


class AnonymousHandler(Handler[AnonymousCaller]):
    """Lets anybody call, in the workspace that the request names or the default one.

    An operation may have its own answer that shows an error.
    """

    def __init__(self, store: Store, endpoints: EndpointTable) -> None:
        self._store = store
        self._endpoints = endpoints

    def missing(self, workspace: str, request: Request) -> ServiceError:
        if other := self._store.replica.other_of_name(workspace):
            return self._store.replica.misdirected(f"workspace {workspace}", other)
        return NOT_FOUND(f"There is no workspace {workspace}").because(f"unknown workspace {workspace!r}")

    def identify(self, request: Request, route: Route, within: Workspace | None) -> AnonymousCaller:
        return _caller(request, route, within or self._store.default)

    def admit(self, found: Identified[AnonymousCaller], exchange: Exchange, headers: HeaderList) -> None:
        """Anonymous callers have no rate limit, and no account to note."""

    def nowhere(self, found: Identified[AnonymousCaller], exchange: Exchange) -> Reply:
        operations = self._endpoints.at(found.request)
        reason = why_nowhere(found.request, operations)
        if not operations:
            return Reply(404, error=NOT_FOUND("There is nothing at this address").because(reason))
        allowed = list(dict.fromkeys(operation.method for operation in operations))
        message = f"This address takes {' or '.join(allowed)}, not {found.request.method}"
        error = METHOD_NOT_ALLOWED(message).because(reason)
        return Reply(405, error=error, headers=(("Allow", ", ".join(allowed)),))

    def refuse(
        self, reply: Reply, error: ServiceError, found: Identified[AnonymousCaller], exchange: Exchange
    ) -> Reply:
        caller = found.caller or _caller(found.request, found.route, found.workspace)
        shown = self._own_refusal(error, caller, found.route, exchange) or self.refusal(error, caller, exchange)
        return replace(shown, error=shown.error or error, headers=(*shown.headers, *reply.headers), wire=reply.wire)

    @staticmethod
    def _own_refusal(error: ServiceError, caller: AnonymousCaller, route: Route, exchange: Exchange) -> Reply | None:
        """The operation's own answer that shows an error, or None if it has none."""
        refuse = None if route.endpoint is None else route.endpoint.operation.refuse
        reply: Reply | None = None if refuse is None else refuse(error, caller, exchange)
        return reply

    @abstractmethod
    def refusal(self, error: ServiceError, caller: AnonymousCaller, exchange: Exchange) -> Reply:
        """The answer that shows an error to the audience."""


def _caller(request: Request, route: Route, workspace: Workspace) -> AnonymousCaller:
    return AnonymousCaller(workspace, visit_of(request, route, workspace.name))


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


class OAuthHandler(AnonymousHandler):
    """Refuses with the errors of RFC 6749, 5.2; it is the operation that identifies the app, by its form."""

    def refusal(self, error: ServiceError, caller: AnonymousCaller, exchange: Exchange) -> Reply:
        return oauth_error.refusal(error)

"""Handlers of anonymous callers: OAuth apps and browsers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Protocol

from werkzeug.wrappers import Request

from mockserver.core.contract.errors import METHOD_NOT_ALLOWED, NOT_FOUND, ServiceError
from mockserver.core.state import reasons
from mockserver.core.traffic.exchange import Exchange, Reply
from mockserver.core.workspaces.caller import AnonymousCaller
from mockserver.core.workspaces.store import Store
from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.routing.address import shown_path
from mockserver.web.routing.route import EndpointTable, Route
from mockserver.web.server import loop
from mockserver.web.service.exchange import HeaderList
from mockserver.web.service.handlers import Handler, Identified, visit_of

#: Shows an error to the audience.
Refuse = Callable[[ServiceError, AnonymousCaller, Exchange], Reply]

#: The longest path that is shown whole, in characters. Chosen: above those of the service.
_LONGEST = 200


class Named(Protocol):
    """An operation's method and id."""

    @property
    def method(self) -> str: ...

    @property
    def id(self) -> str: ...


def why_nowhere(request: Request, operations: Iterable[Named]) -> str:
    """Return the reason why no operation answers; `operations` have the same address and other methods."""
    shown = reasons.shown(shown_path(request), _LONGEST)
    methods = ", ".join(f"{operation.method} ({operation.id})" for operation in operations)
    if not methods:
        return f"unknown route: no operation has the path {shown}"
    return f"method {request.method} not allowed for {shown}; allowed: {methods}"


class AnonymousHandler(Handler[AnonymousCaller]):
    """Admits all callers, in the named or default workspace."""

    def __init__(self, store: Store, endpoints: EndpointTable, refusal: Refuse) -> None:
        """Prepare a handler; `refusal` shows errors of operations without own refusal."""
        self._store = store
        self._endpoints = endpoints
        self._refusal = refusal

    def missing(self, workspace: str, request: Request) -> ServiceError:
        if other := self._store.replica.other_of_name(workspace):
            return self._store.replica.misdirected(f"workspace {workspace}", other)
        return NOT_FOUND(f"There is no workspace {workspace}").because(f"unknown workspace {workspace!r}")

    def identify(self, request: Request, route: Route, within: Workspace | None) -> AnonymousCaller:
        return _caller(request, route, within or self._store.default)

    def prepare(self, caller: AnonymousCaller, request: Request, route: Route) -> None:
        """Do nothing: small answers are ready at once."""

    def admit(self, found: Identified[AnonymousCaller], exchange: Exchange, headers: HeaderList) -> None:
        """Do nothing: no rate limit, no account."""

    def answer(self, found: Identified[AnonymousCaller], exchange: Exchange) -> Reply:
        endpoint = found.route.endpoint
        if endpoint is not None:
            return endpoint.answer(found.caller, found.request, exchange)
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
        """Show an error by the operation's function, or in the audience's format."""
        caller = found.caller or _caller(found.request, found.route, found.workspace)
        endpoint = found.route.endpoint
        own = None if endpoint is None else endpoint.operation.refuse
        shown: Reply = (own and own(error, caller, exchange)) or self._refusal(error, caller, exchange)
        headers = (*shown.headers, *reply.headers)
        return replace(shown, error=shown.error or error, headers=headers, wire=reply.wire, instead=reply.instead)


def _caller(request: Request, route: Route, workspace: Workspace) -> AnonymousCaller:
    return AnonymousCaller(workspace, visit_of(request, workspace.name))


class PageHandler(AnonymousHandler):
    """Answers pages. Requests of crowded workspaces leave the event loop: a page may list all users."""

    def prepare(self, caller: AnonymousCaller, request: Request, route: Route) -> None:
        accounts = tuple(caller.workspace.state.accounts.values())
        if len(accounts) > loop.LARGE_TABLE or sum(len(row.users) for row in accounts) > loop.LARGE_TABLE:
            loop.leave()

"""The base of the handlers for anonymous callers."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace

from werkzeug.wrappers import Request

from mockserver.core.contract.errors import METHOD_NOT_ALLOWED, NOT_FOUND, ServiceError
from mockserver.core.traffic.exchange import Exchange, Reply
from mockserver.core.workspaces.caller import AnonymousCaller
from mockserver.core.workspaces.store import Store
from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.routing.endpoint_table import EndpointTable
from mockserver.web.routing.route import Route
from mockserver.web.service.answer import HeaderList
from mockserver.web.service.handlers.handler import Handler, Identified
from mockserver.web.service.handlers.nowhere import why_nowhere
from mockserver.web.service.visit import visit_of


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

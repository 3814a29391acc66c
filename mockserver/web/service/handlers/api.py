"""The handler of requests of the API: callers with a key or a token, JSON in and out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from werkzeug.wrappers import Request

from mockserver.core.contract.errors import NOT_FOUND, TOO_MANY_REQUESTS, UNAUTHORIZED, ServiceError
from mockserver.core.contract.operation import Operation
from mockserver.core.state.identifiers import is_drawn
from mockserver.core.state.state import Account
from mockserver.core.traffic.exchange import Exchange, Reply
from mockserver.core.workspaces.caller import Bearers, Caller
from mockserver.core.workspaces.store import Store
from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.endpoints.permission import check_validated
from mockserver.web.routing.route import Route
from mockserver.web.server import loop
from mockserver.web.service import rate_limit
from mockserver.web.service.answer import HeaderList, error_body
from mockserver.web.service.auth import authenticate
from mockserver.web.service.beyond import ANSWERED_HEADER, BEYOND_HEADER, Answered, Beyond
from mockserver.web.service.handlers.handler import Handler, Identified, NotYetError

#: Begins what an operation has to wait for before the request of an environment is answered; whether the wait is over.
Prepare = Callable[[Caller, Route, dict[str, Any]], bool]


class ApiHandler(Handler[Caller]):
    """Identifies callers by key or token, counts their requests, and refuses with the errors of the API."""

    def __init__(self, store: Store, bearers: Bearers, beyond: Callable[[], Beyond], prepare: Prepare) -> None:
        self._store = store
        self._bearers = bearers
        self._beyond = beyond
        self._prepare = prepare

    def missing(self, workspace: str, request: Request) -> ServiceError:
        if other := self._store.replica.other_of_name(workspace):
            return self._store.replica.misdirected(f"workspace {workspace}", other)
        reason = f"unknown workspace {workspace!r}"
        key = request.environ.get("HTTP_API_KEY")
        if key is None or is_drawn(key) or self._store.knows(key):
            return UNAUTHORIZED().because(f"{reason}, so no API key is valid there")
        return NOT_FOUND().because(reason)

    def identify(self, request: Request, route: Route, within: Workspace | None) -> Caller:
        caller = authenticate(request, route, self._store, within, self._bearers)
        if loop.hold(request.environ, caller.workspace.lock) and _is_long(caller, request, route):
            loop.leave(request.environ)
        looks_up = route.endpoint is not None and route.endpoint.operation.looks_up
        if looks_up and not self._prepare(caller, route, request.environ):
            raise NotYetError
        return caller

    def admit(self, found: Identified[Caller], exchange: Exchange, headers: HeaderList) -> None:
        caller, route = found.caller, found.route
        if route.endpoint is None and route.operation is not None:
            headers.append((BEYOND_HEADER, route.operation))
            exchange.beyond = Answered.INTERCEPTED
        if caller is None:
            return  # a 401 neither counts nor tells a limit (contract/rate-limits)
        account = caller.account
        exchange.account = account.name
        if caller.is_unknown:
            exchange.warn(f"unknown API key; used the {account.role} account {account.name} instead (--keys any)")
        _count(found.workspace, account, exchange, headers)

    def answer(self, found: Identified[Caller], exchange: Exchange) -> Reply:
        assert found.caller is not None, "a caller that was refused has its answer"
        check_validated(found.caller, found.route.operation)
        endpoint = found.route.endpoint
        if endpoint is not None and endpoint.operation.is_further and found.workspace.state.stubs:
            reply = self._beyond_answer(self._beyond().stubbed, found, exchange)
            if reply is not None:
                return reply
        return super().answer(found, exchange)

    def nowhere(self, found: Identified[Caller], exchange: Exchange) -> Reply:
        reply = self._beyond_answer(self._beyond().answer, found, exchange)
        assert reply is not None, "an address without an operation has an answer"
        return reply

    def _beyond_answer(
        self, ask: Callable[[Caller, Request, Exchange], Reply | None], found: Identified[Caller], exchange: Exchange
    ) -> Reply | None:
        """Return the answer of a stub, a placeholder or a peer, with the header that says which."""
        assert found.caller is not None, "a caller that was refused, and a preflight, have their answers"
        try:
            reply = ask(found.caller, found.request, exchange)
        except ServiceError as error:
            reply = Reply.refused(error)
        if reply is not None and exchange.beyond is not None:
            reply.headers += ((ANSWERED_HEADER, exchange.beyond),)
        return reply

    def refuse(self, reply: Reply, error: ServiceError, found: Identified[Caller], exchange: Exchange) -> Reply:
        reply.body = error_body(error, found.workspace.state.behaviour.sentence_codes)
        return reply


def _is_long(caller: Caller, request: Request, route: Route) -> bool:
    """Whether a request takes too long for the event loop, as far as the operation and the number of rows tell."""
    workspace = caller.workspace
    if route.endpoint is not None:
        operation = route.endpoint.operation
        if operation.exports and workspace.state.has_many_calls and not workspace.state.behaviour.export:
            return True
        if operation.sweeps and _sweeps(operation, request):
            return len(workspace.state.accounts) > loop.LARGE_SWEEP or workspace.state.rows() > loop.LARGE_SWEEP
    may_be_stubbed = route.endpoint is None or route.endpoint.operation.is_further
    if may_be_stubbed and workspace.state.stubs:
        return True  # the expressions of a stub may take some time
    return request.method in ("GET", "HEAD") and caller.account.longest() > loop.LARGE_TABLE


def _sweeps(operation: Operation, request: Request) -> bool:
    """Whether an operation goes through all rows of a type, for these query parameters."""
    sweeps = operation.sweeps
    return sweeps is True or sweeps in request.args


def _count(workspace: Workspace, account: Account, exchange: Exchange, headers: HeaderList) -> None:
    """Count a request of an account, and add the headers that tell how many more it may send.

    Raises:
        ServiceError: 429; the account has sent too many, and the scenario has the limit enforced.
    """
    allowance = rate_limit.take(workspace, account, exchange.method, exchange.path)
    headers += allowance.headers()
    if allowance.exceeded and workspace.state.behaviour.rate_limit.enforce:
        limit = f"rate limit exceeded: more than {allowance.limit} requests in one window of the workspace's clock"
        raise TOO_MANY_REQUESTS().because(f"{limit}; the next window begins in {allowance.reset} seconds")

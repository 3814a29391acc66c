"""The service: authentication before routing, faults before the real answer, and a note of every exchange."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from time import perf_counter
from types import MappingProxyType
from typing import Protocol

from flask import Request, Response
from werkzeug.exceptions import RequestEntityTooLarge

from mockserver.core.contract.errors import (
    BAD_REQUEST,
    INTERNAL_ERROR,
    INVALID_PARAMETER,
    NOT_FOUND,
    TOO_MANY_REQUESTS,
    UNAUTHORIZED,
    ErrorCode,
    ServiceError,
)
from mockserver.core.contract.operation import Audience, Operation
from mockserver.core.state.faults import Fault
from mockserver.core.state.keys import is_drawn
from mockserver.core.traffic.exchange import Exchange, Reply
from mockserver.core.workspaces.caller import AnonymousCaller, Bearers, Caller
from mockserver.core.workspaces.store import Store
from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.schemas import json_text
from mockserver.web.server import loop
from mockserver.web.server.wire import transmit
from mockserver.web.service import public_endpoint, rate_limit
from mockserver.web.service.answer import HeaderList, answer, override, spoilt, told
from mockserver.web.service.application import (
    CONTROL_PREFIX,
    DisagreementError,
    ServiceFlask,
    named_workspace,
    path_within,
)
from mockserver.web.service.auth import authenticate, visit_of
from mockserver.web.service.endpoint_table import EndpointTable
from mockserver.web.service.public_endpoint import PublicEndpoint
from mockserver.web.service.received import body_of, headers_of

#: Asks for a fault in a request, and names it in an answer.
FAULT_HEADER = "X-Mock-Fault"

_NO_PARAMS: Mapping[str, str] = MappingProxyType({})

#: Statuses of requests that are not read to their end, and the codes that say it; all others are bad requests.
_EARLY: Mapping[int, ErrorCode] = MappingProxyType({503: INTERNAL_ERROR})

#: Takes the name of a workspace and what happened there, and writes a line about it.
Log = Callable[[str, Exchange], None]

#: Does what an operation needs to wait for before it is answered; false: not yet.
Prepare = Callable[[Caller, Request], bool]


class HeaderFaults(Protocol):
    """Makes a fault of a request's header, for an operation or for none; filled in by the app."""

    def __call__(self, text: str, operation: str | None) -> Fault:
        """The fault; ValueError: it is not a good one."""
        ...


def early_refusal(path: str, status: int, message: str) -> Response:
    """What is said of a request that was not read to its end: in the API's words, or in OAuth's for its addresses."""
    error = _EARLY.get(status, BAD_REQUEST)(message, status=status)
    if public_endpoint.audience_of(path_within(path)) is Audience.API:
        return answer(told(error), status, [])
    said = {"error": public_endpoint.oauth_code(error).code, "error_description": message}
    return answer(json_text.write(said), status, list(public_endpoint.NO_STORE))


def _is_crowded(workspace: Workspace) -> bool:
    """Whether a page that lists all who can sign in is too long for the event loop."""
    accounts = tuple(workspace.state.accounts.values())
    return len(accounts) > loop.LARGE_TABLE or sum(len(row.users) for row in accounts) > loop.LARGE_TABLE


class Service:
    """The service's part of the application: operations, errors and headers."""

    def __init__(
        self,
        app: ServiceFlask,
        store: Store,
        operations: Iterable[Operation],
        *,
        faults: HeaderFaults,
        bearers: Bearers,
        body_limit: int,
        prepare: Prepare = lambda caller, request: True,
        log: Log | None = None,
    ) -> None:
        self._store = store
        self._faults = faults
        self._bearers = bearers
        self._body_limit = body_limit
        self._prepare = prepare
        self._log = log
        self._endpoints = EndpointTable(app, operations)
        app.service = self
        app.config["MAX_CONTENT_LENGTH"] = body_limit

    def owns(self, request: Request) -> bool:
        """Whether the service answers here: all addresses but the mock's own are the service's, known or not."""
        if request.url_rule is not None:
            return request.url_rule.endpoint in self._endpoints
        return not request.path.startswith(CONTROL_PREFIX)

    def answer(self, request: Request) -> Response:
        """The answer to a request of the service's; what came of it is written down in its workspace."""
        started = perf_counter()
        try:
            within = self._within(request)
            if request.method == "OPTIONS":
                return self._in(within or self._store.default, None, request, started)
            audience = self._surface(request)
            if audience is not Audience.API:
                workspace = within or self._store.default
                if audience is Audience.PAGE and _is_crowded(workspace):
                    loop.leave(request.environ)
                return self._in(workspace, AnonymousCaller(workspace, visit_of(request, workspace)), request, started)
            caller = authenticate(request, self._store, within, self._bearers)
            loop.hold(request.environ, caller.workspace.lock)
            if self._is_long(caller, request) or _is_exported_at_once(caller.workspace, request):
                loop.leave(request.environ)
            if not self._prepare(caller, request):
                return answer(b"", 503, [])  # nobody sees it: the request waits, and is run again
        except ServiceError as error:
            workspace = self._addressed(request) or self._store.default
            return self._in(workspace, None, request, started, error)
        return self._in(caller.workspace, caller, request, started)

    def fail(self) -> Response:
        """A mistake of the mock itself, told in the service's words."""
        default = self._store.default
        with default.lock:
            error = INTERNAL_ERROR()
            return answer(told(error), error.status, [("sib-request-id", default.ids.request())])

    # ------------------------------------------------------------------ whose request it is

    def _surface(self, request: Request) -> Audience:
        """Whom the address speaks with."""
        rule = request.url_rule
        return self._endpoints.audience(None if rule is None else rule.endpoint, request.path)

    def _is_long(self, caller: Caller, request: Request) -> bool:
        """Whether it is too long for the event loop, as far as its operation and the number of rows tell."""
        rule, workspace = request.url_rule, caller.workspace
        sweeps = rule is not None and self._endpoints[rule.endpoint].operation.sweeps
        if sweeps is True or (sweeps and sweeps in request.args):
            return len(workspace.state.accounts) > loop.LARGE_SWEEP or workspace.state.rows() > loop.LARGE_SWEEP
        return request.method in ("GET", "HEAD") and caller.account.longest() > loop.LARGE_TABLE

    def _addressed(self, request: Request) -> Workspace | None:
        """The workspace that the address or the header names; where they differ, none."""
        try:
            name = named_workspace(request.environ)
        except DisagreementError:
            return None
        return None if name is None else self._store.get(name)

    def _within(self, request: Request) -> Workspace | None:
        """The same; without either it is left to the key.

        Raises:
            ServiceError: 400, 401 or 404; they differ, or name one that is not there.
        """
        try:
            name = named_workspace(request.environ)
        except DisagreementError as error:
            raise INVALID_PARAMETER(str(error)) from error
        found = None if name is None else self._store.get(name)
        if found is not None or name is None:
            return found
        reason = f"there is no workspace {name!r}"
        if self._surface(request) is not Audience.API:
            raise NOT_FOUND(f"There is no workspace {name}").because(reason)
        key = request.environ.get("HTTP_API_KEY")
        if key is None or is_drawn(key) or self._store.knows(key):
            raise UNAUTHORIZED().because(f"{reason}, and the key opens none of its accounts")
        raise NOT_FOUND().because(reason)

    # ------------------------------------------------------------------ one request in its workspace

    def _in(
        self,
        workspace: Workspace,
        caller: Caller | AnonymousCaller | None,
        request: Request,
        started: float,
        error: ServiceError | None = None,
    ) -> Response:
        """Answer, and write down what came of it; without a caller there is a refusal, or a preflight."""
        loop.hold(request.environ, workspace.lock)
        with workspace.lock:
            if workspace.state.is_much_due:
                loop.leave(request.environ)
            workspace.catch_up()
            exchange = self._begin(workspace, caller, request)
            changes = workspace.collect_changes()
            workspace.answering = exchange
            try:
                headers: HeaderList = [("sib-request-id", exchange.id)]
                if caller is None:
                    reply = self._turned_away(workspace, exchange, headers, error)
                else:
                    reply = self._reply(caller.now(), request, exchange, headers)
                reply = self._told(reply, workspace, request, exchange)
                body = self._finish(exchange, reply, headers)
                workspace.catch_up()  # what has fallen due by this request happens at once
            finally:
                workspace.stop_collecting(changes)
                workspace.answering = None
            exchange.transitions = changes
            exchange.ms = (perf_counter() - started) * 1000
            workspace.note(exchange)
        self._store.meter.add(exchange)
        if self._log is not None and workspace.counted:
            self._log(workspace.name, exchange)
        found = answer(body, reply.status, headers)
        return found if reply.wire is None else transmit(reply.wire, found, request.environ)

    def _begin(self, workspace: Workspace, caller: Caller | AnonymousCaller | None, request: Request) -> Exchange:
        environ = request.environ
        exchange = Exchange(
            id=workspace.ids.request(),
            at=workspace.state.clock.now(),
            method=request.method,
            path=request.path,
            query=environ["QUERY_STRING"],
            headers=headers_of(environ),
            body=body_of(request),
            operation=self._endpoints.called(request),
            params=request.view_args or _NO_PARAMS,
            account=caller.account.name if isinstance(caller, Caller) else None,
        )
        if isinstance(caller, Caller) and caller.is_unknown:
            account = caller.account
            exchange.warn(f"the API key is nobody's; it opens {account.name}, a {account.role} account (--keys any)")
        return exchange

    def _turned_away(
        self, workspace: Workspace, exchange: Exchange, headers: HeaderList, error: ServiceError | None
    ) -> Reply:
        """The answer to who is nobody: a refusal, or that to a preflight."""
        if error is None:
            return Reply(204)
        if self._endpoints.audience(exchange.operation, exchange.path) is Audience.API:
            self._count(workspace, rate_limit.NOBODY, exchange, headers)
        return Reply.refused(error)

    def _reply(
        self, caller: Caller | AnonymousCaller, request: Request, exchange: Exchange, headers: HeaderList
    ) -> Reply:
        """The real answer, or what a fault makes of it."""
        workspace = caller.workspace
        try:
            if isinstance(caller, Caller):
                self._count(workspace, caller.account.id, exchange, headers)
            fault = self._fault(workspace, request, exchange)
        except ServiceError as error:
            return Reply.refused(error)
        if fault is None:
            return self._real(caller, request, exchange)
        exchange.fault, exchange.fault_kind = fault.id, fault.kind
        headers.append((FAULT_HEADER, fault.id))
        return fault.answer(exchange, lambda: self._real(caller, request, exchange), workspace.state.random)

    def _real(self, caller: Caller | AnonymousCaller, request: Request, exchange: Exchange) -> Reply:
        """The answer that the service gives; a refusal is one, too."""
        try:
            if exchange.operation is None:
                return self._endpoints.nowhere(request, exchange)
            endpoint = self._endpoints[exchange.operation]
            if isinstance(caller, Caller):
                return endpoint.answer(caller, request, exchange)
            assert isinstance(endpoint, PublicEndpoint), "callers are led to front endpoints only"
            return endpoint.receive(caller, request, exchange)
        except ServiceError as error:
            return Reply.refused(error)
        except RequestEntityTooLarge:
            return self._too_large()

    def _too_large(self) -> Reply:
        limit = f"{self._body_limit // 1024 // 1024} MB" if self._body_limit >= 1024**2 else f"{self._body_limit} bytes"
        return Reply(413, error=BAD_REQUEST(f"The request body is over {limit}", status=413))

    def _fault(self, workspace: Workspace, request: Request, exchange: Exchange) -> Fault | None:
        """The fault that takes over: the one that the request asks for, else the first rule that hits.

        Raises:
            ServiceError: 400; the request asks for a fault that there is not.
        """
        wanted = request.environ.get("HTTP_X_MOCK_FAULT")
        if wanted is not None:
            try:
                return self._faults(wanted, exchange.operation)
            except ValueError as error:
                exchange.injected = True
                raise INVALID_PARAMETER(f"{FAULT_HEADER}: {error}") from error
        if not workspace.state.faults:
            return None
        return workspace.state.faults.take(exchange, workspace.state.clock.now(), workspace.state.random)

    def _count(self, workspace: Workspace, account: int, exchange: Exchange, headers: HeaderList) -> None:
        allowance = rate_limit.take(workspace, account, exchange.path)
        headers += allowance.headers()
        if allowance.exceeded and workspace.state.behaviour.rate_limit.enforce:
            limit = f"more than {allowance.limit} requests came within one window of the workspace's clock"
            raise TOO_MANY_REQUESTS().because(f"{limit}; the next one begins in {allowance.reset} seconds")

    def _told(self, reply: Reply, workspace: Workspace, request: Request, exchange: Exchange) -> Reply:
        """A refusal in words: the service's own, or those for apps and for people."""
        if reply.error is None:
            return reply
        if self._endpoints.audience(exchange.operation, exchange.path) is Audience.API:
            reply.body = told(reply.error, workspace.state.behaviour.sentence_codes)
            return reply
        found = self._endpoints.refusal(reply.error, AnonymousCaller(workspace, visit_of(request, workspace)), exchange)
        headers = (*found.headers, *reply.headers)
        return replace(found, error=found.error or reply.error, headers=headers, wire=reply.wire)

    @staticmethod
    def _finish(exchange: Exchange, reply: Reply, headers: HeaderList) -> bytes:
        """Fill in the second half of the exchange; gives the answer's body."""
        body, error = reply.body, reply.error
        if error is not None:
            exchange.code, exchange.reason = error.code.code, error.reason
        if reply.spoilt and body:
            body = spoilt(body)
        if reply.headers:
            override(headers, reply.headers)
        if reply.wire is None or reply.wire.answers:
            exchange.status, exchange.answer_body, exchange.answer_headers = reply.status, body, headers
        else:
            exchange.reason = f"the fault {exchange.fault} let no answer through"
        return body


def _is_exported_at_once(workspace: Workspace, request: Request) -> bool:
    """Whether the history of many calls is written while the request for it is answered."""
    if not workspace.state.has_many_calls or workspace.state.behaviour.export:
        return False
    rule = request.url_rule
    return rule is not None and rule.endpoint == "exportWebhooksHistory"

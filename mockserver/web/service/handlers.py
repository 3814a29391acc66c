"""The base of handlers, and the API's handler: keys and tokens, JSON."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_address, ip_network
from typing import Any, Generic, TypeVar

from werkzeug.wrappers import Request

from mockserver.core.contract.errors import NOT_FOUND, UNAUTHORIZED, ServiceError
from mockserver.core.state import reasons
from mockserver.core.state.identifiers import LONGEST_KEY, is_drawn, is_key
from mockserver.core.state.state import Account
from mockserver.core.traffic.exchange import Exchange, Reply
from mockserver.core.workspaces.caller import AnonymousCaller, Bearers, Caller, Visit
from mockserver.core.workspaces.store import KeyMode, Store, StoreFullError
from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.endpoints.endpoint import check_validated
from mockserver.web.routing.address import workspace_url
from mockserver.web.routing.route import Route
from mockserver.web.server import loop
from mockserver.web.service import credentials, rate_limit
from mockserver.web.service.beyond import ANSWERED_HEADER, BEYOND_HEADER, Answered, Beyond
from mockserver.web.service.exchange import HeaderList, error_body

CallerT = TypeVar("CallerT", Caller, AnonymousCaller)
#: Begins the work for which an operation has to wait before its request is answered. Returns whether it is over.
Prepare = Callable[[Caller, Route, dict[str, Any]], bool]

#: The key for clients without a key where the server takes any. The journal warns of other unknown keys.
ANY_KEY = "any"
#: The most characters of a key that a reason does not show at all. Chosen: of a longer key, the last four are shown.
_SHORT = 8


class NotYetError(Exception):
    """The request has to wait, and runs again; the present answer is dropped."""


@dataclass(slots=True, eq=False)
class Identified(Generic[CallerT]):
    """A request whose route, workspace and caller are known."""

    request: Request
    route: Route
    workspace: Workspace
    #: The caller, or None if the caller was refused or the request is a preflight.
    caller: CallerT | None
    #: The answer to a caller that was refused, or None.
    refusal: Reply | None


class Handler(ABC, Generic[CallerT]):
    """Identifies, answers and refuses the callers of one audience."""

    @abstractmethod
    def missing(self, workspace: str, request: Request) -> ServiceError:
        """Return the error for an unknown workspace."""

    @abstractmethod
    def identify(self, request: Request, route: Route, within: Workspace | None) -> CallerT:
        """Return the caller; `within` is the workspace named by the request, or None.

        Raises:
            ServiceError: the caller is unknown, or may not call.
            LeaveLoop: on the event loop, a large workspace has to be made, or a workspace is not free.
        """

    @abstractmethod
    def prepare(self, caller: CallerT, request: Request, route: Route) -> None:
        """Prepare an answer.

        Raises:
            LeaveLoop: the request takes long, and runs on the event loop.
            NotYetError: the request waits for something before it is answered.
        """

    @abstractmethod
    def admit(self, found: Identified[CallerT], exchange: Exchange, headers: HeaderList) -> None:
        """Note the caller in the exchange, count the request, and add rate limit headers."""

    @abstractmethod
    def answer(self, found: Identified[CallerT], exchange: Exchange) -> Reply:
        """Return the service's answer, regardless of faults."""

    @abstractmethod
    def refuse(self, reply: Reply, error: ServiceError, found: Identified[CallerT], exchange: Exchange) -> Reply:
        """Return an error in the audience's format; `reply` has the error and headers."""


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
        return authenticate(request, route, self._store, within, self._bearers)

    def prepare(self, caller: Caller, request: Request, route: Route) -> None:
        if _is_long(caller, request, route):
            loop.leave()
        looks_up = route.endpoint is not None and route.endpoint.operation.looks_up
        if looks_up and not self._prepare(caller, route, request.environ):
            raise NotYetError

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
            form = credentials.wrong_form(exchange.by_header.get("api-key", ""))
            unknown = f"unknown API key{f', which {form}' if form else ''}"
            exchange.warn(f"{unknown}; used the {account.role} account {account.name} instead (--keys any)")
        rate_limit.count(found.workspace, account, exchange, headers)

    def answer(self, found: Identified[Caller], exchange: Exchange) -> Reply:
        caller, endpoint = found.caller, found.route.endpoint
        assert caller is not None, "a refused caller has its answer"
        if caller.account.under_validation:
            check_validated(caller, found.route.operation)
        if endpoint is None:
            reply = self._beyond_answer(self._beyond().answer, found, exchange)
            assert reply is not None, "an address without an operation has an answer"
            return reply
        if endpoint.operation.is_further and found.workspace.state.stubs:
            reply = self._beyond_answer(self._beyond().stubbed, found, exchange)
            if reply is not None:
                return reply
        return endpoint.answer(caller, found.request, exchange)

    def _beyond_answer(
        self, ask: Callable[[Caller, Request, Exchange], Reply | None], found: Identified[Caller], exchange: Exchange
    ) -> Reply | None:
        assert found.caller is not None, "refused callers and preflights have their answers"
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
    state = caller.workspace.state
    operation = None if route.endpoint is None else route.endpoint.operation
    if operation is not None:
        if operation.exports and state.has_many_calls and not state.behaviour.export:
            return True
        sweeps = operation.sweeps is True or (operation.sweeps and operation.sweeps in request.args)
        if sweeps:
            return len(state.accounts) > loop.LARGE_SWEEP or state.rows() > loop.LARGE_SWEEP
    if (operation is None or operation.is_further) and state.stubs:
        return True  # the expressions of a stub may take some time
    return request.method in ("GET", "HEAD") and caller.account.longest() > loop.LARGE_TABLE


# ---------------------------------------------------------------------- keys and tokens


def authenticate(request: Request, route: Route, store: Store, within: Workspace | None, bearers: Bearers) -> Caller:
    """Return the caller by `api-key` header or bearer token.

    `within` is the workspace named by the request, to which the caller has to belong, or None.
    """
    key = request.environ.get("HTTP_API_KEY")
    scopes: frozenset[str] | None = None
    is_unknown = False
    if key:
        workspace, account = _opened(request, key, store, within)
        is_unknown = key not in workspace.state.keys and key != ANY_KEY
    else:
        workspace, account, scopes = bearers.find(_token(request), within)
    if workspace.state.behaviour.authorised_ips:
        _check_address(request, workspace)
    return Caller(workspace, account, partial(visit_of, request, workspace.name), scopes, is_unknown)


def _token(request: Request) -> str:
    scheme, _, token = request.environ.get("HTTP_AUTHORIZATION", "").partition(" ")
    if scheme.lower() != "bearer":
        reason = "missing credentials: the request has no api-key header and no bearer token in an Authorization header"
        if sent := list(credentials.sent_instead(request.environ)):
            reason += f"; it sent {reasons.listed(sent)}, which the service does not read"
        raise UNAUTHORIZED("authentication not found in headers").because(reason)
    return str(token.strip())


def _opened(request: Request, key: str, store: Store, within: Workspace | None) -> tuple[Workspace, Account]:
    try:
        found = find(request.environ, key, store, within)
    except StoreFullError as error:
        raise UNAUTHORIZED().because(str(error)) from error
    if found is None:
        if within is None and (other := store.replica.other_of_key(key)):
            raise store.replica.misdirected("the API key", other)
        raise UNAUTHORIZED().because(_why_unknown(key, store, within))
    return found


def find(
    environ: dict[str, Any], key: str, store: Store, within: Workspace | None = None
) -> tuple[Workspace, Account] | None:
    """Return a key's account and its workspace, perhaps a new workspace, or None.

    `within` is the workspace to which the account has to belong, or None for any.

    Raises:
        LeaveLoop: on the event loop, a large workspace has to be made.
        StoreFullError: a workspace has to be made, and the store is full.
    """
    if store.keys is KeyMode.ISOLATE and store.makes(key, within) and store.maker.rows() > loop.LARGE_WORKSPACE:
        loop.leave()
    return store.find(key, within)


def _check_address(request: Request, workspace: Workspace) -> None:
    allowed = workspace.state.behaviour.authorised_ips
    if not _is_authorised(request.remote_addr or "", allowed):
        refused = UNAUTHORIZED(
            f"We have detected you are using an unrecognised IP address {request.remote_addr}. "
            "Authorise it on the security page of your account."
        )
        known = f"workspace {workspace.name} allows {reasons.listed(allowed)} (behaviour.authorised_ips)"
        raise refused.because(f"unauthorised IP address {request.remote_addr}: {known}")


def _why_unknown(key: str, store: Store, within: Workspace | None) -> str:
    """Return the journal's reason for an unknown key, showing at most its end."""
    shown = f"the API key ending in {reasons.shown(key[-4:])}" if len(key) > _SHORT else "the API key"
    for workspace in store.having(key):
        if key in workspace.state.revoked_keys:
            return f"{shown} was revoked in workspace {workspace.name}"
        if within is not None and workspace.state.account_of(key) is not None:
            return f"{shown} belongs to workspace {workspace.name}, but the request is for workspace {within.name}"
    if is_drawn(key):
        return f"{shown} belongs to a workspace that no longer exists"
    if (form := credentials.wrong_form(key)) is not None:
        return f"{shown} {form}"
    if not is_key(key):
        return f"{shown} is malformed: expected 1 to {LONGEST_KEY} printable ASCII characters without spaces"
    where = "" if within is None else f" in workspace {within.name}"
    return f"{shown} is unknown: no account{where} has it, and unknown keys are refused (--keys {store.keys})"


def _is_authorised(address: str, allowed: Sequence[str]) -> bool:
    try:
        caller = ip_address(address)
    except ValueError:
        return False
    return any(caller in ip_network(entry, strict=False) for entry in allowed)


# ---------------------------------------------------------------------- the address of the client and of the workspace


def visit_of(request: Request, workspace: str) -> Visit:
    """Return a request's client, and the root address of the workspace for this client."""
    environ = request.environ
    root = workspace_url(environ, workspace)
    return Visit(root, environ.get("REMOTE_ADDR") or "", environ.get("HTTP_USER_AGENT", ""))

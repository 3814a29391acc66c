"""The service: the frame of every request, from workspace to journal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from time import perf_counter, time
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.wrappers import Request, Response

from mockserver.core.contract.errors import (
    BAD_REQUEST,
    INTERNAL_ERROR,
    INVALID_PARAMETER,
    PERMISSION_DENIED,
    TEMPORARILY_UNAVAILABLE,
    ServiceError,
)
from mockserver.core.contract.operation import Audience, Operation
from mockserver.core.state.faults import Fault
from mockserver.core.text.host_names import DEFAULT_HOST, LONGEST_HOST, HostNames, fault_of_host
from mockserver.core.traffic.exchange import Exchange, Held, Reply, Wire
from mockserver.core.workspaces.caller import Bearers
from mockserver.core.workspaces.lifecycle import settle
from mockserver.core.workspaces.storage import StorageError
from mockserver.core.workspaces.store import DEFAULT, Store
from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.endpoints import oauth_error
from mockserver.web.endpoints.request import ServiceRequest, read_ahead
from mockserver.web.pages import page
from mockserver.web.routing.address import (
    API_PREFIX,
    NO_NAME,
    SLASH,
    WORKSPACE,
    WORKSPACE_PREFIX,
    DisagreementError,
    match_as,
    segmented,
    split_workspace,
    take_prefix_off,
)
from mockserver.web.routing.route import EndpointTable, Route
from mockserver.web.server.loop import LARGE_BODY
from mockserver.web.server.wire import transmit
from mockserver.web.server.wsgi import KNOWN, WsgiAnswer, run
from mockserver.web.service.beyond import Beyond
from mockserver.web.service.exchange import (
    ApiResponse,
    HeaderList,
    answer,
    begin,
    early_refusal,
    error_body,
    finish,
    note,
)
from mockserver.web.service.handlers import ApiHandler, Handler, Identified, NotYetError, Prepare
from mockserver.web.service.pending import PendingError, PendingReply, Respond, pending_of
from mockserver.web.service.public_handlers import AnonymousHandler, PageHandler

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

#: The header that chooses a fault in a request, and names the fault in an answer.
FAULT_HEADER = "X-Mock-Fault"

#: Logs an exchange in the workspace of this name.
Log = Callable[[str, Exchange], None]
#: Logs an error of the mock, and makes the response to the request of the environment.
Failed = Callable[["WSGIEnvironment", Exception], Response]


class HeaderFaults(Protocol):
    """Reads faults from request headers; the app provides it."""

    def __call__(self, text: str, operation: str | None) -> Fault:
        """Return the described fault for a request of this operation.

        Raises:
            ValueError: the text describes no fault, or a fault that the operation cannot have.
        """
        ...


def _take_workspace_off(environ: WSGIEnvironment) -> None:
    """Move `/w/<name>` from the path to the root of an address, once per request."""
    path = environ["PATH_INFO"]
    if WORKSPACE in environ or not (path.startswith(WORKSPACE_PREFIX) or "%2" in environ.get("REQUEST_URI", "")):
        return
    marked = segmented(environ)
    name, path = split_workspace(path if marked is None else marked)
    if name is not None:
        name = name.replace(SLASH, "/")
        environ["SCRIPT_NAME"] += f"{WORKSPACE_PREFIX}{name}"
        environ["PATH_INFO"] = path.replace(SLASH, "/")
        environ[WORKSPACE] = name
    if marked is not None:
        match_as(environ, path)


class Service:
    """Answers service requests, and adds exchanges to workspaces' journals."""

    def __init__(  # noqa: PLR0913  # the app names each part by keyword
        self,
        store: Store,
        operations: Iterable[Operation],
        *,
        faults: HeaderFaults,
        names: HostNames,
        bearers: Bearers,
        beyond: Callable[[], Beyond],
        public_root: str | None,
        body_limit: int,
        failed: Failed,
        prepare: Prepare = lambda caller, route, environ: True,
        log: Log | None = None,
    ) -> None:
        self.endpoints = EndpointTable(operations, lambda method, path: beyond().recognise(method, path))
        self.body_limit = body_limit
        self._public_root = public_root
        self._store = store
        self._faults = faults
        self._names = names
        self._failed = failed
        self._log = log
        self._handlers: Mapping[Audience, Handler[Any]] = MappingProxyType(
            {
                Audience.API: ApiHandler(store, bearers, beyond, prepare),
                Audience.OAUTH: AnonymousHandler(store, self.endpoints, lambda error, *_: oauth_error.refusal(error)),
                Audience.PAGE: PageHandler(store, self.endpoints, page.refusal),
            }
        )

    def enter(self, environ: WSGIEnvironment) -> None:
        """Take the prefix of the public address and `/w/<name>` off the path of a request, once per request."""
        if self._public_root is not None:
            take_prefix_off(environ, self._public_root)
        _take_workspace_off(environ)

    # ------------------------------------------------------------------ requests that come without Flask

    def shortcut(self, environ: WSGIEnvironment, *, nowhere: bool = True) -> WsgiAnswer | None:
        """Return the complete answer to an API request, or None, without effect, for other requests."""
        self.enter(environ)
        response = self.respond(environ, nowhere=nowhere)
        if response is None:
            return None
        found = response.whole(environ) if isinstance(response, ApiResponse) else None
        return found or run(response, environ)

    def respond(self, environ: WSGIEnvironment, *, nowhere: bool = True) -> Response | None:
        """Return the response to an API request, or None as `shortcut`; `enter` was called before.

        Without `nowhere`, addresses without operation have no response.
        """
        if not environ["PATH_INFO"].startswith(API_PREFIX):
            return None
        request = ServiceRequest(environ, self.body_limit)
        try:
            route = self._route(request)
            if route is None or (route.endpoint is None and not nowhere):
                return None
            return self.answer(request, route)
        except Exception as error:  # noqa: BLE001  # it is logged
            return self._failed(environ, error)

    def _route(self, request: Request) -> Route | None:
        """Return an API request's route, cached for a known head."""
        known: dict[str, Any] | None = request.environ.get(KNOWN)
        if known is None:
            return self.endpoints.route(request)
        if "route" not in known:
            known["route"] = self.endpoints.route(request)
        route: Route | None = known["route"]
        return route

    # ------------------------------------------------------------------ every request

    def answer(self, request: Request, route: Route) -> Response:
        """Answer a service request, and add its exchange to journal and log.

        Raises:
            LeaveLoop: on the event loop, the request takes long or its workspace is not free.
            ConnectionResetError: a fault wants no answer, and the server is an ordinary WSGI server.
        """
        came_at, started = time(), perf_counter()
        environ = request.environ
        if route.endpoint is None and (waiting := pending_of(environ)) is not None:
            return self._answer_later(waiting, environ)
        try:
            handler = self._handlers[route.audience]
            if int(environ.get("CONTENT_LENGTH") or 0) > LARGE_BODY and route.audience is Audience.API:
                read_ahead(request)
            found = self._identified(handler, request, route)
            workspace = found.workspace
            if found.caller is not None:
                handler.prepare(found.caller, request, route)
            now = workspace.now
            # All effects of a request have one moment; to read the clock again and again costs more, too.
            pinned = workspace.state.clock.pin(now)
            try:
                exchange = workspace.answering = begin(workspace, request, route, now, came_at)
                response, wire = self._exchange(handler, found, exchange)
            finally:
                workspace.state.clock.pin(pinned)
                workspace.answering = None
            exchange.ms = (perf_counter() - started) * 1000
            evicted = workspace.note(exchange) if exchange.held is None else note(workspace, exchange)
        except NotYetError:
            return answer(b"", 503, [])  # not sent: the request waits, and is run again
        except PendingError as error:
            pending = error.reply
        except StorageError as error:
            return early_refusal(environ["PATH_INFO"], 503, str(error))
        else:
            return self._sent(response, wire, workspace, exchange, evicted, environ)
        return self._answer_later(pending, environ)

    def _answer_later(self, reply: PendingReply, environ: dict[str, Any]) -> Response:
        """Answer a request whose answer arrived or timed out; otherwise return a response that is dropped."""
        if not reply.is_ready(environ):
            return answer(b"", 503, [])
        respond = reply.respond
        if respond is None:
            try:
                reply.workspace.open()
                respond = reply.save()
            except StorageError as error:
                return early_refusal(environ["PATH_INFO"], 503, str(error))
        return respond(environ)

    def _note(self, found: Identified[Any], exchange: Exchange, headers: HeaderList, reply: PendingReply) -> Respond:
        """Note an exchange with the answer that has arrived, or the error until then."""
        exchange.reason = reply.reason
        handler = self._handlers[found.route.audience]
        shown = reply if reply.error is None else handler.refuse(reply, reply.error, found, exchange)
        body = finish(exchange, shown, headers)
        exchange.ms = (perf_counter() - reply.began) * 1000
        evicted, response = note(found.workspace, exchange), answer(body, shown.status, headers)
        return partial(self._sent, response, shown.wire, found.workspace, exchange, evicted)

    def _sent(
        self,
        response: Response,
        wire: Wire | None,
        workspace: Workspace,
        exchange: Exchange,
        evicted: int,
        environ: WSGIEnvironment,
    ) -> Response:
        self._store.storage.after(partial(self._count, workspace, exchange, evicted))
        if wire is None:
            return response
        held = wire.held
        if held is not None and not exchange.body and environ.get("CONTENT_LENGTH", "0") not in ("", "0"):
            held.is_without_body = True
        return transmit(wire, response, environ, partial(_end_hold, workspace, held))

    def _count(self, workspace: Workspace, exchange: Exchange, evicted: int) -> None:
        self._store.meter.add(exchange, evicted)
        if self._log is not None and workspace.counted:
            self._log(workspace.name, exchange)

    def fail(self) -> Response:
        """Return a 500 API error."""
        error = INTERNAL_ERROR()
        return answer(error_body(error), error.status, [("sib-request-id", self._drawn_id())])

    def _drawn_id(self) -> str:
        """Return an id for an unjournalled answer, from the default workspace if loaded and free."""
        default = self._store.peek(DEFAULT)
        with suppress(StorageError):
            if default is not None and self._store.storage.hold(default, 0):
                return default.ids.request()
        from uuid import uuid4  # noqa: PLC0415  # needed only where servers share a store

        return str(uuid4())

    # ------------------------------------------------------------------ the caller and the workspace

    def _identified(self, handler: Handler[Any], request: Request, route: Route) -> Identified[Any]:
        """Return a request with caller and workspace; refused callers get the named or default workspace."""
        within = caller = refusal = None
        try:
            if route.workspace is not NO_NAME:
                within = self._within(handler, request, route)
            self._check_head(request.environ, request.method, route.audience)
            if request.method != "OPTIONS":
                caller = handler.identify(request, route, within)
        except ServiceError as error:
            refusal = Reply.refused(error)
        except StorageError as error:
            refusal = Reply.refused(TEMPORARILY_UNAVAILABLE().because(str(error)))
        if caller is None and within is None:  # one that the key has led to is not waited for with another one at hand
            self._store.storage.let_go_all()
        workspace = (within or self._store.default) if caller is None else caller.workspace
        return Identified(request, route, workspace, caller, refusal)

    def _check_head(self, environ: dict[str, Any], method: str, audience: Audience) -> None:
        """Refuse a malformed Host header, and foreign web pages, but for links to our pages and discovery of OAuth."""
        if fault := fault_of_host(environ.get("HTTP_HOST", DEFAULT_HOST)[:LONGEST_HOST]):
            raise BAD_REQUEST(fault)
        if "HTTP_ORIGIN" not in environ and "HTTP_SEC_FETCH_SITE" not in environ:
            return
        is_open = audience is Audience.PAGE or (audience is Audience.OAUTH and method in ("GET", "HEAD"))
        if not is_open and (why := self._names.why_foreign(environ)):
            refused = PERMISSION_DENIED(f"{why} sent this request; nothing was changed")
            raise refused.because(f"{why} sent this request: its name is neither private nor one of --allowed-host")

    def _within(self, handler: Handler[Any], request: Request, route: Route) -> Workspace | None:
        try:
            name = route.workspace.agreed()
        except DisagreementError as error:
            raise INVALID_PARAMETER(str(error)) from error
        if name is None:
            return None
        found = self._store.get(name)
        if found is None:
            raise handler.missing(name, request)
        return found

    # ------------------------------------------------------------------ one request in its workspace

    def _exchange(
        self, handler: Handler[Any], found: Identified[Any], exchange: Exchange
    ) -> tuple[Response, Wire | None]:
        """Return the response and its wire form, after all effects of the request."""
        headers: HeaderList = [("sib-request-id", exchange.id)] if exchange.held is None else exchange.held.headers
        reply = self._reply(handler, found, exchange, headers)
        if reply.error is not None:
            if isinstance(reply, PendingReply) and not reply.is_over:
                reply.note = partial(self._note, found, exchange, headers)
                raise PendingError(reply)
            reply = handler.refuse(reply, reply.error, found, exchange)
        body = finish(exchange, reply, headers)
        response = answer(body, reply.status, headers)
        found.workspace.catch_up()  # timers that are due by this request fire at once
        return response, reply.wire

    def _reply(self, handler: Handler[Any], found: Identified[Any], exchange: Exchange, headers: HeaderList) -> Reply:
        """Return the service's answer or refusal, as changed by faults."""
        if found.caller is None and found.refusal is None:  # a preflight
            return Reply(204)
        if exchange.held is not None:  # the fault has let it go: it has been counted, and its fault has hit
            return found.refusal or self._real(handler, found, exchange)
        fault = None
        try:
            handler.admit(found, exchange, headers)
            if found.refusal is not None:
                return found.refusal
            if found.workspace.state.faults or "HTTP_X_MOCK_FAULT" in found.request.environ:
                fault = self._fault(found, exchange)
        except ServiceError as error:
            return Reply.refused(error)
        if fault is None:
            return self._real(handler, found, exchange)
        exchange.fault, exchange.fault_kind = fault.id, fault.kind
        headers.append((FAULT_HEADER, fault.id))
        workspace, real = found.workspace, partial(self._real, handler, found, exchange)
        return fault.answer(exchange, real, workspace.state.random, workspace.journal)

    def _real(self, handler: Handler[Any], found: Identified[Any], exchange: Exchange) -> Reply:
        try:
            return handler.answer(found, exchange)
        except ServiceError as error:
            return Reply.refused(error)
        except RequestEntityTooLarge:
            most = self.body_limit
            limit = f"{most // 1024 // 1024} MB" if most >= 1024**2 else f"{most} bytes"
            return Reply(413, error=BAD_REQUEST(f"The request body is over {limit}", status=413))

    def _fault(self, found: Identified[Any], exchange: Exchange) -> Fault | None:
        """Return the fault in the request's header, else the workspace's first matching fault, or None."""
        workspace = found.workspace
        state, varied = workspace.state, workspace.state.varied
        if varied is not None and not varied.announced:
            for row in varied.draws:
                exchange.warn(f"vary {varied.seed}: {row.says}")
            state.varied = varied._replace(announced=True)
        wanted = found.request.environ.get("HTTP_X_MOCK_FAULT")
        if wanted is not None:
            try:
                return self._faults(wanted, exchange.operation)
            except ValueError as error:
                exchange.injected = True
                raise INVALID_PARAMETER(f"{FAULT_HEADER}: {error}") from error
        return state.faults.take(exchange, state.clock.now(), state.random, workspace.journal)


def _end_hold(workspace: Workspace, held: Held | None) -> None:
    if held is not None and not held.is_over:
        settle(workspace, workspace.end_hold, held)

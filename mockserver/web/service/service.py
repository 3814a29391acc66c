"""The service: what is done for every request of any audience, from its workspace and lock to the journal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from functools import partial
from time import perf_counter
from types import MappingProxyType
from typing import Any, Protocol

from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.wrappers import Request, Response

from mockserver.core.contract.errors import (
    BAD_REQUEST,
    INTERNAL_ERROR,
    INVALID_PARAMETER,
    TEMPORARILY_UNAVAILABLE,
    ServiceError,
)
from mockserver.core.contract.operation import Audience, Operation
from mockserver.core.state.faults import Fault
from mockserver.core.traffic.exchange import Exchange, Held, Reply, Wire
from mockserver.core.workspaces.caller import Bearers
from mockserver.core.workspaces.storage import Storage, StorageError
from mockserver.core.workspaces.store import DEFAULT, Store
from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.routing.endpoint_table import EndpointTable
from mockserver.web.routing.route import Route
from mockserver.web.routing.workspace_name import NO_NAME, DisagreementError
from mockserver.web.server import loop
from mockserver.web.server.wire import transmit
from mockserver.web.service.answer import HeaderList, answer, error_body
from mockserver.web.service.beyond import Beyond
from mockserver.web.service.early_refusal import early_refusal
from mockserver.web.service.exchanges import begin, finish, note
from mockserver.web.service.handlers.anonymous import OAuthHandler, PageHandler
from mockserver.web.service.handlers.api import ApiHandler, Prepare
from mockserver.web.service.handlers.handler import Handler, Identified, NotYetError
from mockserver.web.service.pending import Pending, PendingError, PendingReply, pending_of


def in_wire_form(
    wire: Wire,
    response: Response,
    environ: dict[str, Any],
    workspace: Workspace,
    exchange: Exchange,
    storage: Storage,
) -> Response:
    """An answer that leaves in a wire form; `environ` is that of the request as it was last run.

    Raises:
        ConnectionResetError: the fault wants no answer, and the server is an ordinary WSGI server.
    """
    if wire.held is not None and not exchange.body and environ.get("CONTENT_LENGTH", "0") not in ("", "0"):
        wire.held.is_without_body = True
    return transmit(wire, response, environ, partial(_end_hold, storage, workspace, wire.held))


def _end_hold(storage: Storage, workspace: Workspace, held: Held | None) -> None:
    """Tell a workspace that nobody waits for an answer any more, unless it cannot be read."""
    with suppress(StorageError):
        storage.run(partial(workspace.end_hold, held))


#: The header that chooses a fault in a request, and names the fault in an answer.
FAULT_HEADER = "X-Mock-Fault"

#: Writes a line about an exchange in the workspace of this name.
Log = Callable[[str, Exchange], None]


class HeaderFaults(Protocol):
    """Makes a fault of the header of a request; the app provides it."""

    def __call__(self, text: str, operation: str | None) -> Fault:
        """The fault that the text describes, for a request that calls this operation, or none.

        Raises:
            ValueError: the text describes no fault, or one that the operation cannot have.
        """
        ...


class Service:
    """Answers requests for the service, and keeps what happened in the workspaces' journals."""

    def __init__(
        self,
        store: Store,
        operations: Iterable[Operation],
        *,
        faults: HeaderFaults,
        bearers: Bearers,
        beyond: Callable[[], Beyond],
        body_limit: int,
        prepare: Prepare = lambda caller, route, environ: True,
        log: Log | None = None,
    ) -> None:
        self.endpoints = EndpointTable(operations, lambda method, path: beyond().recognise(method, path))
        self.body_limit = body_limit
        self._store = store
        self._faults = faults
        self._log = log
        self._handlers: Mapping[Audience, Handler[Any]] = MappingProxyType(
            {
                Audience.API: ApiHandler(store, bearers, beyond, prepare),
                Audience.OAUTH: OAuthHandler(store, self.endpoints),
                Audience.PAGE: PageHandler(store, self.endpoints),
            }
        )

    def answer(self, request: Request, route: Route) -> Response:
        """The answer to a request for the service; the exchange goes into its workspace's journal and into the log.

        Raises:
            LeaveLoop: the request runs on the event loop, and to answer takes long or a lock is not free.
            ConnectionResetError: a fault wants no answer, and the server is an ordinary WSGI server.
        """
        started = perf_counter()
        environ = request.environ
        if route.endpoint is None and (pending := pending_of(environ)) is not None:
            return self._answer_later(pending, environ)
        handler = self._handlers[route.audience]
        try:
            found = self._identified(handler, request, route)
            workspace = found.workspace
            on_loop = loop.hold(environ, workspace.lock)
            with workspace.lock:
                now = loop.catch_up(workspace, on_loop=on_loop)
                found.refresh()
                exchange = begin(found, now)
                response, wire = self._exchange(handler, found, exchange, now)
                exchange.ms = (perf_counter() - started) * 1000
                evicted = workspace.note(exchange) if exchange.held is None else note(workspace, exchange)
        except NotYetError:
            return answer(b"", 503, [])  # not sent: the request waits, and is run again
        except PendingError as error:
            return self._answer_later(error.pending, environ)
        except StorageError as error:
            return _unavailable(environ, error)
        return self._sent(response, wire, environ, workspace, exchange, evicted)

    def _answer_later(self, pending: Pending, environ: dict[str, Any]) -> Response:
        """The answer to a request that waits for it; it is not sent if the request waits on, and will be run again.

        Raises:
            LeaveLoop: the request runs on the event loop, and the lock is not free.
            ConnectionResetError: a fault wants no answer, and the server is an ordinary WSGI server.
        """
        handler, found, exchange, headers, reply = pending
        workspace = found.workspace
        try:
            loop.hold(environ, workspace.lock)
            if not pending.is_over(environ):
                return answer(b"", 503, [])
            with workspace.lock:
                exchange.reason = reply.reason
                shown = reply if reply.error is None else handler.refuse(reply, reply.error, found, exchange)
                body = finish(exchange, shown, headers)
                exchange.ms = (perf_counter() - reply.began) * 1000
                evicted = note(workspace, exchange)
                response = answer(body, shown.status, headers)  # an answer that is too late changes nothing of it
        except StorageError as error:
            return _unavailable(environ, error)
        return self._sent(response, shown.wire, environ, workspace, exchange, evicted)

    def _sent(
        self,
        response: Response,
        wire: Wire | None,
        environ: dict[str, Any],
        workspace: Workspace,
        exchange: Exchange,
        evicted: int,
    ) -> Response:
        """Return the response in its wire form; count and log the exchange once it is saved.

        Raises:
            ConnectionResetError: as `in_wire_form`.
        """
        storage = self._store.storage
        if storage.in_sessions:
            storage.after(partial(self._count, workspace, exchange, evicted))
        else:
            self._count(workspace, exchange, evicted)
        return response if wire is None else in_wire_form(wire, response, environ, workspace, exchange, storage)

    def _count(self, workspace: Workspace, exchange: Exchange, evicted: int) -> None:
        """Count and log an exchange that is over, and count the exchanges that it has evicted."""
        self._store.meter.add(exchange, evicted)
        if self._log is not None and workspace.counted:
            self._log(workspace.name, exchange)

    def fail(self) -> Response:
        """The answer to a request in which an error of the mock itself came up: a 500 of the API."""
        error = INTERNAL_ERROR()
        return answer(error_body(error), error.status, [("sib-request-id", self._drawn_id())])

    def _drawn_id(self) -> str:
        """An id for an answer that is in no journal: the next one of the default workspace, if that is in memory."""
        default = self._store.peek(DEFAULT)
        if default is not None:
            with suppress(StorageError), default.lock:
                return default.ids.request()
        from uuid import uuid4  # noqa: PLC0415  # needed only where servers share a store

        return str(uuid4())

    # ------------------------------------------------------------------ the caller and the workspace

    def _identified(self, handler: Handler[Any], request: Request, route: Route) -> Identified[Any]:
        """The request with its caller and workspace; a refused caller's is the one that it names, or the default one.

        Raises:
            LeaveLoop: to answer takes long, and the request runs on the event loop.
            NotYetError: the request waits for something before it is answered.
        """
        within = caller = refusal = None
        try:
            if route.workspace is not NO_NAME:
                within = self._within(handler, request, route)
            if request.method != "OPTIONS":
                caller = handler.identify(request, route, within)
        except ServiceError as error:
            refusal = Reply.refused(error)
        except StorageError as error:
            refusal = Reply.refused(TEMPORARILY_UNAVAILABLE().because(str(error)))
        workspace = (within or self._store.default) if caller is None else caller.workspace
        return Identified(request, route, workspace, caller, refusal)

    def _within(self, handler: Handler[Any], request: Request, route: Route) -> Workspace | None:
        """The workspace that the request names, or None if it names none.

        Raises:
            ServiceError: address and header name different workspaces, or one that does not exist.
        """
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
        self, handler: Handler[Any], found: Identified[Any], exchange: Exchange, now: datetime
    ) -> tuple[Response, Wire | None]:
        """The answer to a request, and its wire form if a fault chose one; what falls due by that has happened.

        Raises:
            PendingError: the answer comes later.
        """
        workspace = found.workspace
        exchange.transitions = changes = workspace.collect_changes()
        workspace.answering = exchange
        # All that a request causes happens at one moment; to read the clock again and again costs more, too.
        clock = workspace.state.clock
        pinned = clock.pin(now)
        try:
            headers: HeaderList = [("sib-request-id", exchange.id)] if exchange.held is None else exchange.held.headers
            reply = self._reply(handler, found, exchange, headers)
            if reply.error is not None:
                if isinstance(reply, PendingReply):
                    raise PendingError(Pending(handler, found, exchange, headers, reply))
                reply = handler.refuse(reply, reply.error, found, exchange)
            body = finish(exchange, reply, headers)
            workspace.catch_up()  # what has fallen due by this request happens at once
        finally:
            clock.pin(pinned)
            workspace.stop_collecting(changes)
            workspace.answering = None
        return answer(body, reply.status, headers), reply.wire

    def _reply(self, handler: Handler[Any], found: Identified[Any], exchange: Exchange, headers: HeaderList) -> Reply:
        """The answer or the refusal of the service, or what a fault makes of it."""
        if found.is_preflight:
            return Reply(204)
        if exchange.held is not None:  # it was let go: it has been counted, and its fault has hit
            return found.refusal or self._real(handler, found, exchange)
        try:
            handler.admit(found, exchange, headers)
            if found.refusal is not None:
                return found.refusal
            fault = self._fault(found, exchange)
        except ServiceError as error:
            return Reply.refused(error)
        if fault is None:
            return self._real(handler, found, exchange)
        exchange.fault, exchange.fault_kind = fault.id, fault.kind
        headers.append((FAULT_HEADER, fault.id))
        return fault.answer(exchange, lambda: self._real(handler, found, exchange), found.workspace.state.random)

    def _real(self, handler: Handler[Any], found: Identified[Any], exchange: Exchange) -> Reply:
        """The answer or the refusal of the service, without regard to faults."""
        try:
            return handler.answer(found, exchange)
        except ServiceError as error:
            return Reply.refused(error)
        except RequestEntityTooLarge:
            return self._too_large()

    def _too_large(self) -> Reply:
        limit = f"{self.body_limit // 1024 // 1024} MB" if self.body_limit >= 1024**2 else f"{self.body_limit} bytes"
        return Reply(413, error=BAD_REQUEST(f"The request body is over {limit}", status=413))

    def _fault(self, found: Identified[Any], exchange: Exchange) -> Fault | None:
        """The fault that the request's header chooses, else the first of the workspace's that matches, or None.

        Raises:
            ServiceError: 400; the header describes no fault.
        """
        workspace = found.workspace
        wanted = found.request.environ.get("HTTP_X_MOCK_FAULT")
        if wanted is not None:
            try:
                return self._faults(wanted, exchange.operation)
            except ValueError as error:
                exchange.injected = True
                raise INVALID_PARAMETER(f"{FAULT_HEADER}: {error}") from error
        if not workspace.state.faults:
            return None
        return workspace.state.faults.take(exchange, workspace.state.clock.now(), workspace.state.random)


def _unavailable(environ: dict[str, Any], why: StorageError) -> Response:
    """The answer to a request whose workspace cannot be had, or was lost while it ran."""
    return early_refusal(environ["PATH_INFO"], 503, str(why))

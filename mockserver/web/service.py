"""The Flask application that serves the operations: authentication before routing, one form for all answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from flask import Flask, Request, Response, request
from werkzeug.datastructures import Headers
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.routing import BaseConverter, Map, MapAdapter, Rule

from mockserver.core.contract import Operation
from mockserver.core.errors import BAD_REQUEST, INTERNAL_ERROR, NOT_FOUND, TOO_MANY_REQUESTS, ServiceError
from mockserver.core.store import Store
from mockserver.core.workspace import Workspace
from mockserver.settings import BODY_LIMIT
from mockserver.web import json_text, rate_limit
from mockserver.web.auth import authenticate
from mockserver.web.operation import Door

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

#: Seen on captured answers, ledger 1.1; a preflight gets the same.
CORS_HEADERS = [
    ("access-control-allow-origin", "*"),
    ("access-control-allow-headers", "*"),
    ("access-control-allow-credentials", "true"),
    ("access-control-allow-methods", "PUT, POST, GET, DELETE, PATCH, OPTIONS"),
]
#: Where the control API lives.
CONTROL_PREFIX = "/_mock"

HeaderList = list[tuple[str, str]]


class Answer(Response):
    """An answer of the service, whose headers are complete when it is made.

    Werkzeug checks each header when it is added, and reads them all again when they are sent: a quarter of the time of
    a small answer. Ours are constants, numbers and UUIDs.
    """

    def __init__(self, body: bytes, status: int, headers: HeaderList) -> None:
        super().__init__()
        self.response = [body]
        self.status_code = status
        self.headers = Headers()
        self.headers._list = headers  # noqa: SLF001  # see above

    def get_wsgi_headers(self, environ: WSGIEnvironment) -> Headers:
        return self.headers


class Segment(BaseConverter):
    """One segment of a path that is not one of its fixed siblings.

    `/v3/senders/ips` is no sender's address, whatever the method (ledger 2.6).
    """

    def __init__(self, url_map: Map, *siblings: str) -> None:
        super().__init__(url_map)
        if siblings:
            self.regex = f"(?!(?:{'|'.join(siblings)})(?:/|$))[^/]+"


class Address(Rule):
    """A rule that is only matched: no address is ever built from it, and preparing for that is most of its cost."""

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        return lambda *_, **__: ("", "")


class ServiceFlask(Flask):
    """Flask, with the service's own way for the service's paths, and without what it does for many hosts."""

    service: Service
    url_rule_class = Address

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        if request is None:
            return super().create_url_adapter(request)
        # The map knows neither hosts nor subdomains, so nothing of the environment but these matters.
        return MapAdapter(
            self.url_map, request.host, request.root_path, "", request.scheme, request.path, request.method, ""
        )

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        return func  # no view is a coroutine, and asking costs more than calling

    def full_dispatch_request(self) -> Response:
        """Answer the service's paths by the service, which authenticates before it looks where a path leads."""
        found: Request = request._get_current_object()  # type: ignore[attr-defined]  # noqa: SLF001  # once, not often
        return self.service.answer(found) if self.service.owns(found) else super().full_dispatch_request()


class Service:
    """The /v3 part of the application: operations, errors and headers of the service."""

    def __init__(self, app: ServiceFlask, store: Store, operations: Iterable[Operation]) -> None:
        self._store = store
        self._doors: dict[str, Door] = {}
        app.service = self
        app.config["MAX_CONTENT_LENGTH"] = BODY_LIMIT
        app.url_map.converters["segment"] = Segment
        app.url_map.merge_slashes = False
        operations = list(operations)
        for operation in operations:
            self._doors[operation.id] = Door(operation)
            rule = _rule(operation, operations)
            app.add_url_rule(rule, operation.id, methods=[operation.method], provide_automatic_options=False)

    def owns(self, request: Request) -> bool:
        """Whether the service answers here: all addresses but the mock's own are the service's, known or not."""
        if request.url_rule is not None:
            return request.url_rule.endpoint in self._doors
        return not request.path.startswith(CONTROL_PREFIX)

    def answer(self, request: Request) -> Response:
        """The answer to a request of the service's; a refusal has the headers that were known by then."""
        headers: HeaderList = []
        try:
            if request.method == "OPTIONS":
                with self._store.default.lock:
                    return _answer(b"", 204, self._identify(self._store.default))
            return self._serve(request, headers)
        except ServiceError as error:
            return _error(error, headers)
        except RequestEntityTooLarge:
            limit = f"The request body is over {BODY_LIMIT // 1024 // 1024} MB"
            return _error(BAD_REQUEST(limit, status=413), headers)

    def fail(self) -> Response:
        """A mistake of the mock itself, told in the service's words."""
        with self._store.default.lock:
            return _error(INTERNAL_ERROR(), self._identify(self._store.default))

    def _serve(self, request: Request, headers: HeaderList) -> Response:
        try:
            caller = authenticate(request, self._store)
        except ServiceError:
            with self._store.default.lock:
                self._count(self._store.default, rate_limit.NOBODY, request.path, headers)
            raise
        workspace = caller.workspace
        with workspace.lock:
            workspace.catch_up()
            self._count(workspace, caller.account.id, request.path, headers)
            door = self._door(request)
            arguments: Mapping[str, str] = request.view_args or {}
            data = door.answer(caller, request, arguments)
        return _answer(b"" if data is None else json_text.write(data), door.operation.status, headers)

    def _door(self, request: Request) -> Door:
        """The operation that a path and a method lead to.

        Raises:
            ServiceError: 404; to none.
        """
        if request.url_rule is None:
            raise NOT_FOUND()
        return self._doors[request.url_rule.endpoint]

    def _count(self, workspace: Workspace, account: int, path: str, headers: HeaderList) -> None:
        headers += self._identify(workspace)
        allowance = rate_limit.take(workspace, account, path)
        headers += allowance.headers()
        if allowance.exceeded and workspace.behaviour.rate_limit.enforce:
            raise TOO_MANY_REQUESTS()

    @staticmethod
    def _identify(workspace: Workspace) -> HeaderList:
        return [("sib-request-id", workspace.random.uuid("request"))]


def _rule(operation: Operation, operations: list[Operation]) -> str:
    """Flask's form of a path: every parameter is one segment, other than its fixed siblings in other paths."""
    parts = operation.path.split("/")
    for index, part in enumerate(parts):
        if part.startswith("{"):
            siblings = {other.path.split("/")[index] for other in operations if _beside(other, parts, index)}
            parts[index] = f"<segment({', '.join(map(repr, sorted(siblings)))}):{part[1:-1]}>"
    return "/".join(parts)


def _beside(other: Operation, parts: list[str], index: int) -> bool:
    segments = other.path.split("/")
    return len(segments) > index and segments[:index] == parts[:index] and not segments[index].startswith("{")


def _error(error: ServiceError, headers: list[tuple[str, str]]) -> Response:
    return _answer(json_text.write({"code": error.code.code, "message": error.message}), error.status, headers)


def _answer(body: bytes, status: int, headers: list[tuple[str, str]]) -> Response:
    kind = [("Content-Type", "application/json")] if body else []
    # RFC 9110, 8.6: a 204 has no Content-Length.
    length = [("Content-Length", str(len(body)))] if status != 204 else []
    return Answer(body, status, [*kind, *length, *headers, *CORS_HEADERS])

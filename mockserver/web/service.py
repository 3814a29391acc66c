"""The Flask application that serves the operations: authentication before routing, one form for all answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from flask import Flask, Response, request
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.routing import BaseConverter, Map, MapAdapter

from mockserver.core.contract import Operation
from mockserver.core.errors import (
    BAD_REQUEST,
    INTERNAL_ERROR,
    NOT_FOUND,
    TOO_MANY_REQUESTS,
    ServiceError,
)
from mockserver.core.store import Store
from mockserver.core.workspace import Workspace
from mockserver.web import json_text, rate_limit
from mockserver.web.auth import authenticate
from mockserver.web.operation import BODY_LIMIT, Door

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


class Answer(Response):
    """A response whose headers are complete when it is made.

    Werkzeug's own way re-reads them all for each request (a fifth of the time of a small answer).
    """

    def get_wsgi_headers(self, environ: WSGIEnvironment) -> Any:
        complete = "Content-Length" in self.headers or self.status_code == 204
        return self.headers if complete else super().get_wsgi_headers(environ)


class Segment(BaseConverter):
    """One segment of a path that is not one of its fixed siblings.

    `/v3/senders/ips` is no sender's address, whatever the method (ledger 2.6).
    """

    def __init__(self, url_map: Map, *siblings: str) -> None:
        super().__init__(url_map)
        if siblings:
            self.regex = f"(?!(?:{'|'.join(siblings)})(?:/|$))[^/]+"


class ServiceFlask(Flask):
    """Flask with the two costly steps of its dispatch made for one host: binding the URL map, and the headers."""

    response_class = Answer

    def create_url_adapter(self, request: Any) -> MapAdapter | None:
        if request is None:
            return super().create_url_adapter(request)
        # The map knows neither hosts nor subdomains, so nothing of the environment but these matters.
        return MapAdapter(
            self.url_map, request.host, request.root_path, "", request.scheme, request.path, request.method, ""
        )


class Service:
    """The /v3 part of the application: operations, errors and headers of the service."""

    def __init__(self, app: Flask, store: Store, operations: Iterable[Operation]) -> None:
        self._store = store
        self._doors: dict[str, Door] = {}
        app.config["MAX_CONTENT_LENGTH"] = BODY_LIMIT
        app.url_map.converters["segment"] = Segment
        app.url_map.merge_slashes = False
        operations = list(operations)
        for operation in operations:
            self._doors[operation.id] = Door(operation)
            app.add_url_rule(
                _rule(operation, operations), operation.id, self._serve, methods=[operation.method],
                provide_automatic_options=False,
            )  # fmt: skip
        app.before_request(self._before)

    def _before(self) -> Response | None:
        """Answer what needs no operation: preflights, refused callers, and addresses that lead nowhere."""
        if not is_service_path(request.path):
            return None
        if request.method == "OPTIONS":
            return Response(status=204, headers=[*CORS_HEADERS, *self._request_id(self._store.default)])
        return self._serve() if request.routing_exception else None

    def _serve(self, **_: str) -> Response:
        headers: list[tuple[str, str]] = []
        try:
            return self._respond(headers)
        except ServiceError as error:
            return _error(error, headers)
        except RequestEntityTooLarge:
            limit = f"The request body is over {BODY_LIMIT // 1024 // 1024} MB"
            return _error(BAD_REQUEST(limit, status=413), headers)

    def _respond(self, headers: list[tuple[str, str]]) -> Response:
        """The answer of an operation; what headers it has by the time of a refusal, the refusal has as well."""
        try:
            caller = authenticate(request, self._store)
        except ServiceError:
            self._count(self._store.default, rate_limit.NOBODY, headers)
            raise
        workspace = caller.workspace
        with workspace.lock:
            workspace.catch_up()
            self._count(workspace, caller.account.id, headers)
            if request.routing_exception is not None or request.endpoint is None:
                raise NOT_FOUND()
            door = self._doors[request.endpoint]
            data = door.answer(caller, request, request.view_args or {})
            body = b"" if data is None else json_text.write(data)
        return _answer(body, door.operation.status, headers)

    def _count(self, workspace: Workspace, account: int, headers: list[tuple[str, str]]) -> None:
        with workspace.lock:
            headers += self._request_id(workspace)
            allowance = rate_limit.take(workspace, account, request.path)
        headers += allowance.headers()
        if allowance.exceeded and workspace.behaviour.rate_limit.enforce:
            raise TOO_MANY_REQUESTS()

    @staticmethod
    def _request_id(workspace: Workspace) -> list[tuple[str, str]]:
        return [("sib-request-id", workspace.random.uuid("request"))]


def is_service_path(path: str) -> bool:
    """Whether the service itself answers here, rather than the mock's own pages."""
    return path.startswith("/v3/") or path == "/v3"


def internal_error() -> Response:
    """A mistake of the mock itself, told in the service's words."""
    return _error(INTERNAL_ERROR(), [])


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

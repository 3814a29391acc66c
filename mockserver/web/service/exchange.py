"""The exchange of a request, its HTTP response, and early refusals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache, lru_cache
from http import HTTPStatus
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from werkzeug.datastructures import Headers
from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.utils import cached_property
from werkzeug.wrappers import Request, Response

from mockserver.core.contract.errors import BAD_REQUEST, INTERNAL_ERROR, ErrorCode, ServiceError
from mockserver.core.contract.operation import Audience
from mockserver.core.traffic.exchange import Exchange, Header, Held, Reply
from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.endpoints.oauth_error import NO_STORE, oauth_code
from mockserver.web.endpoints.request import body_of
from mockserver.web.routing.address import audience_of, split_workspace
from mockserver.web.routing.route import Route
from mockserver.web.schemas import json_text
from mockserver.web.server.waiting import SUSPENDED, SuspendedRequest
from mockserver.web.server.wsgi import CONNECTION, KNOWN, WsgiAnswer
from mockserver.web.service import rate_limit

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

HeaderList = list[tuple[str, str]]

CONTENT_TYPE = "Content-Type"
_JSON = ((CONTENT_TYPE, "application/json"),)
#: The headers for scripts of other origins, as in recorded answers (contract/transport), and thus in preflights.
CORS_HEADERS = [
    ("access-control-allow-origin", "*"),
    ("access-control-allow-headers", "*"),
    ("access-control-allow-credentials", "true"),
    ("access-control-allow-methods", "PUT, POST, GET, DELETE, PATCH, OPTIONS"),
]
#: The statuses of answers that never have a body (RFC 9110, 6.4.1).
_WITHOUT_BODY = frozenset((*range(100, 200), 204, 304))
#: The codes of early refusals by status; any other status has `bad_request`.
_EARLY: Mapping[int, ErrorCode] = MappingProxyType({503: INTERNAL_ERROR})
#: The longest header, in characters, that is cached for all requests. Chosen: most repeated headers are shorter, and
#: `_REMEMBERED` longer headers would fill the memory.
_SHORT = 200
#: How many headers are cached for all requests. Chosen: some megabytes at most.
_REMEMBERED = 4_096


class ApiResponse(Response):
    """A response with complete, unchecked headers.

    Werkzeug checks each header when it is added, and reads all of them again when they are sent: a quarter of the time
    of a small answer. Ours are constants, numbers and UUIDs. `__init__` sets what that of the base would set.
    """

    def __init__(self, body: bytes, status: int, headers: HeaderList) -> None:
        self._header_list = headers
        self._status, self._status_code = _status_line(status), status
        self.response = [body]
        self.direct_passthrough = True
        self._on_close = []

    @cached_property
    def headers(self) -> Headers:
        found = Headers()
        found._list = self._header_list  # noqa: SLF001  # unchecked, for speed
        return found

    def get_wsgi_headers(self, environ: WSGIEnvironment) -> Headers:
        return self.headers

    def whole(self, environ: WSGIEnvironment) -> WsgiAnswer | None:
        body = self.response
        if not isinstance(body, list):
            return None
        has_body = environ["REQUEST_METHOD"] != "HEAD" and self._status_code not in _WITHOUT_BODY
        return WsgiAnswer(self._status_code, self._header_list, body[0] if has_body else b"")


@cache
def _status_line(status: int) -> str:
    """Return a status with its name, as WSGI wants it: `200 OK`."""
    return Response(status=status).status


def answer(body: bytes, status: int, headers: HeaderList) -> ApiResponse:
    return ApiResponse(body, status, complete(body, status, headers))


def complete(body: bytes, status: int, headers: Sequence[tuple[str, str]]) -> HeaderList:
    """Return these and the common headers."""
    # A 204 has no Content-Length (RFC 9110, 8.6).
    length = () if status == 204 else (("Content-Length", str(len(body))),)
    if CONTENT_TYPE in dict(headers):
        # A page or a redirect is not for scripts of other origins.
        return [*length, *headers]
    return [*(_JSON if body else ()), *length, *headers, *CORS_HEADERS]


def error_body(error: ServiceError, codes: str = "specification") -> bytes:
    """Return an API error as JSON, with its code by `behaviour.sentence_codes`."""
    return json_text.write({"code": error.code_by(codes), "message": error.message, **error.members})


def spoilt(body: bytes) -> bytes:
    """Return invalid JSON: half a body and a NUL byte."""
    return body[: len(body) // 2] + b"\x00\n"


def early_refusal(path: str, status: int, message: str) -> Response:
    """Refuse a request that reaches no handler, by an API error or (OAuth, pages) an OAuth error."""
    error = _EARLY.get(status, BAD_REQUEST)(message, status=status)
    if audience_of(split_workspace(path)[1]) is Audience.API:
        return answer(error_body(error), status, [])
    body = {"error": oauth_code(error).code, "error_description": message}
    return answer(json_text.write(body), status, list(NO_STORE))


# ---------------------------------------------------------------------- the exchange


def begin(workspace: Workspace, request: Request, route: Route, now: datetime, came_at: float) -> Exchange:
    """Return a new exchange, or the earlier exchange of a held request, which came in seconds since 1970."""
    environ = request.environ
    suspended: SuspendedRequest | None = environ.get(SUSPENDED)
    if suspended is not None and (held := suspended.held) is not None:
        kept = workspace.journal.find(held.exchange)
        if kept is not None:
            kept.held = held  # the journal may have been read again from a store since
            workspace.coverage.take_back(kept)
            kept.begin_again()
            return kept
    # Werkzeug would find that there is no body, too, but takes longer.
    is_empty = environ.get("CONTENT_LENGTH", "0") == "0" and "HTTP_TRANSFER_ENCODING" not in environ
    headers, body = _headers_of(environ), b"" if is_empty else _body_within_limit(request)
    return Exchange(
        id=workspace.ids.request(),
        at=now,
        method=request.method,
        path=route.path,
        query=environ["QUERY_STRING"],
        headers=headers,
        body=body,
        operation=route.operation,
        params=route.params,
        real_at=came_at,
        connection=environ.get(CONNECTION),
    )


def finish(exchange: Exchange, reply: Reply, headers: HeaderList) -> bytes:
    """Complete an exchange and its answer's headers, and return the answer's body."""
    body, error = reply.body, reply.error
    if error is not None:
        exchange.code, exchange.reason = error.code.code, error.reason
    if reply.instead is not None and reply.status not in _WITHOUT_BODY:
        body = reply.instead
    if reply.spoilt and body:
        body = spoilt(body)
    if reply.status == HTTPStatus.UNAUTHORIZED:  # by a fault; recorded answers have no such headers
        headers[:] = [row for row in headers if not row[0].startswith(rate_limit.HEADERS)]
    if reply.headers:
        _override(headers, reply.headers)
    if reply.wire is None or reply.wire.answers:
        exchange.status, exchange.answer_body, exchange.answer_headers = reply.status, body, headers
    else:
        exchange.reason = f"fault {exchange.fault} ended the request without an answer"
    if reply.wire is not None and reply.wire.waits:
        exchange.held = Held(exchange.id, headers, refuses=not reply.wire.answers)
        reply.wire = reply.wire._replace(held=exchange.held)
    return body


def note(workspace: Workspace, exchange: Exchange) -> int:
    """Add or complete an exchange in the journal. Return the number of evicted exchanges."""
    held = exchange.held
    return workspace.note(exchange) if held is None or not held.is_let_go else workspace.complete(exchange)


def _override(headers: HeaderList, own: Iterable[tuple[str, str]]) -> None:
    names = {name.lower() for name, _ in own}
    headers[:] = [*(row for row in headers if row[0].lower() not in names), *own]


def _body_within_limit(request: Request) -> bytes:
    try:
        return body_of(request)
    except RequestEntityTooLarge:
        return b""


def _headers_of(environ: WSGIEnvironment) -> Sequence[Header]:
    """Return a request's headers with lower-case names, cached for a known head."""
    known: dict[str, Any] | None = environ.get(KNOWN)
    if known is not None and "headers" in known:
        headers: Sequence[Header] = known["headers"]
        return headers
    found = [
        _header(name, value) if len(name) + len(value) <= _SHORT else _header.__wrapped__(name, value)
        for name, value in environ.items()
        if name[:5] == "HTTP_"
    ]
    if "CONTENT_TYPE" in environ:
        found.append(("content-type", environ["CONTENT_TYPE"]))
    if known is not None:
        known["headers"] = found
    return found


@lru_cache(maxsize=_REMEMBERED)
def _header(name: str, value: str) -> Header:
    """Return a header with lower-case name; requests share the object, as clients repeat headers."""
    return name[5:].replace("_", "-").lower(), value

"""The exchange of a request: begun before the request is answered, finished with its answer, and noted."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache
from http import HTTPStatus
from time import time
from typing import TYPE_CHECKING, Any

from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.wrappers import Request

from mockserver.core.traffic.exchange import Exchange, Header, Held, Reply
from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.endpoints.service_request import body_of
from mockserver.web.server.connections.heads import KNOWN
from mockserver.web.server.waiting import SUSPENDED, SuspendedRequest
from mockserver.web.service import rate_limit
from mockserver.web.service.answer import HeaderList, override, spoilt
from mockserver.web.service.handlers.handler import Identified

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment


def kept_body_of(request: Request) -> bytes:
    """The body of a request; empty for one that is over the limit."""
    environ = request.environ
    # Werkzeug would find that there is no body, too, but takes longer.
    if environ.get("CONTENT_LENGTH", "0") == "0" and "HTTP_TRANSFER_ENCODING" not in environ:
        return b""
    try:
        return body_of(request)
    except RequestEntityTooLarge:
        return b""


#: The longest header, in characters, that is kept once for all requests. Chosen: most that repeat are shorter, and
#: `_REMEMBERED` longer ones would fill the memory.
_SHORT = 200
#: How many headers are kept once for all requests. Chosen: some megabytes at most.
_REMEMBERED = 4_096


@lru_cache(maxsize=_REMEMBERED)
def _header(name: str, value: str) -> Header:
    """A header with its name in lower case; one object for all requests, as clients send the same headers."""
    return name[5:].replace("_", "-").lower(), value


def headers_of(environ: WSGIEnvironment) -> Sequence[Header]:
    """The headers of a request, with their names in lower case."""
    known: dict[str, Any] | None = environ.get(KNOWN)
    if known is None:
        return _headers_of(environ)
    if "headers" not in known:
        known["headers"] = _headers_of(environ)
    found: Sequence[Header] = known["headers"]
    return found


def _headers_of(environ: WSGIEnvironment) -> Sequence[Header]:
    found = [
        _header(name, value) if len(name) + len(value) <= _SHORT else _header.__wrapped__(name, value)
        for name, value in environ.items()
        if name[:5] == "HTTP_"
    ]
    if "CONTENT_TYPE" in environ:
        found.append(("content-type", environ["CONTENT_TYPE"]))
    return found


def begin(found: Identified[Any], now: datetime) -> Exchange:
    """The exchange of a request at this moment, without its answer; the earlier one if it was held and let go."""
    workspace, request, route = found.workspace, found.request, found.route
    environ = request.environ
    suspended: SuspendedRequest | None = environ.get(SUSPENDED)
    if suspended is not None and (held := suspended.held) is not None:
        kept = workspace.journal.find(held.exchange)
        if kept is not None:
            kept.held = held  # the journal may have been read again from a store since
            workspace.coverage.take_back(kept)
            kept.begin_again()
            return kept
    return Exchange(
        id=workspace.ids.request(),
        at=now,
        method=request.method,
        path=route.path,
        query=environ["QUERY_STRING"],
        headers=headers_of(environ),
        body=kept_body_of(request),
        operation=route.operation,
        params=route.params,
        real_at=time(),
    )


def finish(exchange: Exchange, reply: Reply, headers: HeaderList) -> bytes:
    """The body of the answer; the exchange and the headers are completed, and what waits can be let go."""
    body, error = reply.body, reply.error
    if error is not None:
        exchange.code, exchange.reason = error.code.code, error.reason
    if reply.spoilt and body:
        body = spoilt(body)
    if reply.status == HTTPStatus.UNAUTHORIZED:  # by a fault; recorded answers have no such headers
        headers[:] = [row for row in headers if not row[0].startswith(rate_limit.HEADERS)]
    if reply.headers:
        override(headers, reply.headers)
    if reply.wire is None or reply.wire.answers:
        exchange.status, exchange.answer_body, exchange.answer_headers = reply.status, body, headers
    else:
        exchange.reason = f"fault {exchange.fault} ended the request without an answer"
    if reply.wire is not None and reply.wire.waits:
        exchange.held = Held(exchange.id, headers, refuses=not reply.wire.answers)
        reply.wire = reply.wire._replace(held=exchange.held)
    return body


def note(workspace: Workspace, exchange: Exchange) -> int:
    """Note an exchange that is over, perhaps again after it was held; returns how many it has evicted."""
    held = exchange.held
    return workspace.note(exchange) if held is None or not held.is_let_go else workspace.complete(exchange)

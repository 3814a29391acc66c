"""The exchange of a request: begun before the request is answered, finished with its answer, and noted."""

from __future__ import annotations

from datetime import datetime
from http import HTTPStatus
from time import time
from typing import Any

from mockserver.core.traffic.exchange import Exchange, Reply
from mockserver.core.traffic.held import Held
from mockserver.core.workspaces.workspace import Workspace
from mockserver.web.server.waiting import SUSPENDED, SuspendedRequest
from mockserver.web.service import rate_limit
from mockserver.web.service.answer import HeaderList, override, spoilt
from mockserver.web.service.handlers.handler import Identified
from mockserver.web.service.received import headers_of, kept_body_of


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

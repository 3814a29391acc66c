"""Forwarding of requests to a peer: another mock or the service.

Secrets in headers and queries, what controls the mock, and what belongs to one connection (RFC 9110, 7.6.1) stay on
their side. The call leaves in the background, and its request waits for it without workspace and thread.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from functools import partial
from urllib.parse import quote

from werkzeug.wrappers import Request

from mockserver.core.contract.errors import INTERNAL_ERROR, NOT_FOUND, ServiceError
from mockserver.core.effects import ForwardedCall, Forwarder, PeerAnswer
from mockserver.core.state import reasons
from mockserver.core.text import addresses
from mockserver.core.text.secrets import is_secret, is_secret_pair
from mockserver.core.traffic.exchange import SANDBOX, Exchange, Header, Reply
from mockserver.core.workspaces.caller import Caller
from mockserver.web.endpoints.request import body_of
from mockserver.web.routing.address import API_PREFIX, SLASH, matched_path
from mockserver.web.service.exchange import CONTENT_TYPE, CORS_HEADERS
from mockserver.web.service.pending import PendingReply

_LOG = logging.getLogger(__name__)

_READS, _WRITES = ("GET", "HEAD"), ("POST", "PUT", "PATCH", "DELETE")
#: Begins the message of a call that could not be handed on.
_BAD_GATEWAY = "Bad gateway: "
#: How long a request waits after the time limit of its call, in seconds; chosen for what it takes to tell of that.
_GRACE_S = 2.0
#: The longest path in a sentence, in characters. Chosen: above those of the service.
_LONGEST = 200
#: The most bytes in an answer's headers. Chosen: the default limit for request headers.
_MOST_OF_HEADERS = 64 * 1024
#: The fewest characters of a key or a token whose value is looked for in other headers. Chosen: those that the mock
#: draws are longer, and a word that somebody has made up may stand anywhere.
_SECRET = 16

#: Headers that are forwarded in neither direction, beside those of secrets: they belong to one connection or side.
_OF_ONE_SIDE = addresses.CLIENT_HEADERS | {
    "proxy-authenticate", "proxy-authentication-info", "proxy-connection", "www-authenticate",
}  # fmt: skip
#: Further headers of a call that are not handed on: those that tell where the client is and where it found the mock.
#: And the answer is to come uncompressed, so that its size is known.
_OF_THE_CLIENT = {"forwarded", "via", "origin", "referer", "x-real-ip", "accept-encoding"}
#: Further headers of an answer that are not handed on: the mock has its own, or they speak of the peer's address.
_OF_THE_PEER = {
    "alt-svc", "content-location", "date", "location", "nel", "refresh", "report-to", "reporting-endpoints", "server",
    "sib-request-id", "strict-transport-security", "via",
}  # fmt: skip
#: How the names of headers begin that are not handed on, in either direction.
_OF_THE_MOCK = ("x-mock-", "x-sib-ratelimit-", "x-forwarded-", "access-control-", "sec-", "cf-")


def forward(caller: Caller, request: Request, exchange: Exchange) -> PendingReply:
    """Forward a request to the peer once its step is saved. Returns at once; the reply completes later."""
    forwarder = caller.workspace.effects.forwarder
    if forwarder is None:
        reason = "the server was started without --forward-to"
        raise NOT_FOUND().because(f"{_named(exchange)} is not forwarded: {reason}")
    if (refusal := _refusal(request, forwarder)) is not None:
        raise NOT_FOUND().because(f"{_named(exchange)} is not forwarded: {refusal}")
    via = exchange.by_header.get("via", "")
    if forwarder.name in via:
        reason = f"it came back to the mock that forwarded it to {forwarder.peer}"
        raise _failed(f"forwarding loop: {reason}")
    # What HEAD tells of the body is true if the body is known.
    method = "GET" if request.method == "HEAD" else request.method
    body = b"" if request.method in _READS else body_of(request)
    call = ForwardedCall(method, _target(request), [*_sent(exchange, via, forwarder)], body)
    timeout_s = forwarder.timeout_s + _GRACE_S
    reply = PendingReply(502, error=_failed("no answer"), workspace=caller.workspace, timeout_s=timeout_s)
    done = partial(_complete, reply, f"{_named(exchange)} to {forwarder.peer}")
    caller.workspace.after(partial(forwarder.send, call, done))  # once, though the step may run again
    return reply


def _named(exchange: Exchange) -> str:
    return f"{exchange.method} {reasons.shown(exchange.path, _LONGEST)}"


def _failed(why: str) -> ServiceError:
    return INTERNAL_ERROR(f"{_BAD_GATEWAY}{why}", status=502).because(why)


def is_bad_gateway(status: int, body: object) -> bool:
    """Return whether a JSON answer is the mock's own 502 of `forward`, and not the peer's."""
    return status == 502 and isinstance(body, dict) and str(body.get("message")).startswith(_BAD_GATEWAY)


def _refusal(request: Request, forwarder: Forwarder) -> str | None:
    if request.method not in (*_READS, *_WRITES):
        return f"only {', '.join((*_READS, *_WRITES))} are"
    if request.method in _WRITES and not forwarder.writes:
        return "it may change data, and the server was started without --forward-writes"
    path = matched_path(request)
    if not path.startswith(API_PREFIX):
        return f"only paths below {API_PREFIX} are"
    # Some servers strip path parameters behind a segment.
    steps = (part.partition(";")[0] for part in path.replace(SLASH, "/").replace("\\", "/").split("/"))
    if any(step in (".", "..") for step in steps):
        return "its path has segments `.` or `..`, which may lead out of the API"
    return None


def _target(request: Request) -> str:
    path = "%2F".join(quote(piece, safe="/:@!$&'()*+,;=~") for piece in matched_path(request).split(SLASH))
    query = "&".join(pair for pair in request.environ["QUERY_STRING"].split("&") if not is_secret_pair(pair))
    return f"{path}?{query}" if query else path


def _sent(exchange: Exchange, via: str, forwarder: Forwarder) -> Iterator[Header]:
    """Yield the headers to forward; `via` names all forwarding mocks (RFC 9110, 7.6.3), so that loops are detected."""
    key, authorization = exchange.by_header.get("api-key", ""), exchange.by_header.get("authorization", "")
    secrets = [secret for secret in (key, authorization.rpartition(" ")[2]) if len(secret) >= _SECRET]
    for name, value in _end_to_end(exchange.headers, _OF_THE_CLIENT):
        if not any(secret in value for secret in secrets):
            yield name, value
    yield "via", f"{via}, 1.1 {forwarder.name}" if via else f"1.1 {forwarder.name}"


def _end_to_end(headers: Iterable[Header], but: set[str]) -> Iterator[Header]:
    """Yield the end-to-end headers of a message, with names in lower case."""
    rows = [(name.lower(), value) for name, value in headers]
    named = {word.strip() for name, value in rows if name == "connection" for word in value.lower().split(",")}
    for name, value in rows:
        if name in _OF_ONE_SIDE | but | named or name.startswith(_OF_THE_MOCK) or is_secret(name, value or "?"):
            continue
        if addresses.is_header_name(name) and addresses.is_header_value(value):
            yield name, value


def _complete(reply: PendingReply, what: str, answer: PeerAnswer) -> None:
    problem = answer.error or _problem(answer)
    if problem is None:
        reason = f"forwarded: the peer answered {answer.status}" if answer.status >= 400 else None
        reply.come(Reply(answer.status, answer.body, headers=(*_received(answer),)), reason)
    else:
        _LOG.warning("%s could not be forwarded: %s", what, problem)
        reply.come(Reply.refused(_failed(f"{what} could not be forwarded: {problem}")))


def _problem(answer: PeerAnswer) -> str | None:
    if 300 <= answer.status < 400 and answer.status != 304:
        return f"the peer answered {answer.status}, and redirects are not followed"
    if not 200 <= answer.status < 600:
        return f"the peer answered {answer.status}, expected 200 to 599"
    if sum(len(name) + len(value) for name, value in answer.headers) > _MOST_OF_HEADERS:
        return f"the headers of the answer have more than {_MOST_OF_HEADERS:,} bytes"
    return None


def _received(answer: PeerAnswer) -> Iterator[Header]:
    kind = "application/octet-stream" if answer.body else None
    for name, value in _end_to_end(answer.headers, _OF_THE_PEER):
        if name == CONTENT_TYPE.lower():
            kind = value
        else:
            yield name, value
    if kind is not None:
        yield CONTENT_TYPE, kind
        yield from (*CORS_HEADERS, SANDBOX)

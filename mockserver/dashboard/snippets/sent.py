"""What a snippet sends: a request of the journal with the workspace's own key, and without the secrets of others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from mockserver.core.traffic.causes import CallRecord
from mockserver.core.traffic.exchange import Exchange, Header
from mockserver.views import redaction
from mockserver.web.schemas import json_text

#: The headers that a client sets by itself, or that say what a snippet's address says.
_OWN = frozenset(
    {
        "host", "connection", "content-length", "transfer-encoding", "accept-encoding", "user-agent", "expect", "te",
        "upgrade", "keep-alive", "proxy-connection", "x-mock-workspace",
    }
)  # fmt: skip
#: The headers by which a caller is known.
_CALLER = ("api-key", "authorization")
#: What stands for the key of a caller whom the service does not know.
NOBODY = "nobody"
#: What `redaction` writes for `%2F` in a path: the journal keeps encoded slashes as they were sent.
_SLASH = "%2F"


class Sent(NamedTuple):
    """A request, ready to be sent again."""

    method: str
    #: The address below the root, percent-encoded.
    path: str
    query: str
    #: Names in lower case; values as Latin-1 text, as HTTP has them. The key of a caller is not among them.
    headers: Mapping[str, str]
    body: bytes
    #: Whether it is sent with a key.
    has_key: bool
    #: The account that the key opens; None: the service knows no such caller.
    account: str | None
    #: Whether something that was sent is a secret, and stands there as `***`.
    is_redacted: bool

    @property
    def target(self) -> str:
        """The address below the root, with the query."""
        return f"{self.path}?{self.query}" if self.query else self.path

    @property
    def media_type(self) -> str:
        """The type of the body in lower case, without parameters."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


def of_exchange(exchange: Exchange) -> Sent:
    """The request of an exchange."""
    headers = {name: value for name, value in exchange.headers if name not in _OWN and name not in _CALLER}
    if headers.get("accept") == "*/*":
        del headers["accept"]
    shown = redaction.headers(headers.items())
    body = _body(exchange.headers, exchange.body)
    query = redaction.query_text(exchange.query)
    return Sent(
        method=exchange.method,
        path=_path(redaction.plain(exchange.path)),
        query=_query(query),
        headers=shown,
        body=body,
        has_key=any(name in _CALLER for name, _ in exchange.headers),
        account=exchange.account,
        is_redacted=shown != headers or body != exchange.body or query != exchange.query,
    )


def of_call(call: CallRecord) -> Sent:
    """A control call, as it was recorded."""
    headers = {"content-type": call.content_type} if call.content_type else {}
    body = _body(tuple(headers.items()), call.body)
    query = redaction.query_text(call.query)
    is_redacted = body != call.body or query != call.query
    path = _path(redaction.plain(call.path))
    return Sent(call.method, path, _query(query), headers, body, has_key=False, account=None, is_redacted=is_redacted)


def _body(headers: Sequence[Header], raw: bytes) -> bytes:
    """A body as it was sent; where it has secrets, its value or its text without them."""
    if not raw:
        return raw
    shown = redaction.sent(headers, raw)
    try:
        return raw if shown == json_text.read(raw) else json_text.write(shown).rstrip(b"\n")
    except json_text.JsonError:
        return raw if shown == raw.decode(errors="replace") else str(shown).encode()


def _path(path: str) -> str:
    return _SLASH.join(quote(piece, safe="/:@!$&'()*+,;=~") for piece in path.split(_SLASH))


def _query(query: str) -> str:
    """A query as an address can hold it: bytes that are no text of ASCII, and what is no escape, are escaped."""
    pieces = query.encode("latin-1", "replace").split(b"%")
    found = [_escaped(pieces[0])]
    for piece in pieces[1:]:
        is_escape = len(piece) > 1 and all(byte in b"0123456789abcdefABCDEF" for byte in piece[:2])
        found.append(f"%{_escaped(piece)}" if is_escape else f"%25{_escaped(piece)}")
    return "".join(found)


def _escaped(piece: bytes) -> str:
    return quote(piece, safe="/:@!$&'()*+,;=?~")


def json_of(sent: Sent) -> Any:
    """The value of a body that is sent as JSON, or None if its bytes matter or it has none."""
    if not sent.body or sent.media_type != "application/json":
        return None
    try:
        return json_text.read(sent.body)
    except json_text.JsonError:
        return None

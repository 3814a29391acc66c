"""Journal requests to send again, and curl commands."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote

from mockserver.control.framework import target
from mockserver.core.traffic.causes import CallRecord
from mockserver.core.traffic.exchange import Exchange, Header
from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard.addresses import absolute_root
from mockserver.views import redaction
from mockserver.web.schemas import json_text
from mockserver.web.service.handlers import ANY_KEY

#: Headers that the client sets itself, and the header that repeats the workspace of the address.
_OWN = frozenset(
    {
        "host", "connection", "content-length", "transfer-encoding", "accept-encoding", "user-agent", "expect", "te",
        "upgrade", "keep-alive", "proxy-connection", "x-mock-workspace",
    }
)  # fmt: skip
#: The header of a request that the dashboard has sent again: the id of the request that was sent first.
SENT_FROM = "x-mock-sent-from"
#: The headers that a browser sets itself, beside those that begin with `sec-`.
_OF_BROWSERS = frozenset(
    {"accept-language", "cache-control", "cookie", "dnt", "origin", "pragma", "priority", "referer"}
)
#: The headers that identify the caller.
_CALLER = ("api-key", "authorization")
#: The key of an unknown caller.
NOBODY = "nobody"
#: `redaction` keeps encoded slashes of a path.
_SLASH = "%2F"


class Sent(NamedTuple):
    """A journal request with redacted secrets, ready to send again."""

    method: str
    #: The address below the root, percent-encoded.
    path: str
    query: str
    #: Names in lower case, values as Latin-1 text. Without the API key.
    headers: Mapping[str, str]
    body: bytes
    #: Whether the request has an API key.
    has_key: bool
    #: The account of the key, or None for an unknown caller.
    account: str | None
    #: Whether a secret was replaced by `***`.
    is_redacted: bool

    @property
    def target(self) -> str:
        return f"{self.path}?{self.query}" if self.query else self.path

    @property
    def media_type(self) -> str:
        """The media type of the body in lower case, without parameters."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


def of_exchange(exchange: Exchange) -> Sent:
    """Return the request of an exchange."""
    left_out = {*_OWN, *_CALLER, SENT_FROM, *(_OF_BROWSERS if SENT_FROM in exchange.by_header else ())}
    headers = {name: value for name, value in exchange.headers if name not in left_out and name[:4] != "sec-"}
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
    """Return the request of a recorded control call."""
    headers = {"content-type": call.content_type} if call.content_type else {}
    body = _body(tuple(headers.items()), call.body, call.path)
    query = redaction.query_text(call.query)
    is_redacted = body != call.body or query != call.query
    path = _path(redaction.plain(call.path))
    return Sent(call.method, path, _query(query), headers, body, has_key=False, account=None, is_redacted=is_redacted)


def _body(headers: Sequence[Header], raw: bytes, name: str = "") -> bytes:
    if not raw:
        return raw
    shown = redaction.body(headers, raw, name)
    try:
        return raw if shown == json_text.read(raw) else json_text.write(shown).rstrip(b"\n")
    except json_text.JsonError:
        return raw if shown == raw.decode(errors="replace") else str(shown).encode()


def _path(path: str) -> str:
    return _SLASH.join(quote(piece, safe="/:@!$&'()*+,;=~") for piece in path.split(_SLASH))


def _query(query: str) -> str:
    """Percent-encode non-ASCII bytes and invalid escapes of a query."""
    pieces = query.encode("latin-1", "replace").split(b"%")
    found = [_escaped(pieces[0])]
    for piece in pieces[1:]:
        is_escape = len(piece) > 1 and all(byte in b"0123456789abcdefABCDEF" for byte in piece[:2])
        found.append(f"%{_escaped(piece)}" if is_escape else f"%25{_escaped(piece)}")
    return "".join(found)


def _escaped(piece: bytes) -> str:
    return quote(piece, safe="/:@!$&'()*+,;=?~")


def json_of(sent: Sent) -> Any:
    """Parse a JSON body. Return None for empty or other bodies."""
    if not sent.body or sent.media_type != "application/json":
        return None
    try:
        return json_text.read(sent.body)
    except json_text.JsonError:
        return None


#: The longest body as a program argument, in bytes. Linux allows 128 KiB for each argument.
_LONGEST_ARGUMENT = 64 * 1024
_NEXT_LINE = " \\\n  "

#: Lets curl accept the certificate of this server.
TRUSTING = "--insecure"
#: Sends the control token from an environment variable.
AUTHORIZATION = '-H "Authorization: Bearer $MOCKSERVER_CONTROL_TOKEN"'


def curl_of(sent: Sent, root: str, key: str | None, *, asks_token: bool = False) -> str:
    """Write the command of curl that sends a request.

    Args:
        sent: The request.
        root: The root address of the server.
        key: The API key, or None for an unknown caller.
        asks_token: Whether the request is a control call to a server with a control token.
    """
    address = f"{root}{sent.target}"
    parts = [" ".join(["curl", *_method(sent), *_address_options(sent, address), _word(address.encode())])]
    if sent.has_key:
        parts.append(f"-H {_word(f'api-key: {key or NOBODY}'.encode())}")
    if asks_token:
        parts.append(AUTHORIZATION)
    parts += [f"-H {_header(name, value)}" for name, value in sent.headers.items()]
    return _with_body(parts, sent)


def _method(sent: Sent) -> Iterator[str]:
    if sent.method == "HEAD":
        yield "--head"
        return
    yield "-i"
    if sent.method != "GET" or sent.body:
        yield f"-X {sent.method if sent.method.isalpha() else _word(sent.method.encode())}"


def _address_options(sent: Sent, address: str) -> Iterator[str]:
    """Yield the options that stop curl from changing the address."""
    if any(segment in (".", "..") for segment in sent.path.split("/")):
        yield "--path-as-is"
    if any(bracket in address for bracket in "[]{}"):
        yield "--globoff"
    if address.startswith("https:"):
        yield TRUSTING


def _with_body(parts: list[str], sent: Sent) -> str:
    if not sent.body or sent.method == "HEAD":
        return _NEXT_LINE.join(parts)
    if "content-type" not in sent.headers:
        parts.append("-H 'content-type:'")  # else curl takes it for a form
    if len(sent.body) <= _LONGEST_ARGUMENT and is_plain(sent.body):
        return _NEXT_LINE.join([*parts, f"--data-raw {_word(sent.body)}"])
    return _NEXT_LINE.join([f"printf {_format(sent.body)} |", *parts, "--data-binary @-"])


def _header(name: str, value: str) -> str:
    """Write a header option. Curl sends a header without value only if a semicolon ends the name."""
    line = f"{name}: {value}" if value else f"{name};"
    return _word(line.encode("latin-1", "replace"))


def _word(raw: bytes) -> str:
    """Quote bytes as one shell word. Bytes contain no NUL and no trailing line feed, which `$(...)` would drop."""
    if not is_plain(raw):
        return f'"$(printf {_format(raw)})"'
    return "'" + raw.decode().replace("'", "'\\''") + "'"


def is_plain(raw: bytes) -> bool:
    """Return whether bytes are printable UTF-8 text, safe to paste into a terminal."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return False
    return all(line.isprintable() for line in text.split("\n"))


def _format(raw: bytes) -> str:
    """Write bytes as a format of `printf`."""
    found = "".join(_octal(byte) for byte in raw)
    return f"'\\055{found[1:]}'" if found.startswith("-") else f"'{found}'"


def _octal(byte: int) -> str:
    if byte == 0x25:
        return "%%"
    return chr(byte) if 0x20 <= byte < 0x7F and byte not in b"\\'" else f"\\{byte:03o}"


def example_key(workspace: Workspace) -> str:
    """Return an API key of the first account, or the key for any account. The workspace is open."""
    return next(iter(workspace.state.first_account.api_keys), ANY_KEY)


def curl(path: str, *arguments: str, method: str = "", body: str = "") -> str:
    """Write an example command without API key.

    Args:
        path: The address below the root.
        arguments: Options to append unchanged.
        method: The method, if curl would choose another one.
        body: The JSON body.
    """
    address = f"{absolute_root()}{path}"
    options = [TRUSTING] if address.startswith("https:") else []
    options += [f"-X {method}"] if method else []
    sent = [f"-H 'Content-Type: application/json' -d {shlex.quote(body)}"] if body else []
    return " ".join(["curl", *options, shlex.quote(address), *sent, *arguments])


def service_curl(key: str, path: str, *arguments: str, method: str = "", body: str = "") -> str:
    """Write an example command for the service, with an API key."""
    return curl(path, f"-H {shlex.quote(f'api-key: {key}')}", *arguments, method=method, body=body)


def control_curl(path: str, *arguments: str, method: str = "", body: str = "") -> str:
    """Write an example command for the control API, with token if the server requires one."""
    token = [AUTHORIZATION] if target.current().wants_token else []
    return curl(path, *token, *arguments, method=method, body=body)

"""HTTP/1.1 on the wire: checks of requests, and bytes of answers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from functools import lru_cache

import httptools
from uvicorn.protocols.http import httptools_impl

from mockserver.web.server.wsgi import WsgiAnswer

Header = tuple[bytes, bytes]

#: The versions of HTTP whose requests are answered.
_VERSIONS = ("1.0", "1.1")
#: Plain words for reasons of the parser that clients of other protocols meet.
_PLAIN = {
    "Pause on PRI/Upgrade": "HTTP/2 is not supported, expected HTTP/1.1",
    "Expected HTTP/, RTSP/ or ICE/": "the first line does not end with HTTP/1.1",
    "Invalid HTTP version": "this version of HTTP is not supported, expected HTTP/1.1",
}
#: The most bytes of answers that wait for the end of an iteration of the event loop. Chosen: some hundred answers.
_MOST = 256 * 1024
#: How many headers of answers are cached as bytes. Chosen: constants, and the numbers of a few accounts; where all are
#: as long as headers of answers can be, they take some megabytes.
_REMEMBERED = 512
#: The statuses of answers that have no body, and need no length.
_WITHOUT_BODY = (204, 304)
#: The headers beside the length that decide how an answer ends.
_FRAMING = (b"transfer-encoding", b"connection")


def fault_of_bytes(error: httptools.HttpParserError) -> str:
    """Return why the parser refused some bytes."""
    if isinstance(error, (httptools.HttpParserCallbackError, httptools.HttpParserInvalidURLError)):
        return "the request target is neither a path nor a URL"
    reason = str(error)
    return _PLAIN.get(reason, reason)


def fault_of_head(parser: httptools.HttpRequestParser, headers: list[Header]) -> str | None:
    """Return the reason to refuse a complete head, or None.

    Another server or proxy could read such a request differently (RFC 9112, 3.2 and 6.1).
    """
    version = parser.get_http_version()
    if version not in _VERSIONS:
        return f"version HTTP/{version} is not supported, expected HTTP/1.1"
    if parser.get_method() == b"CONNECT":
        return "method CONNECT is not supported, as the server is no proxy"
    names = [name for name, _ in headers]
    if names.count(b"host") > 1:
        return "more than one Host header"
    if b"transfer-encoding" in names:
        return _fault_of_encoding([value for name, value in headers if name == b"transfer-encoding"], version)
    return None


def _fault_of_encoding(values: list[bytes], version: str) -> str | None:
    if version == "1.0":
        return "Transfer-Encoding in a request of HTTP/1.0"
    if len(values) > 1 or values[0].strip().lower() != b"chunked":
        given = b", ".join(values).decode("latin-1")
        return f"Transfer-Encoding {given!r} is not supported, expected 'chunked'"
    return None


def origin_form(target: bytes) -> bytes:
    """Return path and query of a request target, perhaps an absolute URL (RFC 9112, 3.2.2)."""
    if target.startswith(b"/") or b"://" not in target:
        return target
    url = httptools.parse_url(target)
    return (url.path or b"/") + (b"" if url.query is None else b"?" + url.query)


def same_framing(headers: Iterable[Header]) -> bytes:
    """Return a head with the same body length as a request with these headers."""
    framing = [_line(*header) for header in headers if header[0] in (b"content-length", b"transfer-encoding")]
    return b"".join([b"POST / HTTP/1.1\r\n", *framing, b"\r\n"])


class Sending:
    """Queued answers, sent together at the end of a loop iteration.

    To send wakes the client, which takes the system longer than many an answer; a client that is awake costs nothing.
    """

    def __init__(self) -> None:
        self._waiting: list[tuple[asyncio.Transport, bytes]] = []
        self._size = 0

    def add(self, loop: asyncio.AbstractEventLoop, transport: asyncio.Transport, data: bytes) -> None:
        """Queue an answer for the end of this loop iteration, or flush the queue if it is large."""
        if not self._waiting:
            loop.call_soon(self.send)
        self._waiting.append((transport, data))
        self._size += len(data)
        if self._size > _MOST:
            self.send()

    def send(self) -> None:
        waiting, self._waiting, self._size = self._waiting, [], 0
        for transport, data in waiting:
            if not transport.is_closing():
                transport.write(data)


def answer_bytes(answer: WsgiAnswer, method: str, own: Iterable[Header], *, keeps: bool) -> bytes | None:
    """Return an answer as bytes, or None if its head does not tell its length; `own` are the server's headers."""
    if ("Content-Length", str(len(answer.content))) not in answer.headers and not _has_no_body(answer, method):
        return None
    status = httptools_impl.STATUS_LINE.get(answer.status)
    lines = [_checked_line(header) for header in answer.headers]
    if status is None or None in lines:
        return None
    head = [status, *(_line(*header) for header in own), *lines, b"\r\n" if keeps else b"connection: close\r\n\r\n"]
    if method != "HEAD":
        head.append(answer.content)
    return b"".join(head)  # type: ignore[arg-type]  # None was looked for


def last_bytes(answer: WsgiAnswer, own: Iterable[Header]) -> bytes:
    """Return an answer with the server's headers, for a closing connection."""
    headers = [*own, (b"connection", b"close"), *answer.encoded()]
    lines = [_line(name.lower(), value) for name, value in headers]
    return b"".join([httptools_impl.STATUS_LINE[answer.status], *lines, b"\r\n", answer.content])


def _has_no_body(answer: WsgiAnswer, method: str) -> bool:
    has_length = any(name == "Content-Length" for name, _ in answer.headers)
    return method == "HEAD" if has_length else answer.status in _WITHOUT_BODY and not answer.content


@lru_cache(maxsize=_REMEMBERED)
def _checked_line(header: tuple[str, str]) -> bytes | None:
    """Return a header line, or None for malformed headers and framing headers."""
    name, value = header
    raw_name = _raw_name(name)
    if raw_name is None:
        return None
    try:
        raw_value = value.encode("latin-1")
    except UnicodeEncodeError:
        return None
    is_plain = value.isascii() and value.isprintable()  # cheaper than the pattern, which allows more
    return _line(raw_name, raw_value) if is_plain or not httptools_impl.HEADER_VALUE_RE.search(raw_value) else None


@lru_cache(maxsize=_REMEMBERED)
def _raw_name(name: str) -> bytes | None:
    """Return a header name as bytes, or None for malformed names and framing headers."""
    try:
        raw_name = name.lower().encode("latin-1")
    except UnicodeEncodeError:
        return None
    return None if raw_name in _FRAMING or httptools_impl.HEADER_RE.search(raw_name) else raw_name


def _line(name: bytes, value: bytes) -> bytes:
    return name + b": " + value + b"\r\n"

"""What makes a request invalid HTTP/1.1, and the framing of a request."""

from __future__ import annotations

from collections.abc import Iterable

import httptools

#: The versions of HTTP whose requests are answered.
_VERSIONS = ("1.0", "1.1")
#: Plain words for the parser's reasons that clients of other protocols meet.
_PLAIN = {
    "Pause on PRI/Upgrade": "HTTP/2 is not supported, expected HTTP/1.1",
    "Expected HTTP/, RTSP/ or ICE/": "the first line does not end with HTTP/1.1",
    "Invalid HTTP version": "this version of HTTP is not supported, expected HTTP/1.1",
}


def fault_of_bytes(error: httptools.HttpParserError) -> str:
    """Return why the parser refused some bytes."""
    if isinstance(error, (httptools.HttpParserCallbackError, httptools.HttpParserInvalidURLError)):
        return "the request target is neither a path nor a URL"
    reason = str(error)
    return _PLAIN.get(reason, reason)


def fault_of_head(parser: httptools.HttpRequestParser, headers: list[tuple[bytes, bytes]]) -> str | None:
    """Return why a complete head must be refused, or None if the request can be read.

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
    """Return the path and query of a request target, which may be a whole URL (RFC 9112, 3.2.2)."""
    if target.startswith(b"/") or b"://" not in target:
        return target
    url = httptools.parse_url(target)
    return (url.path or b"/") + (b"" if url.query is None else b"?" + url.query)


def same_framing(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Return the head of some request whose body ends where that of a request with these headers does."""
    framing = [
        name + b": " + value + b"\r\n" for name, value in headers if name in (b"content-length", b"transfer-encoding")
    ]
    return b"".join([b"POST / HTTP/1.1\r\n", *framing, b"\r\n"])

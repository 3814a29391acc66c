"""Outgoing HTTP requests, without redirections and proxies.

urllib3 speaks HTTP over a socket that is made here: it is connected to the address that the egress policy has checked,
even if the name resolves to another one by then, and it has a deadline for the whole request.

The certificate of an https receiver has to be valid for its host, and signed by an authority that OpenSSL trusts.
Further authorities are set by OpenSSL's variables: `SSL_CERT_FILE`, a file of certificates, or `SSL_CERT_DIR`.
"""

from __future__ import annotations

import http.client
import os
import re
import ssl
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import lru_cache
from socket import IPPROTO_TCP, TCP_NODELAY, socket
from typing import NamedTuple
from urllib.parse import quote, urlsplit

import urllib3
from urllib3.connection import HTTPConnection
from urllib3.exceptions import HTTPError, ProtocolError

from mockserver.core.effects import CallOutcome, OutgoingRequest
from mockserver.core.text import addresses
from mockserver.effects.deadline import Deadline, HurriedSocket
from mockserver.effects.egress import Egress, EgressRefusedError, connect

#: How much of a response is read, in bytes: only its status counts; chosen above the size of most responses.
_MOST_READ = 64 * 1024
#: The longest error message, in characters: it may quote a response that is not HTTP. Chosen for a few lines.
_LONGEST_ERROR = 300

_PORTS = {"http": 80, "https": 443}
#: A host, perhaps with a zone id; names of other scripts are in their ASCII form when they are compared with it.
_HOST = re.compile(r"[\w.~!$&'()*+,;=:%-]+", re.ASCII)
#: The characters that a path and a query keep (RFC 3986, 3.3 and 3.4); all others are percent-encoded.
_PATH_CHARACTERS = "/?:@!$&'()*+,;=%[]"


#: What is raised where a deadline is over.
_TIMEOUTS = (TimeoutError, urllib3.exceptions.TimeoutError)
#: What the network, the other side and the libraries raise where no whole response comes.
_UNANSWERED = (OSError, HTTPError, http.client.HTTPException, ValueError)


class UnsendableError(ValueError):
    """The request is invalid HTTP."""


class UnansweredError(Exception):
    """No complete response arrived; the ASCII message tells the reason."""


class Response(NamedTuple):
    """A complete response with headers in order, and its body as sent, perhaps compressed."""

    status: int
    headers: Sequence[tuple[str, str]]
    body: bytes


def call(request: OutgoingRequest, egress: Egress, ca: str | None = None) -> CallOutcome:
    """Send a request, and return its status, with the body if it asks for one, or its error within its time limit.

    Certificates may also be signed by the authority `ca` (PEM). A refusal or an unsendable request is hopeless.
    """
    try:
        with _responding(request, egress, ca) as response:
            if request.most_bytes:
                return CallOutcome(int(response.status), body=_whole(response, request.most_bytes))
            _drain(response)
            return CallOutcome(int(response.status))
    except (EgressRefusedError, UnsendableError) as error:
        return CallOutcome(error=_sentence(error), hopeless=True)
    except _TIMEOUTS:
        return CallOutcome(error=f"no answer within {request.timeout_s:g} seconds")
    except _UNANSWERED as error:
        return CallOutcome(error=_sentence(error))


def fetch(request: OutgoingRequest, egress: Egress, most: int) -> Response:
    """Send a request, and return its complete response with at most `most` bytes of body.

    Raises:
        EgressRefusedError: the policy refuses the address.
        UnsendableError: the request is invalid HTTP.
        TimeoutError: the time limit passed.
        UnansweredError: the response is missing, truncated or too large.
    """
    try:
        with _responding(request, egress) as response:
            return Response(int(response.status), tuple(response.headers.items()), _whole(response, most))
    except (EgressRefusedError, UnsendableError):
        raise
    except _TIMEOUTS as error:
        raise TimeoutError from error
    except _UNANSWERED as error:
        raise UnansweredError(_sentence(error)) from error


@contextmanager
def _responding(request: OutgoingRequest, egress: Egress, ca: str | None = None) -> Iterator[urllib3.BaseHTTPResponse]:
    url = _Url.parse(request.url)
    headers = [("Host", url.authority), ("Connection", "close"), *request.headers]
    _check_headers(headers)
    deadline = Deadline(request.timeout_s)
    with closing(connect(url.host, url.port, egress, deadline)) as plain:
        plain.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)
        with closing(_secured(plain, url, deadline, ca) if url.tls else plain) as sock:
            connection = HTTPConnection(url.host, url.port)
            connection.response_class = _FinalResponse
            connection.sock = HurriedSocket(sock, deadline)
            with closing(connection):
                _send(connection, request, url, headers)
                with closing(connection.getresponse()) as response:
                    yield response


def _secured(sock: socket, url: _Url, deadline: Deadline, ca: str | None) -> ssl.SSLSocket:
    """Return a TLS connection over a plain socket, with checked certificate."""
    sock.settimeout(deadline.left())
    trusted = _trusted(ca, os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))
    return trusted.wrap_socket(sock, server_hostname=url.host.rstrip("."))


@lru_cache(maxsize=2)
def _trusted(ca: str | None, _file: str | None, _directory: str | None) -> ssl.SSLContext:
    """Return a TLS context with OpenSSL's authorities and `ca`, cached as it takes a tenth of a second.

    OpenSSL reads the two variables itself; as arguments they select the context.
    """
    found = ssl.create_default_context()
    if ca is not None:
        found.load_verify_locations(cadata=ca)
    return found


def _send(connection: HTTPConnection, request: OutgoingRequest, url: _Url, headers: Sequence[tuple[str, str]]) -> None:
    # A receiver may answer and close before it has read the whole request: its response counts.
    with suppress(BrokenPipeError, ConnectionResetError):
        body = request.body or None
        connection.request(request.method, url.path, body, urllib3.HTTPHeaderDict(headers), preload_content=False)


class _FinalResponse(http.client.HTTPResponse):
    """A response that skips informational responses, such as 103; `http.client` skips only 100."""

    def begin(self) -> None:
        super().begin()
        while 100 < self.status < 200 and self.status != http.HTTPStatus.SWITCHING_PROTOCOLS:
            self.headers = self.msg = None  # type: ignore[assignment]  # as before the first response
            super().begin()


def _drain(answer: urllib3.BaseHTTPResponse) -> None:
    read = 0
    while read < _MOST_READ and (chunk := answer.read1(4096, decode_content=False)):
        read += len(chunk)


def _whole(answer: urllib3.BaseHTTPResponse, most: int) -> bytes:
    body = bytearray()
    while chunk := answer.read1(_MOST_READ, decode_content=False):
        body += chunk
        if len(body) > most:
            raise ValueError(f"the answer has more than {most:,} bytes")
    return bytes(body)


# ---------------------------------------------------------------------- what is sent


class _Url(NamedTuple):
    tls: bool
    host: str
    port: int
    #: The value of the Host header: the host and, unless it is the default one, the port; no credentials.
    authority: str
    #: The request target: path and query, percent-encoded.
    path: str

    @classmethod
    def parse(cls, url: str) -> _Url:
        """Parse a URL, only here, so that the checked host is the called host."""
        try:
            parts = urlsplit(url)
            host = (parts.hostname or "").encode("idna").decode()
            usual = _PORTS[parts.scheme]
            port = usual if parts.port is None else parts.port
            path = quote(parts.path or "/", safe=_PATH_CHARACTERS) + _query(url, parts.query)
        except (ValueError, KeyError) as error:
            raise UnsendableError(f"not an http or https URL: {url!r}") from error
        if not _HOST.fullmatch(host):
            raise UnsendableError(f"URL without a valid host: {url!r}")
        name = f"[{host.partition('%')[0]}]" if ":" in host else host
        return cls(parts.scheme == "https", host, port, name if port == usual else f"{name}:{port}", path)


def _query(url: str, query: str) -> str:
    is_there = query or url.partition("#")[0].endswith("?")
    return f"?{quote(query, safe=_PATH_CHARACTERS)}" if is_there else ""


def _check_headers(headers: Sequence[tuple[str, str]]) -> None:
    for name, value in headers:
        if not addresses.is_header_name(name):
            raise UnsendableError(f"invalid header name {name!r}")
        if not addresses.is_header_value(value):
            raise UnsendableError(f"the value of the header {name} has characters that are not allowed in headers")


# ---------------------------------------------------------------------- what went wrong


def _sentence(error: Exception) -> str:
    """Return an error's message in ASCII, up to `_LONGEST_ERROR` characters."""
    if isinstance(error, ssl.SSLCertVerificationError):
        message = f"the certificate was refused: {error.verify_message}"
    elif isinstance(error, http.client.BadStatusLine) and not isinstance(error, ConnectionError):
        message = f"the answer is not HTTP: {str(error)!r}"
    elif isinstance(error, ProtocolError):
        message = str(error.args[0])
    else:
        message = (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
    return message[:_LONGEST_ERROR].encode("ascii", "backslashreplace").decode()

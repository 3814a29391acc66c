"""Webhook calls over HTTP: one at a time, to an address that has been checked, following nothing.

urllib3 speaks HTTP over a socket that is made here: connected to an address within bounds, whatever the name leads to
by then, and with a time limit over the whole call.
It reads no proxies from the environment.

The certificate of an https receiver has to be one that this machine trusts, for the host of the address.
A team's own authority is trusted by OpenSSL's variables: `SSL_CERT_FILE`, a file of certificates, or `SSL_CERT_DIR`.
"""

from __future__ import annotations

import http.client
import os
import re
import ssl
from collections.abc import Sequence
from contextlib import closing, suppress
from functools import lru_cache
from socket import IPPROTO_TCP, TCP_NODELAY, socket
from typing import NamedTuple
from urllib.parse import quote, urlsplit

import urllib3
from urllib3.connection import HTTPConnection
from urllib3.exceptions import HTTPError, ProtocolError

from mockserver.core.effects.jobs import Outcome, OutgoingRequest
from mockserver.core.text import header_form
from mockserver.effects.deadline import Deadline, HurriedSocket
from mockserver.effects.egress import Egress, EgressRefusedError, connect

#: Of an answer no more than this is read, in bytes: only its status counts, and most answers end before.
_READ = 64 * 1024
#: How long an error may be: an answer that is no HTTP stands in it.
_LONGEST_ERROR = 300

_PORTS = {"http": 80, "https": 443}
#: What a host is written with, a zone id included; names of other scripts are in their ASCII form by then.
_HOST = re.compile(r"[\w.~!$&'()*+,;=:%-]+", re.ASCII)
#: What a path and a query may be written with, RFC 3986; all else is percent-encoded.
_PATH_CHARACTERS = "/?:@!$&'()*+,;=%[]"


class UnsendableError(ValueError):
    """There is no way to write such a call."""


def call(request: OutgoingRequest, egress: Egress) -> Outcome:
    """What came of a call, as far as it may go; it never raises, and takes no longer than the call's time limit."""
    try:
        return Outcome(status=_status(request, egress))
    except (EgressRefusedError, UnsendableError) as error:
        return Outcome(error=_sentence(error), hopeless=True)
    except (TimeoutError, urllib3.exceptions.TimeoutError):
        return Outcome(error=f"no answer within {request.timeout_s:g} seconds")
    except (OSError, HTTPError, http.client.HTTPException, ValueError) as error:
        return Outcome(error=_sentence(error))


def _status(request: OutgoingRequest, egress: Egress) -> int:
    url = _Url.parse(request.url)
    headers = [("Host", url.authority), ("Connection", "close"), *request.headers]
    _check_headers(headers)
    deadline = Deadline(request.timeout_s)
    with closing(connect(url.host, url.port, egress, deadline)) as plain:
        plain.setsockopt(IPPROTO_TCP, TCP_NODELAY, 1)
        with closing(_secured(plain, url, deadline) if url.tls else plain) as sock:
            return _exchange(HurriedSocket(sock, deadline), url, headers, request.body)


def _secured(sock: socket, url: _Url, deadline: Deadline) -> ssl.SSLSocket:
    """The same connection with TLS, once its certificate has turned out to be the host's."""
    sock.settimeout(deadline.left())
    trusted = _trusted(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))
    return trusted.wrap_socket(sock, server_hostname=url.host.rstrip("."))


@lru_cache(maxsize=2)
def _trusted(_file: str | None, _directory: str | None) -> ssl.SSLContext:
    """Whom OpenSSL trusts by these variables, which it reads itself; a tenth of a second goes into it."""
    return ssl.create_default_context()


def _exchange(sock: HurriedSocket, url: _Url, headers: Sequence[tuple[str, str]], body: bytes) -> int:
    """Send the call, and read the answer to it."""
    connection = HTTPConnection(url.host, url.port)
    connection.response_class = _FinalResponse
    connection.sock = sock
    with closing(connection):
        # Who answers before all has come, and closes, is heard all the same.
        with suppress(BrokenPipeError, ConnectionResetError):
            connection.request("POST", url.path, body, urllib3.HTTPHeaderDict(headers), preload_content=False)
        with closing(connection.getresponse()) as answer:
            _drain(answer)
            return int(answer.status)


class _FinalResponse(http.client.HTTPResponse):
    """An answer after those that only announce it, 103 for one; the class it is made of skips only 100."""

    def begin(self) -> None:
        super().begin()
        while 100 < self.status < 200 and self.status != http.HTTPStatus.SWITCHING_PROTOCOLS:
            self.headers = self.msg = None  # type: ignore[assignment]  # as before the first
            super().begin()


def _drain(answer: urllib3.BaseHTTPResponse) -> None:
    """Read an answer, so that its sender meets no closed connection; one that breaks off is no answer."""
    read = 0
    while read < _READ and (chunk := answer.read1(4096, decode_content=False)):
        read += len(chunk)


# ---------------------------------------------------------------------- what is sent


class _Url(NamedTuple):
    """An address as a call needs it."""

    tls: bool
    host: str
    port: int
    #: The host and, unless it is the usual one, the port: without credentials.
    authority: str
    #: Path and query, as they are written.
    path: str

    @classmethod
    def parse(cls, url: str) -> _Url:
        """The parts of an address; nothing else takes it apart, so that what is checked is what is called.

        Raises:
            UnsendableError: it is none.
        """
        try:
            parts = urlsplit(url)
            host = (parts.hostname or "").encode("idna").decode()
            usual = _PORTS[parts.scheme]
            port = usual if parts.port is None else parts.port
            path = quote(parts.path or "/", safe=_PATH_CHARACTERS) + _query(url, parts.query)
        except (ValueError, KeyError) as error:
            raise UnsendableError(f"{url!r} is no address that can be called") from error
        if not _HOST.fullmatch(host):
            raise UnsendableError(f"{url!r} has no host that can be called")
        name = f"[{host.partition('%')[0]}]" if ":" in host else host
        return cls(parts.scheme == "https", host, port, name if port == usual else f"{name}:{port}", path)


def _query(url: str, query: str) -> str:
    is_there = query or url.partition("#")[0].endswith("?")
    return f"?{quote(query, safe=_PATH_CHARACTERS)}" if is_there else ""


def _check_headers(headers: Sequence[tuple[str, str]]) -> None:
    for name, value in headers:
        if not header_form.is_name(name):
            raise UnsendableError(f"{name!r} is no name of a header")
        if not header_form.is_value(value):
            raise UnsendableError(f"the header {name} cannot be sent: its value has characters that no header has")


# ---------------------------------------------------------------------- what went wrong


def _sentence(error: Exception) -> str:
    """What went wrong, in the words of whoever has noticed it."""
    if isinstance(error, ssl.SSLCertVerificationError):
        told = f"the certificate was refused: {error.verify_message}"
    elif isinstance(error, http.client.BadStatusLine) and not isinstance(error, ConnectionError):
        told = f"the answer is no HTTP: {str(error)!r}"
    elif isinstance(error, ProtocolError):
        told = str(error.args[0])
    else:
        told = (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
    return told[:_LONGEST_ERROR].encode("ascii", "backslashreplace").decode()

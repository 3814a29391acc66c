"""Answers where any program may be at the other end: read within bounds, and a line about what fails."""

from __future__ import annotations

import ssl
from http.client import BadStatusLine, HTTPException, HTTPResponse, IncompleteRead, RemoteDisconnected
from socket import gaierror
from time import monotonic
from urllib.parse import urlsplit

from mockserver.testing.trust import advice

__tracebackhide__ = True  # pytest shows the line of the test instead

#: The most bytes of an answer. Chosen: twice what the documents of a workspace may take by default, and all of it in a
#: state is still far less than what makes a machine slow.
LONGEST = 512 * 1024 * 1024
#: How long a body may take, in seconds. Chosen: the largest one comes in less, but over the slowest of networks.
_LONGEST_S = 60.0
#: The most bytes that are read in one go.
_PIECE = 1024 * 1024
#: How many characters are shown of a line that is no HTTP.
_SHOWN = 60


class EndlessError(HTTPException):
    """An answer is larger, or takes longer, than any of a mock server."""


def body_of(answer: HTTPResponse) -> bytes:
    """The body of an answer.

    Raises:
        HTTPException: it is cut off, has more than 512 MiB, or takes more than a minute or two to come.
        OSError: the connection is lost, or nothing comes in time.
    """
    found = bytearray()
    deadline = monotonic() + _LONGEST_S
    # As many bytes as have come: so a server that sends one now and then is noticed, and a large body takes few steps.
    while piece := answer.read(min(len(found) + 1, _PIECE)):
        found += piece
        if len(found) > LONGEST or monotonic() > deadline:
            answer.close()
            raise EndlessError("its answer does not end")
    if answer.length:
        raise IncompleteRead(bytes(found), answer.length)
    return bytes(found)


def unreachable(url: str, error: Exception) -> str:
    """Return a sentence about a server that has not answered at a root address."""
    cause = getattr(error, "reason", None)  # of an error of urllib; of one of TLS it is a text
    error = cause if isinstance(cause, Exception) else error
    if isinstance(error, ConnectionRefusedError):
        return f"no server at {url}; start one with `mockserver serve`"
    return f"no mock server answers at {url}: {_why(url, error)}{advice(error)}"


def _why(url: str, error: Exception) -> str:
    """Return why a server has not answered."""
    for kind, why in (
        (gaierror, f"the host name {urlsplit(url).hostname!r} is unknown"),
        (TimeoutError, "it did not answer in time"),
        (ssl.SSLCertVerificationError, "its certificate is not trusted"),
        (ssl.SSLError, "it does not speak TLS there; its address may begin with http://"),
        (ConnectionResetError, "it closed the connection without an answer"),  # RemoteDisconnected is one
    ):
        if isinstance(error, kind):
            return why
    return getattr(error, "strerror", None) or reason(error)


def reason(error: Exception) -> str:
    """Why there is no answer, in one line."""
    if isinstance(error, BadStatusLine) and not isinstance(error, RemoteDisconnected):
        return f"it does not speak HTTP, and begins with {str(error).strip()[:_SHOWN]!r}"
    return " ".join(str(error).split()) or type(error).__name__

"""Answers where any program may be at the other end: read within bounds, and a line about what fails."""

from __future__ import annotations

from http.client import BadStatusLine, HTTPException, HTTPResponse, IncompleteRead, RemoteDisconnected
from time import monotonic

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


def reason(error: Exception) -> str:
    """Why there is no answer, in one line."""
    if isinstance(error, BadStatusLine) and not isinstance(error, RemoteDisconnected):
        return f"it does not speak HTTP, and begins with {str(error).strip()[:_SHOWN]!r}"
    return " ".join(str(error).split()) or type(error).__name__

"""Limits that the HTTP server applies before a request is complete."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Self

from werkzeug.wrappers import Response

from mockserver.settings import Settings

#: Makes the refusal of a request that was not read to its end, from its path as far as it is known, the status and a
#: message.
Refusal = Callable[[str, int, str], Response]


class HttpLimits(NamedTuple):
    """What a request may hold, how long it may take to come in, and how many connections there may be."""

    #: The most bytes of a request's line and headers, and of what comes between two pieces of a chunked body.
    head: int
    #: The most headers of a request.
    headers: int
    #: The most seconds that the head of a request, and then its body, may take to come in.
    head_s: float
    body_s: float
    #: The most connections at once.
    connections: int
    #: The most bytes of a body.
    body: int
    #: The most bytes of the large bodies of all requests that are not answered yet.
    bodies: int
    #: The most bytes of answers that clients have not read yet.
    answers: int

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """The limits that the settings of a server ask for."""
        return cls(
            head=settings.head_limit,
            headers=settings.headers_limit,
            head_s=settings.head_timeout,
            body_s=settings.body_timeout,
            connections=settings.connections_limit,
            body=settings.body_limit,
            bodies=settings.bodies_limit,
            answers=settings.answers_limit,
        )

"""Limits of the HTTP server, before a request is complete."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Self

from flask import Response

from mockserver.settings import Settings

#: Makes the refusal of a request that was not read to its end, from as much of its address as is known.
Refusal = Callable[[str, int, str], Response]


class HttpLimits(NamedTuple):
    """What a request may hold, how long it may take to come in, and how many connections there may be."""

    #: How many bytes a request's line and headers may have, and what stands between the pieces of a chunked body.
    head: int
    #: How many headers.
    headers: int
    #: How long a head, and then a body, may take to come in, in seconds.
    head_s: float
    body_s: float
    #: At once.
    connections: int
    #: How many bytes the bodies of all requests may have that are not answered yet.
    bodies: int
    #: How many bytes of answers may wait for their clients to read them.
    answers: int

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """Those of a server."""
        return cls(
            head=settings.head_limit,
            headers=settings.headers_limit,
            head_s=settings.head_timeout,
            body_s=settings.body_timeout,
            connections=settings.connections_limit,
            bodies=settings.bodies_limit,
            answers=settings.answers_limit,
        )

"""Limits of the HTTP server, before a request is complete."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from flask import Response

#: Makes the refusal of a request that was not read to its end, from as much of its address as is known.
Refusal = Callable[[str, int, str], Response]


class HttpLimits(NamedTuple):
    """What a request may hold, how long it may take to come in, and how many connections there may be."""

    #: How many bytes a request's line and headers may have, and what stands between the pieces of a chunked body.
    head: int = 64 * 1024
    #: How many headers.
    headers: int = 2_000
    #: How long a head, and then a body, may take to come in, in seconds.
    head_s: float = 30.0
    body_s: float = 60.0
    #: At once.
    connections: int = 1_000
    #: How many bytes the bodies of all requests may have that are not answered yet.
    bodies: int = 128 * 1024 * 1024
    #: How many bytes of answers may wait for their clients to read them.
    answers: int = 256 * 1024 * 1024

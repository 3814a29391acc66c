"""Limits of the HTTP server, on requests before they are complete and on the number of connections."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple, Protocol, Self

from mockserver.settings import Settings


class HttpLimits(NamedTuple):
    """Limits on sizes, times and the number of connections."""

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
        """Return the limits in the settings of a server."""
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


#: How many file descriptors, or a quarter of all if that is less, are left to files and webhook calls. Chosen: more
#: than are open at once.
_SPARE = 64
#: The seconds between two warnings in the log. Chosen: a flood of connections fills no log, and a reader sees it soon.
_WARN_EVERY_S = 10.0

_LOG = logging.getLogger(__name__)


class Connected(Protocol):
    """A connection, as far as its admission depends on it."""

    transport: asyncio.Transport
    #: Since when nothing is under way, on the monotonic clock.
    idle_since: float

    @property
    def is_idle(self) -> bool:
        """Whether no request is coming in or being answered."""
        ...

    @property
    def is_waiting(self) -> bool:
        """Whether the connection waits for the rest of a request, and for nothing else."""
        ...


class Admission:
    """The limit of connections: if it is exceeded, the oldest idle connection is closed.

    If no connection is idle, the oldest connection with an incomplete request is closed. A connection whose request is
    being answered is never closed; if all are, the new connection is refused.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._descriptors = _descriptors()
        #: The highest descriptor of a connection since descriptors were last counted.
        self._highest = 0
        self._warned_at = -_WARN_EVERY_S
        self._closed = self._refused = 0

    def refusal(self, new: Connected, connections: Iterable[Any]) -> str | None:
        """Return why the connection `new`, one of `connections`, is refused, or None if it may stay."""
        live = [row for row in connections if not row.transport.is_closing()]
        if len(live) > self._limit:
            shortage = f"there may be {self._limit} connections at once"
        elif len(live) > 1 and self._is_short(new):
            shortage = f"the process may use {self._descriptors} file descriptors for connections and files"
        else:
            return None
        live.remove(new)
        leaving = _idle_longest(row for row in live if row.is_idle) or _idle_longest(
            row for row in live if row.is_waiting
        )
        if leaving is not None:
            leaving.transport.close()
            self._closed += 1
        else:
            self._refused += 1
        self._warn(shortage)
        return None if leaving is not None else f"No room for another connection: {shortage}"

    def _is_short(self, new: Connected) -> bool:
        """Return whether file descriptors are short; they are counted only if the new connection has a high number."""
        number: int = new.transport.get_extra_info("socket").fileno()
        self._highest = max(self._highest, number)
        if self._highest < self._descriptors:
            return False
        try:
            used = sum(1 for _ in Path("/dev/fd").iterdir())
        except OSError:  # there is no such folder, or no descriptor left to read it
            used = self._highest + 1
        if used <= self._descriptors:
            self._highest = number
        return used > self._descriptors

    def _warn(self, shortage: str) -> None:
        now = monotonic()
        if now - self._warned_at >= _WARN_EVERY_S:
            closed, refused = self._closed, self._refused
            _LOG.warning("%s: %d were closed that had no request to answer, %d were refused", shortage, closed, refused)
            self._warned_at, self._closed, self._refused = now, 0, 0


def _idle_longest(connections: Iterable[Connected]) -> Connected | None:
    return min(connections, key=lambda row: row.idle_since, default=None)


def _descriptors() -> int:
    """Return how many file descriptors connections and open files may use."""
    with suppress(ImportError):  # Windows has no such limit
        import resource  # noqa: PLC0415  # absent on Windows

        allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if allowed != resource.RLIM_INFINITY:
            return allowed - min(_SPARE, allowed // 4)
    return sys.maxsize

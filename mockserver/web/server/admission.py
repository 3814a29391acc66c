"""How many connections there may be, and which one goes when there are too many."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

#: How many file descriptors are left to all else, such as webhook calls, at most; never more than a quarter.
_SPARE = 64
#: At most once in so many seconds the log is told.
_EVERY = 10.0

_LOG = logging.getLogger(__name__)


class Connected(Protocol):
    """A connection, as far as it matters here."""

    transport: asyncio.Transport
    #: On the monotonic clock.
    idle_since: float

    @property
    def is_idle(self) -> bool:
        """Whether nothing is under way there."""
        ...

    @property
    def is_waiting(self) -> bool:
        """Whether it waits for the rest of a request, and for nothing else."""
        ...


class Admission:
    """Makes room for a new connection by closing the one that was idle longest, or refuses it.

    Where nothing is idle, the oldest of those goes that have not brought a whole request. What is being answered stays.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._descriptors = _descriptors()
        #: The highest that a connection had since they were last counted.
        self._highest = 0
        self._told_at = -_EVERY
        self._closed = self._refused = 0

    def refusal(self, new: Connected, connections: Iterable[Any]) -> str | None:
        """Why a new connection, one of these by now, cannot stay; None: it can."""
        there = [row for row in connections if not row.transport.is_closing()]
        if len(there) > self._limit:
            short = f"there may be {self._limit} connections at once"
        elif len(there) > 1 and self._is_short(new):
            short = f"the process may use {self._descriptors} file descriptors for connections and files"
        else:
            return None
        there.remove(new)
        leaving = _longest(row for row in there if row.is_idle) or _longest(row for row in there if row.is_waiting)
        if leaving is not None:
            leaving.transport.close()
            self._closed += 1
        else:
            self._refused += 1
        self._tell(short)
        return None if leaving is not None else f"No room for another connection: {short}"

    def _is_short(self, new: Connected) -> bool:
        """Whether descriptors are few: they are counted where a high number says that there may be many."""
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

    def _tell(self, short: str) -> None:
        now = monotonic()
        if now - self._told_at >= _EVERY:
            _LOG.warning(
                "%s: %d were closed that had no request to answer, %d were refused", short, self._closed, self._refused
            )
            self._told_at, self._closed, self._refused = now, 0, 0


def _longest(connections: Iterable[Connected]) -> Connected | None:
    return min(connections, key=lambda row: row.idle_since, default=None)


def _descriptors() -> int:
    """The number of descriptors that connections and open files may take."""
    with suppress(ImportError):  # there is no such limit on Windows
        import resource  # noqa: PLC0415  # see above

        allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if allowed != resource.RLIM_INFINITY:
            return allowed - min(_SPARE, allowed // 4)
    return sys.maxsize

"""The limit of connections."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

#: How many file descriptors, or a quarter of all if that is less, are left to files and webhook calls. Chosen: more
#: than are open at once.
_SPARE = 64
#: The seconds between two warnings in the log. Chosen: a flood of connections fills no log, and a reader sees it soon.
_WARN_EVERY_S = 10.0

_LOG = logging.getLogger(__name__)


class Admission:
    """The connection limit: the oldest idle connection is closed when the limit is exceeded.

    Without idle connections, the oldest connection with an incomplete request is closed. A connection with a running
    request stays; if all are running, the new connection is refused. Connections are `Connection` or `Front`.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._descriptors = _descriptors()
        #: The highest descriptor of a connection since descriptors were last counted.
        self._highest = 0
        self._warned_at = -_WARN_EVERY_S
        self._closed = self._refused = 0

    def refusal(self, new: Any, connections: Iterable[Any]) -> str | None:
        """Return the reason to refuse the new connection `new`, one of `connections`, or None."""
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

    def _is_short(self, new: Any) -> bool:
        """Return whether file descriptors are short, counting them only after a high descriptor."""
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


def _idle_longest(connections: Iterable[Any]) -> Any:
    return min(connections, key=lambda row: row.idle_since, default=None)


def _descriptors() -> int:
    with suppress(ImportError):  # Windows has no such limit
        import resource  # noqa: PLC0415  # absent on Windows

        allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if allowed != resource.RLIM_INFINITY:
            return allowed - min(_SPARE, allowed // 4)
    return sys.maxsize

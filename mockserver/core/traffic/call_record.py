"""Control calls that have changed something, as a workspace remembers them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from mockserver.core.time.transition import Changed

#: How many transitions of a call are remembered; chosen: more than anybody reads.
MOST_TRANSITIONS = 100
#: What a call takes, each of its transitions, and a character of its path, in bytes: measured, and rounded up.
_OVERHEAD, _PER_TRANSITION, _PER_CHARACTER = 900, 600, 4


class CallRecord(NamedTuple):
    """A call of the control API: what was asked for, and how it was answered."""

    id: str
    #: When it was over, on the workspace's clock.
    at: datetime
    #: The same in real time, in seconds since 1970.
    real_at: float
    method: str
    #: Without the `/w/<name>` of a workspace.
    path: str
    query: str
    content_type: str
    body: bytes
    status: int
    #: The first `MOST_TRANSITIONS` that it has caused.
    transitions: Sequence[Changed] = ()
    #: How many bytes the body had that is not kept, as it is too large.
    left_out: int = 0

    @property
    def size(self) -> int:
        """What it takes in memory, in bytes."""
        texts = len(self.path) + len(self.query) + len(self.content_type)
        return _OVERHEAD + len(self.body) + _PER_CHARACTER * texts + _PER_TRANSITION * len(self.transitions)

    def without_body(self) -> CallRecord:
        """The same with the length of the body in its place."""
        return self._replace(body=b"", left_out=len(self.body))

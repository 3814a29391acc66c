"""Timers that have fired, as a workspace remembers them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mockserver.core.time.timers import Timer
from mockserver.core.time.transition import Changed

#: How many transitions of a timer are remembered; chosen: more than anybody reads.
MOST_TRANSITIONS = 100
#: What a fired timer takes, each of its transitions, and a character of its key, in bytes: measured, and rounded up.
_OVERHEAD, _PER_TRANSITION, _PER_CHARACTER = 600, 600, 4


class FiredTimer(NamedTuple):
    """A timer that has fired, and the transitions that it has caused."""

    timer: Timer
    #: When it fired in real time, in seconds since 1970.
    real_at: float
    #: The first `MOST_TRANSITIONS` of them.
    transitions: Sequence[Changed]

    @property
    def size(self) -> int:
        """What it takes in memory, in bytes."""
        return _OVERHEAD + _PER_TRANSITION * len(self.transitions) + _PER_CHARACTER * len(str(self.timer.key))

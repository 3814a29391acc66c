"""What is published when a state machine has moved an instance."""

from __future__ import annotations

from datetime import datetime
from itertools import starmap
from typing import NamedTuple

from mockserver.core.time.cause import By, Cause, Thing
from mockserver.core.time.timers import Key

#: How much of what followed from a transition it names; chosen: more than anybody reads.
MOST_CAUSED = 20


class Changed(NamedTuple):
    """A transition that was taken: which event led which instance from which state to which."""

    at: datetime
    account: int
    machine: str
    key: Key
    event: str
    source: str
    target: str
    #: What has made it happen; None: nobody knows.
    by: By | None
    #: When it happened in real time, in seconds since 1970.
    real_at: float
    #: The kinds and things that followed from it, once they have; of many, the last ones.
    effects: list[tuple[str, Thing]]

    @property
    def caused(self) -> list[Cause]:
        """The e-mails, deliveries and timers that followed from it, each once."""
        return list(dict.fromkeys(starmap(Cause, self.effects)))

    @property
    def cause(self) -> Cause | None:
        """What has made it happen, or None if nobody knows."""
        return None if self.by is None else Cause.of(self.by)

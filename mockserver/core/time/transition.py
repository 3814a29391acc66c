"""What is published when a state machine has moved an instance."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from mockserver.core.time.timers import Key


class Changed(NamedTuple):
    """A transition that was taken: which event led which instance from which state to which."""

    at: datetime
    account: int
    machine: str
    key: Key
    event: str
    source: str
    target: str

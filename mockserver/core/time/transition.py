"""What a workspace tells those who listen."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from mockserver.core.time.timers import Key


class Changed(NamedTuple):
    """An event that happened to an instance of a state machine."""

    at: datetime
    account: int
    machine: str
    key: Key
    event: str
    source: str
    target: str

"""Receivers of webhook calls, for tests that have no address of their own to be called at."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

#: How many calls a receiver keeps, and how many bytes of their bodies.
KEPT, KEPT_BYTES = 1_000, 16 * 1024 * 1024


class Received(NamedTuple):
    """One call that came in."""

    at: datetime
    method: str
    path: str
    query: str
    headers: Sequence[tuple[str, str]]
    body: bytes


class Manner(NamedTuple):
    """How a receiver answers, for so many calls; None: for all."""

    status: int = 200
    delay_ms: float = 0.0
    reset: bool = False
    times: int | None = None


@dataclass(slots=True, eq=False)
class Receiver:
    """What came in under one name, newest last, and how it is answered."""

    name: str
    manner: Manner = field(default_factory=Manner)
    #: How many calls have been answered in this manner.
    answered: int = 0
    calls: deque[Received] = field(default_factory=deque)
    size: int = 0
    evicted: int = 0

    def take(self, call: Received) -> Manner:
        """Keep a call; gives the manner in which it is answered."""
        self.calls.append(call)
        self.size += len(call.body)
        while len(self.calls) > KEPT or (self.size > KEPT_BYTES and len(self.calls) > 1):
            self.size -= len(self.calls.popleft().body)
            self.evicted += 1
        manner = self.manner
        if manner.times is not None and self.answered >= manner.times:
            return Manner()
        self.answered += 1
        return manner

    def answer_by(self, manner: Manner) -> None:
        """Answer in another manner from now on."""
        self.manner, self.answered = manner, 0

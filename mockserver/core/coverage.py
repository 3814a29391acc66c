"""Which part of the contract the requests so far have met."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from mockserver.core.events import Changed
from mockserver.core.exchange import Exchange


class Answered(NamedTuple):
    """One way in which an operation has answered."""

    operation: str
    #: None: there was no HTTP answer.
    status: int | None
    #: The code of an error.
    code: str | None
    #: Whether a fault has made it.
    injected: bool


class Coverage:
    """Counts that add up: of a world's requests, and of many worlds together."""

    def __init__(self) -> None:
        self.answers: Counter[Answered] = Counter()
        #: By operation and path of the member, such as `ips[].weight`.
        self.fields: Counter[tuple[str, str]] = Counter()
        #: By machine and event.
        self.transitions: Counter[tuple[str, str]] = Counter()

    def add(self, exchange: Exchange) -> None:
        if exchange.operation is not None:
            answered = Answered(exchange.operation, exchange.status, exchange.code, exchange.fault is not None)
            self.answers[answered] += 1
            for name in exchange.fields:
                self.fields[exchange.operation, name] += 1

    def add_transition(self, change: Changed) -> None:
        self.transitions[change.machine, change.event] += 1

    def merge(self, other: Coverage) -> None:
        """Count what another one has counted."""
        self.answers.update(other.answers)
        self.fields.update(other.fields)
        self.transitions.update(other.transitions)

    def clear(self) -> None:
        self.answers.clear()
        self.fields.clear()
        self.transitions.clear()

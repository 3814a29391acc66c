"""Which part of the contract the requests so far have met."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from mockserver.core.events import Changed
from mockserver.core.exchange import Exchange


def _counter() -> Any:
    return field(default_factory=Counter)


@dataclass(slots=True)
class Coverage:
    """Counts that add up: of a world's requests, and of many worlds together.

    They are as coarse as what is told of them, so that they can be read back from that.
    """

    #: By operation and status; None: there was no HTTP answer.
    answers: Counter[tuple[str, int | None]] = _counter()
    #: By operation, the code of an error, and whether a fault has made it.
    codes: Counter[tuple[str, str, bool]] = _counter()
    #: By operation and name of an optional member, such as `ips[].weight`.
    fields: Counter[tuple[str, str]] = _counter()
    #: By machine and event.
    transitions: Counter[tuple[str, str]] = _counter()

    def add(self, exchange: Exchange) -> None:
        """Count a request to an operation; one that leads nowhere meets nothing."""
        operation = exchange.operation
        if operation is None:
            return
        self.answers[operation, exchange.status] += 1
        if exchange.code is not None:
            self.codes[operation, exchange.code, exchange.injected] += 1
        for name in exchange.fields:
            self.fields[operation, name] += 1

    def add_transition(self, change: Changed) -> None:
        self.transitions[change.machine, change.event] += 1

    def merge(self, other: Coverage) -> None:
        """Count what another one has counted, which may go on counting meanwhile."""
        # A copy is made in one step; what is read item by item must not grow.
        self.answers.update(dict(other.answers))
        self.codes.update(dict(other.codes))
        self.fields.update(dict(other.fields))
        self.transitions.update(dict(other.transitions))

    def clear(self) -> None:
        self.answers.clear()
        self.codes.clear()
        self.fields.clear()
        self.transitions.clear()

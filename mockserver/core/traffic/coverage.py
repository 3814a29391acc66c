"""Which part of the contract the requests so far have met."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TypeVar

from mockserver.core.contract.errors import ALL_CODES
from mockserver.core.time.transition import Changed
from mockserver.core.traffic.exchange import Exchange

Point = TypeVar("Point")

#: A fault can invent any code. So many are counted by their own names, together with ours; then this stands for more.
_MOST_CODES, OTHER_CODE = 1_000, "other"


def _counts() -> defaultdict[Point, int]:
    """Numbers that begin at 0; adding 1 takes half as long as with `Counter`."""
    return defaultdict(int)


@dataclass(slots=True)
class Coverage:
    """Counts that add up: of a workspace's requests, and of many workspaces together.

    They are as coarse as what is told of them, so that they can be read back from that.
    """

    #: By operation and status; None: there was no HTTP answer.
    answers: defaultdict[tuple[str, int | None], int] = field(default_factory=_counts)
    #: By operation, the code of an error, and whether a fault has made it.
    codes: defaultdict[tuple[str, str, bool], int] = field(default_factory=_counts)
    #: By operation and name of an optional member, such as `ips[].weight`.
    fields: defaultdict[tuple[str, str], int] = field(default_factory=_counts)
    #: By machine and event.
    transitions: defaultdict[tuple[str, str], int] = field(default_factory=_counts)

    def add(self, exchange: Exchange) -> None:
        """Count a request to an operation; one that leads nowhere meets nothing."""
        operation = exchange.operation
        if operation is None:
            return
        self.answers[operation, exchange.status] += 1
        if exchange.code is not None:
            self._add_code((operation, exchange.code, exchange.injected), 1)
        for name in exchange.fields:
            self.fields[operation, name] += 1

    def _add_code(self, point: tuple[str, str, bool], number: int) -> None:
        operation, code, injected = point
        if code not in ALL_CODES and point not in self.codes and len(self.codes) >= _MOST_CODES:
            point = (operation, OTHER_CODE, injected)
        self.codes[point] += number

    def add_transition(self, change: Changed) -> None:
        self.transitions[change.machine, change.event] += 1

    def merge(self, other: Coverage) -> None:
        """Count what another one has counted, which may go on counting meanwhile."""
        _add(self.answers, other.answers)
        for point, number in other.codes.copy().items():
            self._add_code(point, number)
        _add(self.fields, other.fields)
        _add(self.transitions, other.transitions)

    def clear(self) -> None:
        self.answers.clear()
        self.codes.clear()
        self.fields.clear()
        self.transitions.clear()


def _add(counts: dict[Point, int], more: dict[Point, int]) -> None:
    # A copy is made in one step; what is read item by item must not grow.
    for point, number in more.copy().items():
        counts[point] += number

"""Coverage: counts of the operations, errors, fields and transitions that requests have met."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TypeVar

from mockserver.core.contract.errors import ALL_CODES
from mockserver.core.time.transition import Changed
from mockserver.core.traffic.exchange import Exchange

Point = TypeVar("Point")

#: How many codes are counted by name, and the name under which further ones are: a fault can invent any code.
#: Chosen: far above the codes of all operations together.
_MOST_CODES, OTHER_CODE = 1_000, "other"
#: What stands for the operation where a stub or another server has answered at an address that is no operation's.
NO_OPERATION = "other addresses"


def _counts() -> defaultdict[Point, int]:
    """Counts from 0; adding 1 takes half as long as with `Counter`."""
    return defaultdict(int)


@dataclass(slots=True)
class Coverage:
    """Counts of what requests have met, of one workspace or of many together.

    They distinguish no more than the coverage report does, so that they can be read back from one.
    """

    #: Answers by operation and status; the status is None if there was no HTTP answer.
    answers: defaultdict[tuple[str, int | None], int] = field(default_factory=_counts)
    #: Errors by operation, code, and whether a fault has injected them.
    codes: defaultdict[tuple[str, str, bool], int] = field(default_factory=_counts)
    #: Optional members that were sent, by operation and name, such as `ips[].weight`.
    fields: defaultdict[tuple[str, str], int] = field(default_factory=_counts)
    #: Transitions by state machine and event.
    transitions: defaultdict[tuple[str, str], int] = field(default_factory=_counts)
    #: Requests that no operation of the mock answers, by the operation beyond, and how they were answered.
    beyond: defaultdict[tuple[str, str], int] = field(default_factory=_counts)

    def add(self, exchange: Exchange) -> None:
        """Count an exchange; one without an operation of the mock meets nothing of the contract."""
        operation = exchange.operation
        if exchange.beyond is not None:
            self.beyond[operation or NO_OPERATION, str(exchange.beyond)] += 1
            return
        if operation is None:
            return
        self.answers[operation, exchange.status] += 1
        if exchange.code is not None:
            self._add_code((operation, exchange.code, exchange.injected), 1)
        for name in exchange.fields:
            self.fields[operation, name] += 1

    def take_back(self, exchange: Exchange) -> None:
        """Count an exchange no more that was counted without an answer, as it gets one after all."""
        if exchange.beyond is not None:
            _subtract(self.beyond, (exchange.operation or NO_OPERATION, str(exchange.beyond)))
        elif exchange.operation is not None:
            _subtract(self.answers, (exchange.operation, exchange.status))

    def _add_code(self, point: tuple[str, str, bool], number: int) -> None:
        operation, code, injected = point
        if code not in ALL_CODES and point not in self.codes and len(self.codes) >= _MOST_CODES:
            point = (operation, OTHER_CODE, injected)
        self.codes[point] += number

    def add_transition(self, change: Changed) -> None:
        self.transitions[change.machine, change.event] += 1

    def merge(self, other: Coverage) -> None:
        """Add the counts of another coverage, in which other threads may go on counting."""
        _add(self.answers, other.answers)
        for point, number in other.codes.copy().items():
            self._add_code(point, number)
        _add(self.fields, other.fields)
        _add(self.transitions, other.transitions)
        _add(self.beyond, other.beyond)

    def clear(self) -> None:
        self.answers.clear()
        self.codes.clear()
        self.fields.clear()
        self.transitions.clear()
        self.beyond.clear()


def _subtract(counts: dict[Point, int], point: Point) -> None:
    if counts.get(point, 0) > 1:
        counts[point] -= 1
    else:
        counts.pop(point, None)  # the counts may have been cleared meanwhile


def _add(counts: dict[Point, int], more: dict[Point, int]) -> None:
    # Copied in one step: a dictionary must not grow while it is read item by item.
    for point, number in more.copy().items():
        counts[point] += number

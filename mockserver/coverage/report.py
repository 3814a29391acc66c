"""The report: every point of the contract with how often it was met, totals, and what is missing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mockserver.core.contract.operation import Mark
from mockserver.core.traffic.coverage import Coverage
from mockserver.coverage.contract import Point, PointKind, promises
from mockserver.coverage.missing import missing


class Count(NamedTuple):
    """How often a point was met."""

    #: By the service's own answers.
    natural: int = 0
    #: By an answer that a fault has made.
    injected: int = 0

    @property
    def all(self) -> int:
        return self.natural + self.injected


class Row(NamedTuple):
    """A point, and how often it was met."""

    point: Point
    #: None: it was met, and the contract does not hold it.
    mark: Mark | None
    hits: Count

    @property
    def is_met(self) -> bool:
        return self.hits.all > 0


class Total(NamedTuple):
    """How many of how many points were met."""

    met: int
    of: int

    @property
    def percent(self) -> float:
        """With one decimal, rounded down: 100 is said of all only."""
        return self.met * 1000 // self.of / 10 if self.of else 100.0


#: The rows of each operation, or of each machine, in the contract's order; what it does not hold comes last.
Rows = Mapping[str, Sequence[Row]]


@dataclass(frozen=True, slots=True)
class Report:
    """What was met of the contract."""

    #: The row of the operation itself comes first.
    operations: Rows
    machines: Rows
    #: Sentences, the most telling one first.
    missing: Sequence[str]

    @property
    def totals(self) -> dict[PointKind, Total]:
        """By kind; what the contract does not hold is left out."""
        return {kind: total(self._rows(), kind) for kind in PointKind}

    @property
    def percent(self) -> float:
        """Of all points together."""
        return total(self._rows(), *PointKind).percent

    def _rows(self) -> Iterator[Row]:
        for rows in (*self.operations.values(), *self.machines.values()):
            yield from rows


def total(rows: Iterable[Row], *kinds: PointKind) -> Total:
    """How many of these kinds were met, of those that the contract holds."""
    held = [row for row in rows if row.point.kind in kinds and row.mark is not None]
    return Total(sum(row.is_met for row in held), len(held))


def report(coverage: Coverage) -> Report:
    """What the counts mean, held against the contract."""
    counts = _counts(coverage)
    held = promises()
    rows = [Row(promise.point, promise.mark, counts.get(promise.point, Count())) for promise in held]
    beyond = counts.keys() - {promise.point for promise in held}
    rows += [Row(point, None, counts[point]) for point in sorted(beyond, key=_plainly)]
    operations = [row for row in rows if row.point.kind is not PointKind.TRANSITIONS]
    machines = [row for row in rows if row.point.kind is PointKind.TRANSITIONS]
    met = {point: count.all for point, count in counts.items()}
    return Report(_by_owner(operations), _by_owner(machines), missing(held, met))


def _counts(coverage: Coverage) -> dict[Point, Count]:
    """How often every point was met that was met at all."""
    natural: Counter[Point] = Counter()
    injected: Counter[Point] = Counter()
    for (operation, status), number in coverage.answers.items():
        natural[Point(PointKind.OPERATIONS, operation, operation)] += number
        if status is not None:
            natural[Point(PointKind.STATUSES, operation, str(status))] += number
    for (operation, code, is_injected), number in coverage.codes.items():
        (injected if is_injected else natural)[Point(PointKind.CODES, operation, code)] += number
    for (operation, name), number in coverage.fields.items():
        natural[Point(PointKind.FIELDS, operation, name)] += number
    for (machine, event), number in coverage.transitions.items():
        natural[Point(PointKind.TRANSITIONS, machine, event)] += number
    return {point: Count(natural[point], injected[point]) for point in {**natural, **injected}}


def _plainly(point: Point) -> tuple[int, str, str]:
    return list(PointKind).index(point.kind), point.owner, point.name


def _by_owner(rows: Iterable[Row]) -> dict[str, list[Row]]:
    found: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row.point.owner].append(row)
    return dict(found)

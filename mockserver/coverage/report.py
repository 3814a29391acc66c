"""Coverage reports: hits of all points, totals, and missing points."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from mockserver.core.contract.operation import Mark
from mockserver.core.traffic.coverage import Coverage
from mockserver.coverage.contract import Point, PointKind, Promise, promises
from mockserver.coverage.selection import ALL, DEFAULT, SPECIFICATION, Selection
from mockserver.resources.registry import FURTHER_MACHINES, FURTHER_OPERATIONS

#: The rank of gaps of each kind, most important first, and the sentence about a gap.
_GAPS = {
    PointKind.CODES: (1, "{0}: `{1}` never met"),
    PointKind.STATUSES: (2, "{0}: status {1} never met"),
    PointKind.TRANSITIONS: (3, "{0}: event `{1}` never met"),
    PointKind.FIELDS: (4, "{0}: field `{1}` never sent"),
    PointKind.OPERATIONS: (5, "{0} never called"),
}
#: The ranks of codes that are sentences, and of unused state machines.
_SENTENCE, _MACHINE = 0, 6


class _Gap(NamedTuple):
    rank: int
    #: The position of the mark, surest first.
    mark: int
    #: Whether the point is an error status. Success statuses come first, as clients rely on them.
    is_error: bool
    #: The operations with this code, 0 for other points. Rare codes come first.
    spread: int
    #: Negative calls or moves, so that the most used come first.
    use: int
    #: The position in the contract.
    position: int
    sentence: str


def missing(promised: Sequence[Promise], met: Mapping[Point, int]) -> tuple[str, ...]:
    """Return sentences about missing points, most important first.

    An unused operation or state machine has one sentence for all points.

    Args:
        promised: All declared points.
        met: Hits of covered points.
    """
    use: Counter[str] = Counter()  # calls and moves
    for point, number in met.items():
        if point.kind in (PointKind.OPERATIONS, PointKind.TRANSITIONS):
            use[point.owner] += number
    spread = Counter(promise.point.name for promise in promised if promise.point.kind is PointKind.CODES)
    gaps = {
        _gap(promise, position, use[promise.point.owner], spread)
        for position, promise in enumerate(promised)
        if not met.get(promise.point)
    }
    return tuple(dict.fromkeys(gap.sentence for gap in sorted(filter(None, gaps))))


def _gap(promise: Promise, position: int, use: int, spread: Counter[str]) -> _Gap | None:
    kind, owner, name = promise.point
    mark = list(Mark).index(promise.mark)
    rank, form = _GAPS[kind]
    sentence = form.format(owner, name)
    if kind is PointKind.OPERATIONS:
        return _Gap(rank, mark, False, 0, 0, position, sentence)
    if not use:
        is_machine = kind is PointKind.TRANSITIONS
        return _Gap(_MACHINE, mark, False, 0, 0, position, f"{owner}: no event met") if is_machine else None
    if promise.is_sentence and promise.mark is Mark.DOCUMENTED:
        rank = _SENTENCE
    is_error = kind is PointKind.STATUSES and int(name) >= 400
    return _Gap(rank, mark, is_error, spread[name] if kind is PointKind.CODES else 0, -use, position, sentence)


class Count(NamedTuple):
    #: Hits by regular answers.
    natural: int = 0
    #: Hits by injected faults.
    injected: int = 0

    @property
    def all(self) -> int:
        return self.natural + self.injected


class Row(NamedTuple):
    point: Point
    #: The mark, or None for covered points outside of the contract.
    mark: Mark | None
    hits: Count

    @property
    def is_met(self) -> bool:
        return self.hits.all > 0


class Total(NamedTuple):
    met: int
    of: int

    @property
    def percent(self) -> float:
        """The covered percentage with one decimal, rounded down, so that 100 means all points.

        0 if there are no points.
        """
        return self.met * 1000 // self.of / 10 if self.of else 0.0


#: Rows by operation or state machine, in order of the contract. Undeclared points come last.
Rows = Mapping[str, Sequence[Row]]


@dataclass(frozen=True, slots=True)
class Report:
    """Covered and missing points of the counted contract."""

    #: The selection as typed: `specification`, `all`, `used`, or names.
    of: str
    #: The selection as the end of a sentence, empty for the default.
    told: str
    #: Rows of the 34 operations by id, each with the row of its calls first.
    operations: Rows
    #: Rows of further operations.
    further: Rows
    #: Rows of state machines by name.
    machines: Rows
    #: Sentences about missing points, most important first.
    missing: Sequence[str]
    #: Calls beyond the mock by operation and kind of answer, not counted.
    beyond: Mapping[str, Mapping[str, int]]

    @property
    def totals(self) -> dict[PointKind, Total]:
        return {kind: total(self._rows(), kind) for kind in PointKind}

    @property
    def percent(self) -> float:
        """Covered percentage of counted points, 0 without points."""
        return total(self._rows(), *PointKind).percent

    @property
    def counted(self) -> list[str]:
        """Counted operations and state machines."""
        rows = self.counted_rows
        return [name for name, found in rows.items() if any(row.mark is not None for row in found)]

    @property
    def counts_further(self) -> bool:
        """Whether percentages include further operations."""
        return self.of != DEFAULT

    @property
    def counted_rows(self) -> Rows:
        """Rows of counted operations and state machines by name."""
        if self.counts_further:
            return {**self.operations, **self.further, **self.machines}
        machines = {name: rows for name, rows in self.machines.items() if name not in FURTHER_MACHINES}
        return {**self.operations, **machines}

    def _rows(self) -> Iterator[Row]:
        for rows in self.counted_rows.values():
            yield from rows


def total(rows: Iterable[Row], *kinds: PointKind) -> Total:
    promised = [row for row in rows if row.point.kind in kinds and row.mark is not None]
    return Total(sum(row.is_met for row in promised), len(promised))


def counted(answered: Mapping[str, int]) -> list[str]:
    """Describe answers beyond the mock, such as `2 refused`."""
    return [f"{number} {way}" for way, number in answered.items()]


def report(coverage: Coverage, of: Selection = SPECIFICATION) -> Report:
    """Compare counts with the counted part of the contract."""
    owners = of.owners(coverage)
    is_partial = of.text not in (DEFAULT, ALL)
    shown = [row for row in promises() if not is_partial or row.point.owner in owners]
    counts = _counts(coverage)
    if is_partial:
        counts = {point: count for point, count in counts.items() if point.owner in owners}
    rows = [Row(promise.point, promise.mark, counts.get(promise.point, Count())) for promise in shown]
    undeclared = counts.keys() - {promise.point for promise in shown}
    rows += [Row(point, None, counts[point]) for point in sorted(undeclared, key=_sort_key)]
    operations = _by_owner(row for row in rows if row.point.kind is not PointKind.TRANSITIONS)
    machines = [row for row in rows if row.point.kind is PointKind.TRANSITIONS]
    met = {point: count.all for point, count in counts.items()}
    return Report(
        of=of.text,
        told=of.told(owners),
        operations={name: found for name, found in operations.items() if name not in FURTHER_OPERATIONS},
        further={name: found for name, found in operations.items() if name in FURTHER_OPERATIONS},
        machines=_by_owner(machines),
        missing=missing([row for row in shown if row.point.owner in owners], met),
        beyond=_beyond(coverage),
    )


def _counts(coverage: Coverage) -> dict[Point, Count]:
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


def _beyond(coverage: Coverage) -> dict[str, dict[str, int]]:
    found: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for (operation, answered), number in sorted(coverage.beyond.items()):
        found[operation][answered] = number
    return dict(found)


def _sort_key(point: Point) -> tuple[int, str, str]:
    return list(PointKind).index(point.kind), point.owner, point.name


def _by_owner(rows: Iterable[Row]) -> dict[str, list[Row]]:
    found: defaultdict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row.point.owner].append(row)
    return dict(found)

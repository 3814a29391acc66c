"""The report of coverage: how often every point of the contract was met, the totals, and what is missing."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from mockserver.core.contract.operation import Mark
from mockserver.core.traffic.coverage import Coverage
from mockserver.coverage.contract import Point, PointKind, Promise, promises
from mockserver.coverage.selection import ALL, DEFAULT, SPECIFICATION, Selection
from mockserver.resources.registry import FURTHER_OPERATIONS


class _Rank(IntEnum):
    """The kinds of gaps, the one that matters most first."""

    SENTENCE = 0
    CODE = 1
    STATUS = 2
    TRANSITION = 3
    FIELD = 4
    OPERATION = 5
    MACHINE = 6


_RANKS = {
    PointKind.CODES: _Rank.CODE,
    PointKind.STATUSES: _Rank.STATUS,
    PointKind.TRANSITIONS: _Rank.TRANSITION,
    PointKind.FIELDS: _Rank.FIELD,
}
_SENTENCES = {
    PointKind.OPERATIONS: "{0} never called",
    PointKind.STATUSES: "{0}: status {1} never met",
    PointKind.CODES: "{0}: `{1}` never met",
    PointKind.FIELDS: "{0}: field `{1}` never sent",
    PointKind.TRANSITIONS: "{0}: event `{1}` never met",
}


class _Gap(NamedTuple):
    """A point that was not met; gaps are compared member by member, in this order."""

    rank: _Rank
    #: The position of the point's mark among the marks, of which the surest is first.
    mark: int
    #: Whether the point is the status of an error; success comes first, because a client relies on it most.
    is_error: bool
    #: How many operations have the code of the point, 0 for other points; a rare code comes first, as it tells more.
    spread: int
    #: How often the operation was called or the state machine moved, negative, so that the most used comes first.
    use: int
    #: The position of the point in the contract.
    position: int
    sentence: str


def missing(promised: Sequence[Promise], met: Mapping[Point, int]) -> tuple[str, ...]:
    """A sentence for each promised point that was not met, those that matter most first.

    An operation or a state machine that was never used has one sentence for all of its points. `met` tells how often
    each point was met.
    """
    use = _use(met)
    spread = Counter(promise.point.name for promise in promised if promise.point.kind is PointKind.CODES)
    gaps = {
        _gap(promise, position, use[promise.point.owner], spread)
        for position, promise in enumerate(promised)
        if not met.get(promise.point)
    }
    return tuple(dict.fromkeys(gap.sentence for gap in sorted(filter(None, gaps))))


def _use(met: Mapping[Point, int]) -> Counter[str]:
    """How often each operation was called, and each state machine moved."""
    use: Counter[str] = Counter()
    for point, number in met.items():
        if point.kind in (PointKind.OPERATIONS, PointKind.TRANSITIONS):
            use[point.owner] += number
    return use


def _gap(promise: Promise, position: int, use: int, spread: Counter[str]) -> _Gap | None:
    """The gap of a point that was not met, or None if the gap of its whole operation stands for it."""
    kind, owner, name = promise.point
    mark = list(Mark).index(promise.mark)
    sentence = _SENTENCES[kind].format(owner, name)
    if kind is PointKind.OPERATIONS:
        return _Gap(_Rank.OPERATION, mark, False, 0, 0, position, sentence)
    if not use:
        is_machine = kind is PointKind.TRANSITIONS
        return _Gap(_Rank.MACHINE, mark, False, 0, 0, position, f"{owner}: no event met") if is_machine else None
    rank = _Rank.SENTENCE if promise.is_sentence and promise.mark is Mark.DOCUMENTED else _RANKS[kind]
    is_error = kind is PointKind.STATUSES and int(name) >= 400
    return _Gap(rank, mark, is_error, spread[name] if kind is PointKind.CODES else 0, -use, position, sentence)


class Count(NamedTuple):
    """How often a point was met."""

    #: How often by an answer of the service itself.
    natural: int = 0
    #: How often by an answer that a fault has made.
    injected: int = 0

    @property
    def all(self) -> int:
        return self.natural + self.injected


class Row(NamedTuple):
    """A point, and how often it was met."""

    point: Point
    #: How sure the contract is of the point; None: the point was met, and the contract does not declare it.
    mark: Mark | None
    hits: Count

    @property
    def is_met(self) -> bool:
        return self.hits.all > 0


class Total(NamedTuple):
    """How many points were met."""

    met: int
    #: How many points there are.
    of: int

    @property
    def percent(self) -> float:
        """The percentage met, from 0 to 100 with one decimal, rounded down, so that 100 means all points.

        0 where there are no points, as with a selection of what was used before anything was.
        """
        return self.met * 1000 // self.of / 10 if self.of else 0.0


#: The rows of each operation, or of each state machine, in the order of the contract; points that the contract does not
#: declare come last.
Rows = Mapping[str, Sequence[Row]]


@dataclass(frozen=True, slots=True)
class Report:
    """Which points of the contract were met, and how often, as far as they are counted."""

    #: What is counted, as it was asked for: `specification`, `all`, `used`, or names with commas.
    of: str
    #: The same as the end of a sentence; empty for the default.
    told: str
    #: The rows of each of the 34 operations, by its id; the row of the operation itself comes first.
    operations: Rows
    #: The rows of each further operation, of sending and contacts, in the same form.
    further: Rows
    #: The rows of each state machine, by its name.
    machines: Rows
    #: A sentence for each point that was not met, those that matter most to a tested client first.
    missing: Sequence[str]
    #: How often each operation beyond was called, by how it was answered; percentages do not count them.
    beyond: Mapping[str, Mapping[str, int]]

    @property
    def totals(self) -> dict[PointKind, Total]:
        """The totals of each kind of points; points that the contract does not declare are left out."""
        return {kind: total(self._rows(), kind) for kind in PointKind}

    @property
    def percent(self) -> float:
        """The percentage of all counted points that was met, from 0 to 100; 0 where nothing is counted."""
        return total(self._rows(), *PointKind).percent

    @property
    def counted(self) -> list[str]:
        """The operations and state machines that are counted."""
        rows = self.counted_rows
        return [name for name, found in rows.items() if any(row.mark is not None for row in found)]

    @property
    def counts_further(self) -> bool:
        """Whether the percentages count the further operations that the report has."""
        return self.of != DEFAULT

    @property
    def counted_rows(self) -> Rows:
        """The rows of the counted operations and state machines, by their names."""
        return {**self.operations, **(self.further if self.counts_further else {}), **self.machines}

    def _rows(self) -> Iterator[Row]:
        for rows in self.counted_rows.values():
            yield from rows


def total(rows: Iterable[Row], *kinds: PointKind) -> Total:
    """How many points of these kinds were met, of those that the contract declares."""
    promised = [row for row in rows if row.point.kind in kinds and row.mark is not None]
    return Total(sum(row.is_met for row in promised), len(promised))


def counted(answered: Mapping[str, int]) -> list[str]:
    """How often an operation beyond was answered in which way: `2 refused`."""
    return [f"{number} {way}" for way, number in answered.items()]


def report(coverage: Coverage, of: Selection = SPECIFICATION) -> Report:
    """The report of the counts that requests have left, compared with the part of the contract that is counted."""
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
    """How often each point was met; points that were never met are left out."""
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
    """How often each operation beyond was called, by how it was answered; both in the order of their names."""
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

"""What is missing, as sentences: first what tells a team most about the client that it tests.

An operation that the team calls can surprise it; one that it never calls cannot. And of an operation that is called,
the errors that the service words itself stand for states of the workspace that a client has to deal with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple

from mockserver.core.contract.operation import Mark
from mockserver.coverage.contract import Point, PointKind, Promise


class _Rank(IntEnum):
    """Kinds of gaps, the most telling one first."""

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
    """A point that was not met; its members are in the order in which gaps are compared."""

    rank: _Rank
    #: The surest comes first.
    mark: int
    #: An error comes after success: a call that never went well is a gap of its own kind.
    is_error: bool
    #: How many operations have this code: a rare one says more.
    spread: int
    #: How often its operation was called or its machine moved, negative: what is used most comes first.
    use: int
    #: The order of the contract.
    place: int
    sentence: str


def missing(held: Sequence[Promise], met: Mapping[Point, int]) -> tuple[str, ...]:
    """A sentence for every gap of what was used at all, and one for each operation and machine that was not."""
    use = _use(met)
    spread = Counter(promise.point.name for promise in held if promise.point.kind is PointKind.CODES)
    gaps = {
        _gap(promise, place, use[promise.point.owner], spread)
        for place, promise in enumerate(held)
        if not met.get(promise.point)
    }
    return tuple(dict.fromkeys(gap.sentence for gap in sorted(filter(None, gaps))))


def _use(met: Mapping[Point, int]) -> Counter[str]:
    use: Counter[str] = Counter()
    for point, number in met.items():
        if point.kind in (PointKind.OPERATIONS, PointKind.TRANSITIONS):
            use[point.owner] += number
    return use


def _gap(promise: Promise, place: int, use: int, spread: Counter[str]) -> _Gap | None:
    """The gap that a point leaves; None where its operation is one already."""
    kind, owner, name = promise.point
    mark = list(Mark).index(promise.mark)
    sentence = _SENTENCES[kind].format(owner, name)
    if kind is PointKind.OPERATIONS:
        return _Gap(_Rank.OPERATION, mark, False, 0, 0, place, sentence)
    if not use:
        whole = kind is PointKind.TRANSITIONS
        return _Gap(_Rank.MACHINE, mark, False, 0, 0, place, f"{owner}: no event met") if whole else None
    rank = _Rank.SENTENCE if promise.is_sentence and promise.mark is Mark.DOCUMENTED else _RANKS[kind]
    is_error = kind is PointKind.STATUSES and int(name) >= 400
    return _Gap(rank, mark, is_error, spread[name] if kind is PointKind.CODES else 0, -use, place, sentence)

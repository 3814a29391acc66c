"""The points that were not met, as sentences, ordered by how much they matter to a team that tests a client.

Points of operations that the client calls come first, because the client has to deal with their answers. Among them the
errors whose code is a sentence of the service come first, because each tells a state of an account that the client has
to deal with.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple

from mockserver.core.contract.operation import Mark
from mockserver.coverage.contract import Point, PointKind, Promise


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

"""A line of time on which a minute can be seen as well as a year: each step of it is as wide as the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import NamedTuple

#: The steps of the line, by where each ends; within a step time passes evenly.
_STEPS: tuple[tuple[str, timedelta], ...] = (
    ("now", timedelta()),
    ("1 min", timedelta(minutes=1)),
    ("1 h", timedelta(hours=1)),
    ("1 d", timedelta(days=1)),
    ("7 d", timedelta(days=7)),
    ("30 d", timedelta(days=30)),
    ("1 y", timedelta(days=365)),
)
_ENDS = [length for _, length in _STEPS]
#: Where the line begins and where its last step ends, in hundredths of its width: the words at both ends need room, and
#: so does what is due later still.
_FIRST, _LAST = 4.0, 92.0
_LATER = 97.0
_WIDTH = (_LAST - _FIRST) / (len(_STEPS) - 1)
#: In how many places a step is divided; what falls into one place is drawn as one dot with its number. Chosen so that
#: dots do not overlap on a page 320 pixels wide.
_PLACES = 2


class Tick(NamedTuple):
    """The end of a step: a word, and where it stands in hundredths of the line's width."""

    word: str
    at: float


class Dot(NamedTuple):
    """So many things that are due at nearly the same time: where they stand in hundredths of the line's width."""

    at: float
    number: int


def ticks() -> Sequence[Tick]:
    """The words below the line."""
    return [Tick(word, round(_FIRST + index * _WIDTH, 2)) for index, (word, _) in enumerate(_STEPS)]


def dots(now: datetime, moments: Iterable[datetime]) -> Sequence[Dot]:
    """What is due at these moments, from left to right."""
    found = Counter(_place(moment - now) for moment in moments)
    return [Dot(round(at, 2), number) for at, number in sorted(found.items())]


def _place(left: timedelta) -> float:
    """Where on the line a length of time from now is, by the middle of its place."""
    for index, (begin, end) in enumerate(pairwise(_ENDS)):
        if left < end:
            share = max((left - begin) / (end - begin), 0.0)
            return _FIRST + (index + (int(share * _PLACES) + 0.5) / _PLACES) * _WIDTH
    return _LATER

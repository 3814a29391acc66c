"""What a drawing consists of: boxes, labels and arrows at their places, in units that are pixels at its natural size.

A drawing is one column: the states stand below each other, and every arrow but that to the next state below leaves its
box to the right, goes up or down in a lane, and comes back to the box that it leads to. All that leads to one box
shares a lane.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

#: How far a line is rounded at a corner. Chosen: less than half of the least distance between two rows.
_CORNER = 5.0
#: How long and how wide one side of an arrow's head is.
_HEAD = 6.0, 4.0


class Kind(StrEnum):
    """What a box stands for."""

    START = "start"
    STATE = "state"
    END = "end"


class Point(NamedTuple):
    x: float
    y: float


class Line(NamedTuple):
    """A line of text; `y` is that of its baseline."""

    text: str
    x: float
    y: float


class Box(NamedTuple):
    """A state, or the start or the end, which are drawn as dots."""

    kind: Kind
    state: str
    x: float
    y: float
    width: float
    height: float
    #: The name, broken where it is long.
    lines: Sequence[Line] = ()
    #: Where the text below the name stands, as the number of instances.
    note: Point = Point(0, 0)


class Label(NamedTuple):
    """The name of an event at its arrow."""

    event: str
    timed: bool
    x: float
    y: float
    width: float
    height: float
    lines: Sequence[Line]


class Arrow(NamedTuple):
    """All transitions from one state to another: their labels, and the corners of the line."""

    source: str
    target: str
    labels: Sequence[Label]
    corners: Sequence[Point]

    @property
    def path(self) -> str:
        """The line with its head, as the member `d` of an SVG path."""
        return " ".join((*_rounded(self.corners), *_head(*self.corners[-2:])))

    @property
    def events(self) -> Sequence[str]:
        return [label.event for label in self.labels]


class Drawing(NamedTuple):
    """A whole drawing and its natural size."""

    width: float
    height: float
    boxes: Sequence[Box]
    arrows: Sequence[Arrow]


def _rounded(corners: Sequence[Point]) -> Iterator[str]:
    """The commands of a line through axis-parallel corners."""
    first, last = corners[0], corners[-1]
    yield f"M{first.x:g} {first.y:g}"
    for (before, corner), (_, after) in pairwise(pairwise(corners)):
        begin, end = _towards(corner, before), _towards(corner, after)
        yield f"L{begin.x:g} {begin.y:g} Q{corner.x:g} {corner.y:g} {end.x:g} {end.y:g}"
    yield f"L{last.x:g} {last.y:g}"


def _towards(corner: Point, other: Point) -> Point:
    """The point beside a corner at which its rounding begins or ends."""
    return Point(corner.x + _step(other.x - corner.x), corner.y + _step(other.y - corner.y))


def _step(length: float) -> float:
    return max(-_CORNER, min(_CORNER, length))


def _head(before: Point, tip: Point) -> Iterator[str]:
    """The commands of the two strokes of a head."""
    length, side = _HEAD
    if before.x == tip.x:
        back = tip.y - length
        yield f"M{tip.x - side:g} {back:g} L{tip.x:g} {tip.y:g} L{tip.x + side:g} {back:g}"
    else:
        back = tip.x + length
        yield f"M{back:g} {tip.y - side:g} L{tip.x:g} {tip.y:g} L{back:g} {tip.y + side:g}"

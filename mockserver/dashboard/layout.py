"""State machine drawings. The same transition table always gives the same drawing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from mockserver.core.time.state_machine import ABSENT, StateMachine

#: The radius of a corner. Chosen: less than half of the smallest distance of rows.
_CORNER = 5.0
#: The length of an arrow head, and the width of a side.
_HEAD = 6.0, 4.0


class Kind(StrEnum):
    """The kind of a box."""

    START = "start"
    STATE = "state"
    END = "end"


class Point(NamedTuple):
    x: float
    y: float


class TextLine(NamedTuple):
    """A line of text, placed by its baseline."""

    text: str
    x: float
    y: float


class Box(NamedTuple):
    """A state box, or a dot for start and end."""

    kind: Kind
    state: str
    x: float
    y: float
    width: float
    height: float
    #: The name in lines.
    lines: Sequence[TextLine] = ()
    #: The place of the text below the name.
    note: Point = Point(0, 0)


class Label(NamedTuple):
    """An event's name beside its arrow."""

    event: str
    timed: bool
    x: float
    y: float
    width: float
    height: float
    lines: Sequence[TextLine]


class Arrow(NamedTuple):
    """All transitions between two states: labels, and corners of the line."""

    source: str
    target: str
    labels: Sequence[Label]
    corners: Sequence[Point]

    @property
    def path(self) -> str:
        """Line and head as attribute `d` of an SVG path."""
        return " ".join((*_rounded(self.corners), *_head(*self.corners[-2:])))

    @property
    def events(self) -> Sequence[str]:
        return [label.event for label in self.labels]


class Drawing(NamedTuple):
    """A drawing with its natural size."""

    width: float
    height: float
    boxes: Sequence[Box]
    arrows: Sequence[Arrow]


def _rounded(corners: Sequence[Point]) -> Iterator[str]:
    first, last = corners[0], corners[-1]
    yield f"M{first.x:g} {first.y:g}"
    for (before, corner), (_, after) in pairwise(pairwise(corners)):
        begin, end = _towards(corner, before), _towards(corner, after)
        yield f"L{begin.x:g} {begin.y:g} Q{corner.x:g} {corner.y:g} {end.x:g} {end.y:g}"
    yield f"L{last.x:g} {last.y:g}"


def _towards(corner: Point, other: Point) -> Point:
    """Return the point beside a corner where its rounding begins or ends."""
    return Point(*(at + max(-_CORNER, min(_CORNER, end - at)) for at, end in zip(corner, other, strict=True)))


def _head(before: Point, tip: Point) -> Iterator[str]:
    length, side = _HEAD
    if before.x == tip.x:
        back = tip.y - length
        yield f"M{tip.x - side:g} {back:g} L{tip.x:g} {tip.y:g} L{tip.x + side:g} {back:g}"
    else:
        back = tip.x + length
        yield f"M{back:g} {tip.y - side:g} L{tip.x:g} {tip.y:g} L{back:g} {tip.y + side:g}"


#: The longest line of a name. Chosen: a drawing fits a screen of 320 pixels.
_LONG = 12
#: The width of a character of a state and of a label in the fonts of `machines.css`: 0.62 of 12 and 11 pixels, as in
#: SF Mono, the widest font.
_NAME_CHARACTER, _LABEL_CHARACTER = 7.45, 6.85
#: The height of a line of text, and of its baseline above the bottom.
_LINE, _BASELINE = 14.0, 3.0
#: The space around the text in a box.
_PADDING = 8.0
#: The width of the timer symbol before a label.
_TIMER = 13.0
#: The space between a box or a line and a label.
_BESIDE = 6.0
#: The space below a label, and the height of a row without label.
_ROW_GAP, _PLAIN_ROW = 6.0, 16.0
#: The space between boxes without arrow, and the length of an arrow without label.
_GAP, _ARROW = 16.0, 14.0
#: The width of a lane, and the distance of lines in a lane.
_LANE, _APART = 10.0, 14.0
#: The margin of the drawing.
_MARGIN = 2.0
#: The size of the start and the end.
_DOT = 12.0
#: The name of the end, the target of a deletion. No state has this name.
_END = ""


class _Exit(NamedTuple):
    source: str
    target: str
    events: Sequence[str]


class _Node(NamedTuple):
    """A box without place: name, arrows at the right side, and the arrow to the next box."""

    kind: Kind
    state: str
    lines: Sequence[str]
    enters: bool
    exits: Sequence[_Exit]
    down: _Exit | None

    @property
    def rows(self) -> float:
        """Height of all arrows at the right side."""
        return _PLAIN_ROW * self.enters + sum(_row_height(row.events) for row in self.exits)

    @property
    def height(self) -> float:
        if self.kind is Kind.STATE:
            return max(self.rows + _ROW_GAP, _LINE * (len(self.lines) + 1) + 2 * _PADDING)
        return max(self.rows + _BASELINE * bool(self.exits), _DOT)


@cache
def drawing_of(machine: StateMachine) -> Drawing:
    """Return the cached drawing of a machine that lives as long as the process."""
    return lay_out(machine)


def lay_out(machine: StateMachine) -> Drawing:
    """Draw a machine with states below each other, so most events lead to the next state."""
    return _Layout(machine, list(_nodes(machine))).drawing()


def _nodes(machine: StateMachine) -> Iterator[_Node]:
    exits: dict[tuple[str, str], list[str]] = {}
    for row in machine.transitions:
        exits.setdefault((row.source, _END if row.target == ABSENT else row.target), []).append(row.event)
    order = _order(machine, exits)
    next_to = dict(pairwise(order))
    entered = {target for source, target in exits if next_to.get(source) != target}
    for state in order:
        found = [_Exit(state, target, tuple(events)) for (source, target), events in exits.items() if source == state]
        down = next((row for row in found if row.target == next_to.get(state)), None)
        kind = Kind.START if state == ABSENT else Kind.END if state == _END else Kind.STATE
        lines = _broken(state) if kind is Kind.STATE else ()
        yield _Node(kind, state, lines, state in entered, tuple(row for row in found if row is not down), down)


def _order(machine: StateMachine, exits: Iterable[tuple[str, str]]) -> Sequence[str]:
    """Return the start, then the states depth first along their transitions, then the end."""
    targets: dict[str, list[str]] = {}
    for source, target in exits:
        targets.setdefault(source, []).append(target)
    found: dict[str, None] = {}
    left = [*reversed(machine.states), ABSENT]
    while left:
        state = left.pop()
        if state not in found and state != _END:
            found[state] = None
            left.extend(reversed(targets.get(state, [])))
    ends = any(_END in reached for reached in targets.values())
    starts = ABSENT in targets
    return [*(state for state in found if state != ABSENT or starts), *([_END] if ends else [])]


def _broken(name: str) -> Sequence[str]:
    lines = [""]
    for part in name.replace("_", "_\n").split("\n"):
        if lines[-1] and len(lines[-1]) + len(part) > _LONG:
            lines.append("")
        lines[-1] += part
    return lines


def _row_height(events: Iterable[str]) -> float:
    return sum(_LINE * len(_broken(event)) for event in events) + _ROW_GAP


class _Layout:
    """Places boxes of one machine from top to bottom."""

    def __init__(self, machine: StateMachine, nodes: Sequence[_Node]) -> None:
        self._machine, self._nodes = machine, nodes
        longest = max((len(line) for node in nodes for line in node.lines), default=0)
        self._width = longest * _NAME_CHARACTER + 2 * _PADDING
        self._middle = _MARGIN + self._width / 2
        self._boxes: dict[str, Box] = {}
        self._labels: dict[_Exit, Sequence[Label]] = {}
        #: The height where an arrow leaves its box, and where the arrows of a lane enter their box.
        self._leaves: dict[_Exit, float] = {}
        self._enters: dict[str, float] = {}

    def drawing(self) -> Drawing:
        y = _MARGIN
        for node in self._nodes:
            y = self._place(node, y)
        labels = [label for row in self._labels.values() for label in row]
        inner = max(_right(labels), _MARGIN + self._width) + _LANE
        lanes = self._lanes(inner)
        arrows = [arrow for node in self._nodes for arrow in self._arrows(node, lanes)]
        width = max([inner - _LANE, *lanes.values()]) + _MARGIN
        return Drawing(width, y + _MARGIN, list(self._boxes.values()), arrows)

    def _place(self, node: _Node, y: float) -> float:
        """Place a box and its arrow down, starting at height `y`. Return their end height."""
        self._place_rows(node, y)
        self._boxes[node.state] = self._box(node, y)
        y += node.height
        if node.down is None:
            return y + (_GAP if node is not self._nodes[-1] else 0)
        self._labels[node.down] = self._label(node.down.events, self._middle + _BESIDE, y + _ROW_GAP / 2)
        return y + sum(label.height for label in self._labels[node.down]) + _ARROW

    def _place_rows(self, node: _Node, y: float) -> None:
        if node.enters:
            self._enters[node.state] = y + (_PLAIN_ROW / 2 if node.rows > _PLAIN_ROW else node.height / 2)
            y += _PLAIN_ROW
        for row in node.exits:
            self._labels[row] = self._label(row.events, _MARGIN + self._width + _BESIDE, y)
            y += _row_height(row.events)
            self._leaves[row] = y - _ROW_GAP + _BASELINE

    def _box(self, node: _Node, y: float) -> Box:
        if node.kind is not Kind.STATE:
            return self._dot(node, y)
        top = y + (node.height - _LINE * (len(node.lines) + 1)) / 2
        lines = [
            TextLine(text, self._middle, top + _LINE * count - _BASELINE) for count, text in enumerate(node.lines, 1)
        ]
        note = Point(self._middle, top + _LINE * (len(lines) + 1) - _BASELINE + 1)
        return Box(node.kind, node.state, _MARGIN, y, self._width, node.height, lines, note)

    def _dot(self, node: _Node, y: float) -> Box:
        """Return a dot, longer if several lines begin there."""
        lines = [
            *(self._leaves[row] for row in node.exits),
            *([self._enters[node.state]] if node.enters else []),
        ] or [y + _DOT / 2]
        top, bottom = min(lines) - _DOT / 2, max(lines) + _DOT / 2
        return Box(node.kind, ABSENT, self._middle - _DOT / 2, top, _DOT, bottom - top)

    def _label(self, events: Iterable[str], x: float, y: float) -> Sequence[Label]:
        found = []
        for event in events:
            lines, timed = _broken(event), event in self._machine.timed
            at = x + (_TIMER if timed else 0)
            width = at - x + max(map(len, lines)) * _LABEL_CHARACTER
            height = _LINE * len(lines)
            texts = [TextLine(text, at, y + _LINE * count - _BASELINE) for count, text in enumerate(lines, 1)]
            found.append(Label(event, timed, x, y, width, height, texts))
            y += height
        return found

    def _lanes(self, inner: float) -> Mapping[str, float]:
        """Assign a lane to each box with incoming lines: short lines inside, no lines over each other."""
        spans = {}
        for state, height in self._enters.items():
            ends = [height, *(leaves for row, leaves in self._leaves.items() if row.target == state)]
            spans[state] = min(ends), max(ends)
        taken: list[list[tuple[float, float]]] = []
        found: dict[str, float] = {}
        for state, span in sorted(spans.items(), key=lambda item: item[1][1] - item[1][0]):
            lane = next((at for at, spans in enumerate(taken) if _is_free(span, spans)), len(taken))
            taken[lane:lane] = [[]] if lane == len(taken) else []
            taken[lane].append(span)
            found[state] = inner + lane * _LANE
        return found

    def _arrows(self, node: _Node, lanes: Mapping[str, float]) -> Iterator[Arrow]:
        if node.down is not None:
            below = self._boxes[node.down.target]
            begin, end = self._boxes[node.state], Point(self._middle, below.y)
            yield self._arrow(node.down, [Point(self._middle, begin.y + begin.height), end])
        for row in node.exits:
            begin, end = self._boxes[row.source], Point(_right([self._boxes[row.target]]), self._enters[row.target])
            lane, leaves = lanes[row.target], self._leaves[row]
            corners = [Point(_right([begin]), leaves), Point(lane, leaves), Point(lane, end.y), end]
            yield self._arrow(row, corners)

    def _arrow(self, row: _Exit, corners: Sequence[Point]) -> Arrow:
        return Arrow(row.source, ABSENT if row.target == _END else row.target, self._labels[row], corners)


def _right(boxes: Iterable[Box] | Iterable[Label]) -> float:
    return max((box.x + box.width for box in boxes), default=0.0)


def _is_free(span: tuple[float, float], spans: Iterable[tuple[float, float]]) -> bool:
    return all(span[1] + _APART < low or high + _APART < span[0] for low, high in spans)

"""Diagrams that GitHub draws of Mermaid's text, drawn here while the pages are built: no script, no network."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from typing import NamedTuple

from jinja2 import Environment, PackageLoader
from sphinx.application import Sphinx

from mockserver.core.time.state_machine import StateMachine
from mockserver.dashboard.layout import drawing_of
from mockserver.resources.registry import LIFECYCLES

_BLOCK = re.compile(r"^```mermaid\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_NODE = re.compile(r'(\w+)(?:\["([^"]+)"\])?')
_ARROW = re.compile(r'\s*(?:-- "?(?P<solid>[^"-]+?)"? -->|-\. (?P<dotted>[^.]+) \.->|-->)\s*')

#: The width of a character of the site's font for code, of 12 pixels, and the height of a box of one line.
_CHARACTER, _HEIGHT = 7.3, 30.0
#: Around the text of a box; between two boxes beside each other; between two ranks, where labels have room.
_PADDING, _BESIDE, _BETWEEN = 12.0, 20.0, 44.0


def setup(app: Sphinx) -> dict[str, bool]:
    # After `anchors`, which reads the text as it stands in the file.
    app.connect("source-read", _draw, priority=600)
    return {"parallel_read_safe": True}


def _draw(_: Sphinx, name: str, source: list[str]) -> None:
    source[0] = _BLOCK.sub(lambda block: _drawn(block[1], name), source[0])


def _drawn(text: str, page: str) -> str:
    machines = {lifecycle.machine.mermaid().strip(): lifecycle.machine for lifecycle in LIFECYCLES.values()}
    if text.strip() in machines:
        svg = _machine(machines[text.strip()])
    elif text.startswith("flowchart "):
        svg = "".join(Flowchart(text).svg())
    else:
        msg = f"{page}: neither a state machine of the mock nor a flowchart: {text[:60]!r}"
        raise ValueError(msg)
    # A block of HTML ends at an empty line.
    return f'<div class="diagram">{" ".join(line for line in svg.splitlines() if line.strip())}</div>\n'


# ---------------------------------------------------------------------- state machines


def _machine(machine: StateMachine) -> str:
    """The drawing of the dashboard, without numbers."""
    environment = Environment(
        loader=PackageLoader("mockserver.dashboard", "templates"), autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["folded"] = str
    shared = {"root": "", "server_root": "", "workspace": None}
    return str(environment.get_template("drawing.html").make_module(shared).drawn(drawing_of(machine), machine))


# ---------------------------------------------------------------------- flowcharts


class Edge(NamedTuple):
    """An arrow from one box to another."""

    source: str
    target: str
    label: str
    dotted: bool


class Box(NamedTuple):
    """Where a box stands, and how large it is."""

    x: float
    y: float
    width: float
    height: float


class Flowchart:
    """A flowchart of boxes and arrows, of those forms only that these pages use."""

    def __init__(self, text: str) -> None:
        head, *lines = text.strip().splitlines()
        self._labels: dict[str, str] = {}
        self._edges = [edge for line in lines for edge in self._read(line)]
        self._across = head.split()[1] == "LR"
        self._ranks = self._ranked()

    def svg(self) -> Iterator[str]:
        """The drawing: arrows first, so that boxes lie above their ends."""
        boxes = dict(self._across_boxes() if self._across else self._down_boxes())
        width = max(box.x + box.width for box in boxes.values())
        height = max(box.y + box.height for box in boxes.values())
        yield f'<svg class="flowchart" role="img" viewBox="-2 -2 {width + 4:g} {height + 4:g}" width="{width:g}" '
        yield f'height="{height:g}"><title>{escape("; ".join(map(self._sentence, self._edges)))}</title>'
        for edge in self._edges:
            yield from self._arrow(edge, boxes)
        for node, box in boxes.items():
            yield f'<g><rect x="{box.x:g}" y="{box.y:g}" width="{box.width:g}" height="{box.height:g}" rx="6"/>'
            yield f'<text x="{box.x + box.width / 2:g}" y="{box.y + box.height / 2 + 4:g}">'
            yield f"{escape(self._labels[node])}</text></g>"
        yield "</svg>"

    def _read(self, line: str) -> Iterator[Edge]:
        parts = _ARROW.split(line.strip())
        # What stands between two ends: the label of a solid arrow, and that of a dotted one.
        for at in range(0, len(parts) - 3, 3):
            solid, dotted = parts[at + 1 : at + 3]
            for source in self._nodes(parts[at]):
                for target in self._nodes(parts[at + 3]):
                    yield Edge(source, target, solid or dotted or "", dotted is not None)

    def _nodes(self, text: str) -> list[str]:
        found = [_NODE.fullmatch(part.strip()) for part in text.split(" & ")]
        for node in found:
            assert node, text
            if node[2] or node[1] not in self._labels:
                self._labels[node[1]] = node[2] or node[1]
        return [node[1] for node in found if node]

    def _sentence(self, edge: Edge) -> str:
        return f"{self._labels[edge.source]} to {self._labels[edge.target]}"

    def _ranked(self) -> list[list[str]]:
        """The boxes in ranks: each stands one behind the last of those that lead to it."""
        rank = dict.fromkeys(self._labels, 0)
        for _ in self._labels:
            for edge in self._edges:
                rank[edge.target] = max(rank[edge.target], rank[edge.source] + 1)
        return [[node for node in rank if rank[node] == number] for number in sorted(set(rank.values()))]

    def _width(self, node: str) -> float:
        return len(self._labels[node]) * _CHARACTER + 2 * _PADDING

    def _down_boxes(self) -> Iterator[tuple[str, Box]]:
        widths = [sum(self._width(node) + _BESIDE for node in row) - _BESIDE for row in self._ranks]
        for number, row in enumerate(self._ranks):
            x = (max(widths) - widths[number]) / 2
            for node in row:
                yield node, Box(x, number * (_HEIGHT + _BETWEEN), self._width(node), _HEIGHT)
                x += self._width(node) + _BESIDE

    def _across_boxes(self) -> Iterator[tuple[str, Box]]:
        x = 0.0
        for row in self._ranks:
            for place, node in enumerate(row):
                yield node, Box(x, place * (_HEIGHT + _BETWEEN), self._width(node), _HEIGHT)
            x += max(self._width(node) for node in row) + 2 * _BETWEEN

    def _arrow(self, edge: Edge, boxes: dict[str, Box]) -> Iterator[str]:
        one, two = boxes[edge.source], boxes[edge.target]
        if self._across:
            ends = (one.x + one.width, one.y + _HEIGHT / 2, two.x, two.y + _HEIGHT / 2)
            head = f"M{ends[2] - 7:g} {ends[3] - 4:g}L{ends[2]:g} {ends[3]:g}l-7 4"
        else:
            ends = (one.x + one.width / 2, one.y + _HEIGHT, two.x + two.width / 2, two.y)
            head = f"M{ends[2] - 4:g} {ends[3] - 7:g}L{ends[2]:g} {ends[3]:g}l4 -7"
        style = ' class="dotted"' if edge.dotted else ""
        yield f'<path{style} d="M{ends[0]:g} {ends[1]:g}L{ends[2]:g} {ends[3]:g}"/><path d="{head}"/>'
        if edge.label:
            x, y = (ends[0] + ends[2]) / 2, (ends[1] + ends[3]) / 2
            yield f'<text class="label" x="{x:g}" y="{y - 4 if self._across else y + 4:g}">{escape(edge.label)}</text>'

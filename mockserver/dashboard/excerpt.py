"""Long texts of YAML in parts that a page can show: numbered lines, in blocks that fold, within bounds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

#: How many lines a page shows. Chosen: more than the state of any shipped scenario but the largest, in 30 kB.
MOST_LINES = 1_000
#: How many characters of a line are shown. Chosen: most lines are written with up to 120; a text without spaces is one.
_LONGEST = 500


class Block(NamedTuple):
    """A member at the top of a document, with all that belongs to it."""

    #: Empty for what stands before the first member, such as comments.
    name: str
    #: The number of its first line.
    first: int
    lines: list[str]

    @property
    def numbers(self) -> str:
        """The numbers of its lines, one on each line."""
        return "\n".join(map(str, range(self.first, self.first + len(self.lines))))

    @property
    def text(self) -> str:
        """Its lines."""
        return "\n".join(self.lines)


class Excerpt(NamedTuple):
    """The first lines of a text, and whether they are all of it."""

    blocks: list[Block]
    is_whole: bool


def excerpt(chunks: Iterable[str]) -> Excerpt:
    """The first `MOST_LINES` lines of a text that comes in chunks of whole lines; no more chunks are asked for."""
    blocks: list[Block] = []
    for number, line in enumerate(_lines(chunks), 1):
        if number > MOST_LINES:
            return Excerpt(blocks, is_whole=False)
        name = _member(line)
        if name or not blocks:
            blocks.append(Block(name, number, []))
        blocks[-1].lines.append(_cut(line))
    return Excerpt(blocks, is_whole=True)


def _lines(chunks: Iterable[str]) -> Iterator[str]:
    for chunk in chunks:
        # Not `splitlines`: an editor does not end lines at form feeds either.
        yield from chunk.removesuffix("\n").split("\n")


def _member(line: str) -> str:
    """The name of the member that begins in a line, or nothing."""
    name, colon, _ = line.partition(":")
    return name if colon and name[:1].isalpha() else ""


def _cut(line: str) -> str:
    rest = len(line) - _LONGEST
    return line if rest <= 0 else f"{line[:_LONGEST]}… and {rest:,} characters more"


def bounded(chunks: Iterable[str], most: int) -> str | None:
    """A text that comes in chunks, or None once it has more characters than `most`: no more chunks are asked for."""
    found, size = [], 0
    for chunk in chunks:
        size += len(chunk)
        if size > most:
            return None
        found.append(chunk)
    return "".join(found)

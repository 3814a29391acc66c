"""Lines of text about what a server says: bounded, folded, and without anything that could control a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby

#: The most characters of a line; chosen to fit on two lines of a wide terminal.
WIDEST = 240


def printable(text: object) -> str:
    """A value as one line of text, in which signs that cannot be printed are escaped, cut off after `WIDEST` signs."""
    words = str(text)
    cut = f"{words[:WIDEST]}…" if len(words) > WIDEST else words
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in cut)


def folded(blocks: Iterable[str]) -> list[str]:
    """The blocks of lines, of which equal ones in a row are one, with their number in its first line."""
    return [_with_times(block, len(list(same))) for block, same in groupby(blocks)]


def _with_times(block: str, times: int) -> str:
    first, *rest = block.split("\n")
    return "\n".join([f"{first} ({times:,} times)" if times > 1 else first, *rest])


def tallied(sentences: Iterable[str]) -> Iterator[str]:
    """Each sentence once, in the order of its first use, with how often there was one."""
    for sentence, times in Counter(sentences).items():
        yield sentence if times == 1 else f"{sentence} ({times:,} times)"


def section(title: str, rows: Iterable[str], most: int) -> str:
    """The last `most` rows under a title, indented; empty if there are none."""
    found = list(rows)
    if not found:
        return ""
    more = f" (the last {most:,} of {len(found):,})" if len(found) > most else ""
    return "\n".join([f"{title}{more}:", *(f"    {line}" for row in found[-most:] for line in row.split("\n"))])

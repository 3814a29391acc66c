"""Files of contacts: CSV text with either separator, read record by record."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import NamedTuple

#: The most characters of a record (proposed, contract/contacts#importContacts): longer ones cannot be read.
LONGEST_RECORD = 256 * 1024
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_SEPARATORS = (";", ",")
#: The cells of a record, or None if it cannot be read, and the position behind it.
Record = tuple[list[str] | None, int]


class Header(NamedTuple):
    names: list[str]
    separator: str
    #: The position behind the header.
    end: int


class _Lines:
    """An iterator over the lines of a text, which refuses records that are too long or lack a closing quote."""

    def __init__(self, text: str, position: int) -> None:
        self._text = text
        self.position = position
        self.begin_record()

    def begin_record(self) -> None:
        self.start = self.first_end = self.position

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        found = _LINE.match(self._text, self.position)
        if not found or not found[0]:
            if self.position > self.start:
                raise csv.Error("a quoted field has no end")
            raise StopIteration
        if self.position == self.start:
            self.first_end = found.end()
        self.position = found.end()
        if self.is_too_long:
            raise csv.Error("the record is too long")
        return found[0]

    @property
    def is_too_long(self) -> bool:
        return self.position - self.start > LONGEST_RECORD


def records(text: str, position: int, separator: str) -> Iterator[Record]:
    """Yield the records of a text from a position on, unreadable records included; the cost is linear.

    Behind an open quote, the lines after the first one are read as records. A second failure at the same place skips
    all lines up to there. Text behind a closing quote is kept in records of one line; in longer ones it opens another.
    """
    lines, failed_at = _Lines(text, position), position
    reader = csv.reader(lines, delimiter=separator, strict=True)
    while True:
        lines.begin_record()
        try:
            yield next(reader), lines.position
        except StopIteration:
            return
        except csv.Error:
            cells = None
            if lines.position == lines.first_end and not lines.is_too_long:
                cells = _one_line(text[lines.start : lines.position], separator)
            elif lines.position > failed_at and not lines.is_too_long:
                failed_at, lines.position = lines.position, lines.first_end
            reader = csv.reader(lines, delimiter=separator, strict=True)
            yield cells, lines.position


def _one_line(line: str, separator: str) -> list[str] | None:
    """Return the cells of a line that RFC 4180 forbids, or None if a quote has no end."""
    try:
        return next(csv.reader(_Lines(line, 0), delimiter=separator))
    except csv.Error:
        return None


def read_header(text: str) -> Header | None:
    """Return the first record that is not empty, or None without a readable one."""
    beginning = text[: LONGEST_RECORD + 1].removeprefix("\ufeff")  # a byte order mark
    position = text.startswith("\ufeff") + len(beginning) - len(beginning.lstrip())
    separator = max(_SEPARATORS, key=re.split(r"[\r\n]", beginning.lstrip(), maxsplit=1)[0].count)
    cells, end = next(records(text, position, separator), (None, 0))
    return Header([name.strip() for name in cells], separator, end) if cells else None

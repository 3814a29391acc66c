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
_BYTE_ORDER_MARK = "\ufeff"


class Header(NamedTuple):
    names: list[str]
    separator: str
    #: The position behind the header.
    end: int


class Record(NamedTuple):
    #: None: the record cannot be read.
    cells: list[str] | None
    #: The position behind the record.
    end: int


class _Lines:
    """An iterator over the lines of a text, which refuses records that are too long or lack a closing quote."""

    def __init__(self, text: str, position: int) -> None:
        self._text = text
        self.start = self.position = self.first_end = position

    def begin_record(self) -> None:
        self.start = self.first_end = self.position

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        if self.position >= len(self._text):
            if self.position > self.start:
                raise csv.Error("a quoted field has no end")
            raise StopIteration
        found = _LINE.match(self._text, self.position)
        assert found is not None, "the pattern matches any text"
        self.position = found.end()
        if self.first_end == self.start:
            self.first_end = self.position
        if self.is_too_long:
            raise csv.Error("the record is too long")
        return found[0]

    @property
    def is_too_long(self) -> bool:
        return self.position - self.start > LONGEST_RECORD


def records(text: str, position: int, separator: str) -> Iterator[Record]:
    """Yield the records of a text from a position on, unreadable records included; the cost is linear.

    Behind an open quote, the lines after the first one are read as records. A second failure at the same place skips
    all lines up to there. Text behind a closing quote is kept in records of one line; in longer ones the quote opens
    another record.
    """
    lines, failed_at = _Lines(text, position), position
    reader = csv.reader(lines, delimiter=separator, strict=True)
    while True:
        lines.begin_record()
        try:
            yield Record(next(reader), lines.position)
        except StopIteration:
            return
        except csv.Error:
            cells = None
            if lines.position == lines.first_end and not lines.is_too_long:
                cells = _one_line(text[lines.start : lines.position], separator)
            elif lines.position > failed_at and not lines.is_too_long:
                failed_at, lines.position = lines.position, lines.first_end
            reader = csv.reader(lines, delimiter=separator, strict=True)
            yield Record(cells, lines.position)


def _one_line(line: str, separator: str) -> list[str] | None:
    """Return the cells of a line that RFC 4180 forbids, or None if a quote has no end."""
    try:
        return next(csv.reader(_Lines(line, 0), delimiter=separator))
    except csv.Error:
        return None


def read_header(text: str) -> Header | None:
    """Return the first record that is not empty, or None without a readable one."""
    position = len(_BYTE_ORDER_MARK) if text.startswith(_BYTE_ORDER_MARK) else 0
    beginning = text[position : position + LONGEST_RECORD]
    position += len(beginning) - len(beginning.lstrip())
    found = _LINE.match(text, position)
    line = "" if found is None else found[0][:LONGEST_RECORD]
    separator = max(_SEPARATORS, key=line.count)
    record = next(records(text, position, separator), None)
    if record is None or not record.cells:
        return None
    return Header([name.strip() for name in record.cells], separator, record.end)


def with_line_breaks(text: str) -> str:
    r"""Return a text in one line with its literal `\n` as line breaks, which examples of the service show."""
    if "\n" in text or "\r" in text:
        return text
    return text.replace("\\r\\n", "\n").replace("\\n", "\n")

"""Mistakes of scenarios with path and line, sorted by line; and scenario names."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import NamedTuple

from mockserver.core.text.messages import cut
from mockserver.settings import files

_SEPARATORS = tuple(filter(None, {"/", os.sep, os.altsep}))


def is_name(name: str) -> bool:
    """Return whether a text is a scenario name, and not a path."""
    return not name.endswith(files.SCENARIOS) and not any(sign in name for sign in _SEPARATORS)


Path = tuple[str | int, ...]

#: How many mistakes of a document are listed; further ones are counted. Chosen: more than anybody corrects in one go.
MOST_MISTAKES = 100
#: The longest message, and the longest name in a path, in characters. Chosen: the list of all error codes fits.
_LONGEST, _LONGEST_NAME = 1_300, 100
#: What the marks of a body name instead of a file. No file has this name, as those of scenarios have a suffix.
BODY = "body"
#: What the marks of a text name that came as a member of a body, which has this name.
TEXT = "yaml"


class Mark(NamedTuple):
    """A line of a file."""

    file: str
    line: int


class Mistake(NamedTuple):
    """An error in a document: path, message, and line if the document has lines."""

    path: Path
    message: str
    mark: Mark | None = None
    #: Whether the value is a duplicate of an existing one, and is valid otherwise.
    taken: bool = False
    #: Missing values; if another mistake hides one of them, the mistake may be its consequence.
    wanted: tuple[Hashable, ...] = ()
    #: Makes the end of the message; called only for mistakes that are listed, as it may be slow.
    advice: Callable[[], str] | None = None

    @property
    def pointer(self) -> str:
        """The path as JSON Pointer (RFC 6901)."""
        return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in self.path)

    def bounded(self) -> Mistake:
        """Return the mistake with its advice, cut to the length limits."""
        path = tuple(part if isinstance(part, int) else cut(part, _LONGEST_NAME) for part in self.path)
        message = self.message if self.advice is None else f"{self.message}{self.advice()}"
        return self._replace(path=path, message=cut(message, _LONGEST), advice=None)

    def __str__(self) -> str:
        place = f"{self.mark.file}:{self.mark.line}: " if self.mark else ""
        path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in self.path).lstrip(".")
        return f"{place}{path}: {self.message}" if path else f"{place}{self.message}"


class ScenarioError(ValueError):
    """An invalid scenario document; nothing was created."""

    def __init__(self, mistakes: Iterable[Mistake]) -> None:
        self.mistakes: Sequence[Mistake] = tuple(mistakes)
        super().__init__("\n".join(map(str, self.mistakes)))


def ordered(mistakes: Iterable[Mistake], unread: int = 0) -> list[Mistake]:
    """Return at most `MOST_MISTAKES` mistakes, sorted by line, and a count of further mistakes.

    `unread` is how many keys and values were not checked, because there were too many mistakes before them.
    """
    rows = list(mistakes)
    # Files in the order in which they occur; mistakes without a line come first.
    files = {row.mark.file: None for row in rows if row.mark}
    order = {file: number for number, file in enumerate(files)}
    rows.sort(key=lambda row: (order[row.mark.file], row.mark.line) if row.mark else (-1, 0))
    rest = len(rows) - MOST_MISTAKES
    if rest <= 0 and not unread:
        return [row.bounded() for row in rows]
    taken = all(row.taken for row in rows)
    hidden = f"{rest:,} more" if rest > 0 else ""
    unchecked = f"{unread:,} more keys and items were not checked" if unread else ""
    message = f"too many errors: {', '.join(filter(None, (hidden, unchecked)))}"
    return [*(row.bounded() for row in rows[:MOST_MISTAKES]), Mistake((), message, taken=taken)]

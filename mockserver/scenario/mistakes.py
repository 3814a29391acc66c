"""What is wrong with a scenario: every mistake at once, each with its place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

Path = tuple[str | int, ...]


class Mark(NamedTuple):
    """A line of a file."""

    file: str
    line: int


class Mistake(NamedTuple):
    """One mistake: where it stands in the document, what was expected, and the line if the document has lines."""

    path: Path
    message: str
    mark: Mark | None = None
    #: Whether all that is wrong is that something of the same name or number is there already.
    taken: bool = False

    @property
    def pointer(self) -> str:
        """The path as a JSON Pointer, RFC 6901."""
        return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in self.path)

    def __str__(self) -> str:
        place = f"{self.mark.file}:{self.mark.line}: " if self.mark else ""
        path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in self.path).lstrip(".")
        return f"{place}{path}: {self.message}" if path else f"{place}{self.message}"


class ScenarioError(ValueError):
    """A document that is no good scenario; nothing was made of it."""

    def __init__(self, mistakes: Iterable[Mistake]) -> None:
        self.mistakes: Sequence[Mistake] = tuple(mistakes)
        super().__init__("\n".join(map(str, self.mistakes)))


def nearest(name: str, known: Iterable[str]) -> str:
    """Advice on a name that is unknown: the known one that is most like it, or all of them."""
    import difflib  # noqa: PLC0415  # for mistakes only

    known = list(known)
    near = difflib.get_close_matches(name, known, n=1)
    return f"did you mean {near[0]}?" if near else f"known are {', '.join(sorted(known))}"

"""What a setting takes: values of which types, and which of these."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

#: How much is told of a value that is refused.
_SHOWN = 60


class Kind:
    """What a setting takes."""

    #: The types of its values.
    types: ClassVar[tuple[type, ...]]
    #: Whether a flag can be given several times.
    is_list: ClassVar[bool] = False

    @property
    def words(self) -> str:
        """What it takes, in words: `must be ...`."""
        raise NotImplementedError

    def takes(self, value: Any) -> bool:
        """Whether it takes a value of its types."""
        return True

    def check(self, name: str, value: Any) -> None:
        """Refuse what a server would fall over later on.

        Raises:
            TypeError: the value of the setting of this name has another type.
            ValueError: it has a good type, and is not taken.
        """
        # A bool is an int to Python, and no number to anybody.
        is_of_type = isinstance(value, self.types) and not isinstance(value, bool)
        if is_of_type and self.takes(value):
            return
        shown = repr(value)
        shown = shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 1]}…"
        message = f"{name} must be {self.words}, not {shown}"
        raise ValueError(message) if is_of_type else TypeError(message)


class Text(Kind):
    types = (str,)
    words = "a text"


class Texts(Kind):
    """Any number of texts."""

    types = (tuple, list)
    words = "a tuple of texts"
    is_list = True

    def takes(self, value: Any) -> bool:
        return all(isinstance(row, str) for row in value)


class ScenarioKind(Kind):
    types = (str, Mapping)
    words = "a name, a path or a document"


@dataclass(frozen=True, slots=True)
class Place(Kind):
    """A path; a flag looks whether there is such a file or folder, if that matters before the server needs it."""

    types = (str, os.PathLike)
    words = "a path"
    file: bool = True
    folder: bool = True
    exists: bool = False


class Seconds(Kind):
    types = (int, float)
    words = "a number of seconds above 0"

    def takes(self, value: Any) -> bool:
        return bool(0 < value < math.inf)


@dataclass(frozen=True, slots=True)
class Choice(Kind):
    """One of some words."""

    types = (str,)
    choices: tuple[str, ...]

    @property
    def words(self) -> str:
        return f"{', '.join(self.choices[:-1])} or {self.choices[-1]}"

    def takes(self, value: Any) -> bool:
        return value in self.choices


@dataclass(frozen=True, slots=True)
class Whole(Kind):
    """A whole number in a range."""

    types = (int,)
    least: int = 1
    most: int | None = None
    #: The least that a flag takes, where that is more than what a program may set.
    least_of_flag: int | None = None

    @property
    def words(self) -> str:
        end = "on" if self.most is None else f"to {self.most}"
        return f"a whole number from {self.least} {end}"

    def takes(self, value: Any) -> bool:
        return bool(self.least <= value <= (math.inf if self.most is None else self.most))


class Whole64(Whole):
    """A whole number of 64 bits."""

    words = "a whole number of 64 bits"

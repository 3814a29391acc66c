"""The types of the values that settings take, and which values of each type are in range."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

#: How many characters of a refused value its message shows; chosen so that the message stays on one line or two.
_SHOWN = 60


class ValueType:
    """What values a setting takes."""

    #: The Python types of the values.
    types: ClassVar[tuple[type, ...]]
    #: Whether a value is a list, whose flag can be given several times.
    is_list: ClassVar[bool] = False

    @property
    def words(self) -> str:
        """What the setting takes, in words that follow `must be`."""
        raise NotImplementedError

    def takes(self, value: Any) -> bool:
        """Whether a value, which is of one of `types`, is in range."""
        return True

    def check(self, name: str, value: Any) -> None:
        """Refuse a value that the setting called `name` does not take.

        Raises:
            TypeError: the value is of another type.
            ValueError: the value is of the right type and out of range.
        """
        # A bool is an int to Python; given for a number it is an error.
        is_of_type = isinstance(value, self.types) and isinstance(value, bool) == (bool in self.types)
        if is_of_type and self.takes(value):
            return
        message = f"{name} must be {self.words}, not {self.shown(value)}"
        raise ValueError(message) if is_of_type else TypeError(message)

    def shown(self, value: Any) -> str:
        """A refused value, as its message shows it."""
        shown = repr(value)
        return shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 1]}…"


class Text(ValueType):
    """Any text."""

    types = (str,)
    words = "a text"


class ReplicaName(Text):
    """The name of a replica, which has to fit into an API key beside what is drawn."""

    words = "1 to 8 of the letters a to z and digits"

    def takes(self, value: Any) -> bool:
        return 1 <= len(value) <= 8 and value.isascii() and value.isalnum() and value == value.lower()


class StoreReference(Text):
    """Where workspaces are kept."""

    words = "memory, sqlite:PATH or redis://HOST:PORT"

    def takes(self, value: Any) -> bool:
        engine, _, rest = value.partition(":")
        if engine in ("redis", "rediss"):
            return bool(rest.startswith("//"))
        return bool(value == "memory" or (engine == "sqlite" and rest))


class Secret(Text):
    """A text that is never shown."""

    def shown(self, value: Any) -> str:
        return f"what is given, of type {type(value).__name__}"


class Texts(ValueType):
    """Any number of texts."""

    types = (tuple, list)
    words = "a tuple of texts"
    is_list = True

    def takes(self, value: Any) -> bool:
        return all(isinstance(row, str) for row in value)


class YesOrNo(ValueType):
    """True or false; the flag takes no value, and says yes."""

    types = (bool,)
    words = "true or false"


class ScenarioReference(ValueType):
    """A scenario: its name, the path of its file, or the document itself."""

    types = (str, Mapping)
    words = "a name, a path or a document"


@dataclass(frozen=True, slots=True)
class PathType(ValueType):
    """A path. Only the flag checks that it leads to a file or a folder; a program may create that later."""

    types = (str, os.PathLike)
    words = "a path"
    #: Whether the path may be that of a file.
    file: bool = True
    #: Whether the path may be that of a folder.
    folder: bool = True
    #: Whether the file or folder must exist when the flag is read.
    exists: bool = False


class Seconds(ValueType):
    """A duration in seconds, finite and above 0."""

    types = (int, float)
    words = "a number of seconds above 0"

    def takes(self, value: Any) -> bool:
        return bool(0 < value < math.inf)


@dataclass(frozen=True, slots=True)
class Choice(ValueType):
    """One of several words."""

    types = (str,)
    choices: tuple[str, ...]

    @property
    def words(self) -> str:
        return f"{', '.join(self.choices[:-1])} or {self.choices[-1]}"

    def takes(self, value: Any) -> bool:
        return value in self.choices


@dataclass(frozen=True, slots=True)
class WholeNumber(ValueType):
    """A whole number from `least` to `most`, both included."""

    types = (int,)
    least: int = 1
    #: None: there is no upper bound.
    most: int | None = None
    #: The least that the flag takes, where that is more than the least that a program may set; None: they are equal.
    least_of_flag: int | None = None

    @property
    def words(self) -> str:
        end = "on" if self.most is None else f"to {self.most}"
        return f"a whole number from {self.least} {end}"

    def takes(self, value: Any) -> bool:
        return bool(self.least <= value <= (math.inf if self.most is None else self.most))


class Int64(WholeNumber):
    """A whole number of 64 bits, whose range the messages do not spell out."""

    words = "a whole number of 64 bits"

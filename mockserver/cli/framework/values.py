"""What values options and arguments take: how a word is read, and what help and a shell say of it."""

from __future__ import annotations

import math
import os
import stat
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, ClassVar

#: The words that an environment variable may hold for an option that takes no value, in lower case.
_YES_OR_NO = {"1": True, "true": True, "t": True, "yes": True, "y": True, "on": True,
              "0": False, "false": False, "f": False, "no": False, "n": False, "off": False}  # fmt: skip


class Value:
    """Any text."""

    #: The placeholder in help and usage, unless an option has its own.
    metavar: str = "TEXT"
    #: Which values are in range, as help shows it; empty: all are.
    range: str = ""
    #: What a shell offers: words, or the name of a kind such as `file`; empty: nothing.
    completes: str | tuple[str, ...] = ""

    def __call__(self, text: str) -> Any:
        """The value that a word stands for.

        Raises:
            ValueError: the word stands for none; the message is a sentence.
        """
        return text


class _Number(Value):
    """A number within bounds."""

    #: What a word must be, in words that follow "is not a valid".
    kind: ClassVar[str]
    read: ClassVar[Callable[[str], float]]

    def __init__(self, least: float | None = None, most: float | None = None, *, above: bool = False) -> None:
        #: The bounds; None: there is none. The lower bound is no value itself if `above`.
        self.least, self.most, self.above = least, most, above
        low = "" if least is None else f"{least}<{'' if above else '='}x"
        self.range = low if most is None else f"{low or 'x'}<={most}"
        if low and most is None:
            self.range = f"x>{'' if above else '='}{least}"

    def __call__(self, text: str) -> Any:
        try:
            found = type(self).read(text)
        except ValueError as error:
            raise ValueError(f"{text!r} is not a valid {self.kind}.") from error
        if not math.isfinite(found):
            raise ValueError(f"{text} is not a finite number.")
        if not self._has(found):
            raise ValueError(f"{found} is not in the range {self.range}.")
        return found

    def _has(self, found: float) -> bool:
        low = self.least is None or found > self.least or (found == self.least and not self.above)
        return low and (self.most is None or found <= self.most)


class Integer(_Number):
    """A whole number, perhaps within bounds."""

    metavar, kind, read = "INTEGER", "integer", int


class Number(_Number):
    """A finite number, perhaps within bounds; `nan` is none, which no bound would hold back."""

    metavar, kind, read = "NUMBER", "number", float


class OneOf(Value):
    """One of some words."""

    def __init__(self, words: Iterable[str]) -> None:
        self.words = tuple(words)
        self.metavar = f"[{'|'.join(self.words)}]"
        self.completes = self.words

    def __call__(self, text: str) -> str:
        if text not in self.words:
            raise ValueError(f"{text!r} is not one of {', '.join(map(repr, self.words))}.")
        return text


class PathValue(Value):
    """The path of a file or of a folder, as a `Path`."""

    def __init__(self, *, file: bool = True, folder: bool = True, exists: bool = False) -> None:
        self._file, self._folder, self._exists = file, folder, exists
        self._called = "Directory" if not file else "File" if not folder else "Path"
        self.metavar = {"Directory": "DIR", "File": "FILE", "Path": "PATH"}[self._called]
        self.completes = "file" if file else "folder"

    def __call__(self, text: str) -> Path:
        found = Path(text)
        mode = _mode(found)
        if mode is None and self._exists:
            raise ValueError(f"{self._called} {text!r} does not exist.")
        if mode is None:
            return found
        if not self._folder and stat.S_ISDIR(mode):
            raise ValueError(f"{self._called} {text!r} is a directory.")
        if not self._file and not stat.S_ISDIR(mode):
            raise ValueError(f"{self._called} {text!r} is a file.")
        if self._exists and not os.access(found, os.R_OK):
            raise ValueError(f"{self._called} {text!r} is not readable.")
        return found


def _mode(path: Path) -> int | None:
    """The mode of what is at a path; None: there is nothing that could be found."""
    try:
        return path.stat().st_mode
    except (OSError, ValueError):  # ValueError: there is a zero byte in it
        return None


#: A file that a command reads.
EXISTING_FILE = PathValue(folder=False, exists=True)
#: A file that a command writes.
OUTPUT_FILE = PathValue(folder=False)
#: A folder that a command reads.
EXISTING_FOLDER = PathValue(file=False, exists=True)


def yes_or_no(text: str) -> bool:
    """Whether the text of an environment variable says yes.

    Raises:
        ValueError: it says neither yes nor no.
    """
    found = _YES_OR_NO.get(text.strip().lower())
    if found is None:
        raise ValueError(f"{text!r} is neither yes nor no: it may be one of {', '.join(_YES_OR_NO)}.")
    return found

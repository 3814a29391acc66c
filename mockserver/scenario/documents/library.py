"""The scenarios that can be loaded by name: a folder of the user's, then those that are shipped."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from mockserver.core.text.spelling import cut, meant
from mockserver.scenario.documents.document import MappingNode, Misread, overlay
from mockserver.scenario.documents.mistakes import Mistake, ScenarioError
from mockserver.scenario.documents.reading import Bounds, parse
from mockserver.settings import data_folder

_SUFFIXES = (".yaml", ".yml")
_SEPARATORS = tuple(filter(None, {"/", os.sep, os.altsep}))
#: How much of a name that is unknown is told.
_LONGEST_NAME = 80
#: How many files may extend each other.
_MOST_FILES = 50
#: The largest file that is read, in bytes, and how much it may hold: more than any body, as it is the user's own.
_LARGEST, _OF_FILES = 64 * 1024 * 1024, Bounds(parts=10_000_000)


class Library:
    """Scenario files by name; one in an earlier folder hides its namesakes."""

    def __init__(self, *folders: Path) -> None:
        self._folders = (*folders, data_folder("scenarios"))
        self._parsed: dict[Path, tuple[float, MappingNode]] = {}

    def names(self) -> list[str]:
        """All names, in the alphabet's order."""
        return sorted({path.stem for folder in self._folders for path in _files(folder)})

    def path(self, name: str) -> Path:
        """The file of a scenario, given by its name or as a path.

        Raises:
            ScenarioError: there is none.
        """
        return self._named(name) if is_name(name) else _file(name)

    def _named(self, name: str) -> Path:
        """The file of a scenario of these folders: a document that came from outside reaches no other file."""
        for folder in self._folders:
            for path in _files(folder):
                if path.stem == name:
                    return path
        raise ScenarioError([Mistake((), self.unknown(name))])

    def unknown(self, name: str) -> str:
        """What is wrong with the name of a scenario that there is not."""
        known = self.names()
        near = meant(name, known)
        instead = f"did you mean {near}?" if near else f"there are {', '.join(known)}"
        return f"there is no scenario {cut(repr(name), _LONGEST_NAME)}; {instead}"

    def read(self, name: str) -> MappingNode:
        """A scenario's document, with what it extends laid under it.

        Raises:
            ScenarioError: it is not there, is not YAML, or extends itself.
        """
        return self.extended(self._document(self.path(name)), (name,))

    def document(self, scenario: Any) -> MappingNode:
        """The whole document of a scenario, which is given by its name, as a path, or as a document.

        Raises:
            ScenarioError: as for `read`.
        """
        if isinstance(scenario, str):
            return self.read(scenario)
        # What came as JSON takes the form of what came as YAML.
        return self.extended(scenario if isinstance(scenario, MappingNode) else MappingNode.of(scenario))

    def strict(self, scenario: Any) -> MappingNode:
        """The whole document of a scenario, which refuses fields that the service does not know, whatever it says.

        Raises:
            ScenarioError: as for `read`.
        """
        found = overlay(self.document(scenario), MappingNode.of({"strict": True}))
        found.pop("extends", None)  # that is laid under it already
        if isinstance(scenario, str):
            found.title = scenario
        return found

    def text(self, name: str) -> str:
        """A scenario's file as it is written.

        Raises:
            ScenarioError: there is none.
        """
        return _text(self.path(name))

    def extended(self, document: MappingNode, names: tuple[str, ...] = ()) -> MappingNode:
        """A document, with what it extends laid under it.

        Raises:
            ScenarioError: as for `read`.
        """
        name = document.get("extends")
        if name is None:
            return document
        mark = document.marks.get("extends")
        if not isinstance(name, str):
            message = name.text if isinstance(name, Misread) else "must be the name of a scenario"
            raise ScenarioError([Mistake(("extends",), message, mark)])
        if len(names) > _MOST_FILES:
            raise ScenarioError([Mistake(("extends",), f"there may be {_MOST_FILES} files below each other", mark)])
        if name in names:
            raise ScenarioError([Mistake(("extends",), f"{' > '.join((*names, name))} goes round in a circle", mark)])
        try:
            below = self._document(self._named(name))
        except ScenarioError as error:
            if any(mistake.mark for mistake in error.mistakes):
                raise
            raise ScenarioError([Mistake(("extends",), str(error), mark)]) from error
        return overlay(self.extended(below, (*names, name)), document)

    def describe(self) -> Iterator[dict[str, Any]]:
        """Name and description of each scenario."""
        for name in self.names():
            try:
                description = self.read(name).get("description", "")
                yield {"name": name, "description": description if isinstance(description, str) else ""}
            except ScenarioError as error:
                yield {"name": name, "description": "", "error": str(error)}

    def _document(self, path: Path) -> MappingNode:
        known = self._parsed.get(path)
        changed = _changed(path)
        if known is None or known[0] != changed:
            known = self._parsed[path] = (changed, parse(_text(path), str(path), _OF_FILES))
        return known[1]


def is_name(name: str) -> bool:
    """Whether it names a scenario of the folders, rather than a file."""
    return not name.endswith(_SUFFIXES) and not any(sign in name for sign in _SEPARATORS)


def _file(name: str) -> Path:
    """The file of this path.

    Raises:
        ScenarioError: it is none.
    """
    path, why = Path(name), "no such file"
    with suppress(OSError, ValueError):  # a name that is too long for the file system, or holds a NUL
        if path.is_file() and name.endswith(_SUFFIXES):
            return path
        why = "is a folder" if path.is_dir() else "does not end in .yaml or .yml" if path.is_file() else why
    raise ScenarioError([Mistake((), f"{cut(name, _LONGEST_NAME)}: {why}")])


def _files(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from (path for path in folder.iterdir() if path.suffix in _SUFFIXES and path.is_file())


def _changed(path: Path) -> float:
    with _readable(path):
        return path.stat().st_mtime


def _text(path: Path) -> str:
    """What a file holds.

    Raises:
        ScenarioError: it cannot be read, is not UTF-8, or is too large.
    """
    with _readable(path):
        size = path.stat().st_size
        if size > _LARGEST:
            raise ScenarioError([Mistake((), f"{path.name} has {size:,} bytes; there may be {_LARGEST:,}")])
        return path.read_text(encoding="utf-8")


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError as error:
        raise ScenarioError([Mistake((), f"{path.name} is not UTF-8 at byte {error.start}")]) from error
    except OSError as error:
        raise ScenarioError([Mistake((), f"{path}: {error.strerror or error}")]) from error

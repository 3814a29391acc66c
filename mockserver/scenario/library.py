"""The scenarios that can be loaded by name: a folder of the user's, then those that are shipped."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from mockserver.scenario.document import Mapping, overlay, parse
from mockserver.scenario.mistakes import Mistake, ScenarioError
from mockserver.settings import data_folder


class Library:
    """Scenario files by name; one in an earlier folder hides its namesakes."""

    def __init__(self, *folders: Path) -> None:
        self._folders = (*folders, data_folder("scenarios"))
        self._parsed: dict[Path, tuple[float, Mapping]] = {}

    def names(self) -> list[str]:
        """All names, in the alphabet's order."""
        return sorted({path.stem for folder in self._folders for path in _files(folder)})

    def path(self, name: str) -> Path:
        """The file of a scenario, given by its name or as a path.

        Raises:
            ScenarioError: there is none.
        """
        if name.endswith((".yaml", ".yml")):
            with suppress(OSError):  # a name that is too long for the file system
                if Path(name).is_file():
                    return Path(name)
        return self._named(name)

    def _named(self, name: str) -> Path:
        """The file of a scenario of these folders: a document that came from outside reaches no other file."""
        for folder in self._folders:
            for path in _files(folder):
                if path.stem == name:
                    return path
        known = ", ".join(self.names())
        raise ScenarioError([Mistake((), f"there is no scenario {name!r}; there are {known}")])

    def read(self, name: str) -> Mapping:
        """A scenario's document, with what it extends laid under it.

        Raises:
            ScenarioError: it is not there, is not YAML, or extends itself.
        """
        return self.extended(self._document(self.path(name)), (name,))

    def text(self, name: str) -> str:
        """A scenario's file as it is written.

        Raises:
            ScenarioError: there is none.
        """
        return self.path(name).read_text(encoding="utf-8")

    def extended(self, document: Mapping, names: tuple[str, ...] = ()) -> Mapping:
        """A document, with what it extends laid under it.

        Raises:
            ScenarioError: as for `read`.
        """
        name = document.get("extends")
        if name is None:
            return document
        mark = document.marks.get("extends")
        if not isinstance(name, str):
            raise ScenarioError([Mistake(("extends",), "must be the name of a scenario", mark)])
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
                yield {"name": name, "description": self.read(name).get("description", "")}
            except ScenarioError as error:
                yield {"name": name, "description": "", "error": str(error)}

    def _document(self, path: Path) -> Mapping:
        changed = path.stat().st_mtime
        known = self._parsed.get(path)
        if known is None or known[0] != changed:
            try:
                text = path.read_text(encoding="utf-8")
            except UnicodeDecodeError as error:
                raise ScenarioError([Mistake((), f"{path.name} is not UTF-8")]) from error
            known = self._parsed[path] = (changed, parse(text, str(path)))
        return known[1]


def _files(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from (path for path in folder.iterdir() if path.suffix in (".yaml", ".yml"))

"""The scenario library: files by name, from the user's folders and the shipped folder."""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from functools import cache, lru_cache, reduce
from pathlib import Path
from typing import Any

from mockserver.core.text.messages import cut, meant, nearest, shown
from mockserver.scenario.documents.document import MappingNode, locate, overlay
from mockserver.scenario.documents.mistakes import BODY, TEXT, Mark, Mistake, ScenarioError, is_name
from mockserver.scenario.documents.mistakes import Path as Place
from mockserver.scenario.documents.reading import Bounds, parse
from mockserver.settings import data_folder, files

_LOG = logging.getLogger(__name__)

#: How many characters of an unknown name and of a path a message shows. Chosen: to fit on a line, and into a terminal.
_LONGEST_NAME, _LONGEST_PATH = 80, 250
#: What is wrong with a folder in place of a file.
_FOLDER = "is a folder, not a file; Docker makes one if the file of a bind mount is missing"
#: The longest chain of files that extend each other. Chosen: far above any use, and below the recursion limit.
_MOST_FILES = 50
#: The size limits of a file. Chosen: larger than requests, as files are the user's own.
_LARGEST, _OF_FILES = 64 * 1024 * 1024, Bounds(parts=10_000_000)

#: The members of a document that describes stubs and nothing else.
_OF_STUB_LIBRARIES = frozenset({"description", "extends", "stubs"})
#: Shipped scenarios without effect, and the resource that replaces each.
_ALIASES = {"send": "sending", "contacts": "contacts"}
#: The most parsed files kept for all servers of a process. Chosen: the shipped files and a team's own.
_MOST_PARSED = 64


class Library:
    """Scenario files by name; files in earlier folders hide files of the same name in later folders.

    Methods raise ScenarioError if a file is missing, too large or not YAML.
    """

    def __init__(self, *folders: Path) -> None:
        self._shipped = data_folder("scenarios")
        self._folders = (*folders, self._shipped)

    def names(self) -> list[str]:
        """Return the sorted names of all scenarios."""
        return sorted({path.stem for folder in self._folders for path in _files(folder)})

    def path(self, name: str) -> Path:
        """Return the file of a scenario name or path."""
        if not is_name(name):
            return _file(name)
        # Clients do not see the folders of the server, and name no file.
        own = ((folder, ", ".join(path.stem for path in _files(folder))) for folder in self._folders[:-1])
        return self._named(name, "".join(f"; {folder} has {cut(names, 300) or 'none'}" for folder, names in own))

    def stub_library(self, name: str) -> MappingNode:
        """Return the document of a stub library name or path."""
        if is_name(name) and name not in self.names():
            known = [row["name"] for row in self.describe() if "stub_library" in row]
            raise ScenarioError([Mistake((), f"unknown stub library {shown(name)}; {nearest(name, known)}")])
        found = self.read(name)
        if not is_stub_library(found):
            others = [member for member in found if member not in _OF_STUB_LIBRARIES]
            told = f"it also has {cut(', '.join(map(str, others)), _LONGEST_NAME)}" if others else "it has no stubs"
            message = f"{cut(name, _LONGEST_NAME)} is not a stub library: {told}; use extends for other scenarios"
            raise ScenarioError([Mistake((), message)])
        self._warn_of_alias(name, f"--stubs {name}")
        return found

    def _warn_of_alias(self, name: str, given: str) -> None:
        """Log a warning once for shipped scenarios without effect."""
        if name in _ALIASES and self.path(name).parent == self._shipped:
            _warn_once(f"{given} changes nothing and can be removed: every scenario has {_ALIASES[name]}")

    def _named(self, name: str, searched: str = "") -> Path:
        """Return the file of a scenario in the folders; documents of clients can extend no other file."""
        for folder in self._folders:
            for path in _files(folder):
                if path.stem == name:
                    if folder is not self._shipped and not path.resolve().is_relative_to(folder.resolve()):
                        message = (
                            f"{path.name} is a link to a file outside of its folder; copy the file into the folder"
                        )
                        raise ScenarioError([Mistake((), message)])
                    return path
        raise ScenarioError([Mistake((), f"{self.unknown(name)}{searched}")])

    def unknown(self, name: str) -> str:
        """Return the error message for an unknown scenario."""
        return f"unknown scenario {shown(name)}; {nearest(name, self.names())}"

    def read(self, name: str) -> MappingNode:
        """Return the document of a scenario name or path, merged with extended scenarios."""
        return self.extended(_document(self.path(name)), (name,))

    def document(self, scenario: Any) -> MappingNode:
        """Return the document of a scenario name, path or document, merged with extended scenarios."""
        if isinstance(scenario, str):
            return self.read(scenario)
        return self.extended(scenario if isinstance(scenario, MappingNode) else MappingNode.of(scenario))

    def changed(self, scenario: Any, **members: Any) -> MappingNode:
        """Return a scenario's document with replaced members."""
        below = self.document(scenario)
        found = overlay(below, MappingNode.of(members))
        if below.mistakes:  # a kept scenario has none, and no attribute of them
            found.mistakes = below.mistakes
        found.pop("extends", None)  # laid under the document already
        if isinstance(scenario, str):
            found.title = scenario
        return found

    def text(self, name: str) -> str:
        """Return the text of a scenario file."""
        return _text(self.path(name))

    def extended(self, document: MappingNode, names: tuple[str, ...] = ()) -> MappingNode:
        """Merge a document with the scenarios in `extends`; later scenarios win, and each counts once.

        Unreadable scenarios become mistakes of the document, which `load` reports with all others.
        """
        below: dict[str, MappingNode] = {}
        mistakes = tuple(self._add_below(document, names, below))
        layers = [*below.values(), document]
        if len(layers) == 1 and not mistakes:
            return document
        found = reduce(overlay, layers, MappingNode())
        found.title = document.title
        if mistakes:
            found.mistakes = mistakes
        return found

    def _add_below(
        self, document: MappingNode, names: tuple[str, ...], found: dict[str, MappingNode]
    ) -> Iterator[Mistake]:
        """Collect extended scenarios in merge order, and yield mistakes."""
        for name, path, mark in _extended(document):
            if name in names:
                yield Mistake(path, f"circular extends: {' > '.join((*names, name))}", mark)
                continue
            if name in found:
                continue
            if len(found) + len(names) >= _MOST_FILES:
                yield Mistake(path, f"too many files extend each other, expected at most {_MOST_FILES}", mark)
                return
            below = yield from self._below(name, path, mark)
            if below is not None:
                yield from self._add_below(below, (*names, name), found)
                found[name] = below

    def _below(self, name: str, path: Place, mark: Mark | None) -> Generator[Mistake, None, MappingNode | None]:
        """Return the document of an extended scenario, or None if unreadable.

        The scenario that was probably meant takes the place of an unknown one, so that references to it are checked.
        """
        near = None if name in self.names() else meant(name, self.names())
        try:
            if near is not None:
                yield Mistake(path, self.unknown(name), mark)
            self._warn_of_alias(name, f"extends: {name}" + (f" ({mark.file}:{mark.line})" if mark else ""))
            return _document(self._named(near or name))
        except ScenarioError as error:
            if any(mistake.mark for mistake in error.mistakes):
                yield from (mistake._replace(wanted=(name,)) for mistake in error.mistakes)
            else:
                yield Mistake(path, f"{error}{_advice(name, mark)}", mark, wanted=(name,))
        return None

    def describe(self) -> Iterator[dict[str, Any]]:
        """Yield name, description, kind (stub library or scenario) and error of each scenario."""
        for name in self.names():
            try:
                found = self.read(name)
                if found.mistakes:
                    raise ScenarioError(found.mistakes)  # noqa: TRY301  # told like those of one that cannot be read
                description = found.get("description", "")
                row = {"name": name, "description": description if isinstance(description, str) else ""}
                yield {**row, "stub_library": True} if is_stub_library(found) else row
            except ScenarioError as error:
                yield {"name": name, "description": "", "error": str(error)}


@cache
def _warn_once(warning: str) -> None:
    _LOG.warning(warning)


def _extended(document: MappingNode) -> Iterator[tuple[str, Place, Mark | None]]:
    """Yield the names in `extends`, each with its place.

    The schema refuses values that are not names, and lists that are too long, of which only the beginning is read.
    """
    given = document.get("extends")
    for index, name in enumerate(given[: _MOST_FILES + 1] if isinstance(given, list) else [given]):
        path: Place = ("extends", index) if isinstance(given, list) else ("extends",)
        if isinstance(name, str):
            yield name, path, locate(document, path).mark


def _advice(name: str, mark: Mark | None) -> str:
    if mark is None or mark.file in (BODY, TEXT):
        return ""
    folder = Path(mark.file).parent
    is_beside = any(path.stem == name for path in _files(folder))
    return f"; a file of this name is in {folder}: add --scenarios {folder}" if is_beside else ""


@lru_cache(maxsize=_MOST_PARSED)
def _parsed(path: Path, changed: float) -> MappingNode:  # a file that was changed is another one
    """Return the document of a file with this modification time; shared by all libraries of the process."""
    text = _text(path)
    for warning in files.unreplaced(text, str(path)):
        _LOG.warning(warning)
    return parse(text, str(path), _OF_FILES)


def _document(path: Path) -> MappingNode:
    with _readable(path):
        changed = path.stat().st_mtime
    return _parsed(path, changed)


def is_stub_library(document: MappingNode) -> bool:
    """Return whether stubs are the document's only content."""
    return "stubs" in document and _OF_STUB_LIBRARIES.issuperset(document)


def _file(name: str) -> Path:
    path, why = Path(name), "no such file"
    with suppress(OSError, ValueError):  # a name that is too long for the file system, or holds a NUL
        if path.is_file() and name.endswith(files.SCENARIOS):
            return path
        why = _FOLDER if path.is_dir() else f"does not end in {', '.join(files.SCENARIOS)}" if path.is_file() else why
    raise ScenarioError([Mistake((), f"{cut(name, _LONGEST_PATH)}: {why}")])


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files of scenarios in a folder, and folders in their place, which cannot be read."""
    if folder.is_dir():
        found = (path for path in sorted(folder.iterdir()) if files.is_scenario(path.name))
        yield from (path for path in found if path.is_file() or path.is_dir())


def _text(path: Path) -> str:
    with _readable(path):
        return files.read_text(path, _LARGEST)


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError as error:
        raise ScenarioError([Mistake((), f"{path.name} is not UTF-8 at byte {error.start}")]) from error
    except IsADirectoryError as error:
        raise ScenarioError([Mistake((), f"{path}: {_FOLDER}")]) from error
    except OSError as error:
        raise ScenarioError([Mistake((), f"{path}: {error.strerror or error}")]) from error

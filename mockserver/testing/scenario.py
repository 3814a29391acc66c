"""Test scenarios: names, documents, YAML files."""

from __future__ import annotations

import os
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any, NamedTuple

from mockserver.scenario.documents.mistakes import BODY, TEXT, is_name
from mockserver.settings import ServerMissingError, files, needing_server
from mockserver.testing.client import MockServerError

__tracebackhide__ = True  # pytest shows the line of the test instead

#: A name, a document, or the path of a YAML file.
Scenario = str | os.PathLike[str] | Mapping[str, Any]


class YamlText(NamedTuple):
    #: The path of the file.
    file: str
    text: str


#: A scenario for a control call; None: the server's scenario.
Sendable = str | Mapping[str, Any] | YamlText | None


def sendable(scenario: Scenario | None) -> Sendable:
    """Return a scenario for a control call: its name, its document, its text, or None for the server's scenario.

    A file is read here, because the server may run on another machine. Without the parser of YAML, which comes with the
    server, the text is sent.
    """
    if not isinstance(scenario, os.PathLike) and (not isinstance(scenario, str) or is_name(scenario)):
        return scenario
    path = Path(scenario)
    try:
        # Imported for files only: a test may use a server elsewhere.
        with needing_server("a scenario in a file"):
            from mockserver.scenario.documents.document import refuse_unreadable  # noqa: PLC0415  # see above
            from mockserver.scenario.documents.reading import parse  # noqa: PLC0415  # see above
    except ServerMissingError:
        return YamlText(str(path), files.read_text(path))
    found = parse(files.read_text(path), str(path))
    refuse_unreadable(found)
    return found


def choice(scenario: Sendable) -> dict[str, Any]:
    if scenario is None:
        return {}
    return {"yaml": scenario.text} if isinstance(scenario, YamlText) else {"scenario": scenario}


class NamingFile:
    """A context manager around sending a scenario; adds file names to errors."""

    def __init__(self, scenario: Sendable) -> None:
        self._scenario = scenario

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if not isinstance(error, MockServerError) or not isinstance(self._scenario, YamlText):
            return
        detail = _of_file(self._scenario.file, error)
        if error.members.get("unreadable"):
            raise ValueError(detail) from error
        raise MockServerError(error.status, detail, {**error.members, "detail": detail}) from error


def _of_file(file: str, error: MockServerError) -> str:
    """Replace the server's placeholder by the file name in an error detail."""
    if error.status == HTTPStatus.REQUEST_ENTITY_TOO_LARGE:
        return f"{file}: {error.detail}"
    marks = tuple(f"{called}:{row['line']}: " for row in error.errors if "line" in row for called in (TEXT, BODY))
    told = error.detail.split("; ")
    return "; ".join(f"{file}:{part.partition(':')[2]}" if part.startswith(marks) else part for part in told)

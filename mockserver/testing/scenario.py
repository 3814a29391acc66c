"""Scenarios as tests give them: a name, a document, or the path of a YAML file beside the tests."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mockserver.scenario.documents.document import refuse_invalid_values
from mockserver.scenario.documents.library import is_name
from mockserver.scenario.documents.reading import parse

#: A name, a document, or the path of a YAML file.
Scenario = str | os.PathLike[str] | Mapping[str, Any]


def sendable(scenario: Scenario | None) -> str | Mapping[str, Any] | None:
    """A scenario as a control call takes it: its name, its document, or None for the server's own.

    A file is read here, because the server may run on another machine.

    Raises:
        OSError: there is no such file, or it is a folder.
        ValueError: the file is not YAML; the message names the line.
    """
    if isinstance(scenario, os.PathLike) or (isinstance(scenario, str) and not is_name(scenario)):
        path = Path(scenario)
        found = parse(path.read_text(encoding="utf-8"), str(path))
        refuse_invalid_values(found)
        return found
    return scenario

"""The page "State": the workspace as a scenario, to read and to change, and the scenarios that there are."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from flask import request

from mockserver.control.framework import off_loop, target
from mockserver.control.framework.problem import Problem
from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard import excerpt
from mockserver.dashboard.framework.page import Page
from mockserver.scenario.documents.mistakes import ScenarioError
from mockserver.scenario.dump import dump, yaml_chunks

PAGE = Page("state", "State")

#: A state with more rows, or larger documents in bytes, is written only when somebody asks for it: half a second and
#: more for 50,000 rows. Chosen: up to here it takes some 50 milliseconds.
_MOST_ROWS, _MOST_BYTES = 2_000, 1_000_000
#: How many characters a text area may have. Chosen: some ten thousand lines; browsers become slow far beyond.
_EDITABLE = 400_000


@PAGE.view()
def index() -> Mapping[str, Any]:
    """The state to read; of a large one nothing, unless the query has `show`."""
    workspace = target.workspace(whole=True)
    rows = workspace.state.rows()
    is_large = rows > _MOST_ROWS or workspace.state.document_bytes > _MOST_BYTES
    shown = None if is_large and "show" not in request.args else excerpt.excerpt(yaml_chunks(_document(workspace)))
    return {
        "rows": rows,
        "is_large": is_large,
        "shown": shown,
        "most": excerpt.MOST_LINES,
        "origin": workspace.origin.title,
        "scenarios": target.library().names(),
    }


@PAGE.view("/change", "state_change.html")
def change() -> Mapping[str, Any]:
    """The state in a text area, to be changed and put back."""
    workspace = target.workspace(whole=True)
    document = _document(workspace)
    text = excerpt.bounded(yaml_chunks(document), min(_EDITABLE, target.current().bodies.yaml))
    return {
        "text": text,
        "digest": "" if text is None else _digest(document, text),
        "frozen": workspace.state.clock.frozen,
        "most": _EDITABLE,
    }


@PAGE.view("/add", "state_add.html")
def add() -> Mapping[str, Any]:
    """A text area for what is to be added to the workspace."""
    target.workspace()
    return {}


@PAGE.view("/scenarios", "state_scenarios.html")
def scenarios() -> Mapping[str, Any]:
    """The scenarios that can be loaded."""
    target.workspace()
    # Their files are read; later only looked at.
    off_loop.leave()
    return {"scenarios": list(target.library().describe())}


@PAGE.view("/scenarios/<name>", "state_scenario.html")
def scenario(name: str) -> Mapping[str, Any]:
    """A scenario as it is written."""
    target.workspace()
    off_loop.leave()
    library = target.library()
    if name not in library.names():
        raise Problem(404, library.unknown(name))
    try:
        return {"name": name, "shown": excerpt.excerpt([library.text(name)]), "most": excerpt.MOST_LINES}
    except ScenarioError as error:
        raise Problem(404, str(error)) from error


def _document(workspace: Workspace) -> dict[str, Any]:
    with workspace.lock:
        return dump(workspace)


def _digest(document: dict[str, Any], text: str) -> str:
    """What differs once the state has changed; that a running clock has gone on is no change."""
    clock = document["clock"]
    same = text if clock["frozen"] else text.replace(clock["start"], "", 1)
    return hashlib.sha256(same.encode("utf-8", "surrogatepass")).hexdigest()[:16]

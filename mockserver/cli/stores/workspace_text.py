"""The text of a workspace's document, written and read."""

from __future__ import annotations

import json
from typing import Any

from marshmallow import ValidationError

from mockserver.cli.stores.workspace_document import WorkspaceItem, workspace_of, written
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import write_instant
from mockserver.scenario.documents.document import MappingNode, located
from mockserver.scenario.documents.field_errors import mistakes
from mockserver.scenario.documents.mistakes import Mistake, ScenarioError
from mockserver.scenario.documents.reading import Bounds, parse
from mockserver.scenario.dump import to_yaml
from mockserver.web.schemas import json_text

#: The most parts of a document: the file is the user's own.
_BOUNDS = Bounds(parts=10_000_000)
#: What messages call a document.
_CALLED = "the document of a workspace"


def text_of(workspace: Workspace, writer: str, *, as_json: bool) -> str:
    """The document of a workspace in JSON or in YAML; `writer` is the program that writes it, with its version."""
    text = json.dumps({"written_by": writer, **written(workspace)}, indent=1, default=write_instant)
    return f"{text}\n" if as_json else to_yaml(json.loads(text))


def workspace_of_text(raw: bytes, file: str) -> Workspace:
    """The workspace of a document in JSON or YAML; messages call the file `file`.

    Raises:
        ScenarioError: the document is not valid.
    """
    document = (
        _of_json(raw, file)
        if raw.lstrip().startswith(b"{")
        else parse(_decoded(raw, file), file, _BOUNDS, called=_CALLED)
    )
    schema = WorkspaceItem()
    try:
        item = schema.load(document)
    except ValidationError as error:
        found = mistakes(error.messages_dict, schema, document)
        raise ScenarioError(_told(document, found, file)) from error
    try:
        return workspace_of(item)
    except ScenarioError as error:
        found = [row._replace(path=("state", *row.path)) for row in error.mistakes]
        raise ScenarioError(_told(document, found, file)) from error


def _told(document: MappingNode, found: list[Mistake], file: str) -> list[Mistake]:
    """Mistakes with their lines; those of a document without lines name the file."""
    told = located(document, found)
    return [row if row.mark else row._replace(message=f"{row.message} ({file})") for row in told]


def _of_json(raw: bytes, file: str) -> MappingNode:
    try:
        found: Any = json_text.read(raw)
    except json_text.JsonError as error:
        raise ScenarioError([Mistake((), f"{file} is not JSON: {error}")]) from error
    return MappingNode.of(found)


def _decoded(raw: bytes, file: str) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise ScenarioError([Mistake((), f"{file} is not UTF-8 at byte {error.start}")]) from error

"""The query and the body of a control call, read and loaded by their schemas."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime
from typing import Any

from flask import request
from marshmallow import Schema, ValidationError
from werkzeug.exceptions import RequestEntityTooLarge

from mockserver.control.framework import dependencies, target
from mockserver.control.framework.dependencies import Bodies
from mockserver.control.framework.problem import Problem, of_mistakes
from mockserver.core.workspaces.storage import StorageError
from mockserver.core.workspaces.store import DEFAULT
from mockserver.resources.section import counting_from
from mockserver.scenario.documents.document import MappingNode
from mockserver.scenario.documents.field_errors import mistakes
from mockserver.scenario.documents.mistakes import BODY, TEXT, Mistake, ScenarioError
from mockserver.scenario.documents.reading import Bounds, parse
from mockserver.web.schemas import json_text
from mockserver.web.schemas.errors import summary


def query(schema: Schema) -> dict[str, Any]:
    """The call's query as its schema loads it.

    Raises:
        Problem: 400 with all mistakes.
    """
    return loaded(schema, request.args.to_dict())


def body(schema: Schema, *, in_workspace: bool = True) -> dict[str, Any]:
    """The call's body as its schema loads it; no body counts as an empty object.

    Relative instants are counted from the present moment of the clock: of the workspace that the call acts on, or of
    the default workspace.

    Raises:
        Problem: 400 with all mistakes; 413.
    """
    if in_workspace:
        with suppress(StorageError):  # the call itself asks again, and can perhaps do without it
            target.workspace()  # whatever is wrong with the body, the call is one of this workspace
    with counting_from(_now if in_workspace else _now_of_default):
        return loaded(schema, document())


def _now() -> datetime:
    """The present moment of the clock of the workspace that the call acts on."""
    return target.workspace().state.clock.now()


def _now_of_default() -> datetime:
    """The present moment of the clock of the default workspace."""
    store = dependencies.store()
    return (store.seen(DEFAULT) or store.default).state.clock.now()


def loaded(schema: Schema, data: dict[str, Any]) -> dict[str, Any]:
    """A mapping as a schema loads it.

    Raises:
        Problem: 400 with all mistakes.
    """
    try:
        found: dict[str, Any] = schema.load(data)
    except ValidationError as error:
        raise of_mistakes(mistakes(error.messages_dict, schema, data)) from error
    return found


def document() -> dict[str, Any]:
    """The call's body, read as JSON or, if its Content-Type says so, as YAML; an empty object if there is none.

    Raises:
        Problem: 400, it cannot be read, or is no object; 413, it is too large.
    """
    try:
        raw = request.get_data()
    except RequestEntityTooLarge as error:
        raise Problem(413, f"the body is larger than {request.max_content_length:,} bytes (--body-limit)") from error
    if not raw.strip():
        return MappingNode()
    bodies = dependencies.current().bodies
    return _of_yaml(raw, bodies) if "yaml" in request.mimetype else _of_json(raw, bodies)


def _of_json(raw: bytes, bodies: Bodies) -> dict[str, Any]:
    try:
        data = json_text.read(raw, bodies.levels)
    except json_text.JsonError as error:
        message = f"the body is not valid JSON: {error}; for YAML send Content-Type: application/yaml"
        raise of_mistakes([Mistake((), message)]) from error
    if not isinstance(data, dict):
        raise of_mistakes([Mistake((), f"the body must be a JSON object (got {summary(data)})")])
    return data


def _of_yaml(raw: bytes, bodies: Bodies) -> MappingNode:
    if len(raw) > bodies.yaml:
        detail = f"the YAML body is larger than {bodies.yaml:,} bytes (--yaml-limit); JSON can be larger (--body-limit)"
        raise Problem(413, detail)
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise of_mistakes([Mistake((), f"the body is not UTF-8 at byte {error.start}")]) from error
    return _parsed(text, BODY, bodies)


def of_text(text: str) -> MappingNode:
    """The document in a text of YAML that has come as the member `yaml` of a body.

    Raises:
        Problem: 400, it cannot be read; 413, it is too large.
    """
    bodies = dependencies.current().bodies
    if len(text) > bodies.yaml or len(text.encode()) > bodies.yaml:
        detail = f"yaml is larger than {bodies.yaml:,} bytes (--yaml-limit); JSON can be larger (--body-limit)"
        raise Problem(413, detail)
    return _parsed(text, TEXT, bodies)


def _parsed(text: str, called: str, bodies: Bodies) -> MappingNode:
    """The document in a text, which the marks of its mistakes call so."""
    try:
        return parse(text, called, Bounds(levels=bodies.levels))
    except ScenarioError as error:
        raise of_mistakes(error.mistakes, unreadable=True) from error

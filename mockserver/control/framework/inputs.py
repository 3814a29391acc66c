"""The query and the body of a control call, loaded by their schemas, and the members that several calls take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from itertools import islice
from typing import Any, TypeVar

from flask import request
from marshmallow import Schema, ValidationError, fields, validate
from werkzeug.exceptions import RequestEntityTooLarge

from mockserver.control.framework import target
from mockserver.control.framework.problem import Problem, of_mistakes
from mockserver.core.workspaces.store import DEFAULT, NAME
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import Item, about, counting_from
from mockserver.scenario.documents.document import MappingNode
from mockserver.scenario.documents.field_errors import mistakes
from mockserver.scenario.documents.mistakes import BODY, TEXT, Mistake, ScenarioError
from mockserver.scenario.documents.reading import Bounds, parse
from mockserver.web.schemas import json_text
from mockserver.web.schemas.errors import summary
from mockserver.web.server.waiting import LONGEST_WAIT

Row = TypeVar("Row")

# ---------------------------------------------------------------------- members of queries and bodies


def limit() -> fields.Integer:
    """Return a field for the most items that a list answers, from 1 to 1,000."""
    return fields.Integer(load_default=100, validate=validate.Range(1, 1000), **about("how many there are at most"))


def offset() -> fields.Integer:
    """Return a field for the number of items that a list leaves out at its beginning.

    JSON numbers are exact up to 2**53 in every language (RFC 8259, 6).
    """
    return fields.Integer(load_default=0, validate=validate.Range(0, 2**53), **about("how many are left out first"))


def wait() -> fields.Float:
    """Return a field for the seconds of real time to wait for a match."""
    told = about("how many seconds it waits until something matches")
    return fields.Float(load_default=0.0, validate=validate.Range(0, LONGEST_WAIT), **told)


def name() -> fields.String:
    """Return a field for the name of a workspace or of a snapshot."""
    error = "must be 1 to 64 letters, digits, dots, dashes and underscores"
    return fields.String(validate=validate.Regexp(rf"{NAME.pattern}\Z", error=error))


class Part(Item):
    """The part of a list that is asked for."""

    limit = limit()
    offset = offset()


class PartOrAll(Item):
    """The part of a list that is asked for; without a limit, all from the offset on."""

    limit = fields.Integer(validate=validate.Range(1, 1000), **about("how many there are at most; all without it"))
    offset = offset()


def part_of(rows: Iterable[Row], query: Mapping[str, Any]) -> list[Row]:
    """Return the part of a list that a query with a limit and an offset asks for."""
    first, most = query["offset"], query.get("limit")
    return list(islice(rows, first, None if most is None else first + most))


# ---------------------------------------------------------------------- loading


def body(schema: Schema, workspace: Workspace | None) -> dict[str, Any]:
    """Load the body of the call; no body counts as an empty object.

    Relative instants count from the present moment of the workspace's clock, or of the default workspace's.

    Raises:
        Problem: 400 with all validation errors; 413.
    """

    def now() -> datetime:
        store = target.store()
        return (workspace or store.seen(DEFAULT) or store.default).state.clock.now()

    with counting_from(now):
        return loaded(schema, document())


def loaded(schema: Schema, data: dict[str, Any]) -> dict[str, Any]:
    """Load a mapping by a schema.

    Raises:
        Problem: 400 with all validation errors.
    """
    try:
        found: dict[str, Any] = schema.load(data)
    except ValidationError as error:
        raise of_mistakes(mistakes(error.messages_dict, schema, data)) from error
    return found


def document() -> dict[str, Any]:
    """Read the body of the call as JSON or, if its Content-Type says so, as YAML; no body is an empty object.

    Raises:
        Problem: 400, the body cannot be read, or is no object; 413, it is too large.
    """
    try:
        raw = request.get_data()
    except RequestEntityTooLarge as error:
        raise Problem(413, f"the body is larger than {request.max_content_length:,} bytes (--body-limit)") from error
    if not raw.strip():
        return MappingNode()
    bodies = target.current().bodies
    return _of_yaml(raw, bodies) if "yaml" in request.mimetype else _of_json(raw, bodies)


def _of_json(raw: bytes, bodies: target.Bodies) -> dict[str, Any]:
    try:
        data = json_text.read(raw, bodies.levels)
    except json_text.JsonError as error:
        message = f"the body is not valid JSON: {error}; for YAML send Content-Type: application/yaml"
        raise of_mistakes([Mistake((), message)]) from error
    if not isinstance(data, dict):
        raise of_mistakes([Mistake((), f"the body must be a JSON object (got {summary(data)})")])
    return data


def _of_yaml(raw: bytes, bodies: target.Bodies) -> MappingNode:
    _refuse_large("the YAML body", len(raw), bodies)
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise of_mistakes([Mistake((), f"the body is not UTF-8 at byte {error.start}")]) from error
    return _parsed(text, BODY, bodies)


def of_text(text: str) -> MappingNode:
    """Read the YAML document in the member `yaml` of a body.

    Raises:
        Problem: 400, the text cannot be read; 413, it is too large.
    """
    bodies = target.current().bodies
    _refuse_large("yaml", len(text), bodies)
    _refuse_large("yaml", len(text.encode()), bodies)
    return _parsed(text, TEXT, bodies)


def _refuse_large(what: str, size: int, bodies: target.Bodies) -> None:
    if size > bodies.yaml:
        detail = f"{what} is larger than {bodies.yaml:,} bytes (--yaml-limit); JSON can be larger (--body-limit)"
        raise Problem(413, detail)


def _parsed(text: str, source: str, bodies: target.Bodies) -> MappingNode:
    """Parse a text, which validation errors call `source`."""
    try:
        return parse(text, source, Bounds(levels=bodies.levels))
    except ScenarioError as error:
        raise of_mistakes(error.mistakes, unreadable=True) from error

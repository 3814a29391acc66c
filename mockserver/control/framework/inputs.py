"""The query and the body of a control call, loaded by their schemas, and the members that several calls take."""

from __future__ import annotations

import re
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
from mockserver.web.endpoints.request import declared
from mockserver.web.schemas import json_text
from mockserver.web.schemas.errors import summary
from mockserver.web.server.waiting import LONGEST_WAIT

Row = TypeVar("Row")
#: The numbers of a query; Python reads others, such as `+1`, `1_0` and digits of other alphabets.
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")

# ---------------------------------------------------------------------- members of queries and bodies


def limit(default: int = 100) -> fields.Integer:
    return fields.Integer(load_default=default, validate=validate.Range(1, 1000), **about("how many there are at most"))


def offset() -> fields.Integer:
    """Return a field for the number of list items to skip.

    JSON numbers are exact up to 2**53 in every language (RFC 8259, 6).
    """
    return fields.Integer(load_default=0, validate=validate.Range(0, 2**53), **about("how many are left out first"))


def wait() -> fields.Float:
    told = about("how many seconds it waits until something matches")
    return fields.Float(load_default=0.0, validate=validate.Range(0, LONGEST_WAIT), **told)


def name() -> fields.String:
    error = "must be 1 to 64 letters, digits, dots, dashes and underscores"
    return fields.String(validate=validate.Regexp(rf"{NAME.pattern}\Z", error=error))


def form(media: Mapping[str, str]) -> fields.String:
    """Return a field for the form of an answer, by the names of media types: a link cannot set `Accept`."""
    return fields.String(validate=validate.OneOf(tuple(media)))


def media_type(query: Mapping[str, Any], media: Mapping[str, str]) -> str | None:
    """Return the media type that the member `format` of a query names, or that `Accept` prefers, or None."""
    return media.get(query.get("format", "")) or request.accept_mimetypes.best_match([*media.values()])


class Part(Item):
    limit = limit()
    offset = offset()


class PartOrAll(Item):
    """A page of a list, by default all items after the offset."""

    limit = fields.Integer(validate=validate.Range(1, 1000), **about("how many there are at most; all without it"))
    offset = offset()


def part_of(rows: Iterable[Row], query: Mapping[str, Any]) -> list[Row]:
    """Return the requested page of a list, given by limit and offset."""
    first, most = query["offset"], query.get("limit")
    return list(islice(rows, first, None if most is None else first + most))


# ---------------------------------------------------------------------- loading


def query(schema: Schema) -> dict[str, Any]:
    """Load the query of the call."""
    data = request.args.to_dict()
    for name, text in data.items():
        if isinstance(field := schema.fields.get(name), fields.Integer | fields.Float) and not _NUMBER.fullmatch(text):
            raise of_mistakes(mistakes({name: [field.error_messages["invalid"]]}, schema, data))
    return loaded(schema, data)


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
    """Load a mapping by a schema."""
    try:
        found: dict[str, Any] = schema.load(data)
    except ValidationError as error:
        raise of_mistakes(mistakes(error.messages_dict, schema, data)) from error
    return found


def document() -> dict[str, Any]:
    """Read the body of the call as JSON or, if its Content-Type says so, as YAML; no body is an empty object."""
    try:
        raw = request.get_data()
    except RequestEntityTooLarge as error:
        raise Problem(413, f"the body is larger than {request.max_content_length:,} bytes (--body-limit)") from error
    if not raw.strip():
        return MappingNode()
    return _of_yaml(raw) if "yaml" in request.mimetype else _of_json(raw)


def _of_json(raw: bytes) -> dict[str, Any]:
    try:
        data = json_text.read(raw, target.current().depth_limit)
    except json_text.JsonError as error:
        sent_as = f" ({declared(request)})" if "Content-Encoding" in request.headers else ""
        message = f"the body is not valid JSON: {error}{sent_as}; for YAML send Content-Type: application/yaml"
        raise of_mistakes([Mistake((), message)]) from error
    if not isinstance(data, dict):
        raise of_mistakes([Mistake((), f"the body must be a JSON object (got {summary(data)})")])
    return data


def _of_yaml(raw: bytes) -> MappingNode:
    _refuse_large("the YAML body", len(raw))
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        raise of_mistakes(
            [Mistake((), f"the body is not UTF-8 at byte {error.start} ({declared(request)})")]
        ) from error
    return _parsed(text, BODY)


def of_text(text: str) -> MappingNode:
    """Read the YAML document in the member `yaml` of a body.

    Raises:
        Problem: 400, the text cannot be read; 413, it is too large.
    """
    _refuse_large("yaml", len(text.encode()))
    return _parsed(text, TEXT)


def _refuse_large(what: str, size: int) -> None:
    limit = target.current().yaml_limit
    if size > limit:
        raise Problem(413, f"{what} is larger than {limit:,} bytes (--yaml-limit); JSON can be larger (--body-limit)")


def _parsed(text: str, source: str) -> MappingNode:
    try:
        return parse(text, source, Bounds(levels=target.current().depth_limit))
    except ScenarioError as error:
        raise of_mistakes(error.mistakes, unreadable=True) from error

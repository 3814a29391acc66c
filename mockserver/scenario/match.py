"""Schemas of request patterns, for faults and for verification."""

from __future__ import annotations

from typing import Any

from marshmallow import ValidationError, fields, validate, validates_schema

from mockserver.beyond.catalogue import catalogue
from mockserver.core.text.messages import meant, nearest
from mockserver.core.traffic.match import LONGEST_GLOB, Glob
from mockserver.resources.match import ContentMatchItem, check_plain
from mockserver.resources.registry import ALL_OPERATIONS
from mockserver.resources.section import about
from mockserver.web.schemas.fields import Json, OneOrMany

#: The methods of requests.
METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD")


class PathGlob(fields.String):
    """A glob for the whole path."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        return as_glob(super()._deserialize(value, attr, data, **kwargs))


class PathPattern(fields.Field[Any]):
    """A glob for the whole path, or a mapping of path parameters to values."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if isinstance(value, str):
            return as_glob(value)
        if not isinstance(value, dict):
            raise ValidationError("must be a glob of the path, or a mapping of its parameters")
        check_plain((name, [inner]) for name, inner in value.items())
        return {str(name): str(inner) for name, inner in value.items()}


def as_glob(value: str) -> Glob:
    if len(value) > LONGEST_GLOB:
        raise ValidationError(f"must be a glob of at most {LONGEST_GLOB} characters")
    return Glob(value)


def unknown_operation(name: str) -> str:
    near = meant(name, (*ALL_OPERATIONS, *catalogue()))
    return f"unknown operation; {f'did you mean {near}?' if near else nearest(name, ALL_OPERATIONS)}"


def check_operation(name: str) -> None:
    if name not in ALL_OPERATIONS and name not in catalogue():
        raise ValidationError(unknown_operation(name))


class MatchItem(ContentMatchItem):
    """A pattern of requests: operation, method, path, query, headers and body."""

    operation = OneOrMany(
        fields.String(), validate=validate.Length(min=1),
        **about("one operation or several, by their ids, such as createSender"),
    )  # fmt: skip
    method = OneOrMany(
        fields.String(validate=validate.OneOf(METHODS)), validate=validate.Length(min=1),
        **about("one method or several"),
    )  # fmt: skip
    path = PathPattern(**about("the path as a glob, /v3/senders/*, or its parameters by name, {senderId: 2}"))


class ExchangeMatchItem(MatchItem):
    """A pattern of exchanges: requests with their answers."""

    json_exactly = Json(allow_none=True, **about("the whole body; no object in it may have further members"))
    operation = OneOrMany(fields.String(validate=check_operation), validate=validate.Length(min=1))
    status = fields.Integer(strict=True, validate=validate.Range(100, 599))
    code = fields.String()
    fault = fields.String()

    @validates_schema
    def _check_json(self, data: dict[str, Any], **_: Any) -> None:
        if "json" in data and "json_exactly" in data:
            raise ValidationError("give json or json_exactly, not both", "json_exactly")

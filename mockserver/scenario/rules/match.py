"""The schemas of patterns of requests, for faults and for what a test verifies."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from marshmallow import ValidationError, fields, post_load, validate

from mockserver.core.text.spelling import nearest
from mockserver.core.traffic.match import LONGEST_GLOB, Glob, Match
from mockserver.resources.registry import ALL_OPERATIONS
from mockserver.resources.section import Item
from mockserver.web.schemas.fields import Json, List, is_plain

_METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD")


class OneOrMany(List):
    """A text or a list of texts, loaded as a list."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if isinstance(value, list):
            return super()._deserialize(value, attr, data, **kwargs)
        return [self.inner.deserialize(value)]


class PathGlob(fields.String):
    """A glob for the whole path."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        return as_glob(super()._deserialize(value, attr, data, **kwargs))


class PathPattern(fields.Field[Any]):
    """A glob for the whole path, or a mapping of the path's parameters to their values."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if isinstance(value, str):
            return as_glob(value)
        if not isinstance(value, dict):
            raise ValidationError("must be a glob of the path, or a mapping of its parameters")
        _check_plain((name, [inner]) for name, inner in value.items())
        return {str(name): str(inner) for name, inner in value.items()}


def as_glob(value: str) -> Glob:
    """A text as a glob.

    Raises:
        ValidationError: the text is too long.
    """
    if len(value) > LONGEST_GLOB:
        raise ValidationError(f"must be a glob of at most {LONGEST_GLOB} characters")
    return Glob(value)


class Texts(fields.Field[dict[str, Any]]):
    """A mapping of names to texts or numbers."""

    def __init__(self, *, lists: bool = False, **options: Any) -> None:
        super().__init__(**options)
        #: Whether a name may also have a list of texts or numbers.
        self.lists = lists

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, dict):
            raise ValidationError("must be a mapping")
        lists = self.lists
        _check_plain((name, inner if lists and isinstance(inner, list) else [inner]) for name, inner in value.items())
        return {str(name): inner for name, inner in value.items()}


def _check_plain(values: Iterable[tuple[str, list[Any]]]) -> None:
    """Refuse a value that is neither a text nor a number.

    Raises:
        ValidationError: for the first name that has one.
    """
    for name, inner in values:
        if not all(map(is_plain, inner)):
            raise ValidationError({name: ["must be a text or a number"]})


def unknown_operation(name: str) -> str:
    """The message about the name of an operation that does not exist."""
    return f"unknown operation; {nearest(name, ALL_OPERATIONS)}"


def _check_operation(name: str) -> None:
    if name not in ALL_OPERATIONS:
        raise ValidationError(unknown_operation(name))


class MatchItem(Item):
    """A pattern of requests; whether its operations exist is checked by the user of the schema."""

    operation = OneOrMany(fields.String(), validate=validate.Length(min=1))
    method = OneOrMany(fields.String(validate=validate.OneOf(_METHODS)), validate=validate.Length(min=1))
    path = PathPattern()
    query = Texts(lists=True)
    json = Json(allow_none=True)
    headers = Texts()

    @post_load
    def _as_value(self, data: dict[str, Any], **_: Any) -> Match:
        return as_match(data)


class ExchangeMatchItem(MatchItem):
    """A pattern of exchanges: of requests with their answers."""

    operation = OneOrMany(fields.String(validate=_check_operation), validate=validate.Length(min=1))
    status = fields.Integer(strict=True, validate=validate.Range(100, 599))
    code = fields.String()
    fault = fields.String()


def as_match(data: dict[str, Any]) -> Match:
    """The pattern that loaded members describe."""
    path = data.pop("path", None)
    found = {name: data[name] for name in ("query", "json", "headers", "status", "code", "fault") if name in data}
    if "headers" in found:
        found["headers"] = {name: str(value) for name, value in found["headers"].items()}
    return Match(
        operations=frozenset(data.get("operation", ())),
        methods=frozenset(data.get("method", ())),
        path=path if isinstance(path, Glob) else None,
        params=path if isinstance(path, dict) else {},
        **found,
    )

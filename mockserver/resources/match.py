"""The schema of request patterns, for stubs, faults and verification."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from marshmallow import ValidationError, fields, post_load

from mockserver.core.traffic.match import Exactly, Glob, Match
from mockserver.resources.section import Item, about
from mockserver.web.schemas.fields import Json, is_plain


class Texts(fields.Field[dict[str, Any]]):
    """A mapping of names to texts or numbers; with `lists`, also to lists of texts or numbers."""

    def __init__(self, *, lists: bool = False, **options: Any) -> None:
        super().__init__(**options)
        self.lists = lists

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, dict):
            raise ValidationError("must be a mapping")
        lists = self.lists
        check_plain((name, inner if lists and isinstance(inner, list) else [inner]) for name, inner in value.items())
        return {str(name): inner for name, inner in value.items()}


def check_plain(values: Iterable[tuple[str, list[Any]]]) -> None:
    """Refuse values that are neither texts nor numbers.

    Raises:
        ValidationError: The names that have such values.
    """
    found: dict[Any, Any] = {
        name: ["must be a string or a number"] for name, inner in values if not all(map(is_plain, inner))
    }
    if found:
        raise ValidationError(found)


class ContentMatchItem(Item):
    """A pattern of request contents, for any path."""

    query = Texts(lists=True, **about("parameters of the query, and their values"))
    json = Json(allow_none=True, **about("what the body holds; members that are not named may be anything"))
    headers = Texts(**about("headers, and their values"))

    @post_load
    def _as_value(self, data: dict[str, Any], **_: Any) -> Match:
        return as_match(data)


def as_match(data: dict[str, Any]) -> Match:
    """Return the request pattern of loaded members."""
    path = data.pop("path", None)
    found = {name: data[name] for name in ("query", "json", "headers", "status", "code", "fault") if name in data}
    if "json_exactly" in data:
        found["json"] = Exactly(data["json_exactly"])
    if "headers" in found:
        found["headers"] = {name: str(value) for name, value in found["headers"].items()}
    return Match(
        operations=frozenset(data.get("operation", ())),
        methods=frozenset(data.get("method", ())),
        path=path if isinstance(path, Glob) else None,
        params=path if isinstance(path, dict) else {},
        **found,
    )

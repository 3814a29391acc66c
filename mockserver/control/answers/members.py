"""The members of answers: each is always there, unless it is made otherwise."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema, fields, validate

from mockserver.core.time.state_machine import ABSENT
from mockserver.web.schemas.schema import Base


def needed(kind: type[fields.Field[Any]], *arguments: Any, about: str = "", **options: Any) -> Any:
    """A member that is always there."""
    return kind(*arguments, required=True, metadata={"description": about} if about else {}, **options)


def text(about: str = "", **options: Any) -> Any:
    return needed(fields.String, about=about, **options)


def number(about: str = "", least: int = 0, **options: Any) -> Any:
    return needed(fields.Integer, about=about, validate=validate.Range(min=least), **options)


def moment(about: str = "", **options: Any) -> Any:
    return needed(fields.DateTime, about=about, **options)


def flag(about: str = "") -> Any:
    return needed(fields.Boolean, about=about)


def texts(about: str = "", **options: Any) -> Any:
    return needed(fields.List, fields.String(), about=about, **options)


def mapping(values: Any = None, about: str = "", **options: Any) -> Any:
    return needed(fields.Dict, about=about, keys=fields.String(), values=values, **options)


def part(schema: type[Schema], **options: Any) -> Any:
    return needed(fields.Nested, schema, **options)


def source() -> Any:
    """The state that a transition leaves."""
    return text(f"`{ABSENT}` before it is there", data_key="from")


def target() -> Any:
    """The state that a transition leads to."""
    return text(f"`{ABSENT}` when it is gone")


def many(schema: type[Schema], about: str = "", **options: Any) -> Any:
    return needed(fields.List, fields.Nested(schema), about=about, **options)


def listing(schema: type[Schema], name: str, **members: Any) -> type[Schema]:
    """The form of all lists."""
    count = number("of all, where only a part is given")
    return Base.from_dict({"items": many(schema), "count": count, **members}, name=name)


def evicted() -> Any:
    return number("how many had to go, as there is a limit")


class Key(fields.Field[Any]):
    """What an instance of a machine is known by; its form stands in the metadata."""


def key(*, allow_none: bool = False) -> Any:
    return Key(required=True, allow_none=allow_none, metadata={"type": ["integer", "string"]})

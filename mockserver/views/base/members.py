"""The members of views, as fields of marshmallow: each is always shown, but for those that `maybe` makes.

A member shows the attribute of the row that has the member's name, unless `attribute` names another, or `of` gives the
value as a function of the row. `about` is its description in the OpenAPI document.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from marshmallow import Schema, fields, validate

from mockserver.core.time.state_machine import ABSENT
from mockserver.web.schemas.dump import OF as OF

#: Gives the value of a member, of a row.
Of = Callable[[Any], Any]


def needed(
    field: type[fields.Field[Any]], *arguments: Any, about: str = "", of: Of | None = None, **options: Any
) -> Any:
    """A member that is always shown, as a field of the given type."""
    return field(*arguments, required=True, metadata=_metadata(about, of), **options)


def maybe(
    field: type[fields.Field[Any]], *arguments: Any, about: str = "", of: Of | None = None, **options: Any
) -> Any:
    """A member that is left out where its value is None, as a field of the given type."""
    return field(*arguments, metadata=_metadata(about, of), **options)


def _metadata(about: str, of: Of | None) -> dict[str, Any]:
    return {**({"description": about} if about else {}), **({OF: of} if of else {})}


def text(about: str = "", **options: Any) -> Any:
    return needed(fields.String, about=about, **options)


def number(about: str = "", least: int = 0, **options: Any) -> Any:
    return needed(fields.Integer, about=about, validate=validate.Range(min=least), **options)


def moment(about: str = "", **options: Any) -> Any:
    return needed(fields.DateTime, about=about, **options)


def flag(about: str = "", **options: Any) -> Any:
    return needed(fields.Boolean, about=about, **options)


def texts(about: str = "", **options: Any) -> Any:
    return needed(fields.List, fields.String(), about=about, **options)


def mapping(values: Any = None, about: str = "", **options: Any) -> Any:
    return needed(fields.Dict, about=about, keys=fields.String(), values=values, **options)


def part(schema: type[Schema], about: str = "", **options: Any) -> Any:
    return needed(fields.Nested, schema, about=about, **options)


def many(schema: type[Schema], about: str = "", **options: Any) -> Any:
    return needed(fields.List, fields.Nested(schema), about=about, **options)


def source() -> Any:
    """The member `from`: the state that a transition leaves."""
    return text(f"`{ABSENT}` before it is there", data_key="from")


def target() -> Any:
    """The member `to`: the state that a transition leads to."""
    return text(f"`{ABSENT}` when it is gone", attribute="target")


def evicted(**options: Any) -> Any:
    """The member `evicted`: how many items were removed because of a limit."""
    return number("how many had to go, as there is a limit", **options)


class Key(fields.Field[Any]):
    """The key of an instance of a state machine, a number or a text; the metadata holds its JSON schema."""


def key(**options: Any) -> Any:
    return Key(required=True, metadata={"type": ["integer", "string"]}, **options)

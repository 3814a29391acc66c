"""The members of a query or a body beside its schema: which of them are unknown, and which are optional."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from marshmallow import Schema, fields


class Member(NamedTuple):
    """A member that was sent, or that a schema knows."""

    #: From the top of the body: `ips[0].weight`, or `ips[].weight` of one that was not sent.
    path: str
    #: From the top of the body without the numbers of items: `ips[].weight`.
    name: str
    #: The field of the schema, or None if the schema does not know the member.
    field: fields.Field[Any] | None

    @property
    def unknown(self) -> bool:
        return self.field is None

    @property
    def optional(self) -> bool:
        return self.field is not None and not self.field.required


def sent(schema: Schema, data: object, path: str = "", name: str = "") -> Iterator[Member]:
    """Every member that was sent, those of inner objects included; `path` and `name` come before those of members."""
    if not isinstance(data, Mapping):
        return
    known = _known(schema)
    for key, value in data.items():
        field = known.get(key)
        yield Member(f"{path}{key}", f"{name}{key}", field)
        inner = _inner(field)
        if inner is None:
            continue
        if isinstance(field, fields.Nested):
            yield from sent(inner, value, f"{path}{key}.", f"{name}{key}.")
        elif isinstance(value, list):
            for index, item in enumerate(value):
                yield from sent(inner, item, f"{path}{key}[{index}].", f"{name}{key}[].")


def optional(schema: Schema, name: str = "") -> Iterator[Member]:
    """Every optional member that a schema knows, those of inner objects included; `name` comes before their names."""
    for key, field in _known(schema).items():
        if not field.required:
            yield Member(f"{name}{key}", f"{name}{key}", field)
        inner = _inner(field)
        if inner is not None:
            yield from optional(inner, f"{name}{key}." if isinstance(field, fields.Nested) else f"{name}{key}[].")


def _known(schema: Schema) -> dict[str, fields.Field[Any]]:
    return {field.data_key or name: field for name, field in schema.load_fields.items()}


def _inner(field: fields.Field[Any] | None) -> Schema | None:
    """The schema of the object that a member is, or of the objects of its list, or None for any other member."""
    if isinstance(field, fields.List):
        field = field.inner
    if isinstance(field, fields.Nested):
        schema: Schema = field.schema
        return schema
    return None

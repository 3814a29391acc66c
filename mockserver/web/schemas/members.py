"""The members of a query or a body beside its schema: which of them are unknown, and which are optional."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from marshmallow import Schema, fields


class Sent(NamedTuple):
    """Which members were sent, those of inner objects included."""

    #: The names of the optional ones, each once, from the top of the body without the numbers of items: `ips[].weight`.
    optional: list[str]
    #: The paths of those that the schema does not know, from the top of the body: `ips[0].weight`.
    unknown: list[str]


class Members:
    """The members that a schema knows, looked up once for all that is sent."""

    def __init__(self, schema: Schema | None) -> None:
        """The members of a schema; none without one."""
        known = {} if schema is None else _known(schema)
        self._is_optional = {key: not field.required for key, field in known.items()}
        inner = {key: _inner(field) for key, field in known.items()}
        #: The members of the object that a member is, or of the objects of its list.
        self._inner = {key: Members(schema) for key, schema in inner.items() if schema is not None}
        self._lists = frozenset(key for key, field in known.items() if not isinstance(field, fields.Nested))
        #: The members of which there is nothing to note.
        self._plain = frozenset(key for key, field in known.items() if field.required and key not in self._inner)

    def sent(self, data: Mapping[str, Any]) -> Sent:
        """Which members there are in what was sent."""
        found = Sent([], [])
        if self._plain.issuperset(data):
            return found
        self._note(data, "", "", found)
        if self._inner and len(found.optional) > 1:
            found.optional[:] = dict.fromkeys(found.optional)
        return found

    def _note(self, data: Mapping[str, Any], path: str, name: str, found: Sent) -> None:
        """Add the members of an object; `path` and `name` come before those of its members."""
        for key, value in data.items():
            is_optional = self._is_optional.get(key)
            if is_optional is None:
                found.unknown.append(f"{path}{key}")
            elif is_optional:
                found.optional.append(f"{name}{key}")
            if key in self._inner:
                self._note_within(key, value, path, name, found)

    def note_value(self, value: object, path: str, name: str, found: Sent) -> None:
        """Add the members of a value that is an object, and nothing of any other."""
        if isinstance(value, Mapping):
            self._note(value, path, name, found)

    def _note_within(self, key: str, value: object, path: str, name: str, found: Sent) -> None:
        inner = self._inner[key]
        if key not in self._lists:
            inner.note_value(value, f"{path}{key}.", f"{name}{key}.", found)
        elif isinstance(value, list):
            for index, item in enumerate(value):
                inner.note_value(item, f"{path}{key}[{index}].", f"{name}{key}[].", found)


def optional(schema: Schema, name: str = "") -> Iterator[tuple[str, fields.Field[Any]]]:
    """The name and the field of every optional member that a schema knows, those of inner objects included.

    `name` comes before their names.
    """
    for key, field in _known(schema).items():
        if not field.required:
            yield f"{name}{key}", field
        inner = _inner(field)
        if inner is not None:
            yield from optional(inner, f"{name}{key}." if isinstance(field, fields.Nested) else f"{name}{key}[].")


def _known(schema: Schema) -> dict[str, fields.Field[Any]]:
    return {field.data_key or name: field for name, field in schema.load_fields.items()}


def _inner(field: fields.Field[Any]) -> Schema | None:
    """The schema of the object that a member is, or of the objects of its list, or None for any other member."""
    if isinstance(field, fields.List):
        field = field.inner
    if isinstance(field, fields.Nested):
        schema: Schema = field.schema
        return schema
    return None

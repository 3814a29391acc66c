"""The fields of lists and mappings, which stop at too many errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from marshmallow import ValidationError, fields
from marshmallow.exceptions import SCHEMA

from mockserver.web.schemas.field_errors import MOST_FIELD_ERRORS, BadName, Unread, field_errors_in


class List(fields.List[Any]):
    """A list; a bad one is read until it has shown `MOST_FIELD_ERRORS` errors."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> list[Any]:
        if not isinstance(value, list):
            raise self.make_error("invalid")
        _, values = loaded(enumerate(value), len(value), self.inner, **kwargs)
        return values


class OneOrMany(List):
    """One value or a list of values, loaded as a list."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if isinstance(value, list):
            return super()._deserialize(value, attr, data, **kwargs)
        return [self.inner.deserialize(value)]


class Dict(fields.Dict):
    """A mapping of any names that `keys` takes; a bad one is read until it has shown `MOST_FIELD_ERRORS` errors."""

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> dict[Any, Any]:
        if not isinstance(value, Mapping):
            raise self.make_error("invalid")
        names, values = loaded(value.items(), len(value), self.value_field, self.key_field, **kwargs)
        return dict(zip(names, values, strict=True))


def loaded(
    members: Iterable[tuple[Any, Any]],
    count: int,
    of_value: fields.Field[Any] | None,
    of_name: fields.Field[Any] | None = None,
    **kwargs: Any,
) -> tuple[list[Any], list[Any]]:
    """The names and the values of `count` members or items, as their fields load them; None takes any.

    Raises:
        ValidationError: with errors by name, of which there are about `MOST_FIELD_ERRORS` at most.
    """
    names: list[Any] = []
    values: list[Any] = []
    errors: dict[Any, Any] = {}
    error_count = 0
    for number, (name, value) in enumerate(members, 1):
        try:
            names.append(name if of_name is None else _loaded_name(of_name, name))
            values.append(value if of_value is None else of_value.deserialize(value, **kwargs))
        except ValidationError as error:
            errors[name] = error.messages
            error_count += field_errors_in(error.messages)
            if error_count >= MOST_FIELD_ERRORS and number < count:
                errors[SCHEMA] = [Unread(count - number)]
                break
    if errors:
        raise ValidationError(errors)
    return names, values


def _loaded_name(field: fields.Field[Any], name: str) -> Any:
    try:
        return field.deserialize(name)
    except ValidationError as error:
        raise ValidationError([BadName(message) for message in error.messages]) from error

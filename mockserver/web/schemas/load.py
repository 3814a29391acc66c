"""Loading, compiled: a function for each schema, which gives what marshmallow's `load` gives, far faster."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from marshmallow import EXCLUDE, Schema, ValidationError, fields, missing
from marshmallow.decorators import POST_LOAD

from mockserver.web.schemas.fields import Int64, List

Load = Callable[[Mapping[str, Any]], Any]
Read = Callable[[Any], Any]


#: The ways of a value through its field that end as marshmallow's does where the value is taken.
_DESERIALIZES = (fields.Field.deserialize, Int64.deserialize)


class _UnusualError(Exception):
    """A value is to be loaded by marshmallow itself, which may well refuse it."""


def compiled(schema: Schema) -> Load:
    """A function that loads a mapping as the schema does, and raises the same errors.

    It loads what is sent as it should be. All else goes to the schema itself, so that the errors are the schema's.
    """
    usual = _of_object(schema)

    def load(data: Mapping[str, Any]) -> Any:
        try:
            return usual(data)
        except (ValidationError, _UnusualError):
            pass
        return schema.load(data)

    return load


def _of_object(schema: Schema) -> Read:
    """What loads the members of an object."""
    if not _is_plain(schema):
        return _unusual
    rows = [_row(name, field) for name, field in schema.load_fields.items()]
    has_more_to_do = bool(schema._hooks[POST_LOAD])  # noqa: SLF001  # as in `Schema._do_load`

    def load(data: Any) -> Any:
        found: dict[str, Any] = {}
        for key, name, read, absent in rows:
            value = data.get(key, missing)
            if value is not missing:
                found[name] = read(value)
            elif absent is not missing:
                found[name] = absent(missing)
        return _loaded(schema, found, data) if has_more_to_do else found

    return load


def _is_plain(schema: Schema) -> bool:
    """Whether the schema has none of marshmallow's options and hooks but for functions to be called at the end."""
    hooked = {kind for kind, hooks in schema._hooks.items() if hooks}  # noqa: SLF001  # as in `Schema._do_load`
    return (
        schema.unknown == EXCLUDE
        and not schema.many
        and schema.partial is None
        and schema.dict_class is dict
        and hooked <= {POST_LOAD}
    )


def _row(name: str, field: fields.Field[Any]) -> tuple[str, str, Read, Any]:
    """The key of a member, the name of its value, what reads it, and what gives its value where it is absent."""
    key = name if field.data_key is None else field.data_key
    is_optional = not field.required and field.load_default is missing
    return key, field.attribute or name, _of_value(field), missing if is_optional else field.deserialize


def _of_value(field: fields.Field[Any]) -> Read:
    """What loads the value of a field; marshmallow itself for a field whose class has a way of its own."""
    if field.pre_load or field.post_load or field.allow_none or type(field).deserialize not in _DESERIALIZES:
        return field.deserialize
    convert = type(field)._deserialize  # noqa: SLF001  # the step of `load` that a field's class overrides
    if convert is fields.String._deserialize:  # noqa: SLF001  # as above
        return _of_type(str, None, field)
    if convert is List._deserialize:  # noqa: SLF001  # as above
        return _of_type(list, _of_items(_of_value(field.inner)), field)  # type: ignore[attr-defined]  # a list has it
    if isinstance(field, fields.Nested) and not field.many and field.unknown is None:
        return _of_type(dict, _of_object(field.schema), field)
    return _converted(field)


def _of_items(read: Read) -> Read:
    return lambda items: [read(item) for item in items]


def _of_type(kind: type, read: Read | None, field: fields.Field[Any]) -> Read:
    """What loads a value of one type, as `read` does or as it is, and calls the validators of its field."""
    checks = tuple(field.validators)

    def load(value: Any) -> Any:
        if type(value) is not kind:
            raise _UnusualError
        found = value if read is None else read(value)
        for check in checks:
            check(found)
        return found

    return load


def _converted(field: fields.Field[Any]) -> Read:
    """What loads a value as the class of its field does, and calls the validators."""
    convert, checks = field._deserialize, tuple(field.validators)  # noqa: SLF001  # as in `Field.deserialize`

    def load(value: Any) -> Any:
        if value is None:
            raise _UnusualError
        found = convert(value, None, None)
        for check in checks:
            check(found)
        return found

    return load


def _unusual(_: Any) -> Any:
    raise _UnusualError


def _loaded(schema: Schema, found: dict[str, Any], data: Any) -> Any:
    """What the functions that the schema calls at the end make of the loaded members."""
    return schema._invoke_load_processors(  # noqa: SLF001  # as in `Schema._do_load`
        POST_LOAD, found, many=False, original_data=data, partial=None, unknown=schema.unknown
    )

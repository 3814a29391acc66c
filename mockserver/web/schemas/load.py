"""Loading by compiled functions, one per schema, which are far faster than marshmallow's `load`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from marshmallow import EXCLUDE, Schema, ValidationError, fields, missing
from marshmallow.decorators import POST_LOAD

from mockserver.web.schemas.fields import Int64, List

Load = Callable[[Mapping[str, Any]], Any]
Read = Callable[[Any], Any]


#: The ways of a value through its field that end as marshmallow's does where the value is taken.
_DESERIALIZES = (fields.Field.deserialize, Int64.deserialize)


class _UnusualError(Exception):
    """Marshmallow has to load this value, and may refuse it."""


def compiled(schema: Schema) -> Load:
    """Return a function that loads a mapping like the schema, with the same errors.

    Usual values are loaded by compiled functions. Other values go to the schema itself, which makes the errors.
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
    if not _is_plain(schema):
        return _unusual
    rows = [_row(name, field) for name, field in schema.load_fields.items()]
    has_more_to_do = bool(schema._hooks[POST_LOAD])  # noqa: SLF001  # as in `Schema._do_load`

    def load(data: Any) -> Any:
        found: dict[str, Any] = {}
        for key, name, read, checks, absent in rows:
            value = data.get(key, missing)
            if value is missing:
                if absent is not missing:
                    found[name] = absent(missing)
            elif read is not None:
                found[name] = read(value)
            elif type(value) is str:
                for check in checks:
                    check(value)
                found[name] = value
            else:
                raise _UnusualError
        return _loaded(schema, found, data) if has_more_to_do else found

    return load


def _is_plain(schema: Schema) -> bool:
    """Return whether a schema has no options and hooks of marshmallow except `POST_LOAD`."""
    hooked = {kind for kind, hooks in schema._hooks.items() if hooks}  # noqa: SLF001  # as in `Schema._do_load`
    return (
        schema.unknown == EXCLUDE
        and not schema.many
        and schema.partial is None
        and schema.dict_class is dict
        and hooked <= {POST_LOAD}
    )


class _Row(NamedTuple):
    key: str
    name: str
    #: Reads the value, or None for a plain string, which only has to pass `checks`.
    read: Read | None
    checks: tuple[Read, ...]
    #: Gives the value of an absent member, or `missing`.
    absent: Any


def _row(name: str, field: fields.Field[Any]) -> _Row:
    key = name if field.data_key is None else field.data_key
    absent = missing if not field.required and field.load_default is missing else field.deserialize
    is_string = _is_usual(field) and type(field)._deserialize is fields.String._deserialize  # noqa: SLF001  # as below
    read = None if is_string else _of_value(field)
    return _Row(key, field.attribute or name, read, tuple(field.validators) if is_string else (), absent)


def _is_usual(field: fields.Field[Any]) -> bool:
    """Return whether a field uses marshmallow's own options and deserialisation."""
    is_own = type(field).deserialize not in _DESERIALIZES
    return not (field.pre_load or field.post_load or field.allow_none or is_own)


def _of_value(field: fields.Field[Any]) -> Read:
    """Return the reader of a field; marshmallow's for fields with their own deserialisation."""
    if not _is_usual(field):
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
    """Return a reader for values of one type, which calls `read` and the field's validators."""
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
    """Return a reader by the field's own conversion and validators."""
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
    return schema._invoke_load_processors(  # noqa: SLF001  # as in `Schema._do_load`
        POST_LOAD, found, many=False, original_data=data, partial=None, unknown=schema.unknown
    )


class Sent(NamedTuple):
    """The sent members, inner objects included."""

    #: The names of the optional ones, each once, from the top of the body without the numbers of items: `ips[].weight`.
    optional: list[str]
    #: The paths of those that the schema does not know, from the top of the body: `ips[0].weight`.
    unknown: list[str]


class Members:
    """A schema's known members, looked up once."""

    def __init__(self, schema: Schema | None) -> None:
        """Collect the members of a schema, or none."""
        known = {} if schema is None else _known(schema)
        self._is_optional = {key: not field.required for key, field in known.items()}
        inner = {key: _inner(field) for key, field in known.items()}
        #: The members of the object that a member is, or of the objects of its list.
        self._inner = {key: Members(schema) for key, schema in inner.items() if schema is not None}
        self._lists = frozenset(key for key, field in known.items() if not isinstance(field, fields.Nested))
        #: The members of which there is nothing to note.
        self._plain = frozenset(key for key, field in known.items() if field.required and key not in self._inner)

    def sent(self, data: Mapping[str, Any]) -> Sent:
        """Return optional and unknown members of sent data."""
        found = Sent([], [])
        if self._plain.issuperset(data):
            return found
        self._note(data, "", "", found)
        if self._inner and len(found.optional) > 1:
            found.optional[:] = dict.fromkeys(found.optional)
        return found

    def _note(self, data: Mapping[str, Any], path: str, name: str, found: Sent) -> None:
        """Add an object's members; `path` and `name` precede their names."""
        for key, value in data.items():
            is_optional = self._is_optional.get(key)
            if is_optional is None:
                found.unknown.append(f"{path}{key}")
            elif is_optional:
                found.optional.append(f"{name}{key}")
            if key in self._inner:
                self._note_within(key, value, path, name, found)

    def note_value(self, value: object, path: str, name: str, found: Sent) -> None:
        """Add the members of a value, if it is an object."""
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
    """Yield name and field of every optional member, inner objects included; `name` precedes their names."""
    for key, field in _known(schema).items():
        if not field.required:
            yield f"{name}{key}", field
        inner = _inner(field)
        if inner is not None:
            yield from optional(inner, f"{name}{key}." if isinstance(field, fields.Nested) else f"{name}{key}[].")


def _known(schema: Schema) -> dict[str, fields.Field[Any]]:
    return {field.data_key or name: field for name, field in schema.load_fields.items()}


def _inner(field: fields.Field[Any]) -> Schema | None:
    if isinstance(field, fields.List):
        field = field.inner
    if isinstance(field, fields.Nested):
        schema: Schema = field.schema
        return schema
    return None

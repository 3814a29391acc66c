"""Dumping compiled from a schema: one Python function per schema, equal to marshmallow's `dump` and far cheaper."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from marshmallow import Schema, fields

from mockserver.web.schemas.fields import Choice, Email, Flag, Hostname, Int64, Moment, Number, Text, Url

Dump = Callable[[Any], dict[str, Any]]

#: Fields whose values go out as they are; what a row holds is already of the right type.
_PLAIN = (Text, Email, Int64, Number, Flag, Choice, Url, Hostname)


def compiled(schema: Schema) -> Dump:
    """A function that dumps what the schema dumps: objects by attribute, dictionaries by member."""
    names: dict[str, Any] = {}
    by_attribute = _function("by_attribute", schema, lambda attribute: f"row.{attribute}", names)
    by_member = _function("by_member", schema, lambda attribute: f"row.get({attribute!r})", names)
    source = f"{by_attribute}\n{by_member}\n{_DISPATCH}"
    exec(source, names)  # noqa: S102  # the source is made of the schemas' own names
    dump: Dump = names["dump"]
    return dump


_DISPATCH = """
def dump(row):
    return by_member(row) if isinstance(row, dict) else by_attribute(row)

def dump_all(rows):
    # A list holds rows of one kind.
    one = by_member if rows and isinstance(rows[0], dict) else by_attribute
    return [one(row) for row in rows]

dump.all = dump_all
"""


def _function(name: str, schema: Schema, read: Callable[[str], str], names: dict[str, Any]) -> str:
    """A dictionary display of the members that always stand there, and a line for each that may be left out."""
    always, maybe = [], []
    for field_name, field in schema.dump_fields.items():
        key, value = field.data_key or field_name, read(field.attribute or field_name)
        if field.required:
            always.append(f"{key!r}: {_write(field, value, names)}")
        elif field.allow_none:
            always.append(f"{key!r}: None if {value} is None else {_write(field, value, names)}")
        else:
            maybe.append(f"    if (value := {value}) is not None: out[{key!r}] = {_write(field, 'value', names)}")
    display = f"{{{', '.join(always)}}}"
    if not maybe:
        return f"def {name}(row):\n    return {display}"
    return "\n".join([f"def {name}(row):", f"    out = {display}", *maybe, "    return out"])


def _write(field: fields.Field[Any], value: str, names: dict[str, Any]) -> str:
    """The expression that turns a value into its wire form."""
    if isinstance(field, _PLAIN):
        return value
    if isinstance(field, fields.List):
        if isinstance(field.inner, fields.Nested):
            return f"{_name(compiled(field.inner.schema), names)}.all({value})"
        return f"[{_write(field.inner, 'item', names)} for item in {value}]"
    if isinstance(field, fields.Nested):
        return f"{_name(compiled(field.schema), names)}({value})"
    if isinstance(field, Moment):
        return f"{_name(field.write, names)}({value})"
    serialize = field._serialize  # noqa: SLF001  # the step of `dump` that a kind of field overrides
    return f"{_name(serialize, names)}({value}, None, row)"


def _name(function: Callable[..., Any], names: dict[str, Any]) -> str:
    name = f"write_{len(names)}"
    names[name] = function
    return name

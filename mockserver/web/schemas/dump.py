"""Dumping by compiled functions, one per schema, which are far faster than marshmallow's `dump`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from marshmallow import Schema, fields

from mockserver.web.schemas.fields import Choice, Email, Flag, Hostname, Int64, Moment, Number, Text, Url
from mockserver.web.schemas.schema import Base

Dump = Callable[[Any], dict[str, Any]]

#: The types of fields whose values are dumped as they are, because rows hold them in the right type already.
_PLAIN = (Text, Email, Int64, Number, Flag, Choice, Url, Hostname)


#: The key of a field's metadata for a function of the row that gives the field's value; else it is an attribute.
OF = "of"


def compiled(schema: Schema, plain: tuple[type[fields.Field[Any]], ...] = _PLAIN, *, in_order: bool = False) -> Dump:
    """Return a function that dumps rows like the schema: objects by attributes, dictionaries by members.

    `plain` are the types of fields whose values are dumped as they are. Members that may be left out come last, unless
    all members are to be `in_order` of their declaration. The function's `all` dumps a list of rows.
    """
    return _Compiler(plain, in_order=in_order).dump(schema)


_DISPATCH = """
def dump(row):
    return by_member(row) if isinstance(row, dict) else by_attribute(row)

def dump_all(rows):
    if not rows:
        return []
    # A list holds rows of one type.
    if isinstance(rows[0], dict):
        return [{one_by_member} for row in rows]
    return [{one_by_attribute} for row in rows]

dump.all = dump_all
"""


class _Function(NamedTuple):
    """Generated source: a function that dumps a row, and an equal expression."""

    source: str
    expression: str


class _Compiler:
    """Writes and compiles the dump of a schema, inner schemas included."""

    def __init__(self, plain: tuple[type[fields.Field[Any]], ...], *, in_order: bool) -> None:
        self._plain = plain
        self._in_order = in_order
        #: The functions that the source refers to, by name.
        self._names: dict[str, Any] = {}
        #: The names of the dumps of schemas within.
        self._within: dict[fields.Nested, str] = {}

    def dump(self, schema: Schema) -> Dump:
        by_attribute = self._function("by_attribute", schema, lambda attribute: f"row.{attribute}")
        by_member = self._function("by_member", schema, lambda attribute: f"row.get({attribute!r})")
        dispatch = _DISPATCH.format(one_by_attribute=by_attribute.expression, one_by_member=by_member.expression)
        source = f"{by_attribute.source}\n{by_member.source}\n{dispatch}"
        exec(source, self._names)  # noqa: S102  # the source is made of the schemas' own names
        dump: Dump = self._names["dump"]
        return dump

    def _function(self, name: str, schema: Schema, read: Callable[[str], str]) -> _Function:
        if isinstance(schema, Base) and schema.as_given:
            return _Function(f"def {name}(row):\n    return row", "row")
        always, maybe = [], []
        for field_name, field in schema.dump_fields.items():
            key = field.data_key or field_name
            value = self._value(field, read(field.attribute or field_name))
            if field.required or field.allow_none:
                always.append(f"{key!r}: {self._always(field, value)}")
            elif self._in_order:
                written = self._write(field, "value")
                always.append(f"**({{{key!r}: {written}}} if (value := {value}) is not None else {{}})")
            else:
                written = self._write(field, "value")
                maybe.append(f"    if (value := {value}) is not None: out[{key!r}] = {written}")
        display = f"{{{', '.join(always)}}}"
        if not maybe:
            return _Function(f"def {name}(row):\n    return {display}", display)
        lines = [f"def {name}(row):", f"    out = {display}", *maybe, "    return out"]
        return _Function("\n".join(lines), f"{name}(row)")

    def _value(self, field: fields.Field[Any], read: str) -> str:
        of = field.metadata.get(OF)
        return read if of is None else f"{self._name(of)}(row)"

    def _always(self, field: fields.Field[Any], value: str) -> str:
        written = self._write(field, value)
        if not field.allow_none or written == value:
            return written
        return f"None if (value := {value}) is None else {self._write(field, 'value')}"

    def _write(self, field: fields.Field[Any], value: str) -> str:
        if self._is_plain(field):
            return value
        if isinstance(field, fields.List):
            if isinstance(field.inner, fields.Nested):
                return f"({self._dump_of(field.inner)}_all(rows) if (rows := {value}) else [])"
            return f"[{self._write(field.inner, 'item')} for item in {value}]"
        if isinstance(field, fields.Nested):
            return f"{self._dump_of(field)}({value})"
        if isinstance(field, Moment):
            return f"{self._name(field.write)}({value})"
        serialize = field._serialize  # noqa: SLF001  # the step of `dump` that a field's class overrides
        return f"{self._name(serialize)}({value}, None, row)"

    def _is_plain(self, field: fields.Field[Any]) -> bool:
        if isinstance(field, fields.Dict):
            return field.value_field is None or self._is_plain(field.value_field)
        changes_nothing = type(field)._serialize is fields.Field._serialize  # noqa: SLF001  # see `_write`
        return changes_nothing or isinstance(field, self._plain)

    def _dump_of(self, field: fields.Nested) -> str:
        """Return the name of an inner schema's dump, compiled once."""
        if field not in self._within:
            dump = compiled(field.schema, self._plain, in_order=self._in_order)
            name = self._within[field] = self._name(dump)
            self._names[f"{name}_all"] = dump.all  # type: ignore[attr-defined]  # `_DISPATCH` gives it
        return self._within[field]

    def _name(self, function: Callable[..., Any]) -> str:
        name = f"write_{len(self._names)}"
        self._names[name] = function
        return name

"""Dumping compiled from a schema equals the schema's own `dump`, for the answers of every operation and any rows."""

from __future__ import annotations

import json
from datetime import UTC
from types import SimpleNamespace

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from marshmallow import fields

from mockserver.core.time.clock import EARLIEST, LATEST
from mockserver.resources.domains.schemas import DomainId
from mockserver.resources.registry import API_OPERATIONS
from mockserver.web.schemas import json_text
from mockserver.web.schemas.dump import compiled
from mockserver.web.schemas.fields import Flag, Int64, Json, Moment, Number

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
INT64 = st.integers(-(2**63), 2**63 - 1)
MOMENTS = st.datetimes(EARLIEST.replace(tzinfo=None), LATEST.replace(tzinfo=None), timezones=st.just(UTC))
ANSWERS = {operation.id: operation.answer_schema for operation in API_OPERATIONS.values() if operation.answer_schema}


#: What a row may hold for a plain field, in the form in which the models hold it.
PLAIN = {
    DomainId: INT64 | TEXT, Json: INT64 | TEXT, fields.Dict: st.dictionaries(TEXT, INT64 | TEXT, max_size=3),
    Flag: st.booleans(), Int64: INT64, Number: INT64 | st.floats(allow_nan=False, allow_infinity=False),
    Moment: MOMENTS, fields.String: TEXT,
}  # fmt: skip


def values(field):
    """What a row may hold for a field."""
    if isinstance(field, fields.List):
        is_nested = isinstance(field.inner, fields.Nested)
        return rows_of_one_kind(field.inner) if is_nested else st.lists(values(field.inner), max_size=3)
    if isinstance(field, fields.Nested):
        return rows(field.schema)
    return next(strategy for kind, strategy in PLAIN.items() if isinstance(field, kind))


def rows(schema):
    return as_dictionary(schema) | as_object(schema)


def rows_of_one_kind(field):
    """The rows of one list are all dictionaries or all objects."""
    return st.lists(as_dictionary(field.schema), max_size=3) | st.lists(as_object(field.schema), max_size=3)


def as_object(schema):
    """An object that has every attribute; one that may be left out can be None."""
    members = {
        field.attribute or name: values(field) if field.required else st.none() | values(field)
        for name, field in schema.fields.items()
    }
    return st.fixed_dictionaries(members).map(lambda found: SimpleNamespace(**found))


def as_dictionary(schema):
    """A dictionary, from which a member that may be left out can be absent."""
    members = {
        field.attribute or name: (field, st.none() | values(field) if field.allow_none else values(field))
        for name, field in schema.fields.items()
    }
    always = {name: found for name, (field, found) in members.items() if field.required or field.allow_none}
    maybe = {name: found | st.none() for name, (field, found) in members.items() if name not in always}
    return st.fixed_dictionaries(always, optional=maybe)


@pytest.mark.parametrize("operation", ANSWERS)
@examples(25)
@given(data=st.data())
def test_compiled_dumping_equals_the_schemas(operation, data):
    schema = ANSWERS[operation]()
    row = data.draw(rows(schema))
    dumped = compiled(schema)(row)
    assert as_text(dumped) == as_text(schema.dump(row))
    assert json.loads(json_text.write(dumped)) == dumped


def as_text(dumped):
    """1, 1.0 and True are equal in Python and not on the wire; the order of members is nothing there."""
    return json.dumps(dumped, sort_keys=True)


def test_every_operation_that_answers_with_a_body_is_among_them():
    without = {row for row in API_OPERATIONS.values() if not row.media} - {API_OPERATIONS[name] for name in ANSWERS}
    assert {row.status for row in without} == {201, 202, 204}

"""Loading compiled from a schema equals the schema's own `load`: what it gives, and every error that it raises."""

from __future__ import annotations

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from marshmallow import ValidationError, fields
from marshmallow.validate import OneOf

from mockserver.resources.registry import ALL_OPERATIONS
from mockserver.web.schemas.load import compiled
from mockserver.web.schemas.schema import Input

SCHEMAS = {
    f"{operation.id} {place}": schema
    for operation in ALL_OPERATIONS.values()
    for place in ("path", "query", "body")
    if (schema := getattr(operation, f"{place}_schema")) is not None
}
#: What some field takes, and what lies at the edge of what it takes.
TEXTS = ["a@acme.test", "a@acme", "https://acme.test/x", "acme.test", "Acme.Test.", "Büro.test", "7", "-1", "9" * 19,
    "2026-01-15", "2026-01-15T09:00:00Z", "Europe/Berlin", "X-Header", "", " ", "x" * 10_001]  # fmt: skip
NUMBERS = [0, 1, -1, 7, 100, 101, 123_456, 2**63 - 1, 2**63, 1.0, 1.5, -0.0]
PLAIN = st.sampled_from([*TEXTS, *NUMBERS, True, False, None])
ANY = st.recursive(
    PLAIN | st.text(max_size=5) | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=4,
)


def values(field):
    """What may be sent for a field; most of it is of the right kind."""
    if isinstance(field, fields.Nested):
        return objects(field.schema) | ANY
    if isinstance(field, fields.List):
        return st.lists(values(field.inner), max_size=3) | ANY
    choices = [choice for check in field.validators if isinstance(check, OneOf) for choice in check.choices]
    return st.sampled_from([*choices, *TEXTS, *NUMBERS]) | ANY


def objects(schema, *, whole=False):
    """Objects with some of the members that a schema knows, or if `whole` with all, and perhaps others."""
    members = {field.data_key or name: values(field) for name, field in schema.load_fields.items()}
    known = st.fixed_dictionaries(members)
    if not whole:
        known |= st.fixed_dictionaries({}, optional=members)
    return st.builds(lambda one, other: {**other, **one}, known, st.dictionaries(st.text(max_size=3), ANY, max_size=2))


def outcome(load, data):
    """What loading gives, with the types and the order of all values, or the errors that it raises."""
    try:
        return "loaded", repr(load(data))
    except ValidationError as error:
        return "refused", repr(error.messages)


@pytest.mark.parametrize("name", SCHEMAS)
@examples(40)
@given(data=st.data())
def test_compiled_loading_equals_the_schemas(name, data):
    schema = SCHEMAS[name]()
    sent = data.draw(objects(schema, whole=name.endswith(" path")))  # a path has all its parameters
    assert outcome(compiled(schema), sent) == outcome(schema.load, sent)


class Written(Input):
    """A schema with an option of marshmallow that no schema of a body has."""

    text = fields.String(allow_none=True)
    count = fields.Integer(load_default=7)
    place = fields.String(attribute="where", pre_load=[str.strip])


def test_other_options_of_marshmallow_are_kept():
    schema = Written()
    for sent in ({}, {"text": None}, {"text": "a", "count": "3"}, {"count": "x"}, {"place": " here "}, {"other": 1}):
        assert outcome(compiled(schema), sent) == outcome(schema.load, sent)


@pytest.mark.parametrize("options", [{"unknown": "raise"}, {"partial": True}, {"unknown": "include"}])
def test_a_schema_with_other_options_loads_by_itself(options):
    schema = SCHEMAS["createSender body"](**options)
    for sent in ({"name": "News"}, {"name": "News", "email": "a@acme.test", "other": 1}):
        assert outcome(compiled(schema), sent) == outcome(schema.load, sent)

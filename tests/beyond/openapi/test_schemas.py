"""The value that is made of a schema."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from mockserver.beyond.openapi import Document, LeftOutError, Sampler


def sample(schema, version="3.1.0", **schemas):
    root = {"openapi": version, "paths": {}, "here": {"schema": schema}, "components": {"schemas": schemas}}
    document = Document({**root, "lists": [{"const": 7}]})
    return Sampler(document).value(document.root["here"]["schema"])


def ref(name):
    return {"$ref": f"#/components/schemas/{name}"}


def an_object(**properties):
    return {"type": "object", "required": list(properties), "properties": properties}


TEXT, NUMBER = {"type": "string"}, {"type": "integer"}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string", "example": "Ada"}, "Ada"),
        ({"type": "string", "examples": ["Ada", "Bo"]}, "Ada"),
        ({"type": "string", "default": "c", "example": "a", "examples": ["b"]}, "a"),
        ({"type": "string", "default": "c", "examples": ["b"]}, "b"),
        ({"const": {"a": [1]}}, {"a": [1]}),
        ({"const": "a", "default": "b"}, "a"),
        ({"type": "integer", "default": 7}, 7),
        ({"enum": ["a", "b"], "default": "b"}, "b"),
        ({"enum": ["b", "a"]}, "b"),
        ({"type": "string", "enum": [None, "a"]}, "a"),
        ({"type": "integer", "enum": [True, 1]}, 1),
        ({"type": "string", "enum": ["a"], "example": "b"}, "a"),
        ({"type": "integer", "example": "7"}, 0),
        ({"type": "string", "nullable": True, "example": None}, None),
        ({"required": ["a"], "properties": {"a": NUMBER}, "example": {"b": 1}}, {"a": 0}),
        ({"type": "string", "pattern": "^a$", "example": "a"}, "a"),
        ({"example": {"$ref": "#/lists"}}, {"$ref": "#/lists"}),
    ],
)
def test_an_example_a_default_or_a_listed_value_is_taken(schema, value):
    assert sample(schema) == value


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({}, {}),
        (True, {}),
        ({"type": "object", "properties": {"a": TEXT}}, {}),
        ({"type": "object", "properties": {"a": TEXT, "b": NUMBER}, "required": ["b"]}, {"b": 0}),
        ({"type": "object", "required": ["a"]}, {"a": {}}),
        ({"type": "object", "required": ["a"], "additionalProperties": NUMBER}, {"a": 0}),
        ({"type": "object", "required": True}, {}),
        ({"required": ["a"], "properties": {"a": {**TEXT, "writeOnly": True}}}, {}),
        ({"type": "array", "items": TEXT}, []),
        ({"items": NUMBER, "minItems": 2}, [0, 0]),
        ({"items": NUMBER, "minItems": 1, "uniqueItems": True}, [0]),
        ({"type": "boolean"}, False),
        ({"type": "null"}, None),
        ({"type": ["null", "integer"]}, 0),
        ({"type": "string", "nullable": True}, ""),
        ({"type": "string", "minLength": 3}, "aaa"),
        ({"minLength": 1}, "a"),
        ({"type": "string", "format": "date-time"}, "2026-01-01T00:00:00Z"),
        ({"format": "uuid"}, "00000000-0000-4000-8000-000000000000"),
        ({"type": "string", "format": "byte"}, ""),
        ({"type": "integer"}, 0),
        ({"minimum": 5}, 5),
        ({"type": "integer", "exclusiveMinimum": 5}, 6),
        ({"type": "number", "minimum": 0.5, "maximum": 0.7}, 0.5),
        ({"type": "integer", "maximum": -3}, -3),
        ({"type": "number", "exclusiveMaximum": -3}, -4),
        ({"type": "integer", "minimum": 1, "multipleOf": 5}, 5),
        ({"type": "integer", "minimum": -5, "maximum": 5}, 0),
    ],
)
def test_the_smallest_value_of_the_type_is_made(schema, value):
    assert sample(schema) == value


def test_an_exclusive_bound_is_a_flag_in_3_0():
    schema = {"type": "integer", "minimum": 5, "exclusiveMinimum": True, "maximum": 9, "exclusiveMaximum": False}

    assert sample(schema, "3.0.3") == 6


def test_schemas_of_all_of_are_merged():
    base = {"type": "object", "required": ["id"], "properties": {"id": {"type": "number"}}}
    more = {"required": ["name"], "properties": {"name": TEXT, "id": {"minimum": 4}}}

    assert sample({"allOf": [ref("Base"), more]}, Base=base) == {"id": 4, "name": ""}


def test_an_example_of_one_schema_is_not_taken_for_all_when_members_are_missing():
    base = {**an_object(id=NUMBER), "example": {"id": 7}}

    assert sample({"allOf": [ref("Base"), an_object(name=TEXT)]}, Base=base) == {"id": 0, "name": ""}


def test_members_beside_a_reference_count_from_3_1_on():
    beside = {**ref("Text"), "minLength": 2}

    assert (sample(beside, "3.1.0", Text=TEXT), sample(beside, "3.0.3", Text=TEXT)) == ("aa", "")


@pytest.mark.parametrize("keyword", ["oneOf", "anyOf"])
def test_the_first_branch_of_a_choice_is_merged(keyword):
    schema = {**an_object(a=NUMBER), keyword: [an_object(b=TEXT), an_object(c=TEXT)]}

    assert sample(schema) == {"a": 0, "b": ""}


def test_a_schema_that_holds_itself_ends_at_optional_members_and_empty_lists():
    tree = {**an_object(name=TEXT, children={"type": "array", "items": ref("Tree")})}
    tree["properties"]["parent"] = ref("Tree")

    assert sample(ref("Tree"), Tree=tree) == {"name": "", "children": []}


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        (False, "allows nothing"),
        ("text", "'text' is not a schema"),
        ({"anyOf": []}, "allows nothing"),
        ({"oneOf": [False, TEXT]}, "allows nothing"),
        ({"required": ["a"], "additionalProperties": False}, "allows nothing"),
        ({"type": "object", "oneOf": [TEXT]}, "differ in type"),
        ({"allOf": [{"minimum": 1}, {"minimum": 2}]}, "differ in minimum"),
        ({"type": "string", "enum": [1]}, "a schema has enum and no example that fits"),
        ({"type": "string", "pattern": "a"}, "a schema has pattern and no example"),
        ({"type": "string", "pattern": "a", "example": 1}, "a schema has pattern and no example that fits"),
        ({"not": TEXT}, "a schema has not and"),
        ({"if": TEXT, "then": False}, "a schema has if and"),
        ({"dependentSchemas": {"a": False}}, "a schema has dependentSchemas and"),
        ({"type": "object", "minProperties": 1}, "a schema has minProperties and"),
        ({"oneOf": [ref("Kind")], "discriminator": {"propertyName": "kind"}}, "the discriminator 'kind' has no value"),
        ({"type": "integer", "minimum": 2, "maximum": 1}, "no simple number fits"),
        ({"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 2}, "no simple number fits"),
        ({"type": "number", "minimum": 1e300}, "no simple number fits"),
        ({"type": "integer", "minimum": 1, "multipleOf": 0}, "no simple number fits"),
        ({"type": "string", "minLength": 10**12}, "a text has to have a length"),
        ({"type": "string", "format": "uuid", "maxLength": 3}, "a text has to have a length that '00"),
        ({"type": "array", "minItems": 10**9}, "too large"),
        ({"type": "array", "minItems": 2, "uniqueItems": True}, "items that differ"),
        ({"type": "array", "minItems": 2, "maxItems": 1}, "more than it may have"),
        ({"$ref": "#/lists/1"}, "'#/lists/1' leads nowhere"),
        ({"$ref": "#anchor"}, "'#anchor' leads nowhere"),
        ({"$ref": "https://example.com/a.json"}, "leads to another document, and nothing is fetched"),
        ({"$ref": "file:///etc/passwd"}, "leads to another document, and nothing is fetched"),
        ({"$ref": "#/here/schema"}, "leads nowhere"),
        (ref("There"), "leads in a circle"),
        (ref("Loop"), "its schema requires itself"),
        ({"type": "strng"}, "type: expected types of JSON, got 'strng'"),
        ({"type": [7]}, "type: expected types of JSON, got a list of 1 item"),
        ({"properties": []}, "properties: expected a mapping, got a list of 0 items"),
        ({"required": "a"}, "required: expected a list, got 'a'"),
        ({"required": [7]}, "required: expected a list of names"),
        ({"allOf": {}}, "allOf: expected a list"),
        ({"minimum": "1"}, "minimum: expected a number, got '1'"),
        ({"enum": 1}, "enum: expected a list, got 1"),
    ],
)
def test_what_has_no_simple_value_is_left_out_with_the_reason(schema, reason):
    schemas = {"Loop": an_object(loop=ref("Loop")), "There": ref("Back"), "Back": ref("There")}

    with pytest.raises(LeftOutError) as left_out:
        sample(schema, **schemas, Kind=an_object(kind=TEXT))

    assert reason in str(left_out.value)


def doubling(levels):
    """Schemas of which each holds the next one twice."""
    names = [f"S{number}" for number in range(levels)]
    pairs = pairwise(names)
    return {**{name: an_object(a=ref(after), b=ref(after)) for name, after in pairs}, names[-1]: TEXT}


@pytest.mark.slow
@pytest.mark.parametrize(
    "schemas",
    [
        doubling(40),
        {f"S{number}": an_object(a=ref(f"S{number + 1}")) for number in range(60)} | {"S60": TEXT},
        {"S0": {"type": "array", "minItems": 9_000, "items": {"type": "array", "minItems": 9_000, "items": TEXT}}},
        {"S0": {"type": "array", "minItems": 1_000, "items": {"type": "string", "minLength": 60_000}}},
        {"S0": {"allOf": [{"enum": [[[]]] * 20_000}] * 2 + [{"enum": [[[]]] * 20_001}]}},
    ],
    ids=["doubled", "deep", "items", "texts", "lists"],
)
def test_a_schema_that_asks_for_too_much_ends_soon(schemas):
    start = time.process_time()

    with pytest.raises(LeftOutError):
        sample(ref("S0"), **schemas)

    assert time.process_time() - start < 5


# ---------------------------------------------------------------------- against a validator

leaves = st.one_of(
    st.just({}),
    st.just({"type": "boolean"}),
    st.builds(lambda low, width: {"type": "integer", "minimum": low, "maximum": low + width},
              st.integers(-50, 50), st.integers(0, 20)),
    st.builds(lambda low: {"type": "number", "exclusiveMinimum": low, "multipleOf": 0.5}, st.integers(-9, 9)),
    st.builds(lambda least: {"type": "string", "minLength": least}, st.integers(0, 9)),
    st.builds(lambda values: {"enum": values}, st.lists(st.integers() | st.text(max_size=3), min_size=1, max_size=3)),
)  # fmt: skip


def _object(properties, required):
    names = [name for name, wanted in zip(properties, required, strict=False) if wanted]
    return {"type": "object", "properties": properties, "required": names}


def _extended(inner):
    return st.one_of(
        st.builds(_object, st.dictionaries(st.sampled_from("abcd"), inner), st.lists(st.booleans())),
        st.builds(lambda items, least: {"type": "array", "items": items, "minItems": least}, inner, st.integers(0, 3)),
        st.builds(lambda branches: {"anyOf": branches}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda schema: {"allOf": [schema, {}]}, inner),
    )


@given(st.recursive(leaves, _extended, max_leaves=12))
def test_every_value_is_valid_by_its_schema(schema):
    Draft202012Validator(schema).validate(sample(schema))

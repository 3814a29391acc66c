"""The value that is made of a schema."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from tables import tables

from mockserver.beyond.openapi import Document, LeftOutError, Sampler

#: The parametrized cases by test.
CASES = tables(__file__)


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
        *CASES["an_example_a_default_or_a_listed"],
        ({"required": ["a"], "properties": {"a": NUMBER}, "example": {"b": 1}}, {"a": 0}),
    ],
)
def test_an_example_a_default_or_a_listed_value_is_taken(schema, value):
    assert sample(schema) == value


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        *CASES["the_smallest_value_of_the_type"],
        ({"type": "object", "properties": {"a": TEXT}}, {}),
        ({"type": "object", "properties": {"a": TEXT, "b": NUMBER}, "required": ["b"]}, {"b": 0}),
        ({"type": "object", "required": ["a"], "additionalProperties": NUMBER}, {"a": 0}),
        ({"required": ["a"], "properties": {"a": {**TEXT, "writeOnly": True}}}, {}),
        ({"type": "array", "items": TEXT}, []),
        ({"items": NUMBER, "minItems": 2}, [0, 0]),
        ({"items": NUMBER, "minItems": 1, "uniqueItems": True}, [0]),
    ],
)
def test_the_smallest_value_of_the_type_is_made(schema, value):
    assert sample(schema) == value


def test_an_exclusive_bound_is_a_flag_in_3_0():
    schema = {"type": "integer", "minimum": 5, "exclusiveMinimum": True, "maximum": 9, "exclusiveMaximum": False}

    assert sample(schema, "3.0.3") == 6


def test_schemas_within_all_of_are_merged_into_one():
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
        *CASES["what_has_no_simple_value_is_left"],
        ({"oneOf": [False, TEXT]}, "allows nothing"),
        ({"type": "object", "oneOf": [TEXT]}, "differ in type"),
        ({"not": TEXT}, "a schema has not and"),
        ({"if": TEXT, "then": False}, "a schema has if and"),
        ({"oneOf": [ref("Kind")], "discriminator": {"propertyName": "kind"}}, "the discriminator 'kind' has no value"),
        ({"type": "string", "minLength": 10**12}, "a text has to have a length"),
        ({"type": "array", "minItems": 10**9}, "too large"),
        (ref("There"), "leads in a circle"),
        (ref("Loop"), "its schema requires itself"),
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

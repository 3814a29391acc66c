"""The smallest value that a schema allows."""

from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from mockserver.beyond.openapi.document import Document, DocumentError, LeftOutError, Node
from mockserver.beyond.openapi.samples import Sampler


def sample(schema, version="3.1.0", **schemas):
    document = Document({"openapi": version, "components": {"schemas": schemas}, "lists": [{"const": 7}]})
    return Sampler(document).sample((Node(schema, ("here",)),))


def ref(name):
    return {"$ref": f"#/components/schemas/{name}"}


def an_object(**properties):
    return {"type": "object", "required": list(properties), "properties": properties}


TEXT, NUMBER = {"type": "string"}, {"type": "integer"}


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({}, {}),
        (True, {}),
        ({"type": "object", "properties": {"a": TEXT}}, {}),
        ({"type": "object", "properties": {"a": TEXT, "b": NUMBER}, "required": ["b"]}, {"b": 0}),
        ({"type": "object", "required": ["a"]}, {"a": {}}),
        ({"type": "object", "required": ["a"], "additionalProperties": NUMBER}, {"a": 0}),
        ({"type": "object", "minProperties": 2, "properties": {"a": TEXT}}, {"a": "", "member1": {}}),
        ({"required": ["a"], "properties": {"a": {**TEXT, "writeOnly": True}}}, {}),
        ({"properties": {}}, {}),
        ({"type": "array", "items": TEXT}, []),
        ({"type": "array", "items": NUMBER, "minItems": 2}, [0, 0]),
        ({"minItems": 1, "prefixItems": [TEXT], "items": NUMBER}, [""]),
        ({"minItems": 2, "prefixItems": [TEXT], "items": NUMBER}, ["", 0]),
        ({"type": "boolean"}, False),
        ({"type": "null"}, None),
        ({"type": ["null", "integer"]}, 0),
        ({"type": "string", "nullable": True}, ""),
        ({"enum": ["b", "a"]}, "b"),
        ({"type": "string", "enum": [None, "a"]}, "a"),
        ({"type": "integer", "enum": [True, 1]}, 1),
        ({"const": {"a": [1]}}, {"a": [1]}),
        ({"type": "string", "example": "Ada"}, "Ada"),
        ({"type": "string", "examples": ["Ada", "Bo"]}, "Ada"),
        ({"type": "integer", "example": "7"}, 0),
        ({"type": "integer", "default": 7}, 7),
        ({"enum": ["a", "b"], "default": "b"}, "b"),
        ({"type": "string", "minLength": 3}, "aaa"),
        ({"minLength": 1}, "a"),
        ({"type": "string", "format": "date-time"}, "2026-01-01T00:00:00Z"),
        ({"type": "string", "format": "uuid"}, "00000000-0000-4000-8000-000000000000"),
        ({"type": "string", "format": "email", "minLength": 20}, "aaaauser@example.com"),
        ({"type": "string", "format": "uri", "minLength": 22}, "https://example.com/aa"),
        ({"type": "string", "format": "byte"}, ""),
        ({"type": "string", "pattern": "^[A-Z]{3}-\\d+$"}, "AAA-0"),
        ({"type": "string", "pattern": "^[a-z]+$", "minLength": 3}, "aaa"),
    ],
)
def test_the_smallest_value_is_found(schema, value):
    assert sample(schema) == value


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "integer"}, 0),
        ({"type": "number"}, 0),
        ({"minimum": 5}, 5),
        ({"type": "integer", "minimum": 1.5}, 2),
        ({"type": "integer", "exclusiveMinimum": 5}, 6),
        ({"type": "number", "exclusiveMinimum": 5}, 6),
        ({"type": "number", "exclusiveMinimum": 0, "maximum": 0.5}, 0.25),
        ({"type": "integer", "maximum": -3}, -3),
        ({"type": "number", "exclusiveMaximum": -3}, -4),
        ({"type": "number", "minimum": 0.05, "multipleOf": 0.1}, 0.1),
        ({"type": "integer", "minimum": 1, "multipleOf": 2.5}, 5),
        ({"type": "integer", "minimum": 1, "allOf": [{"multipleOf": 4}, {"multipleOf": 6}]}, 12),
        ({"type": "integer", "minimum": -5, "maximum": 5}, 0),
    ],
)
def test_the_number_nearest_to_0_is_found(schema, value):
    assert sample(schema) == value


def test_exclusive_bounds_of_3_0_are_flags():
    schema = {"type": "integer", "minimum": 5, "exclusiveMinimum": True, "maximum": 9, "exclusiveMaximum": False}
    assert sample(schema, "3.0.3") == 6


def test_schemas_of_all_of_hold_together():
    base = {"type": "object", "required": ["id"], "properties": {"id": {"type": "number", "minimum": 2}}}
    more = {"required": ["name"], "properties": {"name": TEXT, "id": {"type": "integer", "minimum": 4}}}

    assert sample({"allOf": [ref("Base"), more]}, Base=base) == {"id": 4, "name": ""}


def test_a_reference_may_lead_into_a_list():
    assert sample({"$ref": "#/lists/0"}) == 7


def test_references_that_lead_in_a_circle_are_told_with_the_place():
    document = Document({"openapi": "3.1.0", "a": {"$ref": "#/b"}, "b": {"$ref": "#/a"}})

    with pytest.raises(DocumentError, match="in a circle"):
        document.resolved(Node({"$ref": "#/a"}, ()))


def test_a_type_is_the_one_that_all_schemas_allow():
    both = [{"type": ["number", "string"]}, {"type": ["integer", "boolean"]}]

    assert (sample({"allOf": both}), sample({"allOf": both[::-1]})) == (0, 0)


def test_members_beside_a_reference_count_from_3_1_on():
    beside = {**ref("Text"), "minLength": 2}

    assert (sample(beside, "3.1.0", Text=TEXT), sample(beside, "3.0.3", Text=TEXT)) == ("aa", "")


@pytest.mark.parametrize("keyword", ["oneOf", "anyOf"])
def test_the_first_branch_that_works_is_taken(keyword):
    schema = {**an_object(a=NUMBER), keyword: [False, an_object(b=TEXT), an_object(c=TEXT)]}

    assert sample(schema) == {"a": 0, "b": ""}


def test_choices_within_choices_are_made():
    inner = {"oneOf": [{"type": "string", "maxLength": 0, "minLength": 1}, {"type": "integer", "minimum": 3}]}

    assert sample({"anyOf": [{"oneOf": [False]}, {"allOf": [inner, {"multipleOf": 2}]}]}) == 4


def test_a_discriminator_tells_which_branch_was_taken():
    pet = {"oneOf": [ref("Cat"), ref("Dog")], "discriminator": {"propertyName": "kind", "mapping": {"cat": "Cat"}}}
    kind = an_object(kind=TEXT)

    assert sample(pet, Cat=kind, Dog=kind) == {"kind": "cat"}
    assert sample({**pet, "discriminator": {"propertyName": "kind"}}, Cat=kind, Dog=kind) == {"kind": "Cat"}


def test_a_schema_that_holds_itself_ends_where_it_may():
    tree = an_object(
        name=TEXT, children={"type": "array", "items": ref("Tree")}, parent={"anyOf": [ref("Tree"), {"type": "null"}]}
    )

    assert sample(ref("Tree"), Tree=tree) == {"name": "", "children": [], "parent": None}


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        (False, "allows nothing"),
        ({"type": "string", "enum": [1]}, "no value of an enum"),
        ({"allOf": [TEXT, NUMBER]}, "allows nothing"),
        ({"allOf": [{"enum": [1]}, {"enum": [2]}]}, "allows nothing"),
        ({"type": "integer", "minimum": 2, "maximum": 1}, "within the bounds"),
        ({"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 2}, "within the bounds"),
        ({"type": "number", "minimum": 1e300}, "beyond 64 bits"),
        ({"type": "string", "minLength": 10**12}, "has to have 1000000000000 characters"),
        ({"type": "string", "format": "uuid", "maxLength": 3}, "at most 3 characters"),
        ({"type": "string", "format": "date", "minLength": 30}, "of the format date has to have 30"),
        ({"type": "string", "pattern": "(?=a)b"}, r"(?= in the pattern '(?=a)b'"),
        ({"allOf": [{"pattern": "a"}, {"pattern": "b"}]}, "several patterns"),
        ({"type": "array", "minItems": 10**9}, "has to have 1000000000 items"),
        ({"type": "array", "minItems": 2, "uniqueItems": True}, "2 items that differ"),
        ({"type": "array", "minItems": 2, "maxItems": 1}, "more items than it may have"),
        ({"type": "object", "minProperties": 1, "additionalProperties": False}, "more members than are named"),
        ({"required": ["a"], "additionalProperties": False}, "the member 'a' is required"),
        ({"allOf": [False, {"$ref": "#/lists/0"}]}, "allows nothing"),
        ({"anyOf": []}, "without a branch"),
        ({"$ref": "https://example.com/a.json"}, "another document, and nothing is fetched"),
        ({"$ref": "#anchor"}, "no JSON Pointer"),
        (ref("Loop"), "a schema requires itself"),
        (ref("Either"), "a schema requires itself"),
    ],
)  # fmt: skip
def test_what_has_no_value_is_left_out_with_the_reason(schema, reason):
    schemas = {
        "Loop": an_object(loop=ref("Loop")),
        "Either": {"anyOf": [ref("Other")]},
        "Other": {"anyOf": [ref("Either")]},
    }

    with pytest.raises(LeftOutError) as left_out:
        sample(schema, **schemas)

    assert reason in str(left_out.value)


@pytest.mark.parametrize(
    ("schema", "place", "message"),
    [
        ("text", (), "must be a mapping"),
        ({"type": "strng"}, ("type",), "'strng' is no type of JSON"),
        ({"type": [7]}, ("type",), "7 is no type of JSON"),
        ({"properties": []}, ("properties",), "must be a mapping"),
        ({"properties": {"a": 7}, "required": ["a"]}, ("properties", "a"), "must be a mapping"),
        ({"required": "a"}, ("required",), "must be a list"),
        ({"required": [7]}, ("required", 0), "must be a text"),
        ({"allOf": {}}, ("allOf",), "must be a list"),
        ({"minimum": "1"}, ("minimum",), "must be a number"),
        ({"multipleOf": True}, ("multipleOf",), "must be a number above 0"),
        ({"multipleOf": 0}, ("multipleOf",), "must be a number above 0"),
        ({"enum": 1}, ("enum",), "must be a list"),
        ({"$ref": 7}, ("$ref",), "must be a text"),
        ({"$ref": "#/components/schemas/None"}, ("$ref",), "leads nowhere: there is no 'None'"),
        ({"$ref": "#/lists/1"}, ("$ref",), "leads nowhere: there is no '1'"),
        ({"$ref": "#/openapi/x"}, ("$ref",), "leads nowhere: there is no 'x'"),
    ],
)
def test_what_is_no_schema_is_told_with_its_place(schema, place, message):
    with pytest.raises(DocumentError) as error:
        sample(schema)

    assert error.value.path == ("here", *place)
    assert message in error.value.message


def doubling(levels):
    """Schemas of which each holds the next one twice."""
    names = [f"S{number}" for number in range(levels)]
    pairs = pairwise(names)
    return {**{name: an_object(a=ref(after), b=ref(after)) for name, after in pairs}, names[-1]: TEXT}


def branching(levels):
    """Schemas of which each is one of two, and only the last one of all works."""
    names = [f"S{number}" for number in range(levels)]
    pairs = pairwise(names)
    return {**{name: {"anyOf": [{"allOf": [ref(after)]}, ref(after)]} for name, after in pairs}, names[-1]: False}


@pytest.mark.slow
@pytest.mark.parametrize(
    "schemas",
    [
        doubling(40),
        branching(40),
        {"S0": {"allOf": [{"anyOf": [{"type": "string", "minLength": 2, "maxLength": 1}] * 10}] * 10}},
        {f"S{number}": an_object(a=ref(f"S{number + 1}")) for number in range(60)} | {"S60": TEXT},
        {"S0": {"type": "array", "minItems": 9_000, "items": {"type": "array", "minItems": 9_000, "items": TEXT}}},
        {"S0": {"type": "array", "minItems": 1_000, "items": {"type": "string", "minLength": 99_000}}},
        {"S0": {"type": "object", "minProperties": 10**9}},
    ],
    ids=["doubled", "branches", "choices", "deep", "items", "texts", "members"],
)
def test_a_schema_that_asks_for_too_much_ends_soon(schemas):
    start = time.process_time()

    with pytest.raises(LeftOutError):
        sample(ref("S0"), **schemas)

    assert time.process_time() - start < 5


def test_what_is_found_again_is_not_looked_for_again():
    shared = {f"S{number}": an_object(**{f"a{number}": ref(f"S{number + 1}")}) for number in range(20)} | {"S20": TEXT}
    wide = an_object(**{f"m{number}": ref("S0") for number in range(400)})

    assert len(sample(wide, **shared)) == 400


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


def _object(properties, required, least):
    names = [name for name, wanted in zip(properties, required, strict=False) if wanted]
    return {"type": "object", "properties": properties, "required": names, "minProperties": least}


def _extended(inner):
    return st.one_of(
        st.builds(_object, st.dictionaries(st.sampled_from("abcd"), inner), st.lists(st.booleans()), st.integers(0, 6)),
        st.builds(lambda items, least: {"type": "array", "items": items, "minItems": least}, inner, st.integers(0, 3)),
        st.builds(lambda branches: {"anyOf": branches}, st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda schema: {"allOf": [schema, {}]}, inner),
        st.builds(lambda schema: {"anyOf": [False, {"allOf": [schema]}]}, inner),
    )


@given(st.recursive(leaves, _extended, max_leaves=12))
def test_every_value_is_valid_by_its_schema(schema):
    Draft202012Validator(schema).validate(sample(schema))

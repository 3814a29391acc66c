"""Whatever a document holds, it gives stubs and reasons, and soon."""

import time
from contextlib import suppress
from itertools import pairwise

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from mockserver.beyond.openapi import DocumentError, imported
from mockserver.beyond.stubs.schema import StubItem

TEXTS = ["", "a", "{{ a }}", "#/a", "#/components/schemas/A", "object", "string", "^a+$"]
NUMBERS = [1e308, -0.5, 2**63 - 1]
#: What stands where something else is wanted.
odd = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from([*TEXTS, *NUMBERS]),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["a", "type", "$ref"]), inner, max_size=2)
    ),
    max_leaves=4,
)
KEYWORDS = [
    "type", "properties", "required", "items", "prefixItems", "allOf", "anyOf", "oneOf", "enum", "const", "example",
    "examples", "default", "minimum", "maximum", "exclusiveMinimum", "multipleOf", "minLength", "maxLength",
    "pattern", "format", "minItems", "maxItems", "uniqueItems", "minProperties", "additionalProperties", "nullable",
    "discriminator", "writeOnly", "$ref",
]  # fmt: skip
LISTED = ["allOf", "anyOf", "oneOf", "prefixItems"]
#: Schemas of which now and then a member is no good.
schemas = st.recursive(
    odd | st.dictionaries(st.sampled_from(KEYWORDS), odd, max_size=3),
    lambda inner: st.builds(
        lambda plain, one, many, named: {**plain, **one, **many, **named},
        st.dictionaries(st.sampled_from(KEYWORDS), odd, max_size=2),
        st.dictionaries(st.sampled_from(["items", "additionalProperties"]), inner, max_size=1),
        st.dictionaries(st.sampled_from(LISTED), st.lists(inner, max_size=2), max_size=1),
        st.dictionaries(
            st.sampled_from(["properties"]), st.dictionaries(st.sampled_from("ab"), inner, max_size=2), max_size=1
        ),
    ),
    max_leaves=6,
)


def document(response, **members):
    paths = {"/v3/a/{b}": {"get": {"responses": {"200": response}}}}
    return {"openapi": "3.1.0", "paths": paths, "components": {"schemas": {"A": {"minItems": 1}}}, **members}


def check(found):
    stubs, left_out = found
    for stub in stubs:
        StubItem().load(stub)
    for row in left_out:
        assert row.reason
        assert row.place[0] == "paths"


@examples(600)
@given(schemas, st.sampled_from(["3.0.3", "3.1.0"]))
def test_random_schema_gives_a_stub_or_an_error(schema, version):
    with suppress(DocumentError):
        check(imported(document({"content": {"application/json": {"schema": schema}}}, openapi=version)))


def test_a_reference_in_the_place_of_the_text_of_one_is_refused():
    schema = {"$ref": {"$ref": ""}}

    with pytest.raises(DocumentError, match="a `\\$ref` is a reference itself"):
        imported(document({"content": {"application/json": {"schema": schema}}}))


@examples(300)
@given(
    odd | st.dictionaries(st.sampled_from(["content", "headers", "$ref", "description"]), odd, max_size=2)
    | st.builds(lambda media: {"content": {"application/json": media}},
                st.dictionaries(st.sampled_from(["schema", "example", "examples"]), odd, max_size=2))
    | st.builds(lambda header: {"headers": {"X-A": header}},
                st.dictionaries(st.sampled_from(["required", "schema", "example", "examples"]), odd, max_size=3)),
    st.dictionaries(st.sampled_from(["servers", "info", "components", "paths", "openapi"]), odd, max_size=2),
)  # fmt: skip
def test_random_document_gives_stubs_or_an_error(response, members):
    with suppress(DocumentError):
        check(imported(document(response, **members)))


LARGE = {"schema": {"type": "array", "minItems": 5_000, "items": {"type": "integer"}}}


@pytest.mark.slow
@pytest.mark.parametrize(
    "paths",
    [
        {f"/v3/a{number}": {"get": {"responses": {"200": {"$ref": "#/x"}}}} for number in range(9_000)},
        {f"/v3/{'a' * 100_000}/{number}": {"get": {}} for number in range(10)},
        {f"/v3/{'{' * 1_000_000}": {"get": {}}},
        {"/v3/" + "{a}/" * 1_000: {"get": {"responses": {"204": {}}}}},
        {f"/{number}": {} for number in range(20_000)},
        {f"/v3/a{number}": {"get": {"responses": {"200": {"$ref": "#/paths/a"}}}} for number in range(9_000)}
        | {"a": {"$ref": "#/paths/b"}, "b": {"$ref": "#/paths/a"}},
        {
            f"/v3/a{number}": {"get": {"responses": {"200": {"content": {"application/json": LARGE}}}}}
            for number in range(9_000)
        },
    ],
    ids=["broken", "long", "braces", "deep", "many", "circles", "large"],
)
def test_a_large_document_is_answered_soon(paths):
    start = time.process_time()

    with suppress(DocumentError):
        check(imported({"openapi": "3.0.3", "paths": paths}))

    assert time.process_time() - start < 10


def test_defaults_that_repeat_each_other_in_the_address_of_a_server_end_soon():
    names = "abcdefghij"
    variables = {name: {"default": f"{{{after}}}" * 1_000} for name, after in pairwise(names)}
    server = {"url": "/{a}" * 1_000, "variables": variables}

    stubs, (row,) = imported(document({}, servers=[server]))

    assert (stubs, "too large" in row.reason) == ([], True)

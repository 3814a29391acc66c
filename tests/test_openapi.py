"""The OpenAPI document: valid, complete, and with examples that are true."""

from __future__ import annotations

import json
import re
from http import HTTPStatus

import pytest
import yaml
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from mockserver.core.contract.errors import SPEC_CODES
from mockserver.core.contract.operation import Mark
from mockserver.evidence.openapi import document
from mockserver.resources.registry import API_OPERATIONS

DECLARED = {
    found["operationId"]: (method, path, found)
    for path, methods in document()["paths"].items()
    for method, found in methods.items()
}
ANSWERS = [(name, status) for name, (_, _, found) in DECLARED.items() for status in found["responses"]]
BODIES = [
    (name, status)
    for name, status in ANSWERS
    if "application/json" in DECLARED[name][2]["responses"][status].get("content", ())
]


def content(name, status):
    return DECLARED[name][2]["responses"][status]["content"]["application/json"]


def check(value, schema):
    """Hold a value against a schema of the document, formats included."""
    draft = "https://json-schema.org/draft/2020-12/schema"
    whole = {"$schema": draft, "components": document()["components"], **schema}
    Draft202012Validator(whole, format_checker=Draft202012Validator.FORMAT_CHECKER).validate(value)


def test_the_document_is_a_valid_one_of_openapi_3_1():
    OpenAPIV31SpecValidator(document()).validate()
    assert document()["openapi"].startswith("3.1.")


def test_document_has_all_operations_with_methods_and_paths():
    wanted = {name: (row.method.lower(), row.path) for name, row in API_OPERATIONS.items()}
    assert {name: (method, path) for name, (method, path, _) in DECLARED.items()} == wanted


def test_every_declared_error_is_documented_with_its_code():
    for name, operation in API_OPERATIONS.items():
        assert {"400", "401", "429"} <= DECLARED[name][2]["responses"].keys()
        for error in operation.errors:
            examples = content(name, str(error.status))["examples"]
            assert error.code.code in {example["value"]["code"] for example in examples.values()}, name


def test_every_answer_with_a_body_has_examples_that_its_schema_accepts():
    for name, status in BODIES:
        found = content(name, status)
        assert found["examples"], name
        for example in found["examples"].values():
            check(example["value"], found["schema"])


def test_answers_without_a_body_belong_to_operations_without_an_answer():
    for name, status in ANSWERS:
        if (name, status) not in BODIES and not API_OPERATIONS[name].media:
            assert int(status) in API_OPERATIONS[name].successes
            assert int(status) == HTTPStatus.NO_CONTENT or API_OPERATIONS[name].answer_schema is None


def test_every_answer_declares_its_headers_and_a_401_no_rate_limit():
    known = document()["components"]["headers"].keys()
    for name, status in ANSWERS:
        expected = {"sib-request-id"} if status == "401" else known
        assert DECLARED[name][2]["responses"][status]["headers"].keys() == expected, (name, status)


def test_bodies_and_paths_have_examples_that_their_schemas_accept():
    for name, row in API_OPERATIONS.items():
        if row.body_schema:
            found = DECLARED[name][2]["requestBody"]["content"]["application/json"]
            check(found["example"], found["schema"])
        parameters = [found for found in DECLARED[name][2].get("parameters", ()) if found["in"] == "path"]
        assert {found["name"] for found in parameters} == {
            part[1:-1] for part in row.path.split("/") if part.startswith("{")
        }
        for found in parameters:
            check(found["example"], found["schema"])


def test_every_error_code_of_its_examples_is_one_of_the_service():
    others = {"not_found", "too_many_requests", "account_in_process"}
    for name, status in BODIES:
        if int(status) >= 400:
            codes = {example["value"]["code"] for example in content(name, status)["examples"].values()}
            assert codes <= SPEC_CODES.keys() | others


def test_every_field_carries_its_evidence():
    marks = set(Mark)
    for name, schema in document()["components"]["schemas"].items():
        for member, found in schema.get("properties", {}).items() if name != "Error" else ():
            assert found["x-fidelity"] in marks, f"{name}.{member}"


def test_the_document_is_served_as_json_and_as_yaml(api):
    answer = api.get("/_mock/openapi.json")
    assert (answer.status_code, answer.content_type) == (200, "application/json")
    assert answer.json == json.loads(json.dumps({**document(), "servers": [{"url": ".."}]}))
    answer = api.get("/_mock/openapi.yaml")
    assert (answer.status_code, answer.content_type) == (200, "application/yaml")
    assert yaml.load(answer.data, yaml.CSafeLoader) == api.get("/_mock/openapi.json").json


def test_the_sources_of_the_document_are_places_that_a_reader_can_go_to():
    text = json.dumps(document())

    assert "docs/contract/webhooks.md#getWebhooks" in text
    assert re.findall(r"(?<!docs/)contract/", text) == []


def _bounds(value):
    """Yield the bounds of numbers that a document has, with the schema of each."""
    for name, inner in value.items() if isinstance(value, dict) else enumerate(value):
        if name in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum") and isinstance(inner, int | float):
            yield inner, value
        if isinstance(inner, dict | list):
            yield from _bounds(inner)


@pytest.mark.parametrize("name", ["openapi.json", "control.json"])
def test_no_bound_is_one_that_the_format_of_integers_implies(api, name):
    found = list(_bounds(api.get(f"/_mock/{name}").json))

    assert found
    own = (2**63 - 1, -(2**63), 2**31 - 1, -(2**31))
    assert [row for bound, row in found if "format" in row and bound in own] == []
    # A program that keeps numbers as doubles can hold each.
    assert [row for bound, row in found if isinstance(bound, int) and abs(bound) > 2**62] == []

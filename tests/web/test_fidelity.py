"""The fidelity record: for each field, bound and error a mark, and a source that a reader can open."""

import re

import pytest
from marshmallow import fields, validate
from tables import tables

from mockserver.core.contract.errors import DOCUMENT_NOT_FOUND, INVALID_PARAMETER, MISSING_PARAMETER
from mockserver.core.contract.operation import Mark, Operation, documented_error, error_observed_in_code
from mockserver.evidence.fidelity import record
from mockserver.resources.registry import ALL_OPERATIONS
from mockserver.web.schemas.evidence import documented, proposed
from mockserver.web.schemas.evidence import observed_in_code as seen
from mockserver.web.schemas.fields import Int64, Range, Text
from mockserver.web.schemas.schema import Input, Output

#: The tables of the tests by name.
CASES = tables(__file__)
RECORD = record(ALL_OPERATIONS.values())["operations"]
FIELDS = [(name, field) for name, row in RECORD.items() for field in row["fields"]]
ERRORS = [(name, error) for name, row in RECORD.items() for error in row["errors"]]


class _Item(Input):
    weight = Int64(validate=Range(1, 5), **documented(bounds="OpenAPI document of 2020"))


class _Query(Input):
    limit = Int64(validate=Range(0, 10), **documented())
    items = fields.List(fields.Nested(_Item), validate=validate.Length(1), **documented(minItems=1))
    hint = Text(**seen(programs=3))
    word = Text(**proposed())


class _Path(Input):
    key = Text(data_key="thingId", required=True, **documented())


class _Answer(Output):
    id = Int64(**documented())
    extra = Text(**documented(source="specification 9.9"))


@pytest.fixture(scope="module")
def found():
    """The record of an operation that was made up."""
    operation = Operation(
        "readThing", "GET", "/v3/thing", "things", "Read a thing", "specification 4.1, contract/senders#rows", 200,
        lambda: None,
        path_schema=_Path, query_schema=_Query, body_schema=_Item, answer_schema=_Answer,
        errors=(
            error_observed_in_code(DOCUMENT_NOT_FOUND, "there is none", "contract/webhooks#getWebhooks", programs=13),
            documented_error(INVALID_PARAMETER, "too long"),
            documented_error(MISSING_PARAMETER, "absent", "specification 7.3"),
        ),
    )  # fmt: skip
    row = record([operation])["operations"]["readThing"]
    return row | {"fields": {f"{field['in']} {field['name']}": field for field in row["fields"]}}


def test_every_field_is_recorded_with_its_location_and_its_name_on_the_wire(found):
    assert list(found["fields"]) == [
        "path thingId",
        "query limit",
        "query items[]",
        "query items[].weight",
        "query hint",
        "query word",
        "body weight",
        "answer id",
        "answer extra",
    ]


def test_a_name_that_the_specification_shows_is_cited_with_the_place_of_its_operation(found):
    assert found["fields"]["query limit"] | {"bounds": None} == {
        "in": "query",
        "name": "limit",
        "mark": "documented",
        "source": "specification 4.1, docs/contract/senders.md#rows",
        "bounds": None,
    }


def test_a_name_of_an_answer_is_cited_from_the_document_that_shows_it(found):
    assert found["fields"]["answer id"]["source"] == "OpenAPI document of February 2026, docs/contract/senders.md#rows"


def test_a_source_of_the_fields_own_comes_before_that_of_its_schema(found):
    assert found["fields"]["answer extra"]["source"] == "specification 9.9, docs/contract/senders.md#rows"


@pytest.mark.parametrize(
    ("name", "bounds"),
    [
        ("query limit", {"minimum": 0, "maximum": 10, "mark": "proposed"}),
        ("query items[]", {"minItems": 1, "mark": "proposed"}),
        ("query items[].weight", {"minimum": 1, "maximum": 5, "mark": "documented"}),
    ],
)
def test_bounds_have_a_mark_of_their_own_and_are_proposed_until_a_document_has_them(found, name, bounds):
    told = found["fields"][name]["bounds"]

    assert {key: value for key, value in told.items() if key != "source"} == bounds
    assert ("OpenAPI document of 2020" in told["source"]) is (bounds["mark"] == "documented")


def test_a_field_that_only_its_type_bounds_has_no_bounds(found):
    assert "bounds" not in found["fields"]["answer id"]
    assert "bounds" not in found["fields"]["query word"]


def test_a_field_that_public_programs_show_is_recorded_with_their_number(found):
    assert found["fields"]["query hint"] == {
        "in": "query",
        "name": "hint",
        "mark": "observed_in_code",
        "source": "specification 4.1, docs/contract/senders.md#rows",
        "programs": 3,
    }
    assert found["errors"][:1] == [
        {
            "status": 404,
            "code": "document_not_found",
            "when": "there is none",
            "mark": "observed_in_code",
            "source": "docs/contract/webhooks.md#getWebhooks",
            "programs": 13,
        }
    ]
    assert "programs" not in found["fields"]["query word"]


def test_an_error_without_a_source_is_cited_from_the_source_of_its_operation(found):
    assert [(error["when"], error["source"]) for error in found["errors"][1:]] == [
        ("too long", "docs/contract/senders.md#rows"),
        ("absent", "specification 7.3, docs/contract/senders.md#rows"),
    ]


def test_marks_are_in_order_the_surest_first():
    assert list(Mark) == ["documented", "observed", "observed_in_code", "proposed"]


@pytest.mark.parametrize("entries", [FIELDS, ERRORS], ids=["fields", "errors"])
def test_every_source_of_a_mark_names_a_contract_page(entries):
    closed = [(name, entry) for name, entry in entries if not re.search(r"docs/contract/[\w-]+\.md", entry["source"])]

    assert closed == []
    assert [entry for _, entry in entries if re.search(r"(?<!docs/)contract/", entry["source"])] == []


@pytest.mark.parametrize(("name", "place", "field"), CASES["not_shown"])
def test_a_name_that_the_specification_does_not_show_is_not_cited_from_it(name, place, field):
    (entry,) = [entry for entry in RECORD[name]["fields"] if (entry["in"], entry["name"]) == (place, field)]

    assert "OpenAPI document" in entry["source"]
    assert "specification" not in entry["source"]


@pytest.mark.parametrize(
    ("name", "place", "field"),
    [
        ("createSender", "body", "email"), ("createWebhook", "body", "batched"), ("createWebhook", "answer", "id"),
        ("exportWebhooksHistory", "body", "notifyURL"), ("getSubAccount", "answer", "planInfo.credits.emails.quantity"),
        ("getInboundEmailEvents", "answer", "events[].uuid"), ("getSharedTemplateUrl", "answer", "sharedUrl"),
    ],
)  # fmt: skip
def test_a_name_that_the_specification_shows_is_cited_from_it(name, place, field):
    (entry,) = [entry for entry in RECORD[name]["fields"] if (entry["in"], entry["name"]) == (place, field)]

    assert entry["source"].startswith("specification ")

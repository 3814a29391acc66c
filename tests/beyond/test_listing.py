"""`GET /_mock/beyond`: the operations that only the service has, and how a call of each would be answered."""

import pytest

from mockserver.beyond.catalogue import catalogue
from mockserver.resources.registry import FURTHER_OPERATIONS, OPERATIONS

STUBS = [
    {"id": "one", "method": "GET", "path": "/v3/companies/{name}", "answer": {}},
    {"id": "any", "method": "PATCH", "path": "/v3/companies/{kind}/{id}", "answer": {}},
    {"id": "fixed", "method": "GET", "path": "/v3/companies/import", "answer": {}},
    {"id": "other", "method": "PATCH", "path": "/v3/companies/{name}", "answer": {}},
    {"id": "long", "method": "PATCH", "path": "/v3/companies/{name}/notes", "answer": {}},
]


def listed(api):
    """The rows of the list by operation."""
    return {row["operation"]: row for row in api.get("/_mock/beyond").json["items"]}


def test_each_operation_has_a_row_with_its_address(api):
    rows = listed(api)

    assert list(rows) == list(catalogue())
    assert rows["getCompaniesById"] == {
        "operation": "getCompaniesById",
        "method": "GET",
        "path": "/v3/companies/{id}",
        "status": 200,
        "answered": "refused",
        "stubs": [],
    }


@pytest.mark.parametrize(
    ("setting", "behaviour", "answered"),
    [("refuse", {}, "refused"), ("shape", {}, "shaped"), ("shape", {"beyond": "forward"}, "forwarded")],
)
def test_listing_shows_how_the_workspace_answers_a_call(make_api, setting, behaviour, answered):
    api = make_api({"behaviour": behaviour}, beyond=setting, forward_to="http://127.0.0.1:9")

    assert {row["answered"] for row in listed(api).values()} == {answered}


def test_listing_names_the_stubs_that_match_an_address(make_api):
    rows = listed(make_api({"stubs": STUBS}))

    assert rows["getCompaniesById"]["stubs"] == ["one", "fixed"]
    assert rows["patchCompaniesLinkunlinkById"]["stubs"] == ["any", "long"]
    assert rows["patchCompaniesById"]["stubs"] == ["other"]
    assert rows["getCompanies"]["stubs"] == []


def test_a_stub_that_is_spent_is_not_named(make_api):
    api = make_api({"stubs": [{**STUBS[0], "times": 1}]})
    api.get("/v3/companies/7")

    assert listed(api)["getCompaniesById"]["stubs"] == []


def test_the_index_lists_all_operations_by_how_they_are_answered(make_api):
    api = make_api({"stubs": [{"method": "GET", "path": "/v3/companies/{id}", "answer": {}}]})

    found = api.get("/_mock").json["operations"]

    assert found["specification"] == list(OPERATIONS)
    assert found["further"] == list(FURTHER_OPERATIONS)
    assert found["stubbed"] == ["getCompaniesById"]
    assert [name for name in catalogue() if name != "getCompaniesById"] == found["named"]

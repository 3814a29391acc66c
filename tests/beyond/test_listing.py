"""`GET /_mock/beyond`: the operations that only the service has, and how a call of each would be answered."""

import pytest

from mockserver.beyond.catalogue import catalogue
from mockserver.resources.registry import FURTHER_OPERATIONS, OPERATIONS

STUBS = [
    {"id": "one", "method": "GET", "path": "/v3/contacts/{email}", "answer": {}},
    {"id": "any", "method": "GET", "path": "/v3/contacts/{kind}/{id}", "answer": {}},
    {"id": "fixed", "method": "GET", "path": "/v3/contacts/import", "answer": {}},
    {"id": "other", "method": "PUT", "path": "/v3/contacts/{email}", "answer": {}},
    {"id": "long", "method": "GET", "path": "/v3/contacts/{email}/notes", "answer": {}},
]


def listed(api):
    """The rows of the list by operation."""
    return {row["operation"]: row for row in api.get("/_mock/beyond").json["items"]}


def test_each_operation_has_a_row_with_its_address(api):
    rows = listed(api)

    assert list(rows) == list(catalogue())
    assert rows["getList"] == {
        "operation": "getList",
        "method": "GET",
        "path": "/v3/contacts/lists/{listId}",
        "status": 200,
        "answered": "refused",
        "stubs": [],
    }


@pytest.mark.parametrize(
    ("setting", "behaviour", "answered"),
    [("refuse", {}, "refused"), ("shape", {}, "shaped"), ("shape", {"beyond": "forward"}, "forwarded")],
)
def test_it_tells_how_a_call_is_answered_in_the_workspace(make_api, setting, behaviour, answered):
    api = make_api({"behaviour": behaviour}, beyond=setting, forward_to="http://127.0.0.1:9")

    assert {row["answered"] for row in listed(api).values()} == {answered}


def test_it_names_the_stubs_that_can_have_the_address(make_api):
    rows = listed(make_api({"stubs": STUBS}))

    assert rows["getContactInfo"]["stubs"] == ["one", "fixed"]
    assert rows["getList"]["stubs"] == ["any", "long"]
    assert rows["updateContact"]["stubs"] == ["other"]
    assert rows["getContacts"]["stubs"] == []


def test_a_stub_that_is_spent_is_not_named(make_api):
    api = make_api({"stubs": [{**STUBS[0], "times": 1}]})
    api.get("/v3/contacts/7")

    assert listed(api)["getContactInfo"]["stubs"] == []


def test_the_index_lists_all_operations_by_how_they_are_answered(make_api):
    api = make_api({"stubs": [{"method": "GET", "path": "/v3/companies/{id}", "answer": {}}]})

    found = api.get("/_mock").json["operations"]

    assert found["specification"] == list(OPERATIONS)
    assert found["further"] == list(FURTHER_OPERATIONS)
    assert found["stubbed"] == ["getCompaniesById"]
    assert [name for name in catalogue() if name != "getCompaniesById"] == found["named"]

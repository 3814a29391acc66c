"""What is told of the shipped stub libraries where a call beyond the mock is refused."""

import pytest

from mockserver.beyond.catalogue import catalogue, is_meant
from mockserver.beyond.libraries import LIBRARIES
from mockserver.beyond.stubs.pattern import overlap
from mockserver.scenario.documents.library import Library

SHIPPED = [row["name"] for row in Library().describe() if row.get("stub_library")]


def addresses(name):
    """The methods and the patterns of a library's stubs."""
    return [(stub["method"], stub["path"]) for stub in Library().stub_library(name)["stubs"]]


def test_each_shipped_library_is_known():
    assert sorted(LIBRARIES) == sorted(SHIPPED)


def answers(method, pattern, operation):
    """Whether a stub can answer a call of an operation."""
    fits = overlap(pattern.split("/"), operation.path.split("/"))
    return method == operation.method and fits and is_meant(method, pattern, operation.id)


@pytest.mark.parametrize("name", SHIPPED)
def test_the_operations_are_those_for_which_the_library_has_a_stub(name):
    assert LIBRARIES[name] == {
        row.id for row in catalogue().values() for address in addresses(name) if answers(*address, row)
    }


@pytest.mark.parametrize("name", SHIPPED)
def test_a_refusal_names_the_library_that_helps(api, name):
    operation = catalogue()[min(LIBRARIES[name])]

    api.request(operation.method, operation.path.replace("{", "").replace("}", ""), json={})

    assert api.get("/_mock/requests").json["items"][0]["reason"] == (
        f"{operation.id} is an operation of the service that this mock does not have; "
        f"`--stubs {name}` or `extends: {name}` has a stub for it, or use --beyond"
    )


@pytest.mark.parametrize("name", SHIPPED)
def test_the_list_of_operations_names_the_library(api, name):
    rows = api.get("/_mock/beyond").json["items"]

    assert {row["operation"] for row in rows if row["library"] == name} == LIBRARIES[name]

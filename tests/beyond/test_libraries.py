"""What is told of the shipped stub libraries where a call beyond the mock is refused."""

import pytest

from mockserver.beyond.catalogue import catalogue
from mockserver.scenario.documents.library import Library
from mockserver.scenario.documents.stub_libraries import by_operation


def test_they_are_those_that_scenarios_can_extend():
    shipped = {row["name"] for row in Library().describe() if row.get("stub_library")}

    assert set(by_operation().values()) == shipped


@pytest.mark.parametrize("operation", by_operation())
def test_a_refusal_names_the_library_that_helps(api, operation):
    row, library = catalogue()[operation], by_operation()[operation]

    api.request(row.method, row.path.replace("{", "").replace("}", "~"), json={})

    assert api.get("/_mock/requests").json["items"][0]["reason"] == (
        f"{operation} is not implemented: the service has this operation, the mock does not; "
        f"load its stub with `--stubs {library}` or `extends: {library}`, or start the server with --beyond"
    )


@pytest.mark.parametrize("operation", by_operation())
def test_with_the_library_a_stub_answers(make_api, operation):
    row = catalogue()[operation]
    api = make_api({"extends": by_operation()[operation]})

    answer = api.request(row.method, row.path.replace("{", "").replace("}", "~"), json={})

    assert answer.headers["X-Mock-Answered"] == "stubbed"
    assert answer.headers["X-Mock-Beyond"] == operation


def test_the_list_of_operations_names_the_library(api):
    rows = api.get("/_mock/beyond").json["items"]

    assert {row["operation"]: row["library"] for row in rows if row["library"]} == by_operation()

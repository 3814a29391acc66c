"""What calls beyond the mock leave in journal, coverage and metrics, and what may be said of them in rules."""

from xml.etree import ElementTree as ET

import pytest
from tables import tables

from mockserver.beyond.catalogue import catalogue
from mockserver.core.contract.errors import SPEC_CODES
from mockserver.coverage.figures import added

#: The tables of the tests by name.
CASES = tables(__file__)
STUB = {"method": "POST", "path": "/v3/companies", "answer": {"status": 201, "json": {"id": 7}}}


@pytest.fixture
def called(make_api):
    """An API that was called beyond the mock in every way; no call of an operation of the mock among them."""
    api = make_api(
        {
            "behaviour": {"beyond": "shape"},
            "stubs": [STUB, {**STUB, "path": "/v3/nobody/{id}"}],
            "faults": [{"fault": "server_error", "match": {"operation": "getSegments"}}],
        }
    )
    api.delete("/_mock/coverage")
    api.post("/v3/companies", json={})
    api.post("/v3/companies", json={})
    api.get("/v3/companies")
    api.get("/v3/contacts/segments")
    api.post("/v3/nobody/7")
    api.post("/_mock/seed", json={"behaviour": {"beyond": "refuse"}})
    api.get("/v3/companies")
    api.get("/v3/nowhere")
    return api


BEYOND = {
    "postCompanies": {"calls": 2, "answered": {"stubbed": 2}},
    "getCompanies": {"calls": 2, "answered": {"refused": 1, "shaped": 1}},
    "getSegments": {"calls": 1, "answered": {"intercepted": 1}},
    "other addresses": {"calls": 1, "answered": {"stubbed": 1}},
}


def test_the_report_of_coverage_tells_what_was_called_how_often_and_how_answered(called):
    assert called.get("/_mock/coverage").json["beyond"] == BEYOND


def test_percentages_ignore_operations_beyond(called):
    found = called.get("/_mock/coverage").json

    assert found["percent"] == 0
    assert found["operations"] == {}
    assert {row["met"] for row in found["totals"].values()} == {0}


def test_the_text_of_the_report_has_a_line_for_each(called):
    lines = called.get("/_mock/coverage?format=text").text.splitlines()
    start = next(index for index, line in enumerate(lines) if line.lstrip().startswith("beyond the mock"))

    assert [line.split() for line in lines[start + 1 : start + 5]] == [
        ["getCompanies", "2", "1", "refused,", "1", "shaped"],
        ["getSegments", "1", "1", "intercepted"],
        ["other", "addresses", "1", "1", "stubbed"],
        ["postCompanies", "2", "2", "stubbed"],
    ]


def test_the_page_of_the_report_has_a_row_for_each(called):
    page = called.get("/_mock/coverage?format=html").text
    table = page[page.index('<table id="beyond">') : page.index("</main>")]

    for name in BEYOND:
        assert f"<code>{name}</code>" in table
    assert "1 refused, 1 shaped" in table


def test_junit_has_them_as_properties_of_a_suite_without_cases(called):
    suites = ET.fromstring(called.get("/_mock/coverage?format=junit").text)
    (suite,) = [suite for suite in suites if suite.get("name") == "beyond the mock"]

    assert suite.get("tests") == "0"
    assert {row.get("name"): row.get("value") for row in suite.iter("property")} == {
        "postCompanies": "2 stubbed",
        "getCompanies": "1 refused, 1 shaped",
        "getSegments": "1 intercepted",
        "other addresses": "1 stubbed",
    }


@pytest.mark.parametrize(("form", "words"), [("text", "beyond the mock"), ("html", "Beyond"), ("junit", "beyond")])
def test_report_without_calls_beyond_omits_their_section(api, form, words):
    api.delete("/_mock/coverage")

    assert words not in api.get(f"/_mock/coverage?format={form}").text


def test_reports_of_several_servers_are_added(called):
    found = called.get("/_mock/coverage").json
    older = {name: value for name, value in found.items() if name != "beyond"}

    assert added([found, found, older])["beyond"]["postCompanies"] == {"calls": 4, "answered": {"stubbed": 4}}


def test_calls_beyond_stay_in_the_server_total_after_a_reset(called):
    called.post("/_mock/reset", json={})

    assert called.get("/_mock/coverage").json["beyond"] == {}
    assert called.get("/_mock/coverage?workspace=*").json["beyond"]["getCompanies"] == BEYOND["getCompanies"]


def test_the_journal_tells_how_each_was_answered_and_finds_them_by_operation(called):
    entries = called.get("/_mock/requests?operation=getCompanies").json["items"]

    assert [entry["beyond"] for entry in entries] == ["refused", "shaped"]
    assert [entry["beyond"] for entry in called.get("/_mock/requests?path=/v3/nowhere").json["items"]] == [None]


def test_metrics_count_them_by_their_names(called):
    assert 'operation="postCompanies",status="201"} 2' in called.get("/_mock/metrics").text


@pytest.mark.parametrize(
    "stub", [{"times": 1}, {"match": {"json": {"email": "ada@example.test"}}}], ids=["spent", "other"]
)
def test_a_refusal_names_the_stubs_that_are_not_for_the_request(make_api, stub):
    api = make_api({"stubs": [{**STUB, "id": "first", **stub}]})
    api.post("/v3/companies", json={"email": "bob@example.test"})

    assert api.post("/v3/companies", json={"email": "bob@example.test"}).status_code == 404
    assert api.get("/_mock/requests").json["items"][0]["reason"] == (
        "postCompanies is not implemented: the service has this operation, the mock does not; "
        "the stubs with its path (first) are used up or match other requests"
    )


def test_a_stub_for_an_operation_does_not_answer_at_the_address_of_another(make_api):
    stub = {"method": "GET", "path": "/v3/contacts/{email}", "answer": {"json": {"id": 7}}}
    api = make_api({"stubs": [stub]})

    assert api.get("/v3/contacts/bob@example.test").json == {"id": 7}
    assert api.get("/v3/contacts/segments").headers["X-Mock-Answered"] == "refused"


def test_a_fault_can_be_for_an_operation_beyond(api):
    match = {"operation": "getCompaniesById", "path": {"id": 7}}
    api.post("/_mock/faults", json={"fault": "not_enough_credits", "match": match})

    hit, missed = api.get("/v3/companies/7"), api.get("/v3/companies/8")

    assert (hit.status_code, hit.json["code"]) == (400, "not_enough_credits")
    assert hit.headers["X-Mock-Beyond"] == "getCompaniesById"
    assert "X-Mock-Answered" not in hit.headers
    assert missed.status_code == 404


def test_the_header_of_one_call_can_ask_for_a_fault(api):
    answer = api.post("/v3/smtp/email", json={}, headers={"X-Mock-Fault": "not_enough_credits"})

    assert (answer.status_code, answer.json["code"]) == (402, "not_enough_credits")


def test_a_fault_lets_the_answer_through_that_comes_late(make_api):
    api = make_api({"behaviour": {"beyond": "shape"}})

    answer = api.get("/v3/contacts/segments", headers={"X-Mock-Fault": "latency; ms=1"})

    assert (answer.status_code, answer.headers["X-Mock-Answered"]) == (200, "shaped")


def test_fault_for_an_operation_beyond_may_have_any_error_code(api):
    for code in SPEC_CODES:
        rule = {"fault": "error", "code": code, "match": {"operation": "postCompanies"}, "times": 1}

        assert api.post("/_mock/faults", json=rule).status_code == 201
        assert api.post("/v3/companies", json={}).json["code"] == code


@pytest.mark.parametrize(("match", "path", "message"), CASES["a_mistyped_name"])
def test_a_mistyped_name_is_refused_with_the_nearest(api, match, path, message):
    answer = api.post("/_mock/faults", json={"fault": "server_error", "match": match})

    assert answer.status_code == 400
    (error,) = answer.json["errors"]
    assert error["path"].endswith(path)
    assert error["message"].startswith(message)


def test_a_code_that_does_not_exist_is_refused_there_too(api):
    rule = {"fault": "error", "code": "no_such", "match": {"operation": "sendTransacEmail"}}

    assert api.post("/_mock/faults", json=rule).json["errors"][0]["path"].endswith("code")


def test_only_the_first_of_many_unknown_names_are_compared(api):
    names = [f"sendTransacMail{number}" for number in range(30)]

    errors = api.post("/_mock/faults", json={"fault": "server_error", "match": {"operation": names}}).json["errors"]

    assert sum("did you mean" in error["message"] for error in errors) == 20
    assert len(errors) == 30


def test_a_fault_without_a_pattern_hits_them_as_all_of_the_api(api):
    api.post("/_mock/faults", json={"fault": "unavailable"})

    assert api.post("/v3/smtp/email", json={}).status_code == 503


def test_a_test_verifies_that_one_was_called(api):
    api.post("/v3/smtp/email", json={"subject": "Hi"})

    def verified(**match):
        return api.post("/_mock/requests/verify", json={"match": match, "count": 1})

    assert verified(operation="sendTransacEmail", json={"subject": "Hi"}).json["satisfied"]
    missed = verified(operation="sendTransacEmail", json={"subject": "Ho"}).json
    assert missed["near_misses"][0]["operation"] == "sendTransacEmail"
    assert verified(operation="sendTransacMail").status_code == 400


def test_every_name_may_stand_in_a_rule(api):
    names = list(catalogue())

    assert api.post("/_mock/faults", json={"fault": "server_error", "match": {"operation": names}}).status_code == 201

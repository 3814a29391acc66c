"""The JSON form, and the counts that can be read out of it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import tables

from mockserver.core.traffic.coverage import Coverage
from mockserver.coverage.figures import added, from_json, to_json
from mockserver.coverage.report import report

#: The tables of the tests by name.
CASES = tables(__file__)
#: Of the contract, and beyond it.
OPERATIONS = st.sampled_from(["createSender", "validateSenderByOtp", "getAccount", "anotherOne"])
STATUSES = st.sampled_from([None, 200, 201, 204, 400, 404, 500])
CODES = st.sampled_from(["OTP code has expired", "invalid_parameter", "a code of nobody's"])
FIELDS = st.sampled_from(["ips", "ips[].weight", "another"])
MACHINES = st.sampled_from(["sender", "domain", "another"])
EVENTS = st.sampled_from(["create", "delete", "another"])


@st.composite
def coverages(draw):
    """Counts as requests make them: whatever is counted belongs to a call."""
    found = Coverage()
    for operation in draw(st.lists(OPERATIONS)):
        found.answers[operation, draw(STATUSES)] += 1
        for code in draw(st.lists(CODES, max_size=1)):
            found.codes[operation, code, draw(st.booleans())] += 1
        for name in draw(st.lists(FIELDS, max_size=2)):
            found.fields[operation, name] += 1
    for machine, event in draw(st.lists(st.tuples(MACHINES, EVENTS))):
        found.transitions[machine, event] += 1
    return found


@given(coverages())
def test_json_report_round_trips(found):
    assert from_json(to_json(report(found))) == found


@given(st.lists(coverages(), max_size=4))
def test_reports_add_up_as_their_counts_do(parts):
    whole = Coverage()
    for part in parts:
        whole.merge(part)

    assert added(to_json(report(part)) for part in parts) == to_json(report(whole))


def test_a_report_of_the_server_is_read_back(played, coverage):
    assert from_json(coverage(played)) == played.workspace.coverage


def test_workspaces_add_up_to_the_total(played, coverage):
    key = played.post("/_mock/workspaces", json={"name": "other"}).json["api_key"]
    played.get("/v3/senders?ip=198.51.100.7", key=key)

    parts = [coverage(played), coverage(played, "?workspace=other")]

    assert added(parts) == coverage(played, "?workspace=*")


def test_sum_of_no_reports_is_an_empty_report():
    assert added([]) == to_json(report(Coverage()))


@pytest.mark.parametrize("data", CASES["invalid_reports"])
def test_invalid_report_is_refused(data):
    with pytest.raises(ValueError):
        from_json(data)


def test_json_report_has_the_documented_form(played, coverage):
    found = coverage(played)

    assert {"totals", "operations", "transitions", "missing"} <= found.keys()
    assert list(found["totals"]) == ["operations", "statuses", "codes", "fields", "transitions"]
    assert found["operations"]["validateSenderByOtp"] == {
        "calls": 4,
        "statuses": {"400": 4},
        "codes": {
            "Invalid OTP code provided": {"natural": 2, "injected": 0},
            "OTP code has expired": {"natural": 1, "injected": 1},
        },
        "fields": {},
        "unmet": {
            "statuses": ["204", "404"],
            "codes": ["missing_parameter", "invalid_parameter", "out_of_range", "document_not_found"],
            "fields": [],
        },
    }
    assert found["transitions"] == {"sender": {"create": 1, "expire_otp": 2, "delete": 1}}


def test_points_outside_of_the_contract_and_requests_without_an_answer_are_reported_but_no_status():
    coverage = Coverage()
    coverage.answers["getAccount", 500] += 1
    coverage.codes["getAccount", "internal_error", True] += 1
    coverage.answers["anotherOne", 200] += 1
    coverage.answers["getSenders", None] += 1

    found = to_json(report(coverage))

    assert (found["operations"]["getSenders"]["calls"], found["operations"]["getSenders"]["statuses"]) == (1, {})
    assert found["operations"]["anotherOne"]["statuses"] == {"200": 1}
    assert found["operations"]["getAccount"]["codes"] == {"internal_error": {"natural": 0, "injected": 1}}
    assert [row["met"] for row in found["totals"].values()] == [2, 0, 0, 0, 0]

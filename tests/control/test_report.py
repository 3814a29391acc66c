"""The failure report: what went wrong in a workspace."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.api("onboarding")


def report(api, **query):
    return api.get("/_mock/report", query_string=query).json


def lines(api, **query):
    answer = api.get("/_mock/report", query_string={"format": "text", **query})
    assert answer.content_type == "text/plain; charset=utf-8"
    return answer.text.splitlines()


def validate(api, code):
    return api.put("/v3/senders/2/validate", json={"otp": code})


def test_report_on_an_unused_workspace_says_so(api):
    assert lines(api) == ["mockserver report on workspace default: nothing has happened"]
    assert report(api) == {"workspace": "default", "summary": "", "items": [], "count": 0, "last": None}


def test_refused_request_is_reported_with_its_reason_and_id(api):
    validate(api, 999999)

    identifier = validate(api, 999999).headers["sib-request-id"]

    [trouble] = report(api)["items"]
    assert trouble.pop("message").startswith("PUT /v3/senders/2/validate 400: wrong code")
    assert trouble == {"kind": "refused-request", "times": 2, "id": identifier}
    assert report(api)["summary"] == "2 requests (2 refused)"


@pytest.mark.parametrize(
    ("kind", "do"),
    [
        ("unanswered-request", lambda api: api.get("/v3/nothing")),
        ("failed-stub", lambda api: (
            api.post("/_mock/stubs", json={"method": "GET", "path": "/v3/crm", "answer": {"text": "{{ 1 // 0 }}"}}),
            api.get("/v3/crm"),
        )),
        ("fault", lambda api: (api.post("/_mock/faults", json={"fault": "server_error"}), api.get("/v3/account"))),
        ("refused-request", lambda api: api.delete("/v3/senders/99")),
        ("warning", lambda api: api.post("/v3/senders", json={"name": "Jo", "email": "jo@acme.test", "nmae": "Jo"})),
        ("finding", lambda api: api.post("/v3/webhooks", json={"url": "https://a.test/?token=b", "events": ["click"]})),
    ],
)  # fmt: skip
def test_report_names_the_trouble(api, kind, do):
    do(api)

    assert kind in [row["kind"] for row in report(api)["items"]]


def test_answer_of_a_fault_is_no_refusal(api):
    api.post("/_mock/faults", json={"fault": "server_error"})

    api.get("/v3/account")

    assert [row["kind"] for row in report(api)["items"]] == ["fault"]


def test_text_has_ten_lines_and_no_kind_hides_another(api):
    for number in range(30):
        api.get(f"/v3/nothing/{number}")
    validate(api, 999999)

    found = lines(api)

    assert len(found) == 10
    assert found[0] == "mockserver report on workspace default: 31 requests (31 refused)"
    assert found[7].startswith("unanswered request: GET /v3/nothing/29 404: ")
    assert found[8].startswith("refused request: PUT /v3/senders/2/validate 400: ")
    assert found[9] == "and 23 more"
    assert len(lines(api, limit=100)) == 32


def test_text_is_sent_to_clients_that_accept_text(api):
    assert api.get("/_mock/report", headers={"Accept": "text/plain"}).text.startswith("mockserver report")


def test_report_since_a_request_leaves_out_what_was_before(api):
    api.get("/v3/nothing")
    before = report(api)["last"]

    assert report(api, since=before)["items"] == []

    validate(api, 999999)

    found = report(api, since=before)
    assert [row["kind"] for row in found["items"]] == ["refused-request"]
    assert found["summary"] == "1 request (1 refused)"


def test_report_since_an_unknown_request_is_refused_with_its_id(api):
    answer = api.get("/_mock/report?since=nowhere")

    assert (answer.status_code, answer.json["detail"]) == (
        404, "unknown request 'nowhere'; GET /_mock/requests lists the journal",
    )  # fmt: skip


@pytest.mark.api("onboarding", journal_limit=2)
def test_report_since_an_evicted_request_has_all_that_is_kept(api):
    first = api.get("/v3/account").headers["sib-request-id"]
    for number in range(2):
        api.get(f"/v3/nothing/{number}")

    assert report(api, since=first)["count"] == 2


def test_report_redacts_secrets(api):
    api.get("/v3/nothing?token=abcdef123456")

    assert "abcdef123456" not in api.get("/_mock/report").text


def test_line_of_a_report_is_printable_and_short(api):
    api.get(f"/v3/nothing/%1b[2J{'x' * 1000}")

    _, line = lines(api)
    assert line.isprintable()
    assert len(line) < 280

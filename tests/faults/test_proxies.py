"""Answers that are not of the service: headers and bodies of a proxy, unknown members, and another order."""

from __future__ import annotations

import json

import pytest

HTML = "<html><body><h1>502 Bad Gateway</h1></body></html>"


def warnings(api):
    return api.get("/_mock/requests").json["items"][0]["warnings"]


def test_a_fault_adds_retry_after_as_a_gateway_does(api, rules):
    rules.add("rate_limited", headers={"Retry-After": "2"})
    found = api.get("/v3/senders")
    assert (found.status_code, found.json["code"]) == (429, "too_many_requests")
    assert found.headers.getlist("Retry-After") == ["2"]


def test_a_header_of_a_fault_replaces_that_of_the_service_in_any_case(api, rules):
    rules.add("rate_limited", reset_s=9, headers={"X-SIB-RateLimit-Reset": "1", "content-type": "text/x"})
    found = api.get("/v3/senders")
    assert found.headers.getlist("x-sib-ratelimit-reset") == ["1"]
    assert found.headers.getlist("content-type") == ["text/x"]


BODIES = {
    "text": (HTML, {}, HTML.encode(), "text/plain; charset=utf-8"),
    "a page": (HTML, {"Content-Type": "text/html"}, HTML.encode(), "text/html"),
    "JSON": ({"error": "über"}, {}, '{"error":"über"}\n'.encode(), "application/json"),
    "an empty text": ("", {}, b"", "text/plain; charset=utf-8"),
}


@pytest.mark.parametrize("kind", ["unavailable", "changed_answer"])
@pytest.mark.parametrize(("body", "headers", "sent", "content_type"), BODIES.values(), ids=BODIES)
def test_a_fault_puts_a_body_in_place_of_the_services(api, rules, kind, body, headers, sent, content_type):  # a table
    rules.add(kind, body=body, headers=headers)
    found = api.get("/v3/senders")
    assert (found.status_code, found.data) == (503 if kind == "unavailable" else 200, sent)
    assert found.headers.getlist("Content-Type") == [content_type]
    assert found.headers["Content-Length"] == str(len(sent))


@pytest.mark.parametrize(("body", "is_for_browsers"), [({"a": 1}, True), (HTML, False)])
def test_json_in_place_of_the_services_keeps_the_headers_for_browsers(api, rules, body, is_for_browsers):
    rules.add("changed_answer", body=body)
    assert ("access-control-allow-origin" in api.get("/v3/senders").headers) is is_for_browsers


def test_a_page_of_a_proxy_comes_after_the_work_was_done(api, rules):
    rules.add("lost_answer", body=HTML, times=1)
    found = api.post("/v3/senders", json={"name": "Shop", "email": "shop@acme.test"})
    assert (found.status_code, found.text) == (504, HTML)
    assert [row["email"] for row in api.get("/v3/senders?domain=acme.test").json["senders"]][-1:] == ["shop@acme.test"]


def test_an_answer_without_body_keeps_none(api, rules):
    rules.add("changed_answer", body=HTML)
    found = api.delete("/v3/senders/1")
    assert (found.status_code, found.data) == (204, b"")


def test_an_error_page_of_oauth_may_be_replaced(api, rules):
    rules.add("server_error", body=HTML, match={"operation": "oauthTokenRefresh"})
    found = api.post("/realms/partner/oauth/token", data={"grant_type": "refresh_token"})
    assert (found.status_code, found.text) == (500, HTML)


def test_the_journal_marks_an_answer_that_is_not_of_the_service(api, rules):
    rules.add("unavailable", headers={"Retry-After": "2"}, body=HTML, times=1)
    api.get("/v3/senders")
    assert warnings(api) == ["not of the service, but of fault-1: header Retry-After, the body"]


def test_coverage_counts_a_changed_answer_as_injected(api, rules):
    rules.add("latency", ms=0, body=HTML, times=1)
    api.get("/v3/senders/9999/ips")
    (count,) = api.get("/_mock/coverage").json["operations"]["getIpsFromSender"]["codes"].values()
    assert count == {"natural": 0, "injected": 1}


def test_a_header_of_a_request_asks_for_an_answer_of_a_proxy(api):
    wanted = {"fault": "error", "code": "internal_error", "status": 502, "headers": {"Retry-After": "2"}, "body": HTML}
    found = api.get("/v3/senders", headers={"X-Mock-Fault": json.dumps(wanted)})
    assert (found.status_code, found.text, found.headers["Retry-After"]) == (502, HTML, "2")


REFUSED = {
    "no header's name": ({"headers": {"Retry After": "2"}}, "/headers/Retry After"),
    "a header of the mock": ({"headers": {"Content-Length": "2"}}, "/headers/Content-Length"),
    "a value of two lines": ({"headers": {"Retry-After": "2\r\nX: 1"}}, "/headers/Retry-After"),
    "a value that is no text": ({"headers": {"Retry-After": 2}}, "/headers/Retry-After"),
    "headers that are no mapping": ({"headers": "Retry-After: 2"}, "/headers"),
    "no change": ({}, "/body"),
    "members": ({"body": "", "members": {}}, "/members"),
}


@pytest.mark.parametrize(("given", "path"), REFUSED.values(), ids=REFUSED)
def test_a_bad_answer_of_a_proxy_is_refused_with_its_place(api, given, path):
    found = api.post("/_mock/faults", json={"fault": "changed_answer", **given})
    assert (found.status_code, [row["path"] for row in found.json["errors"]]) == (400, [path])


@pytest.mark.parametrize("kind", ["hang", "connection_reset", "empty_response"])
def test_a_fault_without_an_answer_takes_no_body(api, kind):
    found = api.post("/_mock/faults", json={"fault": kind, "body": HTML})
    assert (found.status_code, [row["path"] for row in found.json["errors"]]) == (400, ["/body"])


# ---------------------------------------------------------------------- members of the answer


def test_unknown_members_are_added_to_the_answer_and_its_rows(api, rules):
    rules.add("unknown_members")
    found = api.get("/v3/senders").json
    rows = [found, *found["senders"]]
    assert [row["addedLater"] for row in rows] == ["a member that no document describes"] * 3


def test_unknown_members_are_those_of_the_rule_and_hide_none(api, rules):
    rules.add("unknown_members", members={"beta": True, "email": "other@acme.test"})
    rows = api.get("/v3/senders").json["senders"]
    assert [(row["beta"], row["email"]) for row in rows] == [(True, "news@acme.test"), (True, "ops@acme.test")]


def test_members_come_in_another_order(api, rules):
    before = api.get("/v3/senders").json
    rules.add("member_order")
    found = api.get("/v3/senders").json
    assert found == before
    assert list(found["senders"][0]) == list(reversed(before["senders"][0]))


@pytest.mark.parametrize("kind", ["unknown_members", "member_order"])
def test_an_error_is_not_rewritten(api, rules, kind):
    rules.add(kind)
    assert list(api.get("/v3/senders/domains/none.test").json) == ["code", "message"]

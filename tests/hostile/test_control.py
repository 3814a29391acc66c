"""The control API says no in problem details."""

from __future__ import annotations

import pytest
from hostile.refusals import RAW, TRACES, each, problem


@pytest.mark.parametrize("raw", RAW.values(), ids=RAW)
@each(
    ("method", "path"),
    [("POST", "/_mock/reset"), ("PUT", "/_mock/clock"), ("POST", "/_mock/clock/advance"), ("PUT", "/_mock/dns/a.test")],
)
def test_a_call_whose_body_is_not_good_json_is_refused(untouched, method, path, raw):
    problem(untouched.request(method, path, data=raw, content_type="application/json"), 400, "")


@each("raw", [b"null", b"[]", b'"x"', b"1", b"true"])
@each(
    ("method", "path"),
    [("POST", "/_mock/reset"), ("PUT", "/_mock/clock"), ("POST", "/_mock/clock/advance"), ("PUT", "/_mock/dns/a.test")],
)
def test_a_call_whose_body_is_no_object_is_refused(untouched, method, path, raw):
    problem(untouched.request(method, path, data=raw), 400, "")


@each(
    "raw",
    [
        b"a: [", b"a: 1\na: 2", b"- 1", b"!!python/object:os.system {}", b"\xff", b"a: *b", b"{a: &a [*a]}", b"\x00",
        b"a: \t- b", b"%",
    ],
)  # fmt: skip
def test_a_yaml_body_that_is_no_good_scenario_is_refused(untouched, raw):
    answer = untouched.post("/_mock/reset", data=raw, content_type="application/yaml")
    assert answer.status_code == 400
    assert answer.content_type == "application/problem+json"
    assert not TRACES.search(answer.data)


@each(
    ("method", "path", "body", "paths"),
    [
        ("POST", "/_mock/reset", {"scenarios": "empty"}, ["/scenarios"]),
        ("POST", "/_mock/reset", {"a/b": 1, "~": 2}, ["/a~1b", "/~0"]),
        ("PUT", "/_mock/clock", {"now": "PT1H", "frosen": True, "speed": 2}, ["/frosen", "/speed"]),
        ("POST", "/_mock/clock/advance", {"by": "PT1S", "until": "x"}, ["/until"]),
        ("PUT", "/_mock/dns/a.test", {"spf_record": "ok"}, ["/spf_record"]),
    ],
)
def test_an_unknown_member_is_a_mistake(untouched, method, path, body, paths):
    problem(untouched.request(method, path, json=body), 400, *paths)


@each(
    ("method", "path", "body", "paths"),
    [
        ("POST", "/_mock/reset", {"scenario": 1}, ["/scenario"]),
        ("POST", "/_mock/reset", {"scenario": ["empty"]}, ["/scenario"]), ("PUT", "/_mock/clock", {"now": 1}, ["/now"]),
        ("PUT", "/_mock/clock", {"now": []}, ["/now"]), ("PUT", "/_mock/clock", {"frozen": "yes"}, ["/frozen"]),
        ("PUT", "/_mock/clock", {"frozen": 1}, ["/frozen"]), ("PUT", "/_mock/clock", {"frozen": None}, ["/frozen"]),
        ("PUT", "/_mock/clock", {"now": "soon", "frozen": 2}, ["/now", "/frozen"]), ("PUT", "/_mock/clock", {}, [""]),
        ("POST", "/_mock/clock/advance", {}, [""]), ("POST", "/_mock/clock/advance", {"by": 60}, ["/by"]),
        ("POST", "/_mock/clock/advance", {"by": None}, ["/by"]),
        ("POST", "/_mock/clock/advance", {"seconds": "60"}, ["/seconds"]),
        ("POST", "/_mock/clock/advance", {"seconds": True}, ["/seconds"]),
        ("POST", "/_mock/clock/advance", {"seconds": []}, ["/seconds"]),
        ("POST", "/_mock/clock/advance", {"seconds": -1}, ["/seconds"]),
        ("POST", "/_mock/clock/advance", {"seconds": 1e300}, ["/seconds"]),
        ("POST", "/_mock/clock/advance", {"to": "tomorrow"}, ["/to"]),
        ("POST", "/_mock/clock/advance", {"by": "PT1S", "seconds": 1}, [""]), ("PUT", "/_mock/dns/a.test", {}, [""]),
        ("PUT", "/_mock/dns/a.test", {"brevo_code": True, "dkim_record": "good"}, ["/brevo_code", "/dkim_record"]),
    ],
)  # fmt: skip
def test_a_member_of_the_wrong_type_or_none_at_all_is_a_mistake(untouched, method, path, body, paths):
    problem(untouched.request(method, path, json=body), 400, *paths)


@each(
    "by",
    ["", "P", "PT", "15M", "PT15", "-PT1S", "P1Y", "P1M", "P999999999D", "P99999999999999999999D", "PT1E400S",
     "PT1e9S", "PTNaNS", "PT1H1H", "P1DT", "PT0,S", "\u0663", "PT\u0661S", "P" + "9" * 100_000 + "D", "PT1S\n"],
)  # fmt: skip
def test_an_absurd_duration_is_refused(untouched, by):
    answer = untouched.post("/_mock/clock/advance", json={"by": by})
    assert answer.status_code == 400
    assert answer.content_type == "application/problem+json"
    assert not TRACES.search(answer.data)


@each("now", ["1999-01-01T00:00:00Z", "-PT1H", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "P999999999D"])
def test_the_clock_goes_neither_backwards_nor_out_of_its_years(untouched, now):
    answer = untouched.put("/_mock/clock", json={"now": now})
    assert answer.status_code == 400
    assert answer.content_type == "application/problem+json"


@each(
    ("method", "path"),
    [
        ("GET", "/_mock/machines/nothing"), ("GET", "/_mock/machines/nothing/1"),
        ("POST", "/_mock/machines/nothing/1/delete"), ("GET", "/_mock/machines/sender/999"),
        ("GET", "/_mock/machines/sender/abc"), ("GET", "/_mock/machines/sender/" + "9" * 5000),
        ("POST", "/_mock/machines/sender/999/delete"), ("GET", "/_mock/machines/domain/%00"),
        ("GET", "/_mock/mailbox/nothing"), ("GET", "/_mock/scenarios/nothing"),
        ("GET", "/_mock/scenarios/..%2F..%2Fpyproject"), ("GET", "/_mock/scenarios/%2e%2e"),
        ("GET", "/_mock/docs/%2e%2e%2fstart.js"), ("GET", "/_mock/nothing"), ("GET", "/_mock/"),
        ("GET", "/_mockingbird"), ("POST", "/_mock/state/x"),
    ],
)  # fmt: skip
def test_what_the_control_api_does_not_have_is_not_found(untouched, method, path):
    problem(untouched.request(method, path), 404)


@each(("method", "path"), [("DELETE", "/_mock/clock"), ("PATCH", "/_mock/state"), ("GET", "/_mock/reset")])
def test_a_wrong_method_of_the_control_api_is_told(untouched, method, path):
    problem(untouched.request(method, path), 405)


@each("event", ["nothing", "create", "%00", "verify_ownership"])
def test_an_event_that_does_not_apply_is_refused_with_those_that_do(untouched, event):
    answer = untouched.post(f"/_mock/machines/sender/1/{event}")
    problem(answer, 409)
    assert answer.json["allowed"] == ["change_email", "delete"]


@each("name", ["nothing", "", "Default", "../default", "a" * 10_000])
@each("path", ["/_mock/state", "/_mock/clock", "/_mock/mailbox"])
def test_an_unknown_workspace_is_not_found(untouched, path, name):
    problem(untouched.get(path, headers={"X-Mock-Workspace": name}), 404)


def test_the_workspace_of_an_unknown_key_is_not_found_where_keys_must_be_known(strict_target):
    problem(strict_target.client.get("/_mock/state", headers={"api-key": "nobody"}), 404)


@each(
    "query",
    ["limit=0", "limit=x", "limit=99999999999999999999", "wait=-1", "wait=31", "wait=nan", "wait=inf", "wait=x", "x=1"],
)
def test_a_mailbox_query_that_is_none_is_refused(untouched, query):
    problem(untouched.get(f"/_mock/mailbox?{query}"), 400, f"/{query.partition('=')[0]}")


@each("name", ["x", "a_b.test", "%00", "a..test", "%2e%2e", "a" * 5000])
def test_dns_of_what_is_no_host_name_is_refused(untouched, name):
    problem(untouched.put(f"/_mock/dns/{name}", json={"brevo_code": "ok"}), 400, "/domain")


BAD_SCENARIO = {
    "descripton": "a slip",
    "clock": {"start": "yesterday", "frozen": "no"},
    "seed": "x",
    "behaviour": {"otp_lifetime": "P1Y", "bulk_plan": "later", "dkim": "dns"},
    "accounts": [
        {"role": "king", "senders": [{"name": 1, "email": "x"}, {"nam": "x"}]},
        {"name": "b", "domains": [{"name": "x", "state": "good"}], "campaigns": [{"kind": "fax"}]},
    ],
}


def test_a_bad_scenario_is_refused_with_all_its_mistakes_and_changes_nothing(untouched):
    answer = untouched.post("/_mock/reset", json={"scenario": BAD_SCENARIO})
    problem(
        answer, 400, "/descripton", "/clock/start", "/clock/frozen", "/seed", "/behaviour/otp_lifetime",
        "/behaviour/bulk_plan", "/behaviour/dkim", "/accounts/0/name", "/accounts/0/role", "/accounts/0/senders/0/name",
        "/accounts/0/senders/0/email", "/accounts/0/senders/1/nam", "/accounts/0/senders/1/name",
        "/accounts/0/senders/1/email", "/accounts/1/domains/0/name", "/accounts/1/domains/0/state",
        "/accounts/1/campaigns/0/kind", "/accounts/1/campaigns/0/name",
    )  # fmt: skip
    messages = {error["path"]: error["message"] for error in answer.json["errors"]}
    assert "description" in messages["/descripton"]


@each(
    "scenario",
    [
        "nothing",
        "",
        "../pyproject",
        "/etc/passwd",
        "a" * 5000,
        "\x00",
        {"extends": "nothing"},
        {"extends": 1},
        {"accounts": "x"},
        {"accounts": [1]},
        {"accounts": [{"name": "a"}, {"name": "a"}]},
        {"accounts": [{"name": "a", "role": "sub_account", "of": "nobody"}]},
        {"accounts": [{"name": "a", "senders": [{"name": "x", "email": "a@b.de"}, {"name": "y", "email": "A@b.de"}]}]},
        {"accounts": [{"name": "a", "generate": {"senders": -1}}]},
        {"accounts": [{"name": "a", "generate": {"senders": 10**12}}]},
        {"accounts": [{"name": "a", "api_keys": ["with blank"]}]},
        {"clock": {"start": "9999-12-31T00:00:00Z"}},
        {"clock": 1},
        {"behaviour": []},
        {"faults": [{"fault": "x"}]},
        {"resume": {"ids": {"sender": "x"}}},
    ],
)  # fmt: skip
def test_a_scenario_that_is_none_is_refused(untouched, scenario):
    answer = untouched.post("/_mock/reset", json={"scenario": scenario})
    assert answer.status_code == 400
    assert answer.content_type == "application/problem+json"
    assert answer.json["errors"]
    assert not TRACES.search(answer.data)

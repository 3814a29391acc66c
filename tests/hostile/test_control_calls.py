"""Every call of the control API against what nobody should send: problem details or success, and nothing in between."""

from __future__ import annotations

import json

import pytest
from examples import examples
from hostile.refusals import TRACES, each, problem
from hypothesis import given
from hypothesis import strategies as st

from mockserver.app.control_api import CONTROL_API

#: What stands for the parts of a path: something that is there, so that the body is what counts.
PARTS = {
    "name": "default",
    "machine": "sender",
    "key": "2",
    "event": "resend_otp",
    "domain": "a.test",
    "identifier": "slow",
    "client_id": "crm",
}
#: `stream` has no end, and the documents read nothing.
CALLS = [call for call in CONTROL_API.calls if call.resource not in ("stream", "documents")]
WITH_BODY = [call for call in CALLS if call.body or call.document]
FAULT = {"fault": "latency", "ms": 1, "id": "slow"}


def place(call):
    return call.path.format(**PARTS)


def names(call):
    return f"{call.method} {call.path}"


# ---------------------------------------------------------------------- single members


@pytest.mark.parametrize("call", WITH_BODY, ids=names)
def test_an_unknown_member_is_named_by_every_call_that_takes_a_body(untouched, call):
    answer = untouched.request(call.method, place(call), json={"unknown/member": 1})

    assert answer.status_code == 400
    assert "/unknown~1member" in [error["path"] for error in answer.json["errors"]]


@each(
    ("method", "path", "body", "paths"),
    [
        ("POST", "/_mock/workspaces", {"seed": "7", "name": "a b", "scenario": 1}, ["/name", "/scenario", "/seed"]),
        ("POST", "/_mock/workspaces", {"scenario": "nothing", "name": ""}, ["/name", "/scenario"]),
        ("POST", "/_mock/workspaces", {"seed": 2.5, "name": "../x"}, ["/name", "/seed"]),
        ("POST", "/_mock/workspaces", {"seed": True, "name": "a" * 65}, ["/name", "/seed"]),
        ("POST", "/_mock/workspaces", {"name": "\u0430cme"}, ["/name"]),
        ("POST", "/_mock/workspaces", {"name": "a\n"}, ["/name"]),
        ("POST", "/_mock/workspaces", {"name": None, "seed": None, "scenario": None}, ["/name", "/scenario", "/seed"]),
        ("POST", "/_mock/snapshots", {"name": 1, "at": "now"}, ["/at", "/name"]),
        ("POST", "/_mock/snapshots", {"name": "a/b"}, ["/name"]),
        ("POST", "/_mock/keys/revoke", {}, ["/key"]),
        ("POST", "/_mock/keys/revoke", {"key": ""}, ["/key"]),
        ("POST", "/_mock/keys/revoke", {"key": ["xkeysib-acme"], "keys": []}, ["/key", "/keys"]),
        ("POST", "/_mock/clock/advance", {"by": 60, "seconds": 1}, ["", "/by"]),
        ("POST", "/_mock/clock/advance", {"by": 60, "seconds": "x", "too": 1}, ["", "/by", "/seconds", "/too"]),
        ("PUT", "/_mock/faults", {}, ["/items"]),
        ("PUT", "/_mock/faults", {"items": {}}, ["/items"]),
        ("PUT", "/_mock/faults", {"items": [1, None]}, ["/items/0", "/items/1"]),
        ("PUT", "/_mock/faults", {"items": [FAULT, {"fault": "x", "ms": -1}]}, ["/items/1/fault", "/items/1/ms"]),
        ("POST", "/_mock/requests/verify", {"count": -1}, ["/count"]),
        ("POST", "/_mock/requests/verify", {"count": True, "match": []}, ["/count", "/match"]),
        ("POST", "/_mock/requests/verify", {"count": {"at_least": 2, "at_most": 1}}, ["/count"]),
        ("POST", "/_mock/requests/verify", {"count": {"most": 1}, "match": {"stat": 1}}, ["/count", "/match/stat"]),
        (
            "POST",
            "/_mock/requests/verify",
            {"match": {"status": "200", "method": "FETCH", "query": 1, "headers": {"a": None}}},
            ["/match/headers/a", "/match/method", "/match/query", "/match/status"],
        ),
        ("POST", "/_mock/trigger", {}, [""]),
        ("POST", "/_mock/trigger", {"event": "delivered", "story": "delivered"}, [""]),
        ("POST", "/_mock/trigger", {"event": 1, "type": "x", "channel": None, "to": "", "payload": [], "at": 0},
         ["/at", "/channel", "/event", "/payload", "/to", "/type"]),
        ("POST", "/_mock/trigger", {"event": "Delivered"}, ["/event"]),
        ("POST", "/_mock/trigger", {"event": "delivered", "type": "inbound"}, ["/event"]),
        ("POST", "/_mock/trigger", {"event": "opened", "channel": "sms"}, ["/event"]),
        ("POST", "/_mock/trigger", {"event": "reply", "type": "inbound", "to": "a@b.test\nBcc: c@d.test"}, ["/to"]),
        ("POST", "/_mock/trigger", {"event": "reply", "type": "inbound", "to": "nobody"}, ["/to"]),
        ("POST", "/_mock/trigger", {"story": "nothing"}, ["/story"]),
        ("POST", "/_mock/trigger", {"story": "delivered", "payload": {}}, ["/payload"]),
        ("POST", "/_mock/inbound", {}, ["/recipient", "/sender"]),
        ("POST", "/_mock/inbound", {"sender": "a@b.test\r\nBcc: c@d.test", "recipient": "x@y.test\n", "subject": None},
         ["/recipient", "/sender", "/subject"]),
        ("POST", "/_mock/inbound", {"sender": "<a@b.test>", "recipient": ["x@y.test"], "text": 1, "cc": "a@b.test"},
         ["/cc", "/recipient", "/sender", "/text"]),
        ("PUT", "/_mock/receivers/mine", {}, [""]),
        ("PUT", "/_mock/receivers/mine", {"status": 199, "delay_ms": -1, "reset": 1, "times": 0, "body": "x"},
         ["/body", "/delay_ms", "/reset", "/status", "/times"]),
        ("PUT", "/_mock/receivers/mine", {"status": "200", "delay_ms": 1e300, "times": 1.5, "reset": None},
         ["/delay_ms", "/reset", "/status", "/times"]),
        ("POST", "/_mock/seed", {}, [""]),
        ("POST", "/_mock/seed", {"clock": {"frozen": True}, "senders": [{"name": 1}]},
         ["/clock", "/senders/0/email", "/senders/0/name"]),
        ("PUT", "/_mock/state", {"accounts": [{"name": "a", "senders": 1}], "seed": 2**62 * 1.5},
         ["/accounts/0/senders", "/seed"]),
        ("PUT", "/_mock/state", {"strict": "yes", "behaviour": {"rate_limit": {"enforce": 1}}},
         ["/behaviour/rate_limit/enforce", "/strict"]),
    ],
)  # fmt: skip
def test_all_that_is_wrong_is_named_at_once(untouched, method, path, body, paths):
    problem(untouched.request(method, path, json=body), 400, *paths)


@each(
    ("rule", "paths"),
    [
        ({}, ["/fault"]),
        ({"fault": 1, "ms": "x"}, ["/fault", "/ms"]),
        ({"fault": "otp_expird", "match": {"operation": "getSender"}, "ms": 3}, ["/fault", "/match/operation"]),
        (
            {"fault": "otp_expired", "match": {"operation": "getSender"}, "ms": 3, "times": 0},
            ["/match/operation", "/ms", "/times"],
        ),
        ({"fault": "latency"}, ["/ms"]),
        ({"fault": "latency", "ms": 1, "code": "x", "times": "2"}, ["/code", "/times"]),
        ({"fault": "error"}, ["/code"]),
        ({"fault": "error", "code": "otp_expird", "status": 200}, ["/code", "/status"]),
        ({"fault": "latency", "ms": 1, "probability": 1.1, "after": -1, "ttl_s": -1},
         ["/after", "/probability", "/ttl_s"]),
        ({"fault": "latency", "ms": 1e300}, ["/ms"]),
        ({"fault": "latency", "ms": 1, "id": "a/b", "match": {"metod": "GET"}}, ["/id", "/match/metod"]),
        ({"fault": "latency", "distribution": {"type": "normal", "median_ms": "x"}},
         ["/distribution/median_ms", "/distribution/type"]),
    ],
)  # fmt: skip
def test_all_that_is_wrong_with_a_fault_rule_is_named_at_once(untouched, rule, paths):
    found = untouched.post("/_mock/faults", json=rule)

    assert found.status_code == 400
    assert {error["path"] for error in found.json["errors"]} == set(paths)
    assert not TRACES.search(found.data)


@each(
    "header",
    ["", ";", "nothing", "latency; ms", "latency; ms=x", "latency; ms=-1", "{", "{}", '{"fault":1}', "[]", "hang; x=1",
     '{"fault":"latency","ms":1e400}', "error", "error; code=nothing", "a" * 5000, '{"a":' * 2000, "latency; ms=1; ms"],
)  # fmt: skip
def test_a_bad_fault_of_one_call_is_refused_and_nothing_is_done(untouched, header):
    body = {"name": "New", "email": "new@acme.test"}
    answer = untouched.post("/v3/senders", json=body, headers={"X-Mock-Fault": header})

    assert answer.status_code == 400
    assert answer.json["code"] == "invalid_parameter"
    assert not TRACES.search(answer.data)


@each(
    ("path", "query"),
    [
        ("/_mock/requests", "limit=0"), ("/_mock/requests", "limit=1001"), ("/_mock/requests", "offset=-1"),
        ("/_mock/requests", "status=ok"), ("/_mock/requests", "wait=31"), ("/_mock/requests", "colour=red"),
        ("/_mock/workspaces", "limit=x"), ("/_mock/workspaces", "offset=99999999999999999999"),
        ("/_mock/deliveries", "state=gone"), ("/_mock/deliveries", "webhook=x"), ("/_mock/deliveries", "wait=31"),
        ("/_mock/receivers/mine", "count=0"), ("/_mock/receivers/mine", "wait=-1"), ("/_mock/mailbox", "smtp=lost"),
        ("/_mock/coverage", "format=pdf"), ("/_mock/coverage", "unknown=1"),
    ],
)  # fmt: skip
def test_a_query_that_is_none_is_refused(untouched, path, query):
    problem(untouched.get(f"{path}?{query}"), 400, f"/{query.partition('=')[0]}")


@each(
    ("method", "path"),
    [(call.method, call.path) for call in CONTROL_API.calls if call.query is None and not call.is_open],
)
def test_control_call_without_parameters_refuses_a_query(untouched, method, path):
    answer = untouched.request(method, f"{path}?limit=1&offset=2")

    assert (answer.status_code, [row["path"] for row in answer.json["errors"]]) == (400, ["/limit", "/offset"])


@each("path", ["/_mock/health?verbose", "/_mock/livez?x=1", "/_mock/docs?theme=dark", "/_mock/receiver/crm?token=1"])
def test_open_control_call_ignores_queries(target, path):
    assert target.get(path).status_code == 200


# ---------------------------------------------------------------------- what leaves and what comes in


@each(
    ("method", "path"),
    [
        ("GET", "/_mock/deliveries/1"), ("GET", "/_mock/deliveries/-1"), ("GET", "/_mock/deliveries/1e3"),
        ("GET", "/_mock/deliveries/%00"), ("GET", "/_mock/deliveries/" + "9" * 5000),
        ("POST", "/_mock/deliveries/1/redeliver"), ("POST", "/_mock/deliveries/..%2f1/redeliver"),
        ("GET", "/_mock/exports"), ("GET", "/_mock/exports/"), ("GET", "/_mock/exports/1.csv"),
        ("GET", "/_mock/exports/csv"), ("GET", "/_mock/exports/%2e%2e"),
        ("GET", "/_mock/exports/..%2f..%2fpyproject.toml"), ("GET", "/_mock/exports/%00"), ("GET", "/_mock/receiver"),
        ("POST", "/_mock/receiver/a/b"), ("POST", "/_mock/receiver/..%2fdeliveries"),
        ("DELETE", "/_mock/receivers/a/b"),
    ],
)  # fmt: skip
def test_what_has_neither_left_nor_come_in_is_not_found(untouched, method, path):
    problem(untouched.request(method, path), 404)


@each("part", ["1-", "abc.csv", "csv", "1-abc", "1-abc.csv%00", "%31-abc.csv/", "x/1-abc.csv", "1-ABC.csv"])
def test_an_export_is_found_by_its_whole_name_only(make_api, part):
    url, hook = "http://localhost/_mock/exports/1-abc.csv", "https://hook.test/"
    filters = {"type": "transactional", "event": "allEvents", "notifyURL": hook}
    export = {"id": 1, "requested_at": "-PT1H", "filters": filters, "url": url, "state": "notified", "content": "a\r\n"}
    api = make_api({"exports": [export]})

    assert api.get("/_mock/exports/1-abc.csv").text == "a\r\n"
    problem(api.get(f"/_mock/exports/{part}"), 404)


@each("name", ["..", "%2e%2e", "%00", "%ff", "e\u0301", "a" * 5000, "%20", "mine.json"])
def test_a_receiver_may_have_any_name_and_takes_any_body(api, name):
    assert api.client.post(f"/_mock/receiver/{name}", data=b"\xff\x00{").status_code == 200

    found = api.get(f"/_mock/receivers/{name}")
    assert (found.status_code, found.json["count"]) == (200, 1)
    assert api.get("/_mock/receivers").json["count"] == 1


def test_receivers_are_bounded(api):
    statuses = [api.client.post(f"/_mock/receiver/{number}").status_code for number in range(101)]

    assert statuses == [200] * 100 + [409]


#: An address of the mock's own machine where nobody listens.
NOBODY = "http://127.0.0.1:1/"


@each(
    "members",
    [
        {"subject": "Hi\r\nBcc: x@y.test"}, {"subject": "Hi\n\n<p>", "text": "\r\n.\r\nQUIT\r\n"},
        {"subject": "\u202e\U0001f600", "text": "\x00"}, {"sender": "j\u00f6@b.test", "recipient": "x@\u00fcber.test"},
        {"sender": "o'hara+tag@b.test", "subject": ""},
    ],
)  # fmt: skip
def test_an_odd_mail_arrives_whole_and_adds_no_header(make_api, members):
    mail = {"sender": "a@b.test", "recipient": "x@in.test", "subject": "Hi", "text": "Hello", **members}
    domain = mail["recipient"].partition("@")[2]
    hook = {"url": NOBODY, "type": "inbound", "events": ["inboundEmailProcessed"], "domain": domain}
    api = make_api({"clock": {"frozen": True}, "webhooks": [hook]})

    answer = api.post("/_mock/inbound", json=mail)

    assert answer.status_code == 201
    assert [row["sender"] for row in api.get("/v3/inbound/events").json["events"]] == [mail["sender"]]
    api.advance("PT0S")
    (item,) = api.get("/_mock/deliveries").json["items"][0]["attempts"][0]["request"]["body"]["items"]
    assert "Bcc" not in item["Headers"]
    assert "Bcc" not in item
    state = api.get("/_mock/state").json
    assert api.put("/_mock/state", json=state).status_code == 200


@each("to", ["\r\nBcc: x@y.test", "\x00", "\u202e", "x" * 100_000, "+49 170 1234567"])
def test_an_odd_address_of_an_event_can_be_written_out_and_in(make_api, to):
    api = make_api({"clock": {"frozen": True}, "webhooks": [{"url": NOBODY, "events": ["delivered"]}]})

    assert api.post("/_mock/trigger", json={"event": "delivered", "to": to}).json["count"] == 1

    state = api.get("/_mock/state").json
    assert state["accounts"][0]["deliveries"][0]["payloads"][0]["email"] == to
    assert api.put("/_mock/state", json=state).status_code == 200


@each("domain", ["no domain", "\r\nBcc: x@y.test", "@", "\u202e"])
def test_an_inbound_webhook_of_what_is_no_domain_is_refused(make_api, domain):
    hook = {"url": NOBODY, "type": "inbound", "events": ["reply"], "domain": domain}
    answer = make_api().post("/_mock/seed", json={"webhooks": [hook]})

    assert answer.status_code == 400
    assert [row["path"] for row in answer.json["errors"]] == ["/webhooks/0/domain"]


def test_a_mail_for_a_domain_of_a_short_name_can_be_written_out_and_in(make_api):
    """A label of one letter at its end makes a host name, and so one that addresses have."""
    hook = {"url": NOBODY, "type": "inbound", "events": ["reply"], "domain": "in.x"}
    api = make_api({"clock": {"frozen": True}, "webhooks": [hook]})

    assert api.post("/_mock/trigger", json={"event": "reply", "type": "inbound"}).status_code == 200

    state = api.get("/_mock/state").json
    assert [row["recipient"] for row in state["accounts"][0]["inbound_events"]] == ["reply@in.x"]
    assert api.put("/_mock/state", json=state).status_code == 200


# ---------------------------------------------------------------------- documents


def bomb():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    return "\n".join(lines).encode()


@each(
    "raw",
    [
        bomb(), b"seed: !!python/object/apply:os.system ['true']", b"accounts: !!set {a, b}",
        b"description: !!python/name:os.system", b"seed: 1" + b"0" * 400, b"seed: " + b"9" * 5000, b"seed: .nan",
        b"resume: {ids: {sender: 1" + b"0" * 400 + b"}}", b"extends: {name: empty}", b"extends: /etc/passwd",
        b"a: &a {b: *a}", b"[" * 5000, b"{a: " * 5000, b"--- {}\n--- {}", b"? [a, b]\n: 1",
        b"senders: [{name: !!binary gICA, email: a@b.test}]", b'senders: [{name: "\\ud83d", email: a@b.test}]',
        b"\xfe\xff\x00a",
    ],
)  # fmt: skip
@each(("method", "path"), [("PUT", "/_mock/state"), ("POST", "/_mock/seed")])
def test_a_yaml_document_that_is_none_is_refused(untouched, method, path, raw):
    answer = untouched.request(method, path, data=raw, content_type="application/yaml")

    assert answer.status_code == 400
    assert answer.content_type == "application/problem+json"
    assert answer.json["errors"]
    assert not TRACES.search(answer.data)


# ---------------------------------------------------------------------- which workspace


@each(
    "prefix",
    ["/w/nowhere", "/w/", "/w/..", "/w/%2e%2e", "/w/default%00", "/w/DEFAULT", "/w/default%20",
     "/w/d%C3%A9fault", "/w/" + "a" * 5000],
)  # fmt: skip
@each("path", ["/_mock/state", "/_mock/health", "/_mock/workspaces", "/_mock/machines"])
def test_a_workspace_that_an_address_names_wrongly_is_not_found(untouched, prefix, path):
    assert untouched.client.get(prefix + path).status_code in (401, 404)


@each("path", ["/w//_mock/state", "/w//_mock/reset", "/w/nowhere/_mock/reset"])
def test_an_empty_or_unknown_name_never_means_the_default_workspace(untouched, path):
    problem(untouched.client.post(path), 404 if path != "/w//_mock/state" else 405)


@each("path", ["/w/x", "/w/", "/w/x/"])
def test_there_is_no_welcome_to_a_workspace_that_is_not_there(untouched, path):
    problem(untouched.client.get(path), 404)


@each("path", ["/w/default", "/w/default/"])
def test_a_workspace_welcomes_a_shell_as_the_root_does_with_commands_of_its_own(untouched, path):
    found, root = (untouched.client.get(each).get_data(as_text=True).split() for each in (path, "/"))
    assert [word.replace("/w/default/", "/") for word in found] == root
    assert found != root


@each("path", ["/w", "/w//v3/senders", "/w/default/w/default/v3/senders", "/w/default/../v3/senders",
               "/w/%2e%2e/v3/senders", "/w/x/w/default/v3/senders"])  # fmt: skip
def test_an_address_that_is_no_good_one_is_refused_by_the_service(untouched, path):
    answer = untouched.client.get(path, headers={"api-key": untouched.key})

    assert answer.status_code in (401, 404)
    assert answer.content_type == "application/json"
    assert set(answer.json) == {"code", "message"}
    assert not TRACES.search(answer.data)


def test_the_address_wins_over_the_header(api):
    api.post("/_mock/workspaces", json={"name": "one"})
    answer = api.client.post("/w/one/_mock/keys/revoke", json={"key": "k"}, headers={"X-Mock-Workspace": "default"})

    assert answer.json["workspace"] == "one"


def test_a_call_that_acts_on_no_workspace_does_not_mind_a_header_that_names_none(api):
    headers = {"X-Mock-Workspace": "gone"}

    assert api.client.post("/_mock/workspaces", json={"name": "one"}, headers=headers).status_code == 201
    assert api.client.delete("/_mock/workspaces/one", headers=headers).status_code == 204


# ---------------------------------------------------------------------- anything at all


TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)
ODD = st.sampled_from(["\u202e", "\u0000", "e\u0301", "\U0001f600", "default", "standard", "latency", "PT1S", "next"])
LEAVES = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | TEXTS | ODD
MEMBERS = sorted(
    {member for call in WITH_BODY if call.body for member in call.body().fields}
    | {"senders", "domains", "accounts", "clock", "extends", "resume", "dns", "behaviour", "operation", "path", "json"}
)
KEYS = st.sampled_from(MEMBERS) | TEXTS
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)


WORKSPACE = {
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "senders": [{"id": 2, "name": "Ops", "email": "ops@acme.test", "state": "awaiting_verification"}],
    "domains": [{"name": "a.test"}],
    "faults": [FAULT],
    "oauth_apps": [{"client_id": "crm"}],
}


def everything(api):
    """All that a call could change; of the clocks of workspaces those are left out that real time moves."""
    workspaces = [{**row, "clock": None} for row in api.get("/_mock/workspaces").json["items"]]
    return api.get("/_mock/state").json, api.get("/_mock/snapshots").json, workspaces


@pytest.mark.hypothesis
@pytest.mark.parametrize("call", [call for call in CALLS if call.method != "GET"], ids=names)
def test_whatever_is_sent_gives_a_problem_or_a_success_and_a_problem_changes_nothing(make_api, call):
    api = make_api(WORKSPACE)

    @examples(40)
    @given(body=st.dictionaries(KEYS, VALUES, max_size=4))
    def run(body):
        before = everything(api)
        raw = json.dumps(body).encode()
        answer = api.request(call.method, place(call), data=raw, content_type="application/json")
        assert answer.status_code < 500
        assert not TRACES.search(answer.data)
        if answer.status_code >= 400:
            assert answer.content_type == "application/problem+json"
            assert everything(api) == before
        else:
            assert answer.status_code == call.status
            assert api.post("/_mock/reset", json={"scenario": WORKSPACE}).status_code == 200

    run()

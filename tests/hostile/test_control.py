"""Bad requests to the control API: one table, whose every row is refused as a problem and changes nothing."""

from __future__ import annotations

import json

import pytest
from examples import examples
from hostile.refusals import KEY, PARTS, RAW, TRACES, problem, sent
from hypothesis import given
from hypothesis import strategies as st
from tables import tables

from mockserver.app.control_api import CONTROL_API

#: The tables of the tests by name.
CASES = tables(__file__)
#: `stream` has no end, and the documents read nothing.
CALLS = [call for call in CONTROL_API.calls if call.resource not in ("stream", "documents")]
WITH_BODY = [call for call in CALLS if call.body or call.document]
RESET, CLOCK, ADVANCE, DNS = "/_mock/reset", "/_mock/clock", "/_mock/clock/advance", "/_mock/dns/a.test"
WORKSPACES, SNAPSHOTS, REVOKE, FAULTS = "/_mock/workspaces", "/_mock/snapshots", "/_mock/keys/revoke", "/_mock/faults"
VERIFY, TRIGGER, INBOUND, RECEIVER = (
    "/_mock/requests/verify",
    "/_mock/trigger",
    "/_mock/inbound",
    "/_mock/receivers/mine",
)
SEED, STATE = "/_mock/seed", "/_mock/state"
FAULT = {"fault": "latency", "ms": 1, "id": "slow"}
#: An address of the mock's own machine where nobody listens.
NOBODY = "http://127.0.0.1:1/"
BODIES = [("POST", RESET), ("PUT", CLOCK), ("POST", ADVANCE), ("PUT", DNS)]

#: (method, path, body, the places that the problem names)
MEMBERS = CASES["members"]
DURATIONS = [
    "", "P", "PT", "15M", "PT15", "-PT1S", "P1Y", "P1M", "P999999999D", "P99999999999999999999D", "PT1E400S", "PT1e9S",
    "PTNaNS", "PT1H1H", "P1DT", "PT0,S", "\u0663", "PT\u0661S", "P" + "9" * 100_000 + "D", "PT1S\n",
]  # fmt: skip
MISSING = [
    *(("GET", f"/_mock/{path}") for path in (
        "machines/nothing", "machines/nothing/1", "machines/sender/999", "machines/sender/abc",
        "machines/sender/" + "9" * 5000, "machines/domain/%00", "mailbox/nothing", "scenarios/nothing",
        "scenarios/..%2F..%2Fpyproject", "scenarios/%2e%2e", "docs/%2e%2e%2fstart.js", "nothing", "", "deliveries/1",
        "deliveries/-1", "deliveries/1e3", "deliveries/%00", "deliveries/" + "9" * 5000, "exports", "exports/",
        "exports/1.csv", "exports/csv", "exports/%2e%2e", "exports/..%2f..%2fpyproject.toml", "exports/%00",
        "receiver")),
    *(("POST", f"/_mock/{path}") for path in (
        "machines/nothing/1/delete", "machines/sender/999/delete", "state/x", "deliveries/1/redeliver",
        "deliveries/..%2f1/redeliver", "receiver/a/b", "receiver/..%2fdeliveries")),
    ("GET", "/_mockingbird"), ("DELETE", "/_mock/receivers/a/b"), ("POST", "/w//_mock/reset"),
    ("POST", "/w/nowhere/_mock/reset"), ("GET", "/w/x"), ("GET", "/w/"), ("GET", "/w/x/"),
]  # fmt: skip
QUERIES = {
    "mailbox": ["limit=0", "limit=x", "limit=99999999999999999999", "wait=-1", "wait=31", "wait=nan", "wait=inf",
                "wait=x", "x=1", "smtp=lost"],
    "requests": ["limit=0", "limit=1001", "offset=-1", "status=ok", "wait=31", "colour=red"],
    "workspaces": ["limit=x", "offset=99999999999999999999"], "coverage": ["format=pdf", "format=", "unknown=1"],
    "deliveries": ["state=gone", "webhook=x", "wait=31"], "receivers/mine": ["count=0", "wait=-1"],
}  # fmt: skip


def rows_of_json():
    for way in BODIES:
        for raw in RAW.values():
            yield *way, {"data": raw, "content_type": "application/json"}, 400, [""]
        for raw in (b"null", b"[]", b'"x"', b"1", b"true"):
            yield *way, {"data": raw}, 400, [""]


#: By topic: method, path, body and headers, status, the places that the problem names, or None: any.
TABLE = {
    "bodies": list(rows_of_json()),
    "members": [(method, path, {"json": body}, 400, paths) for method, path, body, paths in MEMBERS],
    "durations": [("POST", ADVANCE, {"json": {"by": by}}, 400, None) for by in DURATIONS],
    "moments": [("PUT", CLOCK, {"json": {"now": now}}, 400, None) for now in (
        "1999-01-01T00:00:00Z", "-PT1H", "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "P999999999D")],
    "queries": [("GET", f"/_mock/{path}?{query}", {}, 400, [f"/{query.partition('=')[0]}"])
        for path, queries in QUERIES.items() for query in queries],
    "queries that no call takes": [(call.method, f"{call.path}?limit=1&offset=2", {}, 400, ["/limit", "/offset"])
        for call in CONTROL_API.calls if call.query is None and not call.is_open],
    "names of hosts": [("PUT", f"/_mock/dns/{name}", {"json": {"brevo_code": "ok"}}, 400, ["/domain"])
        for name in ("x", "a_b.test", "%00", "a..test", "%2e%2e", "a" * 5000)],
    "missing": [(method, path, {}, 404, []) for method, path in MISSING],
    "wrong methods": [("DELETE", CLOCK, {}, 405, []), ("PATCH", STATE, {}, 405, []), ("GET", RESET, {}, 405, []),
        ("POST", "/w//_mock/state", {}, 405, [])],
    "unknown workspaces": [("GET", path, {"headers": {"X-Mock-Workspace": name}}, 404, [])
        for path in (STATE, CLOCK, "/_mock/mailbox") for name in ("no", "", "Default", "../default", "a" * 10_000)],
}  # fmt: skip


def is_problem(answer, status=400):
    """Check that the control API refused a request without a trace of the program."""
    assert (answer.status_code, answer.content_type) == (status, "application/problem+json"), sent(answer)
    assert not TRACES.search(answer.data)


@pytest.mark.parametrize("rows", TABLE.values(), ids=TABLE)
def test_bad_calls_are_refused_and_change_nothing(untouched, rows):
    for method, path, options, status, places in rows:
        answer = untouched.request(method, path, **options)
        if places is None:
            is_problem(answer, status)
        else:
            problem(answer, status, *places)


def test_calls_that_take_a_body_name_unknown_members(untouched):
    for call in WITH_BODY:
        answer = untouched.request(call.method, call.path.format(**PARTS), json={"unknown/member": 1})
        is_problem(answer)
        assert "/unknown~1member" in [error["path"] for error in answer.json["errors"]], sent(answer)


def test_open_calls_take_any_query(target):
    for path in ("health?verbose", "livez?x=1", "docs?theme=dark", "receiver/crm?token=1"):
        assert target.get(f"/_mock/{path}").status_code == 200


def test_events_that_do_not_apply_are_refused_with_those_that_do(untouched):
    for event in ("nothing", "create", "%00", "verify_ownership"):
        answer = untouched.post(f"/_mock/machines/sender/1/{event}")
        problem(answer, 409)
        assert answer.json["allowed"] == ["change_email", "delete"]


def test_the_workspace_of_an_unknown_key_is_not_found_where_keys_must_be_known(strict_target):
    problem(strict_target.client.get(STATE, headers={"api-key": "nobody"}), 404)


# ---------------------------------------------------------------------- scenarios


def unfolding():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    return "\n".join(lines).encode()


YAML = [
    unfolding(), b"a: [", b"a: 1\na: 2", b"- 1", b"!!python/object:os.system {}", b"\xff", b"a: *b", b"{a: &a [*a]}",
    b"\x00", b"a: \t- b", b"%", b"seed: !!python/object/apply:os.system ['true']", b"accounts: !!set {a, b}",
    b"description: !!python/name:os.system", b"seed: 1" + b"0" * 400, b"seed: " + b"9" * 5000, b"seed: .nan",
    b"resume: {ids: {sender: 1" + b"0" * 400 + b"}}", b"extends: {name: empty}", b"extends: /etc/passwd",
    b"a: &a {b: *a}", b"[" * 5000, b"{a: " * 5000, b"--- {}\n--- {}", b"? [a, b]\n: 1",
    b"senders: [{name: !!binary gICA, email: a@b.test}]", b'senders: [{name: "\\ud83d", email: a@b.test}]',
    b"\xfe\xff\x00a",
]  # fmt: skip
ACCOUNT = {"name": "a"}
SCENARIOS = [
    "nothing", "", "../pyproject", "/etc/passwd", "a" * 5000, "\x00", {"extends": "nothing"}, {"extends": 1},
    {"accounts": "x"}, {"accounts": [1]}, {"accounts": [ACCOUNT, ACCOUNT]},
    {"accounts": [{**ACCOUNT, "role": "sub_account", "of": "nobody"}]},
    {"accounts": [{**ACCOUNT, "senders": [{"name": "x", "email": "a@b.de"}, {"name": "y", "email": "A@b.de"}]}]},
    {"accounts": [{**ACCOUNT, "generate": {"senders": -1}}]}, {"clock": {"start": "9999-12-31T00:00:00Z"}},
    {"accounts": [{**ACCOUNT, "generate": {"senders": 10**12}}]}, {"clock": 1}, {"behaviour": []},
    {"accounts": [{**ACCOUNT, "api_keys": ["with blank"]}]}, {"faults": [{"fault": "x"}]},
    {"resume": {"ids": {"sender": "x"}}},
]  # fmt: skip


def test_invalid_scenarios_are_refused_and_change_nothing(untouched):
    for method, path in (("PUT", STATE), ("POST", SEED), ("POST", RESET)):
        for raw in YAML:
            answer = untouched.request(method, path, data=raw, content_type="application/yaml")
            is_problem(answer)
            assert answer.json["errors"], raw[:80]
    for scenario in SCENARIOS:
        answer = untouched.post(RESET, json={"scenario": scenario})
        is_problem(answer)
        assert answer.json["errors"], scenario


def test_an_invalid_scenario_is_refused_with_all_its_errors(untouched):
    scenario = {
        "descripton": "a slip", "clock": {"start": "yesterday", "frozen": "no"}, "seed": "x",
        "behaviour": {"otp_lifetime": "P1Y", "bulk_plan": "later", "dkim": "dns"},
        "accounts": [
            {"role": "king", "senders": [{"name": 1, "email": "x"}, {"nam": "x"}]},
            {"name": "b", "domains": [{"name": "x", "state": "good"}], "campaigns": [{"kind": "fax"}]},
        ],
    }  # fmt: skip
    answer = untouched.post(RESET, json={"scenario": scenario})
    problem(
        answer, 400, "/descripton", "/clock/start", "/clock/frozen", "/seed", "/behaviour/otp_lifetime",
        "/behaviour/bulk_plan", "/behaviour/dkim", "/accounts/0/name", "/accounts/0/role", "/accounts/0/senders/0/name",
        "/accounts/0/senders/0/email", "/accounts/0/senders/1/nam", "/accounts/0/senders/1/name",
        "/accounts/0/senders/1/email", "/accounts/1/domains/0/name", "/accounts/1/domains/0/state",
        "/accounts/1/campaigns/0/kind", "/accounts/1/campaigns/0/name",
    )  # fmt: skip
    messages = {error["path"]: error["message"] for error in answer.json["errors"]}
    assert "description" in messages["/descripton"]


# ---------------------------------------------------------------------- unusual input that is accepted


def assert_state_can_be_restored(api):
    state = api.get(STATE).json
    assert api.put(STATE, json=state).status_code == 200
    return state["accounts"][0]


def test_an_export_is_found_by_its_whole_name_only(make_api):
    url, hook = "http://localhost/_mock/exports/1-abc.csv", "https://hook.test/"
    filters = {"type": "transactional", "event": "allEvents", "notifyURL": hook}
    export = {"id": 1, "requested_at": "-PT1H", "filters": filters, "url": url, "state": "notified", "content": "a\r\n"}
    api = make_api({"exports": [export]})

    assert api.get("/_mock/exports/1-abc.csv").text == "a\r\n"
    for part in ("1-", "abc.csv", "csv", "1-abc", "1-abc.csv%00", "%31-abc.csv/", "x/1-abc.csv", "1-ABC.csv"):
        problem(api.get(f"/_mock/exports/{part}"), 404)


def test_receivers_have_any_name_take_any_body_and_are_limited_in_number(api):
    names = ["..", "%2e%2e", "%00", "%ff", "e\u0301", "a" * 5000, "%20", "mine.json"]
    for name in names:
        assert api.client.post(f"/_mock/receiver/{name}", data=b"\xff\x00{").status_code == 200
        found = api.get(f"/_mock/receivers/{name}")
        assert found.status_code == 200, name
        assert api.client.delete(f"/_mock/receivers/{name}").status_code == 204
        assert found.json["count"] == 1, name

    statuses = [api.client.post(f"/_mock/receiver/{number}").status_code for number in range(101)]
    assert statuses == [200] * 100 + [409]


def test_unusual_mails_arrive_whole_and_add_no_header(make_api):
    for members in (
        {"subject": "Hi\r\nBcc: x@y.test"}, {"subject": "Hi\n\n<p>", "text": "\r\n.\r\nQUIT\r\n"},
        {"subject": "\u202e\U0001f600", "text": "\x00"}, {"sender": "j\u00f6@b.test", "recipient": "x@\u00fcber.test"},
        {"sender": "o'hara+tag@b.test", "subject": ""},
    ):  # fmt: skip
        mail = {"sender": "a@b.test", "recipient": "x@in.test", "subject": "Hi", "text": "Hello", **members}
        domain = mail["recipient"].partition("@")[2]
        hook = {"url": NOBODY, "type": "inbound", "events": ["inboundEmailProcessed"], "domain": domain}
        api = make_api({"clock": {"frozen": True}, "webhooks": [hook]})

        assert api.post(INBOUND, json=mail).status_code == 201
        assert [row["sender"] for row in api.get("/v3/inbound/events").json["events"]] == [mail["sender"]]
        api.advance("PT0S")
        (item,) = api.get("/_mock/deliveries").json["items"][0]["attempts"][0]["request"]["body"]["items"]
        assert "Bcc" not in item["Headers"]
        assert "Bcc" not in item
        assert_state_can_be_restored(api)


def test_unusual_addresses_of_events_survive_writing_and_reading(make_api):
    for to in ("'*+!#$%&{}|~^`=/?_-@y.test", "x@b\u00fccher.test", '"<b>"@y.test', f"x@{'.'.join(['y' * 60] * 4)}"):
        api = make_api({"clock": {"frozen": True}, "webhooks": [{"url": NOBODY, "events": ["delivered"]}]})
        assert api.post(TRIGGER, json={"event": "delivered", "to": to}).json["count"] == 1
        assert assert_state_can_be_restored(api)["deliveries"][0]["payloads"][0]["email"] == to


def test_a_mail_to_a_domain_that_ends_with_one_letter_survives_writing_and_reading(make_api):
    hook = {"url": NOBODY, "type": "inbound", "events": ["reply"], "domain": "in.x"}
    api = make_api({"clock": {"frozen": True}, "webhooks": [hook]})

    assert api.post(TRIGGER, json={"event": "reply", "type": "inbound"}).status_code == 200
    assert [row["recipient"] for row in assert_state_can_be_restored(api)["inbound_events"]] == ["reply@in.x"]


# ---------------------------------------------------------------------- which workspace


def test_wrong_names_of_workspaces_in_addresses_are_not_found(untouched):
    for prefix in (
        "/w/nowhere", "/w/", "/w/..", "/w/%2e%2e", "/w/default%00", "/w/DEFAULT", "/w/default%20", "/w/d%C3%A9fault",
        "/w/" + "a" * 5000,
    ):  # fmt: skip
        for path in (STATE, "/_mock/health", WORKSPACES, "/_mock/machines"):
            assert untouched.client.get(prefix + path).status_code in (401, 404), prefix[:50]


def test_a_workspace_welcomes_a_shell_as_the_root_does_with_commands_of_its_own(untouched):
    root = untouched.client.get("/").text.split()
    for path in ("/w/default", "/w/default/"):
        found = untouched.client.get(path).text.split()
        assert [word.replace("/w/default/", "/") for word in found] == root
        assert found != root


def test_malformed_addresses_of_workspaces_are_refused_by_the_service(untouched):
    for path in (
        "/w", "/w//v3/senders", "/w/default/w/default/v3/senders", "/w/default/../v3/senders",
        "/w/%2e%2e/v3/senders", "/w/x/w/default/v3/senders",
    ):  # fmt: skip
        answer = untouched.client.get(path, headers={"api-key": KEY})
        assert answer.status_code in (401, 404), path
        assert (answer.content_type, set(answer.json)) == ("application/json", {"code", "message"})
        assert not TRACES.search(answer.data)


def test_the_address_wins_over_the_header(api):
    api.post(WORKSPACES, json={"name": "one"})
    answer = api.client.post(f"/w/one{REVOKE}", json={"key": "k"}, headers={"X-Mock-Workspace": "default"})

    assert answer.json["workspace"] == "one"


def test_calls_without_a_workspace_ignore_a_header_that_names_an_unknown_one(api):
    headers = {"X-Mock-Workspace": "gone"}

    assert api.client.post(WORKSPACES, json={"name": "one"}, headers=headers).status_code == 201
    assert api.client.delete(f"{WORKSPACES}/one", headers=headers).status_code == 204


# ---------------------------------------------------------------------- any body


TEXTS = st.text(st.characters(codec="utf-8"), max_size=20)
ODD = st.sampled_from(["\u202e", "\u0000", "e\u0301", "\U0001f600", "default", "standard", "latency", "PT1S", "next"])
LEAVES = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | TEXTS | ODD
MORE = {"senders", "domains", "accounts", "clock", "extends", "resume", "dns", "behaviour", "operation", "path", "json"}
KEYS = st.sampled_from(sorted(MORE.union(*(call.body().fields for call in WITH_BODY if call.body)))) | TEXTS
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4), max_leaves=12
)
WORKSPACE = {
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "senders": [{"id": 2, "name": "Ops", "email": "ops@acme.test", "state": "awaiting_verification"}],
    "domains": [{"name": "a.test"}], "faults": [FAULT], "oauth_apps": [{"client_id": "crm"}],
}  # fmt: skip


def everything(api):
    """Return what a call could change, without the clocks of workspaces, which real time moves."""
    workspaces = [{**row, "clock": None} for row in api.get(WORKSPACES).json["items"]]
    return api.get(STATE).json, api.get(SNAPSHOTS).json, workspaces


@pytest.mark.hypothesis
@pytest.mark.parametrize("call", [call for call in CALLS if call.method != "GET"], ids=lambda c: f"{c.method} {c.path}")
def test_any_body_gives_a_problem_or_a_success_and_a_problem_changes_nothing(make_api, call):
    api = make_api(WORKSPACE)

    @examples(40)
    @given(body=st.dictionaries(KEYS, VALUES, max_size=4))
    def run(body):
        before = everything(api)
        raw = json.dumps(body).encode()
        answer = api.request(call.method, call.path.format(**PARTS), data=raw, content_type="application/json")
        assert answer.status_code < 500
        assert not TRACES.search(answer.data)
        if answer.status_code >= 400:
            assert answer.content_type == "application/problem+json"
            assert everything(api) == before
        else:
            assert answer.status_code == call.status
            assert api.post(RESET, json={"scenario": WORKSPACE}).status_code == 200

    run()

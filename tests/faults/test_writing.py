"""How rules are written, kept and removed, and which are refused."""

from __future__ import annotations

import pytest

from mockserver.core.contract.errors import ALL_CODES

FAULTS = "/_mock/faults"


def state_of(api):
    return api.get("/_mock/state").json


def put(api, *items):
    return api.put(FAULTS, json={"items": list(items)})


# ---------------------------------------------------------------------- one, all, and their ids


def test_a_rule_is_shown_as_it_was_written(api, rules):
    written = {
        "fault": "latency",
        "ms": 5,
        "match": {"operation": ["getSenders"], "path": "/v3/*", "query": {"limit": 5}, "json": {"a": [1, None]}},
        "times": 3,
        "after": 1,
        "probability": 0.5,
        "ttl_s": 60,
    }
    found = rules.add(**written)
    running = {"id": "fault-1", "hits": 0, "active": True, "expires_at": "2026-01-15T09:01:00Z"}
    assert found == rules.get("fault-1") == {**written, **running}


def test_rules_are_listed_in_the_order_in_which_they_are_asked(rules):
    for name in ("b", "a", "c"):
        rules.add(id=name)
    assert [rule["id"] for rule in rules.all()] == ["b", "a", "c"]


def test_put_replaces_all_fault_rules(api, rules):
    rules.add(id="old")
    answer = put(api, {"fault": "maintenance", "id": "new"}, {"fault": "unavailable"})
    assert answer.status_code == 200
    assert [rule["id"] for rule in answer.json["items"]] == ["new", "fault-1"]
    assert (answer.json["items"], answer.json["count"]) == (rules.all(), 2)


def test_a_bad_rule_among_good_ones_replaces_nothing(api, rules):
    rules.add(id="old")
    answer = put(api, {"fault": "maintenance"}, {"fault": "unavailabel"})
    assert answer.status_code == 400
    assert [row["path"] for row in answer.json["errors"]] == ["/items/1/fault"]
    assert [rule["id"] for rule in rules.all()] == ["old"]


def test_invalid_rules_are_refused(api):
    answer = put(api, 5, None, "unavailable", [])
    assert answer.status_code == 400
    assert {row["path"] for row in answer.json["errors"]} == {f"/items/{index}" for index in range(4)}


def test_fault_rule_is_removed_by_id(api, rules):
    rules.add(id="a"), rules.add(id="slow.senders-1")
    assert api.delete(f"{FAULTS}/a").status_code == 204
    assert [rule["id"] for rule in rules.all()] == ["slow.senders-1"]
    assert api.get("/v3/senders").headers["X-Mock-Fault"] == "slow.senders-1"
    assert api.get(f"{FAULTS}/a").status_code == api.delete(f"{FAULTS}/a").status_code == 404


def test_delete_removes_all_fault_rules(api, rules):
    rules.add(), rules.add()
    assert api.delete(FAULTS).status_code == 204
    assert rules.all() == []
    assert api.get("/v3/senders").status_code == 200


def test_an_id_twice_is_refused(api, rules):
    rules.add(id="a")
    assert api.post(FAULTS, json={"fault": "unavailable", "id": "a"}).status_code == 409
    assert put(api, {"fault": "unavailable", "id": "b"}, {"fault": "maintenance", "id": "b"}).status_code == 409
    assert [rule["id"] for rule in rules.all()] == ["a"]


def test_a_drawn_id_is_none_that_is_taken_before_or_later_in_the_list(api, rules):
    answer = put(api, {"fault": "unavailable"}, {"fault": "maintenance", "id": "fault-1"})
    assert [rule["id"] for rule in answer.json["items"]] == ["fault-2", "fault-1"]
    rules.add(id="fault-3")
    assert rules.add()["id"] == "fault-4"


def test_an_unknown_code_is_told_with_all_that_there_are(rules):
    assert rules.refused("error", code="zzz") == {"/code": f"unknown code 'zzz'; known: {', '.join(ALL_CODES)}"}


@pytest.mark.parametrize("name", ["", "a b", "a/b", "ü", ".", "..", "a\n", "x" * 65, 5, "catalogue", "header"])
def test_an_id_that_fits_no_address_and_no_header_is_refused(rules, name):
    assert list(rules.refused("unavailable", id=name)) == ["/id"]


def test_number_of_fault_rules_is_limited(api, rules):
    assert put(api, *[{"fault": "unavailable"}] * 1_001).status_code == 400
    assert put(api, *[{"fault": "unavailable"}] * 1_000).status_code == 200
    assert api.post(FAULTS, json={"fault": "unavailable"}).status_code == 409
    assert len(rules.all()) == 1_000


# ---------------------------------------------------------------------- what is refused


REFUSED = {
    "no fault": ({}, {"/fault": "missing required key"}),
    "an unknown fault": ({"fault": "otp_expire"}, {"/fault": "did you mean otp_expired?"}),
    "an unknown member": ({"fault": "unavailable", "tmes": 1}, {"/tmes": "did you mean times?"}),
    "an error without its code": ({"fault": "error"}, {"/code": "missing required key"}),
    "an unknown code": ({"fault": "error", "code": "not_enough_credit"}, {"/code": "did you mean not_enough_credits?"}),
    "a code that is like no other": (
        {"fault": "error", "code": "zz\x1b"},
        {"/code": r"unknown code 'zz\x1b'; known: "},
    ),
    "a long code that is like no other": (
        {"fault": "error", "code": "z" * 200},
        {"/code": "z…' (200 characters); known: "},
    ),
    "an unknown operation": (
        {"fault": "unavailable", "match": {"operation": "getSender"}},
        {"/match/operation": "did you mean getSenders?"},
    ),
    "one unknown operation of two": (
        {"fault": "latency", "ms": 1, "match": {"operation": ["getSenders", "nothing"]}},
        {"/match/operation": "known: addContactToList, "},
    ),
    "a code that the operation never gives": (
        {"fault": "error", "code": "document_not_found", "match": {"operation": "createDomain"}},
        {"/match": "it gives Domain already exists in your account, missing_parameter, invalid_parameter"},
    ),
    "a named fault of another operation": (
        {"fault": "otp_expired", "match": {"operation": ["validateSenderByOtp", "deleteSender"]}},
        {"/match": "deleteSender never gives OTP code has expired; it gives invalid_parameter, document_not_found"},
    ),
    "an operation without errors": (
        {"fault": "dns_failure", "match": {"operation": "getAccount"}},
        {"/match": "it gives no error of its own"},
    ),
    "a code that no operation gives": ({"fault": "error", "code": "campaign_sent"}, {"/code": "no operation gives"}),
    "an unknown parameter of the path": (
        {"fault": "otp_expired", "match": {"operation": "validateSenderByOtp", "path": {"sender": 2}}},
        {"/match/path/sender": "no such parameter"},
    ),
    "a parameter of no path": ({"fault": "unavailable", "match": {"path": {"x": 1}}}, {"/match/path/x": "no such"}),
    "a parameter of another kind": (
        {"fault": "unavailable", "ms": 5},
        {"/ms": "unavailable takes no ms: got 5; it takes"},
    ),
    "a parameter where there is none": ({"fault": "connection_reset", "ms": 5}, {"/ms": "takes no ms"}),
    "latency without a length": ({"fault": "latency"}, {"/ms": "give ms or a distribution"}),
    "latency with two lengths": (
        {"fault": "latency", "ms": 1, "distribution": {"type": "uniform", "low_ms": 1, "high_ms": 2}},
        {"/ms": "give ms or a distribution"},
    ),
    "a distribution of no type": (
        {"fault": "latency", "distribution": {"median_ms": 1}},
        {"/distribution/type": "missing required key"},
    ),
    "a distribution with members of another": (
        {"fault": "latency", "distribution": {"type": "uniform", "median_ms": 1, "sigma": 1}},
        {"/distribution": "uniform takes low_ms and high_ms"},
    ),
    "a distribution upside down": (
        {"fault": "latency", "distribution": {"type": "uniform", "low_ms": 2, "high_ms": 1}},
        {"/distribution/high_ms": "must not be less than low_ms"},
    ),
    "times of zero": ({"fault": "unavailable", "times": 0}, {"/times": "out of range: got 0"}),
    "times of true": ({"fault": "unavailable", "times": True}, {"/times": "not an integer: got"}),
    "after of less than nothing": ({"fault": "unavailable", "after": -1}, {"/after": "out of range: got -1"}),
    "a probability above one": (
        {"fault": "unavailable", "probability": 1.1},
        {"/probability": "out of range: got 1.1"},
    ),
    "a life of less than nothing": ({"fault": "unavailable", "ttl_s": -1}, {"/ttl_s": "out of range: got -1"}),
    "a delay of more than a day": ({"fault": "latency", "ms": 86_400_001}, {"/ms": "out of range: got 86400001"}),
    "a status of success": (
        {"fault": "error", "code": "bad_request", "status": 200},
        {"/status": "out of range: got 200, expected 400 to 599"},
    ),
    "a method in small letters": (
        {"fault": "unavailable", "match": {"method": "get"}},
        {"/match/method": "unknown value: got 'get'"},
    ),
    "no operation at all": (
        {"fault": "unavailable", "match": {"operation": []}},
        {"/match/operation": "too short: got a list of 0 items"},
    ),
    "a path that is a list": ({"fault": "unavailable", "match": {"path": ["/v3"]}}, {"/match/path": "expected a glob"}),
    "a query that is a text": ({"fault": "unavailable", "match": {"query": "a=b"}}, {"/match/query": "a mapping"}),
    "a header that is a list": (
        {"fault": "unavailable", "match": {"headers": {"a": []}}},
        {"/match/headers/a": "expected a string"},
    ),
    "what only the answer has": ({"fault": "unavailable", "match": {"status": 200}}, {"/match/status": "unknown key"}),
    "two mistakes": ({"fault": "otp", "times": 0}, {"/fault": "unknown fault", "/times": "out of range"}),
}


@pytest.mark.parametrize(("rule", "mistakes"), REFUSED.values(), ids=REFUSED)
def test_a_rule_that_is_no_good_is_refused_with_every_mistake(api, rules, rule, mistakes):
    answer = api.post(FAULTS, json=rule)
    found = {row["path"]: row["message"] for row in answer.json["errors"]}
    assert (answer.status_code, found.keys()) == (400, mistakes.keys())
    assert [path for path, message in mistakes.items() if message not in found[path]] == []
    assert rules.all() == []


FORCED = {
    "a code that the operation never gives": (
        {"fault": "error", "code": "document_not_found", "match": {"operation": "getSenders"}},
        (404, "document_not_found"),
    ),
    "a code that no operation gives": ({"fault": "error", "code": "campaign_sent"}, (400, "campaign_sent")),
    "a code that there is not": ({"fault": "error", "code": "teapot", "status": 418}, (418, "teapot")),
    "a code that there is not, without a status": ({"fault": "error", "code": "teapot"}, (400, "teapot")),
    "a named fault of another operation": (
        {"fault": "otp_expired", "match": {"operation": "getSenders"}},
        (400, "OTP code has expired"),
    ),
}


@pytest.mark.parametrize(("rule", "answered"), FORCED.values(), ids=FORCED)
def test_forced_rule_overrides_the_checks(api, rules, rule, answered):
    rules.add(**rule, force=True)
    found = api.get("/v3/senders")
    assert (found.status_code, found.json["code"]) == answered
    assert rules.hits() == [1]


def test_an_unknown_operation_that_is_forced_is_never_hit(api, rules):
    rules.add("unavailable", match={"operation": "getTomorrow"}, force=True)
    assert api.get("/v3/senders").status_code == 200


def test_force_does_not_make_good_what_is_no_rule(rules):
    assert list(rules.refused("latency", ms=-1, force=True)) == ["/ms"]
    assert list(rules.refused("error", force=True)) == ["/code"]


# ---------------------------------------------------------------------- scenarios and state


def test_a_scenario_lists_rules(make_api, scenario, rules_of):
    api = make_api(
        {**scenario, "faults": [{"fault": "otp_expired", "times": 1}, {"fault": "unavailable", "id": "mine"}]}
    )
    assert [rule["id"] for rule in rules_of(api).all()] == ["fault-1", "mine"]
    assert api.put("/v3/senders/2/validate", json={"otp": 123456}).json["code"] == "OTP code has expired"


def test_a_rule_of_a_scenario_is_told_with_its_place(api, scenario):
    faults = [{"fault": "unavailable", "id": "a"}, {"fault": "latency", "ms": 1, "id": "a"}]
    answer = api.post("/_mock/reset", json={"scenario": {**scenario, "faults": faults}})
    assert answer.status_code in (400, 409)
    assert [(row["path"], row["message"]) for row in answer.json["errors"]] == [
        ("/faults/1/id", "duplicate fault id 'a'")
    ]


def test_a_seed_adds_rules_behind_those_that_are_there(api, rules):
    rules.add(id="first", times=1)
    api.get("/v3/senders")
    assert api.post("/_mock/seed", json={"faults": [{"fault": "maintenance", "id": "second"}]}).status_code == 200
    assert [(rule["id"], rule["hits"]) for rule in rules.all()] == [("first", 1), ("second", 0)]
    assert api.post("/_mock/seed", json={"faults": [{"fault": "maintenance", "id": "second"}]}).status_code == 409


@pytest.mark.parametrize("form", ["application/json", "application/yaml"])
def test_state_written_and_loaded_goes_on_where_the_rules_stood(make_api, scenario, rules_of, form):
    """Hits, what has passed, the end, and the place in the draws: both workspaces answer alike from then on."""
    one, other = make_api(scenario, key="master-key"), make_api("empty", key="master-key")
    for rule in (
        {"fault": "unavailable", "after": 5, "times": 4, "id": "a", "match": {"operation": "getSenders"}},
        {"fault": "maintenance", "probability": 0.5, "match": {"json": {"at": "2026-01-15"}}},
        {"fault": "error", "code": "bad_request", "message": "No", "ttl_s": 90, "probability": 0.3},
    ):
        rules_of(one).add(**rule)

    def play(api):
        calls = [("GET", "/v3/senders", {}), ("POST", "/v3/senders", {"json": {"at": "2026-01-15"}})]
        return [api.request(method, path, **options).data for method, path, options in calls * 4]

    play(one)
    one.advance("PT1M")
    written = one.get("/_mock/state", headers={"Accept": form})
    assert other.put("/_mock/state", data=written.data, headers={"Content-Type": form}).status_code == 200

    assert rules_of(other).all() == rules_of(one).all()
    assert play(other) == play(one)
    for api in (one, other):
        api.advance("PT31S")
    assert play(other) == play(one)
    assert state_of(other) == state_of(one)
    assert [rule["hits"] for rule in rules_of(one).all()] != [0, 0, 0]


def test_a_snapshot_keeps_the_rules(api, rules):
    rules.add("unavailable", times=2)
    api.get("/v3/senders")
    before = rules.all()
    api.post("/_mock/snapshots", json={"name": "s"})
    api.get("/v3/senders")
    api.delete(FAULTS)
    api.post("/_mock/snapshots/s/restore")
    assert rules.all() == before


def test_a_reset_removes_the_rules(api, rules):
    rules.add()
    api.post("/_mock/reset")
    assert rules.all() == []


def test_a_date_of_yaml_is_refused_with_the_advice_to_quote_it(api):
    document = "faults: [{fault: unavailable, match: {json: {day: 2026-01-15}}}]"
    answer = api.put("/_mock/state", data=document, headers={"Content-Type": "application/yaml"})
    assert answer.json["errors"] == [
        {
            "path": "/faults/0/match/json/day",
            "message": "not a value of JSON: got 2026-01-15 (a date), expected a string in quotes",
            "line": 1,
        }
    ]


def test_a_number_that_json_does_not_have_is_refused_in_yaml(api):
    document = "faults: [{fault: unavailable, match: {json: {day: .nan}, query: {a: .inf}}}]"
    answer = api.put("/_mock/state", data=document, headers={"Content-Type": "application/yaml"})
    assert [row["path"] for row in answer.json["errors"]] == ["/faults/0/match/query/a", "/faults/0/match/json/day"]

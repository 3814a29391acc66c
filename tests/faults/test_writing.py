"""How rules are written, kept and removed, and which are refused."""

from __future__ import annotations

import pytest
from tables import tables

from mockserver.core.contract.errors import ALL_CODES

#: The tables of the tests by name.
CASES = tables(__file__)
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


def test_an_unknown_code_is_refused_with_the_most_common_ones_and_the_page_of_all(rules):
    listed = f"{', '.join([*ALL_CODES][:10])} and {len(ALL_CODES) - 10} more, see /_mock/docs/contract/errors.md"
    assert rules.refused("error", code="zzz") == {"/code": f"unknown code 'zzz'; known: {listed}"}


def test_an_id_that_fits_no_address_and_no_header_is_refused(rules):
    for name in ("", "a b", "a/b", "ü", ".", "..", "a\n", "x" * 65, 5, "catalogue", "header"):
        assert list(rules.refused("unavailable", id=name)) == ["/id"], name


def test_number_of_fault_rules_is_limited(api, rules):
    assert put(api, *[{"fault": "unavailable"}] * 1_001).status_code == 400
    assert put(api, *[{"fault": "unavailable"}] * 1_000).status_code == 200
    assert api.post(FAULTS, json={"fault": "unavailable"}).status_code == 409
    assert len(rules.all()) == 1_000


# ---------------------------------------------------------------------- what is refused


REFUSED = CASES["refused"]


def test_a_rule_that_is_no_good_is_refused_with_every_mistake(api, rules):
    for name, (rule, mistakes) in REFUSED.items():
        answer = api.post(FAULTS, json=rule)
        found = {row["path"]: row["message"] for row in answer.json["errors"]}
        assert (answer.status_code, found.keys()) == (400, mistakes.keys()), name
        assert [path for path, message in mistakes.items() if message not in found[path]] == [], name
    assert rules.all() == []


FORCED = CASES["forced"]


def test_forced_rule_overrides_the_checks(api, rules):
    for name, (rule, answered) in FORCED.items():
        rules.add(**rule, force=True, times=1)
        found = api.get("/v3/senders")
        assert [found.status_code, found.json["code"]] == answered, name
    assert rules.hits() == [1] * len(FORCED)


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

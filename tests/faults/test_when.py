"""When a rule hits: until when, and with which probability; `test_model.py` has its counts and its place."""

from __future__ import annotations


def statuses(api, times, path="/v3/senders"):
    return [api.get(path).status_code for _ in range(times)]


def test_a_rule_hits_until_it_is_removed(api, rules):
    rule = rules.add("unavailable")
    assert statuses(api, 3) == [503] * 3
    assert api.delete(f"/_mock/faults/{rule['id']}").status_code == 204
    assert statuses(api, 2) == [200] * 2


# ---------------------------------------------------------------------- time


def test_a_rule_ends_on_the_clock_of_its_workspace(api, rules):
    rule = rules.add("unavailable", ttl_s=60)
    assert rule["expires_at"] == "2026-01-15T09:01:00Z"
    assert statuses(api, 1) == [503]
    api.advance("PT59.999S")
    assert statuses(api, 1) == [503]
    api.advance("PT0.001S")
    assert statuses(api, 1) == [200]
    assert (rules.get(rule["id"])["hits"], rules.get(rule["id"])["active"]) == (2, False)


def test_a_rule_of_the_longest_time_ends_with_the_clock(make_api, rules_of):
    api = make_api({"clock": {"start": "8999-12-31T00:00:00Z", "frozen": True}})
    rule = rules_of(api).add("unavailable", ttl_s=3_155_760_000)
    assert rule["active"] is True


def test_the_time_of_a_scenarios_rule_counts_from_the_start_of_its_clock(make_api, scenario, rules_of):
    api = make_api({**scenario, "faults": [{"fault": "unavailable", "ttl_s": 60}]})
    assert rules_of(api).all()[0]["expires_at"] == "2026-01-15T09:01:00Z"
    api.advance("PT1M")
    api.post("/_mock/reset")
    assert statuses(api, 1) == [503]


# ---------------------------------------------------------------------- probability


def pattern(api, rules, requests=60, probability=0.5, **rule):
    rules.add("unavailable", probability=probability, **rule)
    return statuses(api, requests)


def test_the_same_seed_hits_the_same_requests(make_api, scenario, rules_of):
    found = []
    for _ in range(2):
        api = make_api(scenario)
        found.append(pattern(api, rules_of(api)))
    assert found[0] == found[1]
    assert set(found[0]) == {200, 503}


def test_another_seed_hits_other_requests(make_api, scenario, rules_of):
    apis = [make_api(scenario), make_api({**scenario, "seed": 8})]
    assert pattern(apis[0], rules_of(apis[0])) != pattern(apis[1], rules_of(apis[1]))


def test_two_rules_draw_apart(api, rules):
    first = pattern(api, rules, match={"operation": "getSenders"})
    rules.add("unavailable", probability=0.5, match={"operation": "getAccount"})
    assert statuses(api, 60, "/v3/account") != first


def test_other_draws_do_not_shift_the_hits(make_api, scenario, rules_of):
    calm, busy = make_api(scenario), make_api(scenario)
    rules_of(busy).add("unavailable", probability=0.5, match={"operation": "getSenders"})
    found = []
    for number in range(40):
        busy.get("/v3/account")
        busy.post("/v3/senders", json={"name": "N", "email": f"n{number}@acme.test"})
        found.append(busy.get("/v3/senders").status_code)
    assert found == pattern(calm, rules_of(calm), 40, match={"operation": "getSenders"})


def test_draws_of_another_rule_do_not_shift_the_hits(make_api, scenario, rules_of):
    calm, busy = make_api(scenario), make_api(scenario)
    rules_of(busy).add("unavailable", id="other", probability=0.5, match={"operation": "getAccount"})
    rules_of(busy).add("unavailable", id="mine", probability=0.5, match={"operation": "getSenders"})
    found = []
    for _ in range(40):
        busy.get("/v3/account")
        found.append(busy.get("/v3/senders").status_code)
    assert found == pattern(calm, rules_of(calm), 40, id="mine", match={"operation": "getSenders"})


def test_a_rule_hits_about_its_share(api, rules):
    found = pattern(api, rules, 1000, probability=0.2)
    assert 140 < found.count(503) < 260


def test_randomness_is_not_drawn_before_a_fault_rule_is_due(api, rules):
    rules.add("unavailable", probability=0.5, after=3, times=1)
    statuses(api, 3)
    assert "fault fault-1" not in api.workspace.state.random.positions

"""Which requests a rule is for."""

from __future__ import annotations

from urllib.parse import parse_qs

from tables import tables

from mockserver.core.traffic import exchange

#: By name: what a rule matches, requests that it hits, and requests that it misses.
CASES = tables(__file__) | {
    "a body that is no JSON": (
        {"json": {"a": 1}}, [], [("POST", "/v3/senders", {"data": b"{"}), ("POST", "/v3/senders", {"data": b"\xff"})]
    ),
}  # fmt: skip


def is_hit(api, request):
    method, path, options = request
    return api.request(method, path, **options).headers.get("X-Mock-Fault") is not None


def test_a_rule_is_for_the_requests_that_match(make_api, scenario, rules_of):
    api = make_api(scenario, key="master-key")
    for name, (match, hit, missed) in CASES.items():
        api.post("/_mock/reset", json={"scenario": scenario})
        rules_of(api).add("unavailable", match=match)

        assert [is_hit(api, request) for request in hit] == [True] * len(hit), name
        assert [is_hit(api, request) for request in missed] == [False] * len(missed), name
        assert rules_of(api).hits() == [len(hit)], name


def test_a_rule_without_a_match_is_for_all_of_the_service(api, rules):
    rules.add("unavailable")
    assert api.get("/v3/account").status_code == api.get("/v3/no/such").status_code == 503


def test_the_control_api_has_no_faults(api, rules):
    rules.add("unavailable")
    assert api.get("/_mock/health").status_code == api.get("/_mock/state").status_code == 200


def test_preflight_requests_are_exempt_from_faults(api, rules):
    rules.add("unavailable")
    assert api.request("OPTIONS", "/v3/senders").status_code == 204
    assert rules.hits() == [0]


def test_an_address_of_a_workspace_is_matched_without_its_name(api):
    name = api.post("/_mock/workspaces", json={"scenario": "empty"}).json["name"]
    api.post(f"/w/{name}/_mock/faults", json={"fault": "unavailable", "match": {"path": "/v3/senders"}})
    key = api.get(f"/_mock/workspaces/{name}").json["api_key"]
    assert api.get(f"/w/{name}/v3/senders", key=key).status_code == 503


def test_a_rule_is_for_its_workspace_alone(api, rules):
    rules.add("unavailable")
    key = api.post("/_mock/workspaces", json={"scenario": "empty"}).json["api_key"]
    assert api.get("/v3/senders", key=key).status_code == 200


def test_an_error_takes_the_operations_that_document_its_code(api, rules):
    rules.add("error", code="document_not_found")
    assert api.get("/v3/senders").status_code == 200
    assert api.get("/v3/senders/domains/acme.test").status_code == 404


# ---------------------------------------------------------------------- precedence


def test_a_caller_is_known_before_a_fault_is_looked_for(make_api, scenario, rules_of):
    api = make_api(scenario, key="master-key", keys="known")
    rules = rules_of(api)
    rules.add("unavailable")
    assert api.get("/v3/senders", key="unknown").json["code"] == "unauthorized"
    assert rules.hits() == [0]


def test_a_fault_comes_before_the_role_is_checked(api, rules):
    rules.add("server_error", match={"operation": "getMasterAccount"}, times=1)
    assert api.get("/v3/corporate/masterAccount", key="shop-key").status_code == 500
    assert api.get("/v3/corporate/masterAccount", key="shop-key").status_code == 403


def test_a_fault_comes_before_the_body_is_looked_at(api, rules):
    rules.add("server_error", times=1)
    assert api.post("/v3/senders", data=b"{").status_code == 500
    assert api.post("/v3/senders", data=b"{").status_code == 400


def test_a_fault_comes_before_the_path_is_looked_at(api, rules):
    rules.add("otp_expired", times=1)
    assert api.put("/v3/senders/none/validate").json["code"] == "OTP code has expired"
    assert api.put("/v3/senders/none/validate").json["code"] != "OTP code has expired"


def test_the_real_limit_of_requests_comes_before_a_fault(make_api, scenario, rules_of):
    api = make_api({**scenario, "behaviour": {"rate_limit": {"tier": "general", "enforce": True}}}, key="master-key")
    rules = rules_of(api)
    rules.add("unavailable")
    statuses = [api.get("/v3/senders").status_code for _ in range(101)]
    assert statuses == [503] * 100 + [429]
    assert rules.hits() == [100]


def test_a_query_is_read_once_for_all_rules(api, rules, monkeypatch):
    asked = []
    monkeypatch.setattr(exchange, "parse_qs", lambda *given, **how: asked.append(given) or parse_qs(*given, **how))
    for _ in range(20):
        rules.add(match={"query": {"limit": 7}})
    api.get("/v3/inbound/events?limit=5")

    assert asked == [("limit=5",)]

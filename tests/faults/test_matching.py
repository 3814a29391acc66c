"""Which requests a rule is for."""

from __future__ import annotations

from urllib.parse import parse_qs

import pytest

from mockserver.core.traffic import exchange

GET = ("GET", "/v3/senders", {})
CREATE = (
    "POST",
    "/v3/senders",
    {"json": {"name": "Ops", "email": "new@acme.test", "ips": [{"ip": "1.2.3.4", "weight": 50}]}},
)
VALIDATE = ("PUT", "/v3/senders/2/validate", {"json": {"otp": 123456}})
DELETE = ("DELETE", "/v3/senders/2", {})
DOMAIN = ("GET", "/v3/senders/domains/acme.test", {})
EVENTS = ("GET", "/v3/inbound/events?limit=5&offset=0", {})
UNKNOWN = ("GET", "/v3/no/such", {})
WRONG_METHOD = ("PATCH", "/v3/senders", {})

CASES = {
    "one operation": ({"operation": "getSenders"}, [GET], [CREATE, DOMAIN, UNKNOWN]),
    "a list of operations": ({"operation": ["getSenders", "deleteSender"]}, [GET, DELETE], [CREATE, VALIDATE]),
    "a method": ({"method": "PUT"}, [VALIDATE], [GET, CREATE, DELETE]),
    "a list of methods": ({"method": ["PUT", "DELETE"]}, [VALIDATE, DELETE], [GET, CREATE]),
    "a parameter of the path": (
        {"path": {"senderId": 2}},
        [VALIDATE, DELETE],
        [GET, DOMAIN, ("DELETE", "/v3/senders/1", {})],
    ),
    "the same as a text": ({"path": {"senderId": "2"}}, [VALIDATE], [("DELETE", "/v3/senders/22", {})]),
    "a parameter that is percent-encoded": (
        {"path": {"domainName": "acme.test"}},
        [("GET", "/v3/senders/domains/acme%2Etest", {})],
        [GET],
    ),
    "a glob of the path": ({"path": "/v3/senders/*"}, [VALIDATE, DELETE, DOMAIN], [GET, EVENTS]),
    "a glob of one character": ({"path": "/v3/senders/?"}, [DELETE], [GET, VALIDATE, ("DELETE", "/v3/senders/22", {})]),
    "a path as it stands": ({"path": "/v3/senders"}, [GET, CREATE, WRONG_METHOD], [DELETE]),
    "a path without an operation": ({"path": "/v3/no/*"}, [UNKNOWN], [GET]),
    "a member of the query": ({"query": {"limit": 5}}, [EVENTS], [GET, ("GET", "/v3/inbound/events?limit=50", {})]),
    "two members of the query": (
        {"query": {"limit": "5", "offset": 0}},
        [EVENTS],
        [("GET", "/v3/inbound/events?limit=5", {})],
    ),
    "a list in the query": (
        {"query": {"ip": ["a", "b"]}},
        [("GET", "/v3/senders?ip=a&ip=b", {})],
        [("GET", "/v3/senders?ip=a", {}), ("GET", "/v3/senders?ip=b&ip=a", {})],
    ),
    "an empty value in the query": ({"query": {"ip": ""}}, [("GET", "/v3/senders?ip=", {})], [GET]),
    "a truth value in the query": (
        {"query": {"x": True}},
        [("GET", "/v3/senders?x=true", {})],
        [("GET", "/v3/senders?x=True", {})],
    ),
    "a member of the body": ({"json": {"email": "new@acme.test"}}, [CREATE], [GET, VALIDATE]),
    "an empty object": ({"json": {}}, [CREATE, VALIDATE], [GET]),
    "a member within a list": ({"json": {"ips": [{"weight": 50}]}}, [CREATE], [VALIDATE]),
    "a list of another length": ({"json": {"ips": []}}, [("POST", "/v3/senders", {"json": {"ips": []}})], [CREATE]),
    "a number, whole or not": ({"json": {"otp": 123456.0}}, [VALIDATE], [CREATE]),
    "true, which is not 1": (
        {"json": {"a": True}},
        [("POST", "/v3/senders", {"json": {"a": True}})],
        [("POST", "/v3/senders", {"json": {"a": 1}})],
    ),
    "null, which is not absent": (
        {"json": {"a": None}},
        [("POST", "/v3/senders", {"json": {"a": None}})],
        [("POST", "/v3/senders", {"json": {}})],
    ),
    "a body that is no JSON": (
        {"json": {"a": 1}},
        [],
        [("POST", "/v3/senders", {"data": b"{"}), ("POST", "/v3/senders", {"data": b"\xff"})],
    ),
    "a header": (
        {"headers": {"X-Team": "red"}},
        [("GET", "/v3/senders", {"headers": {"x-team": "red"}})],
        [GET, ("GET", "/v3/senders", {"headers": {"x-team": "blue"}})],
    ),
    "a header with a number": ({"headers": {"x-try": 2}}, [("GET", "/v3/senders", {"headers": {"X-Try": "2"}})], [GET]),
    "the type of the body": ({"headers": {"content-type": "application/json"}}, [CREATE], [GET]),
    "all at once": (
        {"operation": "validateSenderByOtp", "method": "PUT", "path": {"senderId": 2}, "json": {"otp": 123456}},
        [VALIDATE],
        [
            GET,
            ("PUT", "/v3/senders/2/validate", {"json": {"otp": 1}}),
            ("PUT", "/v3/senders/1/validate", {"json": {"otp": 123456}}),
        ],
    ),
    "nothing": ({}, [GET, CREATE, VALIDATE, EVENTS, UNKNOWN, WRONG_METHOD], [("GET", "/elsewhere", {})]),
}


def is_hit(api, request):
    method, path, options = request
    return api.request(method, path, **options).headers.get("X-Mock-Fault") is not None


@pytest.mark.parametrize(("match", "hit", "missed"), CASES.values(), ids=CASES)
def test_a_rule_is_for_the_requests_that_match(api, rules, match, hit, missed):
    rule = rules.add("unavailable", match=match)

    assert [is_hit(api, request) for request in hit] == [True] * len(hit)
    assert [is_hit(api, request) for request in missed] == [False] * len(missed)
    assert rules.get(rule["id"])["hits"] == len(hit)


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


OWN = {
    "otp_expired": "validateSenderByOtp",
    "otp_invalid": "validateSenderByOtp",
    "dns_failure": "authenticateDomain",
    "permission_denied": "getMasterAccount",
    "not_enough_credits": "updateSubAccountPlan",
}
REQUESTS = {
    "validateSenderByOtp": ("PUT", "/v3/senders/2/validate"),
    "authenticateDomain": ("PUT", "/v3/senders/domains/acme.test/authenticate"),
    "getMasterAccount": ("GET", "/v3/corporate/masterAccount"),
    "updateSubAccountPlan": ("PUT", "/v3/corporate/subAccount/9/plan"),
}


@pytest.mark.parametrize("fault", OWN)
def test_a_named_fault_takes_its_own_operations(api, rules, fault):
    rule = rules.add(fault)
    assert api.get("/v3/senders").status_code == 200
    assert api.get("/v3/no/such").json["code"] == "not_found"
    assert api.request(*REQUESTS[OWN[fault]]).headers["X-Mock-Fault"] == rule["id"]


def test_an_error_takes_the_operations_that_document_its_code(api, rules):
    rules.add("error", code="document_not_found")
    assert api.get("/v3/senders").status_code == 200
    assert api.get("/v3/senders/domains/acme.test").status_code == 404


@pytest.mark.parametrize(
    "fault",
    [
        "unauthorized",
        "account_under_validation",
        "rate_limited",
        "duplicate_request",
        "server_error",
        "unavailable",
        "maintenance",
    ],
)
@pytest.mark.parametrize("path", ["/v3/senders", "/v3/account", "/v3/no/such"])
def test_a_fault_of_the_whole_service_fits_everywhere(api, rules, fault, path):
    rule = rules.add(fault)
    assert api.get(path).headers["X-Mock-Fault"] == rule["id"]


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

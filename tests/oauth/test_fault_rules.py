"""Which requests without a key a rule is for, and which rules there may be."""

from __future__ import annotations

import pytest

from mockserver.resources.registry import ALL_OPERATIONS, API_OPERATIONS

FRONT = {name: row for name, row in ALL_OPERATIONS.items() if name not in API_OPERATIONS}
EVERYTHING = {
    "no match": {},
    "a method": {"method": ["GET", "POST"]},
    "a header": {"headers": {"Host": "localhost"}},
}


@pytest.mark.parametrize("match", EVERYTHING.values(), ids=EVERYTHING)
def test_a_rule_that_names_no_place_is_for_the_api_alone(realm, add_fault, ask, match):
    add_fault(realm, "unavailable", match=match)
    calls = [ask(realm, name) for name in FRONT]

    assert not [answer for answer in calls if "X-Mock-Fault" in answer.headers]
    assert realm.call("none").status_code == 401
    assert realm.api.get("/v3/senders", key="key-group").status_code == 503


@pytest.mark.parametrize("name", FRONT)
def test_a_rule_that_names_an_operation_hits_it_and_no_other(realm, add_fault, ask, name):
    rule = add_fault(realm, "unavailable", match={"operation": name})
    hit = [other for other in FRONT if ask(realm, other).headers.get("X-Mock-Fault") == rule]

    assert hit == [name]


@pytest.mark.parametrize(
    ("match", "hit"),
    [
        ({"path": "/realms/*"}, [name for name in FRONT if name.startswith("oauth")]),
        ({"path": "*/oauth/token"}, ["oauthTokenCode", "oauthTokenRefresh", "oauthTokenClientCredentials"]),
        ({"path": "/shared/*"}, ["showSharedTemplate", "showSharedContent"]),
        ({"path": {"share": "share"}}, ["showSharedTemplate", "showSharedContent"]),
        ({"path": {"token": "token"}}, ["ssoCorporateLogin", "ssoSubAccountLogin"]),
        ({"path": "*", "method": "GET", "query": {"x": 1}}, []),
        ({"path": "*"}, list(FRONT)),
    ],
)  # fmt: skip
def test_a_rule_may_name_a_path(realm, add_fault, ask, match, hit):
    rule = add_fault(realm, "unavailable", match=match)

    assert [name for name in FRONT if ask(realm, name).headers.get("X-Mock-Fault") == rule] == hit


def test_a_path_may_lead_nowhere(realm, add_fault):
    add_fault(realm, "unavailable", match={"path": "/realms/*"})

    assert realm.open("GET", "/realms/partner/nowhere").json["error"] == "temporarily_unavailable"


def test_a_rule_may_be_for_one_app(realm, add_fault):
    add_fault(realm, "server_error", match={"operation": "oauthAuthorize", "query": {"client_id": "shop-app"}})

    assert realm.told(realm.authorize())["error"] == "server_error"
    assert realm.authorize("other-app").status_code == 200


@pytest.mark.parametrize(
    ("fault", "hit"),
    [
        ({"fault": "permission_denied"}, []),
        ({"fault": "error", "code": "document_not_found"}, []),
        ({"fault": "error", "code": "invalid_parameter"}, []),
        ({"fault": "error", "code": "gone"}, ["ssoCorporateLogin", "ssoSubAccountLogin", "oauthConsent"]),
        ({"fault": "error", "code": "invalid_grant"}, ["oauthTokenCode", "oauthTokenRefresh", "oauthRevoke"]),
        ({"fault": "error", "code": "unauthorized_client"}, ["oauthTokenClientCredentials"]),
    ],
    ids=lambda value: value.get("code", value["fault"]) if isinstance(value, dict) else "",
)
def test_a_fault_of_some_operations_takes_those_of_the_api_where_it_has_any(realm, add_fault, ask, fault, hit):
    add_fault(realm, **fault)

    assert [name for name in FRONT if "X-Mock-Fault" in ask(realm, name).headers] == hit


def test_a_rule_is_for_its_own_workspace(realm, add_fault, other_workspace):
    other = other_workspace("other")
    add_fault(realm, "unavailable", match={"operation": "oauthTokenClientCredentials"})

    statuses = [place.post("token", grant_type="client_credentials").status_code for place in (realm, other)]
    assert statuses == [503, 200]


def test_a_scenario_may_bring_faults(make_realm, ask):
    match = {"operation": ["oauthTokenRefresh", "ssoCorporateLogin"]}
    realm = make_realm(faults=[{"fault": "unavailable", "match": match, "times": 2}])
    tokens = realm.tokens()

    assert realm.refresh(tokens["refresh_token"]).status_code == 503
    assert ask(realm, "ssoCorporateLogin").status_code == 503
    assert realm.refresh(tokens["refresh_token"]).status_code == 200


def test_a_good_token_meets_the_faults_of_the_api(realm, add_fault):
    token = realm.tokens()["access_token"]
    add_fault(realm, "otp_expired")

    assert realm.call(token, "PUT", "/v3/senders/1/validate").json["code"] == "OTP code has expired"


# ---------------------------------------------------------------------- what is no good rule


@pytest.mark.parametrize(
    ("fault", "operation", "gives"),
    [
        ({"fault": "otp_expired"}, "oauthTokenCode", "invalid_grant, invalid_client"),
        ({"fault": "error", "code": "not_enough_credits"}, "ssoCorporateLogin", "document_not_found, gone"),
        ({"fault": "error", "code": "invalid_grant"}, "oauthAuthorize", "invalid_client, invalid_request"),
        ({"fault": "error", "code": "invalid_grant"}, "getSenders", "it gives"),
    ],
)
def test_a_code_that_an_operation_never_gives_is_refused(realm, fault, operation, gives):
    answer = realm.api.post("/_mock/faults", json={**fault, "match": {"operation": operation}})

    assert answer.status_code == 400
    (mistake,) = answer.json["errors"]
    assert mistake["path"] == "/match"
    assert f"{operation} never gives {fault.get('code', 'OTP code has expired')}" in mistake["message"]
    assert gives in mistake["message"]


def test_an_operation_is_known_by_its_nearest_name(realm):
    answer = realm.api.post("/_mock/faults", json={"fault": "unavailable", "match": {"operation": "oauthTokenCod"}})

    assert answer.status_code == 400
    assert "oauthTokenCode" in answer.json["errors"][0]["message"]


@pytest.mark.parametrize("name", ["oauthTokenCode", "oauthAuthorize"])
def test_a_header_that_names_no_fault_is_a_bad_request(realm, ask, name):
    answer = ask(realm, name, headers={"X-Mock-Fault": "otp_expired"})

    assert answer.status_code == 400
    assert f"{name} never gives OTP code has expired" in answer.text


def test_the_catalogue_lists_the_operations(realm):
    rows = {row["fault"]: row for row in realm.api.get("/_mock/faults/catalogue").json["items"]}

    assert rows["server_error"]["operations"] == list(ALL_OPERATIONS)
    assert FRONT.keys() & set(rows["permission_denied"]["operations"]) == {"oauthSignIn", "oauthConsent"}
    assert FRONT.keys().isdisjoint(rows["otp_expired"]["operations"])

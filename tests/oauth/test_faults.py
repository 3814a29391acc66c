"""Faults where no key is asked for: in OAuth's words, as a page, or on the way back to the app."""

from __future__ import annotations

import pytest

from mockserver.core.contract.operation import Audience
from mockserver.resources.registry import ALL_OPERATIONS, API_OPERATIONS

FRONT = {name: row for name, row in ALL_OPERATIONS.items() if name not in API_OPERATIONS}
OF_APPS = [name for name, row in FRONT.items() if row.audience is Audience.OAUTH]
OF_PEOPLE = [name for name, row in FRONT.items() if row.audience is Audience.PAGE]
#: Faults that fit every operation: the status, the error of RFC 6749, and the sentence.
NAMED = {
    "unauthorized": (401, "invalid_client", "Key not found"),
    "account_under_validation": (403, "access_denied", "Your account is under validation"),
    "rate_limited": (429, "temporarily_unavailable", "Too many requests. Please try again later."),
    "duplicate_request": (409, "invalid_request", "Duplicate request"),
    "server_error": (500, "server_error", "Internal server error"),
    "unavailable": (503, "temporarily_unavailable", "Service unavailable"),
    "maintenance": (503, "temporarily_unavailable", "The service is under maintenance"),
    "lost_answer": (504, "server_error", "The gateway got no answer in time"),
}
DOCUMENTED = [(name, error) for name, row in FRONT.items() for error in row.errors]


def test_apps_are_told_in_the_words_of_oauth(realm, is_refused, ask):
    for name in OF_APPS:
        for fault, (status, error, sentence) in NAMED.items():
            is_token = (name, fault) == ("oauthUserinfo", "unauthorized")
            answer = ask(realm, name, headers={"X-Mock-Fault": fault})

            assert is_refused(answer, status, "invalid_token" if is_token else error)
            assert answer.json["error_description"] == sentence
            assert answer.headers["X-Mock-Fault"] == "header"


def test_people_are_told_by_a_page(realm, ask):
    for name in OF_PEOPLE:
        for fault, (status, _, sentence) in NAMED.items():
            answer = ask(realm, name, headers={"X-Mock-Fault": fault})

            assert (answer.status_code, answer.content_type) == (status, "text/html; charset=utf-8")
            assert sentence in answer.text
            assert answer.headers["Content-Security-Policy"].startswith("default-src 'none'")
            assert answer.headers["X-Mock-Fault"] == "header"


def test_every_documented_error_is_injected_with_its_own_status(realm, last_entry, add_fault, ask):
    for name, error in DOCUMENTED:
        rule = add_fault(realm, "error", code=error.code.code, match={"operation": name})
        answer = ask(realm, name)

        assert (answer.status_code, answer.headers["X-Mock-Fault"]) == (error.status, rule)
        if FRONT[name].audience is Audience.OAUTH:
            assert answer.json == {"error": error.code.code, "error_description": error.code.message}
        else:
            assert error.code.message in answer.text
        assert (last_entry(realm)["operation"], last_entry(realm)["fault"]) == (name, rule)
        realm.api.delete("/_mock/faults")


def test_refusal_has_the_right_authenticate_header(realm, ask):
    for name, fault, challenge in [
        ("oauthTokenCode", "unauthorized", 'Basic realm="oauth"'),
        ("oauthTokenCode", "error; code=invalid_client", 'Basic realm="oauth"'),
        ("oauthUserinfo", "unauthorized", 'Bearer error="invalid_token"'),
        ("oauthUserinfo", "error; code=insufficient_scope", 'Bearer error="insufficient_scope"'),
        ("oauthTokenCode", "unavailable", None),
    ]:
        assert ask(realm, name, headers={"X-Mock-Fault": fault}).headers.get("WWW-Authenticate") == challenge


@pytest.mark.parametrize("name", ["oauthTokenRefresh", "oauthAuthorize"])
def test_fault_message_is_escaped_in_page_and_json(realm, add_fault, ask, name):
    add_fault(realm, "server_error", message='<b>"No"</b> \\ ä', match={"operation": name})
    answer = ask(realm, name)

    if name == "oauthAuthorize":
        assert "&lt;b&gt;" in answer.text
        assert "<b>" not in answer.text
    else:
        assert answer.json["error_description"] == "<b>'No'</b> ' '"


@pytest.mark.parametrize(("name", "status"), [("oauthTokenCode", 503), ("oauthAuthorize", 302)])
def test_the_journal_has_the_code_that_the_app_has_read(realm, add_fault, name, status):
    add_fault(realm, "unavailable", match={"operation": name})
    realm.exchange("x")
    realm.authorize()
    match = {"operation": name, "code": "temporarily_unavailable", "status": status}

    assert realm.api.post("/_mock/requests/verify", json={"match": match, "count": 1}).json["satisfied"]


BACK = {
    "server_error": ("server_error", "Internal server error"),
    "unavailable": ("temporarily_unavailable", "Service unavailable"),
    "maintenance": ("temporarily_unavailable", "The service is under maintenance"),
    "lost_answer": ("server_error", "The gateway got no answer in time"),
    "error; code=server_error": ("server_error", "Internal server error"),
    "error; code=temporarily_unavailable": ("temporarily_unavailable", "Service unavailable"),
    "error; code=access_denied": ("access_denied", "The user has refused"),
    "error; code=invalid_scope": ("invalid_scope", "The app may not ask for one of these scopes"),
    "error; code=access_denied; message=Too late": ("access_denied", "Too late"),
}


def test_an_app_that_is_known_is_told_by_a_redirection(realm):
    for fault, told in BACK.items():
        answer = realm.authorize(fault=fault, state="a b")

        assert realm.told(answer) == {"error": told[0], "error_description": told[1], "state": "a b"}
        assert answer.headers["Location"].startswith("https://app.test/callback?")
        assert (answer.headers["X-Mock-Fault"], answer.headers["Cache-Control"]) == ("header", "no-store")


def test_fault_is_shown_on_a_page_for_an_unknown_app_or_address_or_without_an_oauth_error(realm):
    without = (
        "unauthorized",
        "account_under_validation",
        "rate_limited",
        "duplicate_request",
        "error; code=invalid_client",
    )
    unknown = (
        {"client_id": "nobody"},
        {"redirect_uri": "https://evil.test/"},
        {"client_id": None},
        {"redirect_uri": None},
    )
    for fault, query in [*((fault, wrong) for fault in BACK for wrong in unknown), *((fault, {}) for fault in without)]:
        answer = realm.authorize(fault=fault, **query)

        assert answer.status_code >= 400, (fault, query)
        assert answer.content_type == "text/html; charset=utf-8"
        assert "Location" not in answer.headers


def test_the_form_of_the_sign_in_page_leads_back_as_well(realm):
    row = FRONT["oauthSignIn"]
    query = {"client_id": "shop-app", "redirect_uri": "https://app.test/callback", "scope": "account:read"}
    answer = realm.open("POST", row.path, query_string=query, headers={"X-Mock-Fault": "maintenance"})

    assert realm.told(answer)["error"] == "temporarily_unavailable"


def test_a_lost_answer_uses_the_code_up(realm, last_entry, add_fault, is_refused):
    code = realm.code()
    add_fault(realm, "lost_answer", match={"operation": "oauthTokenCode"}, times=1)

    assert is_refused(realm.exchange(code), 504, "server_error")
    assert is_refused(realm.exchange(code), 400, "invalid_grant")
    assert last_entry(realm)["transitions"][0]["event"] == "revoke"


@pytest.mark.parametrize("fault", ["server_error", "unavailable", "rate_limited"])
def test_a_refusal_leaves_the_code_as_it_was(realm, add_fault, fault):
    code = realm.code()
    add_fault(realm, fault, match={"operation": "oauthTokenCode"}, times=1)

    assert realm.exchange(code).status_code >= 429
    assert realm.exchange(code).status_code == 200


def test_a_rule_that_names_no_place_is_for_the_api_alone(realm, add_fault, ask):
    for match in ({}, {"method": ["GET", "POST"]}, {"headers": {"Host": "localhost"}}):
        add_fault(realm, "unavailable", match=match)
        calls = [ask(realm, name) for name in FRONT]

        assert not [answer for answer in calls if "X-Mock-Fault" in answer.headers], match
        assert realm.call("none").status_code == 401
        assert realm.api.get("/v3/senders", key="key-group").status_code == 503
        realm.api.delete("/_mock/faults")


def hit(realm, ask):
    return [name for name in FRONT if "X-Mock-Fault" in ask(realm, name).headers]


def test_a_rule_may_name_an_operation_or_a_path(realm, add_fault, ask):
    for match, expected in [
        *(({"operation": name}, [name]) for name in FRONT),
        ({"path": "/realms/*"}, [name for name in FRONT if name.startswith("oauth")]),
        ({"path": "*/oauth/token"}, ["oauthTokenCode", "oauthTokenRefresh", "oauthTokenClientCredentials"]),
        ({"path": "/shared/*"}, ["showSharedTemplate", "showSharedContent"]),
        ({"path": {"share": "share"}}, ["showSharedTemplate", "showSharedContent"]),
        ({"path": {"token": "token"}}, ["ssoCorporateLogin", "ssoSubAccountLogin"]),
        ({"path": "*", "method": "GET", "query": {"x": 1}}, []),
        ({"path": "*"}, list(FRONT)),
    ]:
        add_fault(realm, "unavailable", match=match)
        assert hit(realm, ask) == expected, match
        realm.api.delete("/_mock/faults")


def test_fault_rule_can_match_a_single_app(realm, add_fault):
    add_fault(realm, "server_error", match={"operation": "oauthAuthorize", "query": {"client_id": "shop-app"}})

    assert realm.told(realm.authorize())["error"] == "server_error"
    assert realm.authorize("other-app").status_code == 200


def test_a_fault_of_some_operations_takes_those_of_the_api_where_it_has_any(realm, add_fault, ask):
    for fault, expected in [
        ({"fault": "permission_denied"}, []),
        ({"fault": "error", "code": "document_not_found"}, []),
        ({"fault": "error", "code": "invalid_parameter"}, []),
        ({"fault": "error", "code": "gone"}, ["ssoCorporateLogin", "ssoSubAccountLogin", "oauthConsent"]),
        ({"fault": "error", "code": "invalid_grant"}, ["oauthTokenCode", "oauthTokenRefresh", "oauthRevoke"]),
        ({"fault": "error", "code": "unauthorized_client"}, ["oauthTokenClientCredentials"]),
    ]:
        add_fault(realm, **fault)
        assert hit(realm, ask) == expected, fault
        realm.api.delete("/_mock/faults")


def test_a_code_that_an_operation_never_gives_is_refused(realm):
    for fault, operation, gives in [
        ({"fault": "otp_expired"}, "oauthTokenCode", "invalid_grant, invalid_client"),
        ({"fault": "error", "code": "not_enough_credits"}, "ssoCorporateLogin", "document_not_found, gone"),
        ({"fault": "error", "code": "invalid_grant"}, "oauthAuthorize", "invalid_client, invalid_request"),
        ({"fault": "error", "code": "invalid_grant"}, "getSenders", "it has no documented error"),
    ]:
        answer = realm.api.post("/_mock/faults", json={**fault, "match": {"operation": operation}})

        assert answer.status_code == 400
        (mistake,) = answer.json["errors"]
        assert mistake["path"] == "/match"
        assert f"{operation} never answers `{fault.get('code', 'OTP code has expired')}`" in mistake["message"]
        assert gives in mistake["message"]


def test_a_header_that_names_no_fault_is_a_bad_request(realm, ask):
    for name in ("oauthTokenCode", "oauthAuthorize"):
        answer = ask(realm, name, headers={"X-Mock-Fault": "otp_expired"})

        assert answer.status_code == 400
        assert f"{name} never answers `OTP code has expired`" in answer.text


def test_the_catalogue_lists_the_operations(realm):
    rows = {row["fault"]: row for row in realm.api.get("/_mock/faults/catalogue").json["items"]}

    assert rows["server_error"]["operations"] == list(ALL_OPERATIONS)
    assert FRONT.keys() & set(rows["permission_denied"]["operations"]) == {"oauthSignIn", "oauthConsent"}
    assert FRONT.keys().isdisjoint(rows["otp_expired"]["operations"])

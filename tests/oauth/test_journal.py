"""Sign-in and tokens in the journal: which operation it was, what it moved, and what coverage says of it."""

from __future__ import annotations

from mockserver.resources.registry import ALL_OPERATIONS, API_OPERATIONS


def moves(entry):
    return [(row["machine"], row["event"], row["from"], row["to"]) for row in entry["transitions"]]


def grant(event, source, target):
    return ("oauth_grant", event, source, target)


def test_journal_names_every_oauth_operation(realm, ask, last_entry):
    for name in ALL_OPERATIONS.keys() - API_OPERATIONS.keys():
        answer = ask(realm, name)
        entry = last_entry(realm)

        assert (entry["operation"], entry["account"], entry["method"]) == (name, None, ALL_OPERATIONS[name].method)
        assert entry["status"] == answer.status_code
        assert answer.headers["sib-request-id"] == entry["id"]


def test_grant_type_selects_the_operation(realm, last_entry):
    told = {"refresh_token": "oauthTokenRefresh", "client_credentials": "oauthTokenClientCredentials"}
    for grant_type in ("authorization_code", *told, "password", "", None):
        realm.post("token", grant_type=grant_type)

        assert last_entry(realm)["operation"] == told.get(grant_type, "oauthTokenCode")


def test_a_form_that_is_none_is_of_the_first_operation(realm, last_entry):
    for body in (
        "grant_type=refresh_token&grant_type=client_credentials",
        '{"grant_type": "refresh_token"}',
        "grant_type=%FF",
    ):
        kind = "application/json" if body.startswith("{") else "application/x-www-form-urlencoded"
        realm.open("POST", "/realms/partner/oauth/token", data=body, content_type=kind)

        assert (last_entry(realm)["operation"], last_entry(realm)["status"]) == ("oauthTokenCode", 400)


def test_the_form_may_be_of_any_order_and_encoding(realm, last_entry):
    body, kind = "x=1&grant%5Ftype=refresh%5ftoken&client_id=a", "application/x-www-form-urlencoded; charset=UTF-8"
    realm.open("POST", "/realms/partner/oauth/token", data=body, content_type=kind)

    assert last_entry(realm)["operation"] == "oauthTokenRefresh"


def test_an_address_that_leads_nowhere_has_no_operation(realm, last_entry):
    realm.open("GET", "/realms/partner/nowhere")

    assert (last_entry(realm)["operation"], last_entry(realm)["status"]) == (None, 404)


def test_oauth_requests_are_in_the_journal_of_their_workspace(realm, other_workspace, last_entry):
    realm.authorize()
    other_workspace("other").authorize("bare-app")

    assert "client_id=bare-app" not in str(last_entry(realm))
    entry = realm.api.get("/w/other/_mock/requests").json["items"][0]
    assert (entry["operation"], entry["path"]) == ("oauthAuthorize", "/realms/partner/oauth/authorize")


def test_a_flow_without_pages_moves_the_grant_within_two_requests(realm, last_entry):
    code = realm.code()
    assert moves(last_entry(realm)) == [
        grant("authorize", "[*]", "pending_consent"),
        grant("consent", "pending_consent", "code_issued"),
    ]
    realm.exchange(code)
    assert moves(last_entry(realm)) == [grant("exchange", "code_issued", "active")]


def test_sign_in_pages_advance_the_machine_step_by_step(realm, visitor, question, last_entry):
    visitor.visit(question())
    assert moves(last_entry(realm)) == []
    visitor.press("boss@group.test")
    entry = last_entry(realm)
    assert (entry["operation"], moves(entry)) == ("oauthSignIn", [grant("authorize", "[*]", "pending_consent")])
    visitor.press("Refuse")
    entry = last_entry(realm)
    assert (entry["operation"], moves(entry)) == ("oauthConsent", [grant("refuse", "pending_consent", "revoked")])


def test_the_end_of_a_grant_is_told_where_it_was_caused(realm, last_entry):
    realm.post("revoke", token=realm.tokens()["refresh_token"])
    assert moves(last_entry(realm)) == [grant("revoke", "active", "revoked")]

    code = realm.code()
    realm.exchange(code)
    assert realm.exchange(code).status_code == 400
    entry = last_entry(realm)
    assert moves(entry) == [grant("revoke", "active", "revoked")]
    assert entry["reason"] == "the code of grant 2 was used a second time, so its tokens are revoked"


def test_expiry_is_not_listed_with_a_request(realm, last_entry):
    realm.code()
    realm.advance("PT10M")
    realm.authorize()

    assert moves(last_entry(realm)) == []
    assert realm.api.get("/_mock/machines/oauth_grant/1").json["state"] == "expired"


def verified(realm, count, **match):
    return realm.api.post("/_mock/requests/verify", json={"match": match, "count": count}).json


def test_requests_are_verified_by_operation_status_and_code(realm):
    realm.tokens()
    realm.exchange("unknown")

    assert verified(realm, 1, operation="oauthAuthorize", query={"client_id": "shop-app"}, status=302)["satisfied"]
    assert verified(realm, 1, operation="oauthTokenCode", status=200)["satisfied"]
    assert verified(realm, 1, operation="oauthTokenCode", status=400, code="invalid_grant")["satisfied"]
    assert verified(realm, 0, operation="oauthTokenRefresh")["satisfied"]
    assert verified(realm, 3, path="/realms/*")["satisfied"]


def test_verify_matches_secrets_that_the_answer_redacts(realm):
    challenge = "x" * 43
    realm.authorize("public-app", code_challenge=challenge)
    asked = {"operation": "oauthAuthorize", "query": {"code_challenge": challenge}}

    assert verified(realm, 1, **asked)["satisfied"]
    missed = verified(realm, 1, **{**asked, "query": {"code_challenge": "y" * 43}})
    (difference,) = missed["near_misses"][0]["differences"]
    assert (difference["path"], difference["got"]) == ("/query/code_challenge", "***")


def test_a_near_miss_hides_the_token_of_a_path(realm):
    realm.open("GET", "/account/login/corporate/sso/abc123")
    missed = verified(realm, 1, operation="ssoCorporateLogin", path={"token": "other"})

    assert missed["near_misses"][0]["path"] == "/account/login/corporate/sso/***"
    assert missed["near_misses"][0]["differences"] == [{"path": "/path/token", "wanted": "other", "got": "***"}]


def coverage(realm, query=""):
    return realm.api.get(f"/_mock/coverage{query}").json


def test_coverage_percentages_ignore_oauth_requests(realm):
    for query in ("", "?workspace=*"):
        before = coverage(realm, query)
        realm.refresh(realm.tokens()["refresh_token"])
        realm.open("GET", "/account/login/corporate/sso/x")
        after = coverage(realm, query)

        for name in ("percent", "totals", "missing"):
            assert after[name] == before[name]


def test_operations_and_transitions_are_counted_beside_them(realm):
    realm.refresh(realm.tokens()["refresh_token"])
    realm.exchange("unknown")
    found = coverage(realm)

    assert {name: row["calls"] for name, row in found["operations"].items()} == {
        "oauthAuthorize": 1, "oauthTokenCode": 2, "oauthTokenRefresh": 1,
    }  # fmt: skip
    token = found["operations"]["oauthTokenCode"]
    assert token["statuses"] == {"200": 1, "400": 1}
    assert token["codes"] == {"invalid_grant": {"natural": 1, "injected": 0}}
    assert found["transitions"] == {"oauth_grant": {"authorize": 1, "consent": 1, "exchange": 1, "refresh": 1}}


def test_a_call_with_a_token_counts_for_the_api(realm, contract_size):
    token = realm.tokens()["access_token"]
    before = coverage(realm)["totals"]["operations"]["met"]
    realm.call(token)

    after = coverage(realm)["totals"]["operations"]
    assert (after["met"], after["of"]) == (before + 1, contract_size.operations)


def test_error_of_a_fault_counts_as_injected(realm, add_fault):
    add_fault(realm, "server_error", match={"operation": "oauthTokenCode"})
    realm.exchange("unknown")

    assert coverage(realm)["operations"]["oauthTokenCode"]["codes"] == {"server_error": {"natural": 0, "injected": 1}}

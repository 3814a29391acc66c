"""The question of an app and the way back, without the pages (contract/oauth#oauthAuthorize)."""

from __future__ import annotations

import pytest


def is_page(answer, status=400):
    assert (answer.status_code, answer.content_type) == (status, "text/html; charset=utf-8"), answer.text
    assert "Location" not in answer.headers
    return True


def is_sent_back(realm, answer, error, state="s1"):
    """Whether the app is told an error, in the words of RFC 6749, 4.1.2.1."""
    told = realm.told(answer)
    assert told.pop("error_description")
    assert told == {"error": error, "state": state}
    return True


#: What sends an error back to the app: the app, the question, and the error.
WRONG = [
    *(("shop-app", {"response_type": kind}, "unsupported_response_type")
      for kind in ("token", "code token", "id_token", "CODE")),
    ("public-app", {}, "invalid_request"),  # without a challenge
    *((app, {"code_challenge": "x" * 43} | asked, "invalid_request")
      for app in ("shop-app", "public-app") for asked in (
        {"code_challenge": "x" * 42}, {"code_challenge": "x" * 129}, {"code_challenge": "x" * 42 + "="},
        {"code_challenge_method": "s256"}, {"code_challenge_method": "S512"},
        {"code_challenge": None, "code_challenge_method": "S256"},
    )),
    ("shop-app", {"scope": "contacts:read", "mock_user": "owner@foreign.test"}, "access_denied"),
    ("foreign-app", {"scope": "contacts:read"}, "access_denied"),
]  # fmt: skip


def test_authorize_sends_an_error_back_to_the_app(realm):
    for app, asked, error in WRONG:
        answer = realm.authorize(app, **{"mock_user": "boss@group.test", "mock_consent": "accept"} | asked)
        assert is_sent_back(realm, answer, error), asked
        assert ("organization" in realm.told(answer)["error_description"]) is (error == "access_denied")


def test_authorize_answers_by_a_page_without_a_known_app_or_decision(realm):
    for client in (None, "", "nobody", "SHOP-APP", "shop-app "):
        assert is_page(realm.authorize(client, mock_user="boss@group.test", mock_consent="accept")), client
    for user in (None, "boss@group.test"):
        assert is_page(realm.authorize(mock_user=user, mock_consent="maybe")), user


def test_redirection_has_no_state_without_a_state(realm):
    for state in (None, ""):
        for consent in ("accept", "refuse"):
            answer = realm.authorize(mock_user="boss@group.test", mock_consent=consent, state=state)

            assert "state" not in realm.told(answer)


def test_a_registered_query_stays(realm):
    """RFC 6749, 3.1.2."""
    uri = "https://app.test/second?keep=1"
    answer = realm.authorize(mock_user="boss@group.test", mock_consent="accept", redirect_uri=uri)

    assert answer.headers["Location"].startswith(f"{uri}&code=")


def test_an_app_without_addresses_can_ask_nobody(make_realm):
    realm = make_realm(oauth_apps=[{"client_id": "mute", "client_secret": "s"}])

    assert is_page(realm.authorize("mute", mock_user="boss@group.test", mock_consent="accept"))


def test_response_type_may_be_absent(realm):
    for kind in (None, ""):
        assert realm.code(response_type=kind)


def test_long_state_or_nonce_is_refused_by_redirection(realm):
    for name in ("state", "nonce"):
        long = {"state": "s1", name: "x" * 8_193}

        assert is_sent_back(
            realm, realm.authorize(mock_user="boss@group.test", **long), "invalid_request", long["state"]
        )
        assert realm.code(**{name: "x" * 8_192})


def test_unknown_mock_user_is_refused_on_a_page(realm):
    """It is the tester's mistake, so a page tells it, with the names that there are."""
    answer = realm.authorize(mock_user="nobody@group.test", mock_consent="accept")

    assert is_page(answer)
    assert "boss@group.test" in answer.text


def test_mock_user_or_mock_consent_alone_still_shows_the_other_page(realm):
    for given, shown in [
        ({"mock_user": "boss@group.test"}, "Shop App asks for access"),
        ({"mock_consent": "accept"}, "Sign in to go on to Shop App"),
    ]:
        answer = realm.authorize(**given)

        assert is_page(answer, 200)
        assert shown in answer.text


def test_a_parameter_that_comes_twice_is_refused(realm):
    """RFC 6749, 3.1; an app that is named twice, or whose address is, is not told."""
    for twice in ("client_id", "redirect_uri", "state", "scope", "unknown"):
        asked = {"client_id": "shop-app", "redirect_uri": "https://app.test/callback", "scope": "account:read"}
        asked = {**asked, "state": "s1", "unknown": "1"}
        query = {name: [value, value] if name == twice else value for name, value in asked.items()}

        answer = realm.open("GET", "/realms/partner/oauth/authorize", query_string=query)

        if twice in ("client_id", "redirect_uri"):
            assert is_page(answer)
        else:
            assert realm.told(answer)["error"] == "invalid_request"


def test_a_sub_account_is_another_organization_than_its_master(shop_realm):
    """Neither lets the other's app in; each lets in its own."""
    for app, user in [("own-app", "boss@group.test"), ("shop-app", "keeper@shop.test")]:
        answer = shop_realm.authorize(app, scope="contacts:read", mock_user=user, mock_consent="accept")

        assert is_sent_back(shop_realm, answer, "access_denied")
        assert shop_realm.code("own-app", "keeper@shop.test", scope="contacts:read")
        assert shop_realm.code("shop-app", "boss@group.test", scope="contacts:read")


def test_two_standalone_accounts_are_two_organizations(make_realm):
    accounts = [{"name": name, "email": f"owner@{name}.test"} for name in ("one", "two")]
    app = {"client_id": "of-one", "client_secret": "s", "redirect_uris": ["https://app.test/callback"]}
    realm = make_realm(accounts=accounts, oauth_apps=[app])

    assert realm.code("of-one", "owner@one.test", scope="contacts:read")
    answer = realm.authorize("of-one", scope="contacts:read", mock_user="owner@two.test", mock_consent="accept")
    assert is_sent_back(realm, answer, "access_denied")


def test_public_app_accepts_users_of_all_accounts(realm, pkce):
    for user in ["boss@group.test", "keeper@shop.test", "owner@foreign.test"]:
        asked, answered = pkce
        token = realm.exchange(realm.code("public-app", user, **asked), "public-app", **answered).json["access_token"]

        assert realm.works(token)


@pytest.mark.parametrize(
    ("app", "sender", "scope"),
    [("shop-app", "news@shop.test", "account:read"), ("far-app", "news@foreign.test", "all")],
)
def test_a_user_of_several_accounts_signs_in_to_the_one_that_can_let_the_app_in(make_realm, story, app, sender, scope):
    far = {
        "client_id": "far-app", "client_secret": "s", "account": "foreign", "scopes": ["all"],
        "redirect_uris": ["https://app.test/callback"],
    }  # fmt: skip
    realm = make_realm(oauth_apps=[*story["oauth_apps"], far])
    code = realm.code(app, "both@people.test", scope=scope)
    secret = {} if app == "shop-app" else {"client_secret": "s"}

    token = realm.exchange(code, app, **secret).json["access_token"]

    assert [row["email"] for row in realm.call(token).json["senders"]] == [sender]


def test_every_sign_in_stands_in_the_activity_log(realm):
    realm.authorize(mock_user="boss@group.test", mock_consent="accept")
    realm.advance("PT1M")
    realm.authorize(mock_user="clerk@group.test", mock_consent="refuse")

    answer = realm.api.get("/v3/organization/activities", key="key-group")

    told = [(row["action"], row["user_email"], row["date"]) for row in answer.json["logs"]]
    assert told == [
        ("login-success", "clerk@group.test", "2026-01-15T09:01:00+00:00"),
        ("login-success", "boss@group.test", "2026-01-15T09:00:00+00:00"),
    ]


def test_head_signs_nobody_in(realm):
    answer = realm.authorize("shop-app", method="HEAD", mock_user="boss@group.test", mock_consent="accept")

    assert (answer.status_code, "Location" in answer.headers) == (200, False)
    assert realm.api.get("/_mock/machines/oauth_grant").json["count"] == 0

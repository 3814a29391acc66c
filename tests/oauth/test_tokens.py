"""The token address: codes, refresh tokens and client credentials (contract/oauth)."""

from __future__ import annotations

from mockserver.resources.oauth.model import Secrets


def test_each_grant_type_gives_tokens_that_are_not_cached(realm, is_refused):
    """RFC 6749, 5.1."""
    by_code = realm.exchange(realm.code(scope="account:read contacts:read"))
    by_refresh = realm.refresh(by_code.json["refresh_token"])
    by_client = realm.post("token", grant_type="client_credentials", scope="account:read contacts:read")

    for answer in (by_code, by_refresh, by_client):
        assert (answer.status_code, answer.content_type) == (200, "application/json")
        assert (answer.headers["Cache-Control"], answer.headers["Pragma"]) == ("no-store", "no-cache")
        found = answer.json
        assert found.pop("access_token").count(".") == 2
        assert (found.pop("refresh_token", None) is None) is (answer is by_client)
        assert found == {"token_type": "Bearer", "expires_in": 3600, "scope": "account:read contacts:read"}
    assert is_refused(realm.post("token", "public-app", grant_type="client_credentials"), 400, "unauthorized_client")


def test_a_public_app_by_basic_has_an_empty_secret(realm, pkce):
    asked, answered = pkce

    assert realm.exchange(realm.code("public-app", **asked), "public-app", basic=True, **answered).status_code == 200


def test_a_public_app_cannot_show_a_secret(realm, is_refused, pkce):
    """An empty member counts as none (RFC 6749, 3.2)."""
    for secret in ("", "any"):
        asked, answered = pkce
        answer = realm.exchange(realm.code("public-app", **asked), "public-app", client_secret=secret, **answered)

        assert answer.status_code == 200 if not secret else is_refused(answer, 401, "invalid_client")


def test_grant_type_and_redirect_uri_may_be_absent(realm):
    for left_out in ({"grant_type": None}, {"redirect_uri": None}, {"grant_type": ""}):
        assert realm.exchange(realm.code(), **left_out).status_code == 200


def test_another_redirect_uri_is_refused(realm, is_refused):
    """Be it registered as well: the code was asked for with one of them."""
    for uri in (
        "https://app.test/second?keep=1",
        "https://app.test/callback/",
        "https://APP.test/callback",
        "https://evil.test/",
    ):
        assert is_refused(realm.exchange(realm.code(), redirect_uri=uri), 400, "invalid_grant")


def test_another_grant_type_is_refused(realm, is_refused):
    for kind in ("password", "implicit", "AUTHORIZATION_CODE", "authorization_code "):
        assert is_refused(realm.exchange(realm.code(), grant_type=kind), 400, "unsupported_grant_type")


def test_missing_field_of_the_grant_type_is_refused(realm, is_refused):
    for form, missing in [
        ({"grant_type": "authorization_code"}, "code"),
        ({"grant_type": None}, "code"),
        ({"grant_type": "refresh_token"}, "refresh_token"),
    ]:
        answer = realm.post("token", **form)

        assert is_refused(answer, 400, "invalid_request")
        assert answer.json["error_description"] == f"{missing} is missing"


def test_the_verifier_of_a_challenge_is_taken(realm, pkce):
    """A plain challenge is its own verifier, and `plain` is what holds when no method is named."""
    for method in ("S256", "plain", None):
        asked, answered = pkce
        challenge = asked["code_challenge"] if method == "S256" else answered["code_verifier"]
        code = realm.code(code_challenge=challenge, code_challenge_method=method)

        assert realm.exchange(code, **answered).status_code == 200


def test_refresh_token_stays_valid_without_rotation(make_realm):
    """If one is present, it replaces the old one (contract/oauth#oauthTokenRefresh)."""
    lasting = make_realm(behaviour={"oauth_rotate_refresh": False})
    first = lasting.tokens()
    answers = [lasting.refresh(first["refresh_token"]) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert all("refresh_token" not in answer.json for answer in answers)
    assert all(lasting.works(answer.json["access_token"]) for answer in answers)


def test_refreshing_can_ask_for_fewer_scopes(realm):
    for asked, given in [
        ("account:read", "account:read"), ("contacts:read account:read", "contacts:read account:read"),
        ("account:read account:read", "account:read"), ("", "account:read contacts:read"),
        (None, "account:read contacts:read"),
    ]:  # fmt: skip
        first = realm.tokens(scope="account:read contacts:read")

        assert realm.refresh(first["refresh_token"], scope=asked).json["scope"] == given


def test_an_app_gets_a_token_for_its_own_account(make_realm, story):
    app = {"client_id": "of-shop", "client_secret": "s", "account": "shop", "scopes": ["account:read"]}
    realm = make_realm(oauth_apps=[*story["oauth_apps"], app])
    for name, secret, sender in (("shop-app", "s3cret", "news@group.test"), ("of-shop", "s", "news@shop.test")):
        answer = realm.post("token", name, client_secret=secret, grant_type="client_credentials")
        assert [row["email"] for row in realm.call(answer.json["access_token"]).json["senders"]] == [sender]
        entry = realm.api.get("/_mock/requests").json["items"][0]
        assert entry["account"] == sender.removeprefix("news@").removesuffix(".test")


def test_an_app_gets_the_scopes_it_asks_for_or_all_it_has(realm):
    for asked, given in [
        (None, "account:read account:write contacts:read organization:read"),
        ("", "account:read account:write contacts:read organization:read"),
        ("contacts:read", "contacts:read"),
        ("contacts:read account:read", "contacts:read account:read"),
    ]:
        assert realm.post("token", grant_type="client_credentials", scope=asked).json["scope"] == given


def test_an_app_and_its_grants_go_with_its_account(make_realm, story, pkce, is_refused):
    """A deletion removes the sub-account and all its data (contract/corporate#deleteSubAccount)."""
    accounts = [row | ({"role": "sub_account"} if row["name"] == "shop" else {}) for row in story["accounts"]]
    app = {
        "client_id": "of-shop", "client_secret": "s", "account": "shop", "scopes": ["account:read"],
        "redirect_uris": ["https://app.test/callback"],
    }  # fmt: skip
    realm = make_realm(accounts=accounts, oauth_apps=[*story["oauth_apps"], app])
    other = realm.tokens()["access_token"]
    assert realm.post("token", "of-shop", client_secret="s", grant_type="client_credentials").status_code == 200
    # Only a public app can have a token of a user of another account.
    realm.api.put("/_mock/oauth/apps/of-shop", json={"public": True})
    asked, answered = pkce
    granted = realm.exchange(realm.code("of-shop", **asked), "of-shop", **answered).json["access_token"]
    assert realm.works(granted)

    assert realm.api.delete("/v3/corporate/subAccount/1003002", key="key-group").status_code == 204

    assert (realm.works(granted), realm.works(other)) == (False, True)
    assert is_refused(realm.exchange("any", "of-shop", **answered), 401, "invalid_client")
    assert realm.api.get("/_mock/oauth/apps/of-shop").status_code == 404


def test_deleted_sub_account_leaves_no_secrets_of_its_grants(make_realm, story, pkce):
    accounts = [row | ({"role": "sub_account"} if row["name"] == "shop" else {}) for row in story["accounts"]]
    realm = make_realm(accounts=accounts)
    asked, answered = pkce
    boss = realm.exchange(realm.code("public-app", **asked), "public-app", **answered).json["access_token"]
    known = set(realm.api.workspace.state.record_of(Secrets))
    code = realm.code("public-app", "keeper@shop.test", **asked)
    keeper = realm.exchange(code, "public-app", **answered).json["access_token"]
    assert realm.works(keeper)

    assert realm.api.delete("/v3/corporate/subAccount/1003002", key="key-group").status_code == 204

    assert set(realm.api.workspace.state.record_of(Secrets)) == known
    assert (realm.works(keeper), realm.works(boss)) == (False, True)

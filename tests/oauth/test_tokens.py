"""The token address: codes, refresh tokens and client credentials (contract/oauth)."""

from __future__ import annotations

import pytest


def test_a_code_gives_tokens(realm):
    answer = realm.exchange(realm.code(scope="account:read contacts:read"))

    assert answer.status_code == 200
    assert set(answer.json) == {"access_token", "refresh_token", "token_type", "expires_in", "scope"}
    assert answer.json["access_token"].count(".") == 2
    told = {name: answer.json[name] for name in ("token_type", "expires_in", "scope")}
    assert told == {"token_type": "Bearer", "expires_in": 3600, "scope": "account:read contacts:read"}


@pytest.mark.parametrize("kind", ["code", "refresh", "client"])
def test_answers_with_tokens_are_not_cached(realm, kind):
    """RFC 6749, 5.1."""
    answer = {
        "code": lambda: realm.exchange(realm.code()),
        "refresh": lambda: realm.refresh(realm.tokens()["refresh_token"]),
        "client": lambda: realm.post("token", grant_type="client_credentials"),
    }[kind]()

    assert answer.status_code == 200
    assert answer.content_type == "application/json"
    assert (answer.headers["Cache-Control"], answer.headers["Pragma"]) == ("no-store", "no-cache")


@pytest.mark.parametrize("basic", [True, False])
def test_an_app_shows_its_secret_by_basic_or_in_the_form(realm, basic):
    assert realm.exchange(realm.code(), basic=basic).status_code == 200


def test_a_public_app_by_basic_has_an_empty_secret(realm, pkce):
    asked, answered = pkce

    assert realm.exchange(realm.code("public-app", **asked), "public-app", basic=True, **answered).status_code == 200


@pytest.mark.parametrize("secret", ["", "any"])
def test_a_public_app_cannot_show_a_secret(realm, is_refused, pkce, secret):
    """An empty member counts as none (RFC 6749, 3.2)."""
    asked, answered = pkce
    answer = realm.exchange(realm.code("public-app", **asked), "public-app", client_secret=secret, **answered)

    assert answer.status_code == 200 if not secret else is_refused(answer, 401, "invalid_client")


@pytest.mark.parametrize("left_out", [{"grant_type": None}, {"redirect_uri": None}, {"grant_type": ""}])
def test_grant_type_and_redirect_uri_may_be_absent(realm, left_out):
    assert realm.exchange(realm.code(), **left_out).status_code == 200


@pytest.mark.parametrize(
    "uri",
    ["https://app.test/second?keep=1", "https://app.test/callback/", "https://APP.test/callback", "https://evil.test/"],
)
def test_another_redirect_uri_is_refused(realm, is_refused, uri):
    """Be it registered as well: the code was asked for with one of them."""
    assert is_refused(realm.exchange(realm.code(), redirect_uri=uri), 400, "invalid_grant")


@pytest.mark.parametrize("kind", ["password", "implicit", "AUTHORIZATION_CODE", "authorization_code "])
def test_another_grant_type_is_refused(realm, is_refused, kind):
    assert is_refused(realm.exchange(realm.code(), grant_type=kind), 400, "unsupported_grant_type")


@pytest.mark.parametrize(
    ("form", "missing"),
    [
        ({"grant_type": "authorization_code"}, "code"),
        ({"grant_type": None}, "code"),
        ({"grant_type": "refresh_token"}, "refresh_token"),
    ],
)
def test_missing_field_of_the_grant_type_is_refused(realm, is_refused, form, missing):
    answer = realm.post("token", **form)

    assert is_refused(answer, 400, "invalid_request")
    assert answer.json["error_description"] == f"{missing} is missing"


def test_a_second_use_ends_what_was_refreshed_since(realm):
    code = realm.code()
    refreshed = realm.refresh(realm.exchange(code).json["refresh_token"]).json

    realm.exchange(code)

    assert not realm.works(refreshed["access_token"])
    assert realm.refresh(refreshed["refresh_token"]).status_code == 400


# ---------------------------------------------------------------------- proof of possession (RFC 7636)


@pytest.mark.parametrize("method", ["S256", "plain", None])
def test_the_verifier_of_a_challenge_is_taken(realm, pkce, method):
    """A plain challenge is its own verifier, and `plain` is what holds when no method is named."""
    asked, answered = pkce
    challenge = asked["code_challenge"] if method == "S256" else answered["code_verifier"]
    code = realm.code(code_challenge=challenge, code_challenge_method=method)

    assert realm.exchange(code, **answered).status_code == 200


def test_a_refresh_token_gives_a_new_access_token_and_the_old_one_still_works(realm):
    first = realm.tokens(scope="account:read contacts:read")

    answer = realm.refresh(first["refresh_token"])

    assert answer.status_code == 200
    told = {name: answer.json[name] for name in ("token_type", "expires_in", "scope")}
    assert told == {"token_type": "Bearer", "expires_in": 3600, "scope": "account:read contacts:read"}
    assert answer.json["access_token"] != first["access_token"]
    assert realm.works(answer.json["access_token"])
    assert realm.works(first["access_token"])


@pytest.fixture
def lasting(make_realm):
    return make_realm(behaviour={"oauth_rotate_refresh": False})


def test_refresh_token_stays_valid_without_rotation(lasting):
    """If one is present, it replaces the old one (contract/oauth#oauthTokenRefresh)."""
    first = lasting.tokens()
    answers = [lasting.refresh(first["refresh_token"]) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert all("refresh_token" not in answer.json for answer in answers)
    assert all(lasting.works(answer.json["access_token"]) for answer in answers)


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        ("account:read", "account:read"), ("contacts:read account:read", "contacts:read account:read"),
        ("account:read account:read", "account:read"), ("", "account:read contacts:read"),
        (None, "account:read contacts:read"),
    ],
)  # fmt: skip
def test_refreshing_can_ask_for_fewer_scopes(realm, asked, given):
    first = realm.tokens(scope="account:read contacts:read")

    assert realm.refresh(first["refresh_token"], scope=asked).json["scope"] == given


def test_an_app_gets_a_token_for_its_own_account(realm):
    answer = realm.post("token", grant_type="client_credentials")

    assert answer.status_code == 200
    assert set(answer.json) == {"access_token", "token_type", "expires_in", "scope"}
    assert (answer.json["token_type"], answer.json["expires_in"]) == ("Bearer", 3600)
    assert [row["email"] for row in realm.call(answer.json["access_token"]).json["senders"]] == ["news@group.test"]


def test_an_app_of_another_account_opens_that_one(make_realm):
    app = {"client_id": "of-shop", "client_secret": "s", "account": "shop", "scopes": ["account:read"]}
    realm = make_realm(oauth_apps=[app])

    token = realm.post("token", "of-shop", client_secret="s", grant_type="client_credentials").json["access_token"]

    assert [row["email"] for row in realm.call(token).json["senders"]] == ["news@shop.test"]


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        (None, "account:read account:write contacts:read organization:read"),
        ("", "account:read account:write contacts:read organization:read"),
        ("contacts:read", "contacts:read"),
        ("contacts:read account:read", "contacts:read account:read"),
    ],
)
def test_an_app_gets_the_scopes_it_asks_for_or_all_it_has(realm, asked, given):
    assert realm.post("token", grant_type="client_credentials", scope=asked).json["scope"] == given


def test_a_public_app_gets_no_token_for_itself(realm, is_refused):
    answer = realm.post("token", "public-app", grant_type="client_credentials")

    assert is_refused(answer, 400, "unauthorized_client")


@pytest.fixture
def of_shop(make_realm, story):
    accounts = [row | ({"role": "sub_account"} if row["name"] == "shop" else {}) for row in story["accounts"]]
    app = {
        "client_id": "of-shop", "client_secret": "s", "account": "shop", "scopes": ["account:read"],
        "redirect_uris": ["https://app.test/callback"],
    }  # fmt: skip
    return make_realm(accounts=accounts, oauth_apps=[*story["oauth_apps"], app])


@pytest.fixture
def granted(of_shop, pkce):
    """A token that a user of the master account has let the sub-account's app have, as anybody can if it is public."""
    asked, answered = pkce
    of_shop.api.put("/_mock/oauth/apps/of-shop", json={"public": True})
    code = of_shop.code("of-shop", **{**asked, "scope": "account:read"})
    return of_shop.exchange(code, "of-shop", **answered).json["access_token"]


def delete_shop(realm):
    assert realm.api.delete("/v3/corporate/subAccount/1003002", key="key-group").status_code == 204


def test_an_app_goes_with_its_account(of_shop, is_refused):
    """A deletion removes the sub-account and all its data (contract/corporate#deleteSubAccount)."""
    delete_shop(of_shop)

    answer = of_shop.post("token", "of-shop", client_secret="s", grant_type="client_credentials")

    assert is_refused(answer, 401, "invalid_client")
    assert of_shop.api.get("/_mock/oauth/apps/of-shop").status_code == 404


def test_grants_of_other_accounts_end_with_a_deleted_app_alone(of_shop, granted):
    other = of_shop.tokens()["access_token"]
    assert of_shop.works(granted)

    delete_shop(of_shop)

    assert (of_shop.works(granted), of_shop.works(other)) == (False, True)
    assert of_shop.api.put("/_mock/state", json=of_shop.api.get("/_mock/state").json).status_code == 200

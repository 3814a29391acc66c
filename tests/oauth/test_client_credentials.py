"""Tokens of apps for themselves (contract/oauth#oauthTokenClientCredentials)."""

from __future__ import annotations

import pytest


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


def test_a_new_app_has_the_four_scopes_of_the_specification(realm):
    answer = realm.post("token", "bare-app", grant_type="client_credentials")

    assert answer.json["scope"] == "contacts:read contacts:write crm:read crm:write"


@pytest.mark.parametrize("scope", ["webhooks:read", "contacts:read contacts:write", "all", "Contacts:read", "nonsense"])
def test_an_app_gets_no_more_than_it_has(realm, is_refused, scope):
    answer = realm.post("token", grant_type="client_credentials", scope=scope)

    assert is_refused(answer, 400, "invalid_scope")


def test_an_app_with_all_gets_any(realm):
    answer = realm.post("token", "other-app", grant_type="client_credentials", scope="webhooks:read")

    assert answer.json["scope"] == "webhooks:read"


def test_a_public_app_gets_no_token_for_itself(realm, is_refused):
    answer = realm.post("token", "public-app", grant_type="client_credentials")

    assert is_refused(answer, 400, "unauthorized_client")


@pytest.fixture
def of_shop(make_realm, story):
    """A workspace with an app of a sub-account."""
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


def test_what_users_of_other_accounts_have_granted_it_ends_as_well(of_shop, granted):
    assert of_shop.works(granted)

    delete_shop(of_shop)

    assert not of_shop.works(granted)


@pytest.mark.usefixtures("granted")
def test_the_state_of_a_workspace_that_has_lost_an_app_like_this_still_loads(of_shop):
    delete_shop(of_shop)

    assert of_shop.api.put("/_mock/state", json=of_shop.api.get("/_mock/state").json).status_code == 200


def test_no_other_app_goes_with_it(of_shop):
    token = of_shop.tokens()["access_token"]

    delete_shop(of_shop)

    assert of_shop.works(token)


def test_a_token_dies_with_its_account(shop_realm, pkce):
    realm, (asked, answered) = shop_realm, pkce
    token = realm.exchange(realm.code("public-app", "keeper@shop.test", **asked), "public-app", **answered).json
    assert realm.works(token["access_token"])

    realm.api.delete("/v3/corporate/subAccount/1003002", key="key-group")

    assert not realm.works(token["access_token"])
    assert realm.refresh(token["refresh_token"], "public-app").status_code == 400

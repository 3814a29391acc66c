"""Tokens of apps for themselves (ledger 2.38)."""

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


def test_a_new_app_has_the_four_scopes_of_spec(realm):
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


def test_an_app_whose_account_is_gone_gets_no_token(make_realm, is_refused):
    apps = [{"client_id": "of-shop", "client_secret": "s", "account": "shop"}]
    realm = make_realm(oauth_apps=apps)
    assert realm.api.delete("/v3/corporate/subAccount/1003002", key="key-group").status_code == 204

    answer = realm.post("token", "of-shop", client_secret="s", grant_type="client_credentials")

    assert is_refused(answer, 400, "unauthorized_client")


def test_a_token_dies_with_its_account(realm):
    token = realm.tokens(user="keeper@shop.test")
    assert realm.works(token["access_token"])

    realm.api.delete("/v3/corporate/subAccount/1003002", key="key-group")

    assert not realm.works(token["access_token"])
    assert realm.refresh(token["refresh_token"]).status_code == 400

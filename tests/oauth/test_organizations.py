"""Whose users can let an app in, and where it is written down that they have signed in (contract/oauth)."""

from __future__ import annotations

import pytest

#: Those of the master account and its admin account.
KEYS = ("key-group", "key-shop")


def is_sent_back(realm, answer, error, state="s1"):
    """Whether the app is told an error, in the words of RFC 6749, 4.1.2.1."""
    told = realm.told(answer)
    assert told.pop("error_description")
    assert told == {"error": error, "state": state} if state is not None else told == {"error": error}
    return True


@pytest.mark.parametrize("user", ["boss@group.test", "clerk@group.test", "keeper@shop.test"])
def test_a_private_app_is_for_the_users_of_its_organization(realm, user):
    """Those of the master account and of its admin accounts (proposed)."""
    assert realm.works(realm.tokens(user=user)["access_token"])


@pytest.mark.parametrize(("app", "user"), [("shop-app", "owner@foreign.test"), ("foreign-app", "boss@group.test")])
def test_a_private_app_is_for_nobody_else(realm, app, user):
    answer = realm.authorize(app, scope="contacts:read", mock_user=user, mock_consent="accept")

    assert is_sent_back(realm, answer, "access_denied")
    assert "organization" in realm.told(answer)["error_description"]


@pytest.mark.parametrize(("app", "user"), [("own-app", "boss@group.test"), ("shop-app", "keeper@shop.test")])
def test_a_sub_account_is_another_organization_than_its_master(shop_realm, app, user):
    """Neither lets the other's app in; each lets in its own."""
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


@pytest.mark.parametrize("user", ["boss@group.test", "keeper@shop.test", "owner@foreign.test"])
def test_a_public_app_is_for_everybody(realm, pkce, user):
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
    """Also when the user then refuses."""
    realm.authorize(mock_user="boss@group.test", mock_consent="accept")
    realm.advance("PT1M")
    realm.authorize(mock_user="clerk@group.test", mock_consent="refuse")

    answer = realm.api.get("/v3/organization/activities", key="key-group")

    told = [(row["action"], row["user_email"], row["date"]) for row in answer.json["logs"]]
    assert told == [
        ("login-success", "clerk@group.test", "2026-01-15T09:01:00+00:00"),
        ("login-success", "boss@group.test", "2026-01-15T09:00:00+00:00"),
    ]


def test_a_sign_in_stands_in_the_log_of_its_account_only(realm):
    realm.code(user="keeper@shop.test")

    logs = {
        key: realm.api.get("/v3/organization/activities", key=key).json["logs"] for key in ("key-group", "key-shop")
    }

    assert logs["key-group"] == []
    assert [row["user_email"] for row in logs["key-shop"]] == ["keeper@shop.test"]

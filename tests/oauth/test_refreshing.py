"""Refresh tokens: new access tokens, for as much as was granted or less (contract/oauth#oauthTokenRefresh)."""

from __future__ import annotations

import pytest


def test_a_refresh_token_gives_a_new_access_token_and_the_old_one_still_works(realm):
    first = realm.tokens(scope="account:read contacts:read")

    answer = realm.refresh(first["refresh_token"])

    assert answer.status_code == 200
    told = {name: answer.json[name] for name in ("token_type", "expires_in", "scope")}
    assert told == {"token_type": "Bearer", "expires_in": 3600, "scope": "account:read contacts:read"}
    assert answer.json["access_token"] != first["access_token"]
    assert realm.works(answer.json["access_token"])
    assert realm.works(first["access_token"])


def test_by_default_a_new_refresh_token_takes_the_place_of_the_old_one(realm):
    first = realm.tokens()
    second = realm.refresh(first["refresh_token"]).json
    third = realm.refresh(second["refresh_token"]).json

    assert len({row["refresh_token"] for row in (first, second, third)}) == 3


def test_a_replaced_refresh_token_that_comes_again_ends_the_grant(realm, is_refused):
    """RFC 9700, 4.14.2: one of the two who hold it has stolen it."""
    first = realm.tokens()
    second = realm.refresh(first["refresh_token"]).json

    assert is_refused(realm.refresh(first["refresh_token"]), 400, "invalid_grant")
    assert is_refused(realm.refresh(second["refresh_token"]), 400, "invalid_grant")
    assert not realm.works(first["access_token"])
    assert not realm.works(second["access_token"])


@pytest.fixture
def lasting(make_realm):
    """A workspace whose refresh tokens stay the same."""
    return make_realm(behaviour={"oauth_rotate_refresh": False})


def test_without_rotation_the_refresh_token_stays_and_is_not_told_again(lasting):
    """If one is present, it replaces the old one (contract/oauth#oauthTokenRefresh)."""
    first = lasting.tokens()
    answers = [lasting.refresh(first["refresh_token"]) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert all("refresh_token" not in answer.json for answer in answers)
    assert all(lasting.works(answer.json["access_token"]) for answer in answers)


@pytest.mark.parametrize(
    ("asked", "given"),
    [
        ("account:read", "account:read"),
        ("contacts:read account:read", "contacts:read account:read"),
        ("account:read account:read", "account:read"),
        ("", "account:read contacts:read"),
        (None, "account:read contacts:read"),
    ],
)
def test_refreshing_can_ask_for_fewer_scopes(realm, asked, given):
    first = realm.tokens(scope="account:read contacts:read")

    assert realm.refresh(first["refresh_token"], scope=asked).json["scope"] == given


def test_a_narrowed_token_can_do_less(realm):
    first = realm.tokens(scope="account:read contacts:read")
    narrowed = realm.refresh(first["refresh_token"], scope="contacts:read").json

    assert realm.call(narrowed["access_token"]).status_code == 403
    assert realm.works(first["access_token"])


def test_narrowing_holds_for_one_token_only(realm):
    """RFC 6749, 6: the new refresh token has the scope of the old one."""
    first = realm.tokens(scope="account:read contacts:read")
    narrowed = realm.refresh(first["refresh_token"], scope="contacts:read").json

    assert realm.refresh(narrowed["refresh_token"]).json["scope"] == "account:read contacts:read"


@pytest.mark.parametrize("more", ["account:write", "account:read account:write", "all", "openid", "nonsense"])
def test_refreshing_never_gives_more(realm, is_refused, more):
    """Not even what the app may ask users for."""
    first = realm.tokens()

    assert is_refused(realm.refresh(first["refresh_token"], scope=more), 400, "invalid_scope")
    assert realm.refresh(first["refresh_token"]).status_code == 200


def test_another_app_cannot_refresh_nor_spoil_it(realm, is_refused):
    first = realm.tokens()

    assert is_refused(realm.refresh(first["refresh_token"], "other-app"), 400, "invalid_grant")
    assert realm.refresh(first["refresh_token"]).status_code == 200


def test_an_access_token_does_not_refresh(realm, is_refused):
    assert is_refused(realm.refresh(realm.tokens()["access_token"]), 400, "invalid_grant")


def test_a_public_app_refreshes_without_a_secret(realm, pkce):
    asked, answered = pkce
    first = realm.exchange(realm.code("public-app", **asked), "public-app", **answered).json

    assert realm.refresh(first["refresh_token"], "public-app").status_code == 200

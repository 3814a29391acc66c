"""Codes work once, for the app that they were given to, and for nobody without its proof key."""

from __future__ import annotations

import pytest

# ---------------------------------------------------------------------- codes


def test_a_second_use_of_a_code_is_refused_and_ends_what_the_first_gave(realm, is_refused):
    """RFC 6749, 4.1.2."""
    code = realm.code()
    first = realm.exchange(code).json
    assert realm.works(first["access_token"])

    assert is_refused(realm.exchange(code), 400, "invalid_grant")
    assert not realm.works(first["access_token"])
    assert is_refused(realm.refresh(first["refresh_token"]), 400, "invalid_grant")


def test_a_second_use_ends_what_was_refreshed_since(realm):
    code = realm.code()
    refreshed = realm.refresh(realm.exchange(code).json["refresh_token"]).json

    realm.exchange(code)

    assert not realm.works(refreshed["access_token"])
    assert realm.refresh(refreshed["refresh_token"]).status_code == 400


def test_a_third_use_of_a_code_is_refused(realm, is_refused):
    code = realm.code()
    for _ in range(2):
        realm.exchange(code)

    assert is_refused(realm.exchange(code), 400, "invalid_grant")


def test_another_grant_of_the_same_app_goes_on(realm):
    token, code = realm.tokens()["access_token"], realm.code()
    for _ in range(2):
        realm.exchange(code)

    assert realm.works(token)


@pytest.mark.parametrize("secret", ["nonsense", "x" * 43, "a.b.c"])
def test_an_unknown_code_is_refused(realm, is_refused, secret):
    assert is_refused(realm.exchange(secret), 400, "invalid_grant")


def test_another_app_cannot_use_a_code_nor_spoil_it(realm, is_refused):
    code = realm.code()

    assert is_refused(realm.exchange(code, "other-app"), 400, "invalid_grant")
    assert realm.exchange(code).status_code == 200


def test_another_app_that_comes_with_a_used_code_ends_nothing(realm):
    code = realm.code()
    token = realm.exchange(code).json["access_token"]

    assert realm.exchange(code, "other-app").status_code == 400
    assert realm.works(token)


def test_a_refresh_token_is_no_code_nor_the_other_way_round(realm, is_refused):
    assert is_refused(realm.exchange(realm.tokens()["refresh_token"]), 400, "invalid_grant")
    assert is_refused(realm.refresh(realm.code()), 400, "invalid_grant")


# ---------------------------------------------------------------------- proof of possession (RFC 7636)


def test_the_verifier_of_the_challenge_is_taken(realm, pkce):
    asked, answered = pkce

    assert realm.exchange(realm.code(**asked), **answered).status_code == 200


@pytest.mark.parametrize("method", [{"code_challenge_method": "plain"}, {}])
def test_a_plain_challenge_is_its_own_verifier(realm, pkce, method):
    """`plain` is what holds when no method is named."""
    _, answered = pkce
    code = realm.code(code_challenge=answered["code_verifier"], **method)

    assert realm.exchange(code, **answered).status_code == 200


@pytest.mark.parametrize("verifier", [None, "x" * 43, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "é" * 43])
@pytest.mark.parametrize("app", ["public-app", "shop-app"])
def test_without_the_verifier_of_the_challenge_there_is_no_token(realm, is_refused, pkce, app, verifier):
    asked, _ = pkce

    assert is_refused(realm.exchange(realm.code(app, **asked), app, code_verifier=verifier), 400, "invalid_grant")


def test_a_verifier_without_a_challenge_is_refused(realm, is_refused, pkce):
    """RFC 9700, 2.1.1: somebody has taken the challenge away."""
    _, answered = pkce

    assert is_refused(realm.exchange(realm.code(), **answered), 400, "invalid_grant")

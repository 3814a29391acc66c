"""Ending tokens, and asking about them (contract/oauth; RFC 7009 and 7662)."""

from __future__ import annotations

import pytest

from mockserver.resources.oauth.model import Grant


def test_revoking_ends_an_access_token_alone_and_with_a_refresh_token_all_of_its_grant(realm, is_refused):
    """RFC 7009, 2.1."""
    first = realm.tokens()
    second = realm.refresh(first["refresh_token"]).json

    answer = realm.post("revoke", token=first["access_token"])

    assert (answer.status_code, answer.data) == (200, b"")
    assert not realm.works(first["access_token"])
    assert realm.works(second["access_token"])
    third = realm.refresh(second["refresh_token"]).json

    assert realm.post("revoke", token=third["refresh_token"]).status_code == 200

    assert not realm.works(second["access_token"])
    assert not realm.works(third["access_token"])
    assert is_refused(realm.refresh(third["refresh_token"]), 400, "invalid_grant")


@pytest.mark.parametrize("name", ["revoke", "introspect"])
@pytest.mark.parametrize("token", [None, ""])
def test_revocation_and_introspection_without_token_are_refused(realm, is_refused, name, token):
    assert is_refused(realm.post(name, token=token), 400, "invalid_request")


#: 2026-01-15T09:00:00Z.
START = 1768467600


def test_introspection_tells_what_an_access_token_is_good_for(realm):
    token = realm.tokens(user="keeper@shop.test", scope="account:read contacts:read")["access_token"]

    answer = realm.post("introspect", token=token)

    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.json == {
        "active": True, "scope": "account:read contacts:read", "client_id": "shop-app", "username": "keeper@shop.test",
        "sub": "keeper@shop.test", "token_type": "Bearer", "iss": "http://localhost/realms/partner",
        "aud": "http://localhost/v3", "iat": START, "exp": START + 3600,
    }  # fmt: skip


def test_introspection_tells_what_a_refresh_token_is_good_for(realm):
    answer = realm.post("introspect", token=realm.tokens()["refresh_token"])

    assert answer.json == {
        "active": True, "scope": "account:read", "client_id": "shop-app", "username": "boss@group.test",
        "sub": "boss@group.test", "exp": START + 30 * 24 * 3600,
    }  # fmt: skip


def test_the_token_of_an_app_for_itself_has_no_user(realm):
    token = realm.post("token", grant_type="client_credentials").json["access_token"]

    said = realm.post("introspect", token=token).json

    assert (said["active"], said["sub"]) == (True, "shop-app")
    assert "username" not in said


@pytest.mark.parametrize("hint", ["access_token", "refresh_token", "nonsense"])
@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
def test_token_type_hint_is_ignored(realm, kind, hint):
    token = realm.tokens()[kind]

    assert realm.post("introspect", token=token, token_type_hint=hint).json["active"] is True


@pytest.mark.parametrize("kind", ["access_token", "refresh_token"])
def test_introspection_hides_tokens_of_other_apps(realm, kind):
    """RFC 7662, 4: else an app could learn by asking."""
    token = realm.tokens()[kind]

    answer = realm.post("introspect", "other-app", token=token)

    assert (answer.status_code, answer.json) == (200, {"active": False})


@pytest.mark.parametrize("end", ["revoke", "replace", "expire", "second use", "nonsense", "code", "bare id"])
def test_introspection_reports_invalid_tokens_as_inactive(realm, end):
    code = realm.code()
    first = realm.exchange(code).json
    token = first["refresh_token"]
    match end:
        case "revoke":
            realm.post("revoke", token=token)
        case "replace":
            realm.refresh(token)
        case "expire":
            realm.advance("P30D")
        case "second use":
            realm.exchange(code)
        case "nonsense":
            token = "nonsense"
        case "code":
            token = realm.code()
        case "bare id":
            token = next(token for account in realm.api.workspace.state.accounts.values() for token in _ids(account))

    answer = realm.post("introspect", token=token)

    assert (answer.status_code, answer.json) == (200, {"active": False})


def _ids(account):
    return [token for row in account.table(Grant).values() for token in row.tokens]

"""Ending tokens, and asking about them (contract/oauth; RFC 7009 and 7662)."""

from __future__ import annotations

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


def test_revocation_and_introspection_without_token_are_refused(realm, is_refused):
    for name in ("revoke", "introspect"):
        for token in (None, ""):
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


def test_token_type_hint_is_ignored(realm):
    for hint in ("access_token", "refresh_token", "nonsense"):
        for kind in ("access_token", "refresh_token"):
            token = realm.tokens()[kind]

            assert realm.post("introspect", token=token, token_type_hint=hint).json["active"] is True


def test_introspection_hides_tokens_of_other_apps(realm):
    """RFC 7662, 4: else an app could learn by asking."""
    for kind in ("access_token", "refresh_token"):
        token = realm.tokens()[kind]

        answer = realm.post("introspect", "other-app", token=token)

        assert (answer.status_code, answer.json) == (200, {"active": False})


def test_introspection_reports_invalid_tokens_as_inactive(realm):
    code = realm.code()
    used_twice = realm.exchange(code).json["refresh_token"]
    revoked, replaced, expired = (realm.tokens()["refresh_token"] for _ in range(3))
    realm.exchange(code)
    realm.post("revoke", token=revoked)
    realm.refresh(replaced)
    accounts = realm.api.workspace.state.accounts.values()
    ids = [token for account in accounts for row in account.table(Grant).values() for token in row.tokens]

    def says(token):
        answer = realm.post("introspect", token=token)
        return answer.status_code, answer.json

    assert ids
    for token in (used_twice, revoked, replaced, realm.code(), "nonsense", *ids):
        assert says(token) == (200, {"active": False}), token
    assert says(expired)[1]["active"]
    realm.advance("P30D")
    assert says(expired) == (200, {"active": False})

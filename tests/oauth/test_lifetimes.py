"""How long codes and tokens live, on the workspace's clock (contract/oauth#rules)."""

from __future__ import annotations

import pytest

from mockserver.resources.oauth.model import Grant


@pytest.mark.parametrize(("later", "works"), [("PT9M59S", True), ("PT10M", False)])
def test_a_code_lives_ten_minutes(realm, later, works):
    code = realm.code()
    realm.advance(later)

    assert realm.exchange(code).status_code == (200 if works else 400)


@pytest.mark.parametrize("grant_type", ["authorization_code", "client_credentials"])
def test_an_access_token_lives_an_hour_everywhere(realm, grant_type):
    asked = {"scope": "openid account:read"}
    answer = realm.tokens(**asked) if "code" in grant_type else realm.post("token", grant_type=grant_type, **asked).json
    token = answer["access_token"]

    for later, works in (("PT59M59S", True), ("PT1S", False)):
        realm.advance(later)

        assert realm.works(token) is works
        assert realm.post("introspect", token=token).json["active"] is works
        userinfo = realm.open("GET", "/realms/partner/oauth/userinfo", token=token)
        assert userinfo.status_code == (200 if works else 401)


@pytest.mark.parametrize(("later", "works"), [("P29DT23H59M59S", True), ("P30D", False)])
def test_a_refresh_token_lives_thirty_days(realm, later, works):
    token = realm.tokens()["refresh_token"]
    realm.advance(later)

    assert realm.post("introspect", token=token).json["active"] is works
    assert realm.refresh(token).status_code == (200 if works else 400)


def reason_of(realm):
    return realm.api.get("/_mock/requests").json["items"][0]["reason"]


def test_refusal_of_an_expired_refresh_token_names_its_end_and_lifetime(realm):
    token = realm.tokens()["refresh_token"]
    realm.advance("P31D")

    answer = realm.refresh(token)

    message = "The refresh token is unknown, expired or revoked"
    assert answer.json == {"error": "invalid_grant", "error_description": message}
    assert reason_of(realm) == (
        "the refresh token of grant 1 expired at 2026-02-14T09:00:00Z, lifetime 30 d; "
        "the workspace's clock shows 2026-02-15T09:00:00Z"
    )


def test_refusal_of_an_expired_code_names_its_end_and_lifetime(realm):
    code = realm.code()
    realm.advance("PT11M")

    assert realm.exchange(code).status_code == 400
    assert reason_of(realm) == (
        "the code of grant 1 expired at 2026-01-15T09:10:00Z, lifetime 10 min; "
        "the workspace's clock shows 2026-01-15T09:11:00Z"
    )


def test_refusal_of_a_revoked_refresh_token_names_the_state_of_its_grant(realm, is_refused):
    token = realm.tokens()["refresh_token"]
    assert realm.post("revoke", token=token).status_code == 200

    assert is_refused(realm.refresh(token), 400, "invalid_grant")
    assert reason_of(realm).startswith("grant 1 is revoked; ")
    assert is_refused(realm.refresh(token, "other-app"), 400, "invalid_grant")
    assert realm.post("revoke", "other-app", token=token).status_code == 200


def test_ended_refresh_token_outlives_a_state_that_is_put_back(realm):
    token = realm.tokens()["refresh_token"]
    realm.advance("P31D")
    state = realm.api.get("/_mock/state").json
    assert realm.api.put("/_mock/state", json=state).status_code == 200

    realm.refresh(token)

    assert "expired at 2026-02-14T09:00:00Z, lifetime 30 d" in reason_of(realm)


def _states(realm):
    accounts = realm.api.workspace.state.accounts.values()
    return [row.state for account in accounts for row in account.table(Grant).values()]


@pytest.mark.parametrize(
    ("begin", "before", "lifetime"),
    [
        (lambda realm: realm.authorize(mock_user="boss@group.test"), "pending_consent", "PT10M"),
        (lambda realm: realm.code(), "code_issued", "PT10M"),
        (lambda realm: realm.tokens(), "active", "P30D"),
        (lambda realm: realm.post("token", grant_type="client_credentials"), "active", "PT1H"),
    ],
    ids=["question", "code", "tokens", "client"],
)
def test_a_grant_ends_with_the_last_that_it_gave(realm, begin, before, lifetime):
    begin(realm)
    assert _states(realm) == [before]

    realm.advance(lifetime)

    assert _states(realm) == ["expired"]


def test_a_clock_that_runs_ends_tokens_just_the_same(make_realm, story):
    realm = make_realm(clock={**story["clock"], "frozen": False})
    token = realm.tokens()["access_token"]
    assert realm.works(token)

    realm.advance("PT1H")

    assert not realm.works(token)


def test_end_of_an_access_token_is_no_timer_but_that_of_its_grant_is(realm):
    """docs/howto/time.md says so."""
    realm.tokens()

    assert realm.advance("PT1H")["fired"] == []
    assert [row["event"] for row in realm.advance("P30D")["fired"]] == ["expire"]


def test_end_of_a_code_is_a_timer(realm):
    realm.code()

    assert [row["event"] for row in realm.advance("PT10M")["fired"]] == ["expire"]

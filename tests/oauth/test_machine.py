"""`oauth_grant` by hand: what it shows, which events apply, and what they do to codes and tokens."""

from __future__ import annotations

import pytest

ALLOWED = {
    "pending_consent": ["consent", "refuse", "expire", "revoke"],
    "code_issued": ["exchange", "expire", "revoke"],
    "active": ["refresh", "expire", "revoke"],
    "expired": [],
    "revoked": [],
}
EVENTS = ["authorize", "consent", "refuse", "exchange", "refresh", "expire", "revoke"]


def grant(realm, number=1):
    return realm.api.get(f"/_mock/machines/oauth_grant/{number}").json


def fire(realm, event, number=1):
    return realm.api.post(f"/_mock/machines/oauth_grant/{number}/{event}")


def bring(realm, state):
    """A grant in some state, as requests lead to it."""
    if state == "pending_consent":
        assert realm.authorize(mock_user="boss@group.test").status_code == 200
    elif state == "code_issued":
        realm.code()
    else:
        tokens = realm.tokens()
        if state == "revoked":
            realm.post("revoke", token=tokens["refresh_token"])
        if state == "expired":
            realm.advance("P30D")
    assert grant(realm)["state"] == state


def test_the_machine_is_listed_with_its_table_and_diagram(realm):
    machines = {row["name"]: row for row in realm.api.get("/_mock/machines").json["items"]}
    found = machines["oauth_grant"]

    assert set(found["states"]) == set(ALLOWED)
    assert found["timed"] == ["expire"]
    assert {"event": "exchange", "from": "code_issued", "to": "active"} in found["transitions"]
    assert "pending_consent --> code_issued: consent" in found["mermaid"]


@pytest.mark.parametrize(("state", "allowed"), ALLOWED.items())
def test_a_state_allows_its_events_and_no_others(realm, state, allowed):
    bring(realm, state)
    assert grant(realm)["allowed"] == allowed

    for event in EVENTS:
        if event not in allowed:
            answer = fire(realm, event)
            assert (answer.status_code, answer.json["state"], answer.json["allowed"]) == (409, state, allowed)
    assert grant(realm)["state"] == state


def test_an_instance_shows_whose_it_is_and_its_secrets(realm):
    code = realm.code(user="keeper@shop.test")

    assert grant(realm) == {
        "key": 1,
        "account": "shop",
        "state": "code_issued",
        "allowed": ["exchange", "expire", "revoke"],
        "client_id": "shop-app",
        "user": "keeper@shop.test",
        "scopes": ["account:read"],
        "code": code,
        "refresh_token": None,
        "expires_at": "2026-01-15T09:10:00Z",
    }


def test_instances_of_all_accounts_are_listed(realm):
    realm.code()
    realm.tokens(user="keeper@shop.test")
    realm.post("token", "foreign-app", grant_type="client_credentials")
    rows = realm.api.get("/_mock/machines/oauth_grant").json["items"]

    assert {(row["key"], row["account"], row["state"]) for row in rows} == {
        (1, "group", "code_issued"),
        (2, "shop", "active"),
        (3, "foreign", "active"),
    }


@pytest.mark.parametrize("key", ["9", "x", "0"])
def test_there_is_no_other_instance(realm, key):
    realm.code()

    assert realm.api.get(f"/_mock/machines/oauth_grant/{key}").status_code == 404
    assert fire(realm, "revoke", key).status_code == 404


# ---------------------------------------------------------------------- what events do


def test_consent_by_hand_gives_a_code(realm):
    bring(realm, "pending_consent")
    code = fire(realm, "consent").json["code"]

    assert realm.exchange(code).status_code == 200


def test_after_consent_by_hand_the_page_asks_in_vain(realm, visitor, question):
    visitor.visit(question())
    visitor.press("boss@group.test")
    fire(realm, "refuse")

    assert visitor.press("Accept").status_code == 410


def test_an_exchange_by_hand_uses_the_code_up(realm, is_refused):
    code = realm.code()
    assert fire(realm, "exchange").json["state"] == "active"
    assert is_refused(realm.exchange(code), 400, "invalid_grant")


def test_an_exchange_by_hand_gives_a_refresh_token_that_works(realm):
    realm.code()
    token = fire(realm, "exchange").json["refresh_token"]

    assert realm.works(realm.refresh(token).json["access_token"])


def test_a_refresh_by_hand_replaces_the_refresh_token(realm, is_refused):
    first = realm.tokens()
    second = fire(realm, "refresh").json["refresh_token"]

    assert second != first["refresh_token"]
    assert is_refused(realm.refresh(first["refresh_token"]), 400, "invalid_grant")
    assert grant(realm)["state"] == "revoked", "to come with the old one means that somebody else has the new one"


@pytest.mark.parametrize("event", ["expire", "revoke"])
def test_an_end_by_hand_ends_all_tokens(realm, is_refused, event):
    tokens = realm.tokens()
    assert fire(realm, event).json["refresh_token"] is None

    assert not realm.works(tokens["access_token"])
    assert is_refused(realm.refresh(tokens["refresh_token"]), 400, "invalid_grant")


@pytest.mark.parametrize("event", ["expire", "revoke"])
def test_an_end_by_hand_ends_a_code(realm, is_refused, event):
    code = realm.code()
    fire(realm, event)

    assert is_refused(realm.exchange(code), 400, "invalid_grant")


def test_an_end_by_hand_ends_one_grant_only(realm):
    tokens = [realm.tokens()["access_token"] for _ in range(2)]
    fire(realm, "revoke", 2)

    assert [realm.works(token) for token in tokens] == [True, False]


def test_what_is_fired_by_hand_is_counted_and_told(realm):
    realm.tokens()
    fire(realm, "revoke")

    assert realm.api.get("/_mock/coverage").json["transitions"]["oauth_grant"]["revoke"] == 1

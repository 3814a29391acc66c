"""`oauth_grant` by hand: what it shows, which events apply, and what they do to codes and tokens."""

from __future__ import annotations

ALLOWED = {
    "pending_consent": ["consent", "refuse", "expire", "revoke"], "code_issued": ["exchange", "expire", "revoke"],
    "active": ["refresh", "expire", "revoke"], "expired": [], "revoked": [],
}  # fmt: skip


def grant(realm, number=1):
    return realm.api.get(f"/_mock/machines/oauth_grant/{number}").json


def fire(realm, event, number=1):
    return realm.api.post(f"/_mock/machines/oauth_grant/{number}/{event}")


def test_the_machine_is_listed_with_its_table_and_diagram(realm):
    machines = {row["name"]: row for row in realm.api.get("/_mock/machines").json["items"]}
    found = machines["oauth_grant"]

    assert set(found["states"]) == set(ALLOWED)
    assert found["timed"] == ["expire"]
    assert {"event": "exchange", "from": "code_issued", "to": "active"} in found["transitions"]
    assert "pending_consent --> code_issued: consent" in found["mermaid"]


def test_an_instance_shows_whose_it_is_and_its_secrets(realm):
    code = realm.code(user="keeper@shop.test")

    assert grant(realm) == {
        "key": 1, "account": "shop", "state": "code_issued", "allowed": ["exchange", "expire", "revoke"],
        "client_id": "shop-app", "user": "keeper@shop.test", "scopes": ["account:read"], "code": code,
        "refresh_token": None, "expires_at": "2026-01-15T09:10:00Z",
    }  # fmt: skip


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


def test_consent_page_is_gone_after_a_decision_by_hand(realm, visitor, question):
    visitor.visit(question())
    visitor.press("boss@group.test")
    fire(realm, "refuse")

    assert visitor.press("Accept").status_code == 410

"""`oauth_grant` by hand: what it shows, and what an event does to a page that waits."""

from __future__ import annotations


def test_an_instance_shows_whose_it_is_and_its_secrets(realm):
    code = realm.code(user="keeper@shop.test")

    assert realm.api.get("/_mock/machines/oauth_grant/1").json == {
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
    realm.api.post("/_mock/machines/oauth_grant/1/refuse")

    assert visitor.press("Accept").status_code == 410

"""Who gets a token, and for whom (SPEC 4.5, ledger 2.27 and 2.28)."""

from __future__ import annotations

import re

import pytest

FORBIDDEN = {"code": "permission_denied", "message": "Access forbidden."}
BAD_EMAIL = {"code": "invalid_parameter", "message": "Invalid email address"}
BODIES = {"corporate": {"email": "boss@group.test"}, "sub-account": {"id": 1003002}}


@pytest.mark.parametrize(
    ("kind", "key", "status"),
    [
        ("corporate", "key-group", 200),
        ("corporate", "key-desk", 200),
        ("corporate", "key-shop", 403),
        ("corporate", "key-alone", 403),
        ("sub-account", "key-group", 200),
        ("sub-account", "key-desk", 403),
        ("sub-account", "key-shop", 403),
        ("sub-account", "key-alone", 403),
    ],
)
def test_roles(door, kind, key, status):
    answer = door.make(kind, key, **BODIES[kind])

    assert answer.status_code == status
    assert status == 200 or answer.json == FORBIDDEN


@pytest.mark.parametrize("kind", BODIES)
def test_the_role_is_looked_at_before_the_body(door, kind):
    assert door.make(kind, "key-shop", email=7, id="x").json == FORBIDDEN


@pytest.mark.parametrize("kind", BODIES)
def test_a_token_has_the_form_of_the_ledger(door, kind):
    assert re.fullmatch(r"[0-9a-f]{34}", door.token(kind))


def test_every_token_is_another_one(door):
    assert len({door.token(kind) for kind in BODIES for _ in range(5)}) == 10


def test_the_same_seed_gives_the_same_tokens(make_door):
    assert make_door(seed=3).token() == make_door(seed=3).token() != make_door(seed=4).token()


@pytest.mark.parametrize("email", ["boss@group.test", "BOSS@Group.Test", "admin@desk.test"])
@pytest.mark.parametrize("key", ["key-group", "key-desk"])
def test_all_admins_of_the_organization_get_tokens(door, key, email):
    assert door.make("corporate", key, email=email).status_code == 200


@pytest.mark.parametrize("email", ["clerk@group.test", "keeper@shop.test", "me@alone.test", "nobody@group.test", "x"])
def test_nobody_else_gets_one_for_the_organization(door, email):
    answer = door.make("corporate", email=email)

    assert (answer.status_code, answer.json) == (400, BAD_EMAIL)


@pytest.mark.parametrize("email", ["keeper@shop.test", "HELPER@shop.test", None])
def test_all_users_of_a_sub_account_get_tokens(door, email):
    body = {"id": 1003002} if email is None else {"id": 1003002, "email": email}

    assert door.make("sub-account", **body).status_code == 200


@pytest.mark.parametrize("email", ["boss@group.test", "me@alone.test", "x"])
def test_nobody_else_gets_one_for_the_sub_account(door, email):
    answer = door.make("sub-account", id=1003002, email=email)

    assert (answer.status_code, answer.json) == (400, BAD_EMAIL)


@pytest.mark.parametrize("number", [1003001, 1003003, 1003004, 9, -1, 0, "1003002", None])
def test_only_the_masters_own_sub_accounts_are_opened(door, number):
    answer = door.make("sub-account", id=number)

    assert (answer.status_code, answer.json["message"]) == (400, "Invalid sub-account id.")


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "ftp://a.test/", "//a.test/", "/home", "x"])
def test_a_landing_address_is_http(door, url):
    assert door.make("sub-account", id=1003002, url=url).status_code == 400


def test_an_area_that_there_is_not_is_refused(door):
    assert door.make("sub-account", id=1003002, target="billing").json["code"] == "invalid_parameter"


# ---------------------------------------------------------------------- state


def test_state_holds_tokens_with_the_account_that_they_open(door):
    admin, user = door.token("corporate"), door.token(email="helper@shop.test", target="senders")
    door.land(user)
    accounts = {row["name"]: row.get("sso_tokens") for row in door.api.get("/_mock/state").json["accounts"]}

    expires_at = "2026-01-30T09:00:00Z"
    assert accounts == {
        "group": [{"token": admin, "corporate": True, "email": "boss@group.test", "expires_at": expires_at}],
        "shop": [
            {
                "token": user,
                "corporate": False,
                "email": "helper@shop.test",
                "target": "senders",
                "expires_at": expires_at,
                "used_at": "2026-01-15T09:00:00Z",
            }
        ],
        "desk": None,
        "alone": None,
    }


def test_state_that_is_loaded_again_is_the_same(door):
    door.token("corporate")
    door.land(door.token(url="https://app.test/x"))
    state = door.api.get("/_mock/state").json

    assert door.api.put("/_mock/state", json=state).status_code == 200
    assert door.api.get("/_mock/state").json == state


def test_tokens_outlive_going_back(make_door):
    door = make_door(behaviour={"sso_token": {"single_use": True}})
    used, fresh = door.token(), door.token("corporate")
    door.land(used)
    door.api.put("/_mock/state", json=door.api.get("/_mock/state").json)

    assert (door.land(used).status_code, door.land(fresh, "corporate").status_code) == (410, 200)


def test_a_snapshot_gives_a_used_token_back(make_door):
    door = make_door(behaviour={"sso_token": {"single_use": True}})
    token = door.token()
    door.api.post("/_mock/snapshots", json={"name": "here"})
    later = door.token()
    door.land(token)
    door.api.post("/_mock/snapshots/here/restore")

    assert (door.land(token).status_code, door.land(later).status_code) == (200, 404)


def test_a_token_drawn_after_going_back_is_a_new_one(door):
    token = door.token()
    door.api.put("/_mock/state", json=door.api.get("/_mock/state").json)

    assert door.token() != token


def test_a_scenario_may_give_tokens(make_door, story):
    shop = {**story["accounts"][2], "sso_tokens": [{"token": "from-the-scenario"}]}
    door = make_door(accounts=[story["accounts"][0], shop])

    assert door.land("from-the-scenario").status_code == 200
    door.api.advance("P15D")
    assert door.land("from-the-scenario").status_code == 410


def test_a_token_twice_is_a_mistake(door, story):
    accounts = [{**row, "sso_tokens": [{"token": "twice"}]} for row in story["accounts"][:2]]
    answer = door.api.post("/_mock/reset", json={"scenario": {**story, "accounts": accounts}})

    assert answer.status_code == 400
    (mistake,) = answer.json["errors"]
    assert mistake["path"].endswith("/accounts/1/sso_tokens/0/token")


def test_a_reset_forgets_tokens(door):
    token = door.token()
    door.api.post("/_mock/reset")

    assert door.land(token).status_code == 404

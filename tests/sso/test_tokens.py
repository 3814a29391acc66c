"""Who gets a token, and for whom (contract/sso)."""

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
def test_roles(endpoint, kind, key, status):
    answer = endpoint.make(kind, key, **BODIES[kind])

    assert answer.status_code == status
    assert status == 200 or answer.json == FORBIDDEN


@pytest.mark.parametrize("kind", BODIES)
def test_the_role_is_looked_at_before_the_body(endpoint, kind):
    assert endpoint.make(kind, "key-shop", email=7, id="x").json == FORBIDDEN


@pytest.mark.parametrize("kind", BODIES)
def test_a_token_has_the_form_of_the_contract(endpoint, kind):
    assert re.fullmatch(r"[0-9a-f]{34}", endpoint.token(kind))


def test_every_token_is_another_one(endpoint):
    assert len({endpoint.token(kind) for kind in BODIES for _ in range(5)}) == 10


def test_the_same_seed_gives_the_same_tokens(make_door):
    assert make_door(seed=3).token() == make_door(seed=3).token() != make_door(seed=4).token()


@pytest.mark.parametrize("email", ["boss@group.test", "BOSS@Group.Test", "admin@desk.test"])
@pytest.mark.parametrize("key", ["key-group", "key-desk"])
def test_all_admins_of_the_organization_get_tokens(endpoint, key, email):
    assert endpoint.make("corporate", key, email=email).status_code == 200


@pytest.mark.parametrize("email", ["clerk@group.test", "keeper@shop.test", "me@alone.test", "nobody@group.test", "x"])
def test_nobody_else_gets_one_for_the_organization(endpoint, email):
    answer = endpoint.make("corporate", email=email)

    assert (answer.status_code, answer.json) == (400, BAD_EMAIL)


@pytest.mark.parametrize("email", ["keeper@shop.test", "HELPER@shop.test", None])
def test_all_users_of_a_sub_account_get_tokens(endpoint, email):
    body = {"id": 1003002} if email is None else {"id": 1003002, "email": email}

    assert endpoint.make("sub-account", **body).status_code == 200


@pytest.mark.parametrize("email", ["boss@group.test", "me@alone.test", "x"])
def test_nobody_else_gets_one_for_the_sub_account(endpoint, email):
    answer = endpoint.make("sub-account", id=1003002, email=email)

    assert (answer.status_code, answer.json) == (400, BAD_EMAIL)


@pytest.mark.parametrize("number", [1003001, 1003003, 1003004, 9, -1, 0, "1003002", None])
def test_only_the_masters_own_sub_accounts_are_opened(endpoint, number):
    answer = endpoint.make("sub-account", id=number)

    assert (answer.status_code, answer.json["message"]) == (400, "Invalid sub-account id.")


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "ftp://a.test/", "//a.test/", "/home", "x"])
def test_a_landing_address_is_http(endpoint, url):
    assert endpoint.make("sub-account", id=1003002, url=url).status_code == 400


def test_an_area_that_there_is_not_is_refused(endpoint):
    assert endpoint.make("sub-account", id=1003002, target="billing").json["code"] == "invalid_parameter"


# ---------------------------------------------------------------------- state


def test_state_holds_tokens_with_the_account_that_they_open(endpoint):
    admin, user = endpoint.token("corporate"), endpoint.token(email="helper@shop.test", target="senders")
    endpoint.land(user)
    accounts = {row["name"]: row.get("sso_tokens") for row in endpoint.api.get("/_mock/state").json["accounts"]}

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


def test_state_that_is_loaded_again_is_the_same(endpoint):
    endpoint.token("corporate")
    endpoint.land(endpoint.token(url="https://app.test/x"))
    state = endpoint.api.get("/_mock/state").json

    assert endpoint.api.put("/_mock/state", json=state).status_code == 200
    assert endpoint.api.get("/_mock/state").json == state


def test_tokens_outlive_going_back(make_door):
    endpoint = make_door(behaviour={"sso_token": {"single_use": True}})
    used, fresh = endpoint.token(), endpoint.token("corporate")
    endpoint.land(used)
    endpoint.api.put("/_mock/state", json=endpoint.api.get("/_mock/state").json)

    assert (endpoint.land(used).status_code, endpoint.land(fresh, "corporate").status_code) == (410, 200)


def test_a_snapshot_gives_a_used_token_back(make_door):
    endpoint = make_door(behaviour={"sso_token": {"single_use": True}})
    token = endpoint.token()
    endpoint.api.post("/_mock/snapshots", json={"name": "here"})
    later = endpoint.token()
    endpoint.land(token)
    endpoint.api.post("/_mock/snapshots/here/restore")

    assert (endpoint.land(token).status_code, endpoint.land(later).status_code) == (200, 404)


def test_a_token_drawn_after_going_back_is_a_new_one(endpoint):
    token = endpoint.token()
    endpoint.api.put("/_mock/state", json=endpoint.api.get("/_mock/state").json)

    assert endpoint.token() != token


def test_a_scenario_may_give_tokens(make_door, story):
    shop = {**story["accounts"][2], "sso_tokens": [{"token": "from-the-scenario"}]}
    endpoint = make_door(accounts=[story["accounts"][0], shop])

    assert endpoint.land("from-the-scenario").status_code == 200
    endpoint.api.advance("P15D")
    assert endpoint.land("from-the-scenario").status_code == 410


def test_a_token_twice_is_a_mistake(endpoint, story):
    accounts = [{**row, "sso_tokens": [{"token": "twice"}]} for row in story["accounts"][:2]]
    answer = endpoint.api.post("/_mock/reset", json={"scenario": {**story, "accounts": accounts}})

    assert answer.status_code == 400
    (mistake,) = answer.json["errors"]
    assert mistake["path"].endswith("/accounts/1/sso_tokens/0/token")


def test_a_reset_forgets_tokens(endpoint):
    token = endpoint.token()
    endpoint.api.post("/_mock/reset")

    assert endpoint.land(token).status_code == 404

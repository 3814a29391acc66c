"""Who gets a token, and for whom (contract/sso)."""

from __future__ import annotations

import re

FORBIDDEN = {"code": "permission_denied", "message": "Access forbidden."}
BAD_EMAIL = {"code": "invalid_parameter", "message": "Invalid email address"}
BODIES = {"corporate": {"email": "boss@group.test"}, "sub-account": {"id": 1003002}}


def test_an_operation_answers_only_certain_roles(workspace):
    """The role is looked at before the body."""
    for kind, roles in {"corporate": {"group", "desk"}, "sub-account": {"group"}}.items():
        for name in ("group", "desk", "shop", "alone"):
            answer = workspace.make(kind, f"key-{name}", **BODIES[kind])
            if name in roles:
                assert answer.status_code == 200, (kind, name)
                assert re.fullmatch(r"[0-9a-f]{34}", answer.json["token"])
            else:
                assert (answer.status_code, answer.json) == (403, FORBIDDEN), (kind, name)
                assert workspace.make(kind, f"key-{name}", email=7, id="x").json == FORBIDDEN


def test_the_same_seed_gives_the_same_tokens(make_workspace):
    assert make_workspace(seed=3).token() == make_workspace(seed=3).token() != make_workspace(seed=4).token()


def test_admins_of_the_organization_and_users_of_the_sub_account_get_tokens_and_nobody_else(workspace):
    for key in ("key-group", "key-desk"):
        for email in ("boss@group.test", "BOSS@Group.Test", "admin@desk.test"):
            assert workspace.make("corporate", key, email=email).status_code == 200, (key, email)
    for more in ({"email": "keeper@shop.test"}, {"email": "HELPER@shop.test"}, {}):
        assert workspace.make("sub-account", id=1003002, **more).status_code == 200, more
    answers = [
        *(workspace.make("corporate", email=f"{name}.test")
          for name in ("clerk@group", "keeper@shop", "me@alone", "nobody@group", "x")),
        *(workspace.make("sub-account", id=1003002, email=email)
          for email in ("boss@group.test", "me@alone.test", "x")),
    ]  # fmt: skip
    for answer in answers:
        assert (answer.status_code, answer.json) == (400, BAD_EMAIL)


def test_only_the_masters_own_sub_accounts_are_opened(workspace):
    for number in (1003001, 1003003, 1003004, 9, -1, 0, "1003002", None):
        answer = workspace.make("sub-account", id=number)

        assert (answer.status_code, answer.json["message"]) == (400, "Invalid sub-account id.")


def test_a_landing_address_is_http_and_a_target_is_known(workspace):
    for url in ("javascript:alert(1)", "data:text/html,x", "ftp://a.test/", "//a.test/", "/home", "x"):
        assert workspace.make("sub-account", id=1003002, url=url).status_code == 400
    assert workspace.make("sub-account", id=1003002, target="billing").json["code"] == "invalid_parameter"


def test_state_holds_tokens_with_the_account_that_they_open(workspace):
    admin, user = workspace.token("corporate"), workspace.token(email="helper@shop.test", target="senders")
    workspace.land(user)
    accounts = {row["name"]: row.get("sso_tokens") for row in workspace.api.get("/_mock/state").json["accounts"]}

    expires_at = "2026-01-30T09:00:00Z"
    assert accounts == {
        "group": [{"token": admin, "corporate": True, "email": "boss@group.test", "expires_at": expires_at}],
        "shop": [
            {
                "token": user, "corporate": False, "email": "helper@shop.test", "target": "senders",
                "expires_at": expires_at, "used_at": "2026-01-15T09:00:00Z",
            }
        ],
        "desk": None,
        "alone": None,
    }  # fmt: skip


def test_a_token_keeps_the_moment_of_its_first_use(workspace):
    token = workspace.token("sub-account")
    workspace.land(token, "sub-account")
    workspace.api.advance("PT1H")
    workspace.land(token, "sub-account")

    accounts = workspace.api.get("/_mock/state").json["accounts"]
    (row,) = next(account["sso_tokens"] for account in accounts if account["name"] == "shop")
    assert row["used_at"] == "2026-01-15T09:00:00Z"


def test_tokens_keep_their_use_when_a_state_is_loaded(make_workspace):
    workspace = make_workspace(behaviour={"sso_token": {"single_use": True}})
    used, fresh = workspace.token(), workspace.token("corporate")
    workspace.land(used)
    workspace.api.put("/_mock/state", json=workspace.api.get("/_mock/state").json)

    assert (workspace.land(used).status_code, workspace.land(fresh, "corporate").status_code) == (410, 200)


def test_a_snapshot_gives_a_used_token_back(make_workspace):
    workspace = make_workspace(behaviour={"sso_token": {"single_use": True}})
    token = workspace.token()
    workspace.api.post("/_mock/snapshots", json={"name": "here"})
    later = workspace.token()
    workspace.land(token)
    workspace.api.post("/_mock/snapshots/here/restore")

    assert (workspace.land(token).status_code, workspace.land(later).status_code) == (200, 404)


def test_a_scenario_may_give_tokens(make_workspace, document):
    shop = {**document["accounts"][2], "sso_tokens": [{"token": "from-the-scenario"}]}
    workspace = make_workspace(accounts=[document["accounts"][0], shop])

    assert workspace.land("from-the-scenario").status_code == 200
    workspace.api.advance("P15D")
    assert workspace.land("from-the-scenario").status_code == 410


def test_a_token_twice_is_a_mistake(workspace, document):
    accounts = [{**row, "sso_tokens": [{"token": "twice"}]} for row in document["accounts"][:2]]
    answer = workspace.api.post("/_mock/reset", json={"scenario": {**document, "accounts": accounts}})

    assert answer.status_code == 400
    (mistake,) = answer.json["errors"]
    assert mistake["path"].endswith("/accounts/1/sso_tokens/0/token")


def test_end_of_a_token_is_no_timer(make_workspace):
    """docs/howto/time.md says so."""
    workspace = make_workspace()
    token = workspace.token()

    assert workspace.api.get("/_mock/clock/timers").json["count"] == 0
    assert workspace.api.advance("15d")["fired"] == []
    assert workspace.land(token).status_code == 410

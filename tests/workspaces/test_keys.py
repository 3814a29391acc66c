"""The keys of workspaces: whose they are, how long they last, and when they are refused."""

from __future__ import annotations

import pytest

from mockserver.core.state.identifiers import is_drawn

MODES = ["any", "known", "isolate"]


def status(workspace, key, path="/v3/account"):
    """What a key gets at the bare root."""
    return workspace.api.get(path, key=key).status_code


def new_key(workspace, account=1000002):
    return workspace.post("/v3/corporate/subAccount/key", {"id": account, "name": "CI"}).json["key"]


# ---------------------------------------------------------------------- where they come from


def test_the_default_workspace_has_the_keys_of_its_scenario(make_api, default_workspace, story):
    api = make_api(story)

    assert default_workspace(api).keys["acme"] == "xkeysib-story-acme"
    assert api.get("/v3/account", key="xkeysib-story-eu").json["email"] == "owner@eu.test"


def test_every_other_workspace_has_a_drawn_key_before_each_of_its_scenario(workspace, story):
    accounts = workspace.state["accounts"]

    named = [row.get("api_keys", []) for row in story["accounts"]]
    drawn = [row["api_keys"][: len(keys) or None] for row, keys in zip(accounts, named, strict=True)]
    assert [len(keys) for keys in drawn] == [2, 1, 1, 0]
    assert len({key for keys in drawn for key in keys if is_drawn(key)}) == 4
    assert [row["api_keys"][len(keys) :] for row, keys in zip(accounts, drawn, strict=True)] == named


def test_each_key_opens_its_own_account(workspace):
    for name in ("acme", "eu", "us"):
        assert workspace.get("/v3/account", key=workspace.keys[name]).json["email"] == f"owner@{name}.test"


def test_keys_follow_from_seed_and_name(make_api, new_workspace, story):
    for seed, name, same in [(3, "left", True), (4, "left", False), (3, "right", False), (None, "left", False)]:
        keys = new_workspace(make_api(), story, seed=3, name="left").keys

        assert (new_workspace(make_api(), story, seed=seed, name=name).keys == keys) is same


# ---------------------------------------------------------------------- how long they last


def reset(workspace):
    return workspace.post("/_mock/reset")


def reset_to_another(workspace):
    return workspace.post("/_mock/reset", {"scenario": "corporate-v2"})


def restore(workspace):
    workspace.post("/_mock/snapshots", {"name": "a"})
    workspace.new_sender("a@acme.test")
    return workspace.post("/_mock/snapshots/a/restore")


def put_own_state(workspace):
    return workspace.put("/_mock/state", workspace.state)


def put_what_another_workspace_wrote(workspace):
    other = workspace.api.post("/_mock/workspaces", json={"scenario": "corporate-v2"}).json["name"]
    document = workspace.api.get("/_mock/state", headers={"X-Mock-Workspace": other}).json
    return workspace.put("/_mock/state", document)


def put_a_document_without_keys(workspace):
    return workspace.put("/_mock/state", {"accounts": [{"name": "acme"}]})


def seed(workspace):
    return workspace.post("/_mock/seed", {"senders": [{"name": "A", "email": "a@b.test"}]})


CHANGES = [
    reset, reset_to_another, restore, put_own_state, put_what_another_workspace_wrote, put_a_document_without_keys,
    seed,
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_a_workspace_keeps_its_keys_which_never_open_another_ones_account(workspace, change, new_workspace, story):
    bystander = new_workspace(workspace.api, story, name="bystander")
    before = workspace.keys
    answer = change(workspace)

    assert (answer.status_code, answer.json["api_key"]) == (200, workspace.key)
    assert status(workspace, workspace.key) == status(workspace, bystander.key) == 200
    assert workspace.keys == before or change not in (reset, restore, put_own_state, seed)
    assert not set(filter(None, workspace.keys.values())) & set(filter(None, bystander.keys.values()))
    assert bystander.get("/v3/account", key=workspace.key).status_code == 401


def test_the_default_workspace_takes_over_a_copy_whose_workspace_goes_later(
    make_api, new_workspace, default_workspace, story
):
    """The key leads to the workspace that has drawn it first; `/w/default` and the end of that workspace lead to the
    copy."""
    api = make_api()
    original, default = new_workspace(api, story), default_workspace(api)
    default.put("/_mock/state", original.state)
    default.new_sender("a@acme.test", key=original.key)

    counts = [len(found.json["senders"]) for found in (original.get("/v3/senders"), default.get("/v3/senders"))]
    api.delete(f"/_mock/workspaces/{original.name}")

    assert counts == [1, 2]
    assert len(api.get("/v3/senders", key=original.key).json["senders"]) == 2


def test_a_key_that_the_service_made_lasts_over_a_restore_and_its_own_state(workspace):
    key = new_key(workspace)
    for change in (put_own_state, restore, seed):
        change(workspace)
        assert workspace.get("/v3/account", key=key).json["email"] == "owner@eu.test"


def test_a_key_is_refused_when_the_state_that_had_it_is_gone(workspace):
    for change in (reset, put_a_document_without_keys):
        key = new_key(workspace)
        change(workspace)

        assert workspace.get("/v3/account", key=key).status_code == status(workspace, key) == 401


# ---------------------------------------------------------------------- places that were somebody else's


def test_a_new_account_never_gets_the_key_of_one_that_is_gone(workspace):
    key = workspace.keys["us"]
    workspace.delete("/v3/corporate/subAccount/1000003")

    workspace.post("/_mock/seed", {"accounts": [{"name": "new", "email": "new@new.test"}]})

    assert workspace.keys["new"] not in (None, key)
    assert status(workspace, key) == 401
    assert workspace.get("/v3/account", key=workspace.keys["new"]).json["email"] == "new@new.test"


def test_a_new_account_never_gets_the_key_of_one_that_has_moved_up(workspace):
    before = workspace.keys
    workspace.delete("/v3/corporate/subAccount/1000002")

    workspace.post("/_mock/seed", {"accounts": [{"name": "n1"}, {"name": "n2"}, {"name": "n3"}]})

    keys = [key for row in workspace.state["accounts"] for key in row["api_keys"]]
    assert len(set(keys)) == len(keys)
    assert workspace.keys["us"] == before["us"]
    assert before["eu"] not in keys


# ---------------------------------------------------------------------- keys that are gone


def dropped(workspace):
    key = workspace.key
    workspace.api.delete(f"/_mock/workspaces/{workspace.name}")
    return key


def evicted(workspace):
    key = workspace.key
    for _ in range(3):
        workspace.api.post("/_mock/workspaces", json={"scenario": "empty"})
    return key


def sub_account_deleted(workspace):
    key = workspace.keys["eu"]
    workspace.delete("/v3/corporate/subAccount/1000002")
    return key


def made_key_of_a_deleted_sub_account(workspace):
    key = new_key(workspace)
    workspace.delete("/v3/corporate/subAccount/1000002")
    return key


def revoked(workspace):
    workspace.post("/_mock/keys/revoke", {"key": workspace.key})
    return workspace.key


def revoked_of_nobody(workspace):
    workspace.post("/_mock/keys/revoke", {"key": "made-up"})
    return "made-up"


def revoked_in_the_default_workspace_too(workspace):
    """One workspace that forgets a revoked key does not bring it back to life."""
    workspace.api.post("/_mock/keys/revoke", json={"key": "made-up"})
    workspace.post("/_mock/keys/revoke", {"key": "made-up"})
    workspace.api.delete(f"/_mock/workspaces/{workspace.name}")
    return "made-up"


def revoked_in_its_scenario(workspace):
    workspace.post("/_mock/reset", {"scenario": {"accounts": [{"name": "a", "revoked_keys": ["old"]}]}})
    return "old"


GONE = [
    dropped, evicted, sub_account_deleted, made_key_of_a_deleted_sub_account, revoked, revoked_of_nobody,
    revoked_in_the_default_workspace_too, revoked_in_its_scenario,
]  # fmt: skip


def test_a_key_that_is_gone_is_refused_in_every_mode(make_api, new_workspace, story):
    for gone in GONE:
        for mode in MODES:
            api = make_api(keys=mode, workspaces_limit=3)
            key = gone(new_workspace(api, story))
            workspaces = api.get("/_mock/health").json["workspaces"]

            answer = api.get("/v3/senders", key=key)

            assert (answer.status_code, answer.json) == (401, {"code": "unauthorized", "message": "Key not found"})
            assert api.get("/_mock/health").json["workspaces"] == workspaces


@pytest.mark.parametrize("mode", MODES)
def test_a_revoked_key_stays_so_over_written_state_and_restores_until_a_reset(make_api, new_workspace, story, mode):
    workspace = new_workspace(make_api(keys=mode), story)
    revoked(workspace)
    told = []
    for change in (put_own_state, restore, reset):
        assert change(workspace).status_code == 200
        told.append(status(workspace, workspace.key))

    assert told == [401, 401, 200]


def test_a_key_revoked_in_one_workspace_still_works_in_the_workspace_that_it_opens(workspace, new_workspace):
    other = new_workspace(workspace.api)
    other.post("/_mock/keys/revoke", {"key": workspace.key})

    assert status(workspace, workspace.key) == 200
    assert other.get("/v3/account", key=workspace.key).status_code == 401


# ---------------------------------------------------------------------- unknown keys


def test_a_key_of_another_workspace_is_refused_under_a_workspaces_address(make_api, new_workspace):
    for mode in MODES:
        api = make_api(keys=mode)
        one, other = new_workspace(api, {"accounts": [{"name": "shop"}]}), new_workspace(api)

        assert one.get("/v3/account", key=other.key).status_code == 401
        assert one.get("/v3/account", key="xkeysib-acme").status_code == 401
        assert one.get("/v3/account").status_code == 200


def test_an_unknown_key_under_a_workspaces_address(make_api, new_workspace):
    for mode, expected in [("any", 200), ("known", 401), ("isolate", 401)]:
        assert new_workspace(make_api(keys=mode)).get("/v3/account", key="made-up").status_code == expected


def test_isolate_gives_each_unknown_key_a_workspace_that_lasts(make_api):
    api = make_api("empty", keys="isolate")
    for key in ("one", "two", "one"):
        api.post("/v3/senders", json={"name": "A", "email": f"{key}@a.test"}, key=key)

    found = [api.get("/v3/senders", key=key).json["senders"] for key in ("one", "two")]
    assert [[row["email"] for row in rows] for rows in found] == [["one@a.test"], ["two@a.test"]]
    assert api.get("/_mock/health").json["workspaces"] == 3
    assert len(api.get("/_mock/requests").json["items"]) == 0


def test_isolate_finds_the_same_workspace_by_the_key_on_the_control_api_first_or_last(make_api):
    api = make_api("empty", keys="isolate")
    first = api.client.post("/_mock/reset", headers={"api-key": "one"}).json
    api.post("/v3/senders", json={"name": "A", "email": "a@a.test"}, key="one")

    mails = api.client.get("/_mock/mailbox", headers={"api-key": "one"}).json
    assert (first["api_key"], mails["count"]) == ("one", 1)
    assert api.get(f"/w/{first['name']}/v3/senders", key="one").status_code == 200


@pytest.mark.parametrize("change", [reset, put_what_another_workspace_wrote, put_a_document_without_keys, restore])
def test_isolate_keeps_the_key_whatever_is_put_into_its_workspace(make_api, default_workspace, change):
    api = make_api("empty", keys="isolate")
    workspace = default_workspace(api)
    workspace.name = api.client.post("/_mock/reset", headers={"api-key": "one"}).json["name"]

    assert change(workspace).json["api_key"] == "one"
    assert api.get("/v3/account", key="one").status_code == 200
    assert api.get("/_mock/health").json["workspaces"] <= 3


def test_isolated_workspaces_draw_keys_that_differ(make_api):
    api = make_api("corporate-v2", keys="isolate")
    keys = [
        row["api_key"]
        for key in ("one", "two")
        for row in api.client.post("/_mock/reset", headers={"api-key": key}).json["accounts"]
    ]

    assert len(set(keys)) == len(keys) == 10


def test_the_journal_warns_of_a_key_that_may_be_a_mistyped_one(make_api):
    for key, warned in [("xkeysib-acm", True), ("any", False), ("xkeysib-acme", False)]:
        api = make_api("standard", key=key)

        api.get("/v3/account")

        warnings = api.get("/_mock/requests").json["items"][0]["warnings"]
        told = ["unknown API key; used the standalone account acme instead (--keys any)"]
        assert warnings == (told if warned else [])


def test_invalid_keys_open_nothing_in_any_mode(make_api):
    """A workspace that had such a key could not be written and read back."""
    for key in ("\xff", "two words", "x" * 501):
        for keys in ("any", "isolate"):
            api = make_api("standard", key=key, keys=keys)

            assert api.get("/v3/account").status_code == 401
            assert api.get("/_mock/workspaces").json["count"] == 1


def test_invalid_keys_are_not_revoked(api):
    for key in ("\xff", "", "two words", "x" * 501):
        assert api.post("/_mock/keys/revoke", json={"key": key}).status_code == 400

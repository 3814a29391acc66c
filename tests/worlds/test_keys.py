"""The keys of worlds: whose they are, how long they last, and when they are refused."""

from __future__ import annotations

import pytest

from mockserver.core.state.keys import is_drawn

MODES = ["any", "known", "isolate"]


def status(world, key, path="/v3/account"):
    """What a key gets at the bare root."""
    return world.api.get(path, key=key).status_code


def new_key(world, account=1000002):
    return world.post("/v3/corporate/subAccount/key", {"id": account, "name": "CI"}).json["key"]


# ---------------------------------------------------------------------- where they come from


def test_the_default_world_has_the_keys_of_its_scenario(make_api, default_world, story):
    api = make_api(story)

    assert default_world(api).keys["acme"] == "xkeysib-story-acme"
    assert api.get("/v3/account", key="xkeysib-story-eu").json["email"] == "owner@eu.test"


def test_every_other_world_has_keys_of_its_own_one_for_each_of_the_scenarios(world):
    accounts = world.state["accounts"]

    assert [len(row["api_keys"]) for row in accounts] == [2, 1, 1, 0]
    drawn = [key for row in accounts for key in row["api_keys"]]
    assert len(set(drawn)) == 4
    assert [key for key in drawn if not is_drawn(key)] == []


def test_each_key_opens_its_own_account(world):
    assert {name: world.get("/v3/account", key=key).json["email"] for name, key in world.keys.items() if key} == {
        "acme": "owner@acme.test",
        "eu": "owner@eu.test",
        "us": "owner@us.test",
    }


@pytest.mark.parametrize(
    ("seed", "name", "same"), [(3, "left", True), (4, "left", False), (3, "right", False), (None, "left", False)]
)
def test_keys_follow_from_seed_and_name(make_api, new_world, story, seed, name, same):
    keys = new_world(make_api(), story, seed=3, name="left").keys

    assert (new_world(make_api(), story, seed=seed, name=name).keys == keys) is same


def test_two_worlds_of_one_seed_share_no_key(make_api, new_world, story):
    api = make_api()
    keys = [key for _ in range(5) for key in new_world(api, story, seed=3).keys.values() if key]

    assert len(set(keys)) == len(keys) == 15


# ---------------------------------------------------------------------- how long they last


def reset(world):
    return world.post("/_mock/reset")


def reset_to_another(world):
    return world.post("/_mock/reset", {"scenario": "corporate-v2"})


def restore(world):
    world.post("/_mock/snapshots", {"name": "a"})
    world.new_sender("a@acme.test")
    return world.post("/_mock/snapshots/a/restore")


def put_own_state(world):
    return world.put("/_mock/state", world.state)


def put_what_another_world_wrote(world):
    other = world.api.post("/_mock/workspaces", json={"scenario": "corporate-v2"}).json["name"]
    document = world.api.get("/_mock/state", headers={"X-Mock-Workspace": other}).json
    return world.put("/_mock/state", document)


def put_a_document_without_keys(world):
    return world.put("/_mock/state", {"accounts": [{"name": "acme"}]})


def seed(world):
    return world.post("/_mock/seed", {"senders": [{"name": "A", "email": "a@b.test"}]})


CHANGES = [
    reset,
    reset_to_another,
    restore,
    put_own_state,
    put_what_another_world_wrote,
    put_a_document_without_keys,
    seed,
]


@pytest.mark.parametrize("change", CHANGES)
def test_a_world_keeps_its_key(world, change):
    answer = change(world)

    assert (answer.status_code, answer.json["api_key"]) == (200, world.key)
    assert status(world, world.key) == 200


@pytest.mark.parametrize("change", [reset, restore, put_own_state, seed])
def test_so_do_all_its_accounts(world, change):
    before = world.keys
    change(world)

    assert world.keys == before


@pytest.mark.parametrize("change", CHANGES)
def test_what_is_put_into_a_world_never_opens_another_ones_account(world, change, new_world, story):
    bystander = new_world(world.api, story, name="bystander")
    change(world)

    assert status(world, bystander.key) == 200
    assert not set(filter(None, world.keys.values())) & set(filter(None, bystander.keys.values()))
    assert bystander.get("/v3/account", key=world.key).status_code == 401


def test_a_copy_of_another_worlds_state_answers_to_keys_of_its_own(make_api, new_world, story):
    api = make_api()
    original, copy = new_world(api, story, name="original"), new_world(api, "empty", name="copy")
    original.new_sender("a@acme.test")

    copy.put("/_mock/state", original.state)

    assert [row["email"] for row in copy.get("/v3/senders").json["senders"]] == ["news@acme.test", "a@acme.test"]
    copy.new_sender("b@acme.test")
    assert len(original.get("/v3/senders").json["senders"]) == 2


def test_the_default_world_takes_over_a_copy_whose_world_goes_later(make_api, new_world, default_world, story):
    """The key leads to the world that has drawn it first; `/w/default` and the end of that world lead to the copy."""
    api = make_api()
    original, default = new_world(api, story), default_world(api)
    default.put("/_mock/state", original.state)
    default.new_sender("a@acme.test", key=original.key)

    counts = [len(found.json["senders"]) for found in (original.get("/v3/senders"), default.get("/v3/senders"))]
    api.delete(f"/_mock/workspaces/{original.name}")

    assert counts == [1, 2]
    assert len(api.get("/v3/senders", key=original.key).json["senders"]) == 2


def test_a_key_that_the_service_made_lasts_over_a_restore_and_its_own_state(world):
    key = new_key(world)
    for change in (put_own_state, restore, seed):
        change(world)
        assert world.get("/v3/account", key=key).json["email"] == "owner@eu.test"


@pytest.mark.parametrize("change", [reset, put_a_document_without_keys])
def test_and_is_refused_when_the_state_that_had_it_is_gone(world, change):
    key = new_key(world)
    change(world)

    assert world.get("/v3/account", key=key).status_code == status(world, key) == 401


# ---------------------------------------------------------------------- places that were somebody else's


def test_a_new_account_never_gets_the_key_of_one_that_is_gone(world):
    key = world.keys["us"]
    world.delete("/v3/corporate/subAccount/1000003")

    world.post("/_mock/seed", {"accounts": [{"name": "new", "email": "new@new.test"}]})

    assert world.keys["new"] not in (None, key)
    assert status(world, key) == 401
    assert world.get("/v3/account", key=world.keys["new"]).json["email"] == "new@new.test"


def test_a_new_account_never_gets_the_key_of_one_that_has_moved_up(world):
    before = world.keys
    world.delete("/v3/corporate/subAccount/1000002")

    world.post("/_mock/seed", {"accounts": [{"name": "n1"}, {"name": "n2"}, {"name": "n3"}]})

    keys = [key for row in world.state["accounts"] for key in row["api_keys"]]
    assert len(set(keys)) == len(keys)
    assert world.keys["us"] == before["us"]
    assert before["eu"] not in keys


# ---------------------------------------------------------------------- keys that are gone


def dropped(world):
    key = world.key
    world.api.delete(f"/_mock/workspaces/{world.name}")
    return key


def evicted(world):
    key = world.key
    for _ in range(3):
        world.api.post("/_mock/workspaces", json={"scenario": "empty"})
    return key


def sub_account_deleted(world):
    key = world.keys["eu"]
    world.delete("/v3/corporate/subAccount/1000002")
    return key


def made_key_of_a_deleted_sub_account(world):
    key = new_key(world)
    world.delete("/v3/corporate/subAccount/1000002")
    return key


def revoked(world):
    world.post("/_mock/keys/revoke", {"key": world.key})
    return world.key


def revoked_of_nobody(world):
    world.post("/_mock/keys/revoke", {"key": "made-up"})
    return "made-up"


def revoked_in_the_default_world_too(world):
    """One world that forgets a revoked key does not bring it back to life."""
    world.api.post("/_mock/keys/revoke", json={"key": "made-up"})
    world.post("/_mock/keys/revoke", {"key": "made-up"})
    world.api.delete(f"/_mock/workspaces/{world.name}")
    return "made-up"


def revoked_in_its_scenario(world):
    world.post("/_mock/reset", {"scenario": {"accounts": [{"name": "a", "revoked_keys": ["old"]}]}})
    return "old"


GONE = [
    dropped,
    evicted,
    sub_account_deleted,
    made_key_of_a_deleted_sub_account,
    revoked,
    revoked_of_nobody,
    revoked_in_the_default_world_too,
    revoked_in_its_scenario,
]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("gone", GONE)
def test_a_key_that_is_gone_is_refused_in_every_mode(make_api, new_world, story, mode, gone):
    api = make_api(keys=mode, workspaces_limit=3)
    key = gone(new_world(api, story))
    worlds = api.get("/_mock/health").json["workspaces"]

    answer = api.get("/v3/senders", key=key)

    assert (answer.status_code, answer.json) == (401, {"code": "unauthorized", "message": "Key not found"})
    assert api.get("/_mock/health").json["workspaces"] == worlds


@pytest.mark.parametrize("mode", MODES)
def test_a_revoked_key_stays_so_over_written_state_and_restores_until_a_reset(make_api, new_world, story, mode):
    world = new_world(make_api(keys=mode), story)
    revoked(world)
    told = []
    for change in (put_own_state, restore, reset):
        assert change(world).status_code == 200
        told.append(status(world, world.key))

    assert told == [401, 401, 200]


def test_a_key_revoked_in_one_world_still_works_in_the_world_that_it_opens(world, new_world):
    other = new_world(world.api)
    other.post("/_mock/keys/revoke", {"key": world.key})

    assert status(world, world.key) == 200
    assert other.get("/v3/account", key=world.key).status_code == 401

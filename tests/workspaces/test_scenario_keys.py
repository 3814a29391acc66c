"""The keys of a scenario open their own accounts below the address of every workspace of it."""

from __future__ import annotations

import pytest

from mockserver.core.state.identifiers import is_drawn

MODES = ["any", "known", "isolate"]
SHOP = {
    "solution": "v2",
    "accounts": [
        {"name": "acme", "role": "master", "api_keys": ["acme-key"]},
        {"name": "shop", "role": "sub_account", "of": "acme", "api_keys": ["shop-key"]},
    ],
}
OTHER = {"accounts": [{"name": "other", "api_keys": ["other-key"]}, {"name": "shop-2", "api_keys": ["shop-key"]}]}


@pytest.fixture(params=MODES)
def mode(request):
    return request.param


@pytest.fixture
def api(make_api, mode):
    """A server of the scenario OTHER, in each mode of keys."""
    return make_api(OTHER, keys=mode)


@pytest.fixture
def shop(api, new_workspace):
    return new_workspace(api, SHOP, name="m")


def opened(workspace, key):
    """The e-mail address of the account that a key opens below a workspace's address, or the status of a refusal."""
    answer = workspace.get("/v3/account", key=key)
    return answer.json["email"] if answer.status_code == 200 else answer.status_code


def opened_at_root(api, key):
    answer = api.get("/v3/account", key=key)
    return answer.json["email"] if answer.status_code == 200 else answer.status_code


def drawn(workspace, name):
    """The first key of an account, which leads to the workspace from any address."""
    return workspace.keys[name]


def warnings(workspace):
    return [warning for row in workspace.journal for warning in row["warnings"]]


# ---------------------------------------------------------------------- which account


def test_a_key_of_the_scenario_opens_its_own_account_in_every_workspace(shop, new_workspace):
    twin = new_workspace(shop.api, SHOP, name="twin")
    twin.post("/v3/senders", {"name": "A", "email": "a@a.test"}, key="shop-key")

    for workspace, senders in ((shop, 0), (twin, 1)):
        assert opened(workspace, "acme-key") == "owner@acme.test"
        assert opened(workspace, "shop-key") == "owner@shop.test"
        assert len(workspace.get("/v3/senders", key="shop-key").json["senders"]) == senders
        assert workspace.get("/v3/corporate/masterAccount", key="shop-key").status_code == 403
        assert warnings(workspace) == []


def test_the_header_names_the_workspace_as_the_address_does(shop):
    answer = shop.api.get("/v3/account", key="shop-key", headers={"X-Mock-Workspace": "m"})

    assert answer.json["email"] == "owner@shop.test"


def test_control_calls_below_the_address_take_the_account_of_the_key(shop):
    shop.post(
        "/_mock/seed",
        {"accounts": [{"name": "shop", "webhooks": [{"url": "http://127.0.0.1:9/", "events": ["hardBounce"]}]}]},
    )

    trigger = {"event": "hardBounce", "to": "a@b.test"}
    counts = [
        len(shop.post("/_mock/trigger", trigger, headers={"api-key": key}).json["items"])
        for key in ("shop-key", "acme-key")
    ]

    assert counts == [1, 0]


def test_without_the_name_of_a_workspace_a_key_of_the_scenario_opens_the_default_one(shop):
    assert opened_at_root(shop.api, "shop-key") == "owner@shop-2.test"
    assert opened_at_root(shop.api, "other-key") == "owner@other.test"
    assert opened_at_root(shop.api, drawn(shop, "shop")) == "owner@shop.test"


def test_a_key_of_no_account_of_the_workspace_is_answered_as_ever(shop, mode):
    assert opened(shop, "other-key") == 401
    assert opened(shop, "made-up") == ("owner@acme.test" if mode == "any" else 401)
    assert len(warnings(shop)) == (mode == "any")


@pytest.mark.parametrize("gone", ["revoked", "deleted", "revoked in the scenario"])
def test_what_a_workspace_does_with_a_key_of_its_scenario_concerns_no_other_one(api, new_workspace, gone):
    shop, twin = new_workspace(api, SHOP), new_workspace(api, SHOP)
    if gone == "revoked":
        shop.post("/_mock/keys/revoke", {"key": "shop-key"})
    elif gone == "deleted":
        number = shop.get("/v3/corporate/subAccount?limit=10&offset=0").json["subAccounts"][0]["id"]
        assert shop.delete(f"/v3/corporate/subAccount/{number}").status_code == 204
    else:
        shop.post("/_mock/reset", {"scenario": {"accounts": [{"name": "acme", "revoked_keys": ["shop-key"]}]}})
    api.post("/_mock/reset")

    assert opened(shop, "shop-key") == 401
    assert opened(twin, "shop-key") == "owner@shop.test"
    assert opened_at_root(api, "shop-key") == "owner@shop-2.test"


def test_revoking_an_account_refuses_all_of_its_keys_until_the_next_reset(shop):
    keys = ["shop-key", drawn(shop, "shop")]
    shop.post("/_mock/keys/revoke", {"account": "shop"})
    refused = [opened(shop, key) for key in keys]
    shop.post("/_mock/reset")

    assert refused == [401, 401]
    assert [opened(shop, key) for key in keys] == ["owner@shop.test"] * 2


# ---------------------------------------------------------------------- how long


def reset(workspace):
    return workspace.post("/_mock/reset")


def restore(workspace):
    workspace.post("/_mock/snapshots", {"name": "a"})
    workspace.post("/_mock/reset", {"scenario": {"accounts": [{"name": "x"}]}})
    return workspace.post("/_mock/snapshots/a/restore")


def put_own_state(workspace):
    return workspace.put("/_mock/state", workspace.state)


def seed_the_scenario_again(workspace):
    return workspace.post("/_mock/seed", {"accounts": [{"name": "shop", "api_keys": ["shop-key"]}]})


@pytest.mark.parametrize("change", [reset, restore, put_own_state, seed_the_scenario_again])
def test_keys_of_the_scenario_and_keys_that_the_service_made_last(shop, change):
    number = shop.get("/v3/corporate/subAccount?limit=10&offset=0").json["subAccounts"][0]["id"]
    made = shop.post("/v3/corporate/subAccount/key", {"id": number, "name": "CI"}).json["key"]
    keys = shop.state["accounts"][1]["api_keys"]

    assert change(shop).status_code == 200
    assert keys == [drawn(shop, "shop"), made, "shop-key"]
    assert shop.state["accounts"][1]["api_keys"] == [key for key in keys if change is not reset or key != made]
    assert opened(shop, "shop-key") == "owner@shop.test"
    assert opened(shop, made) == (401 if change is reset else "owner@shop.test")
    assert opened_at_root(shop.api, drawn(shop, "shop")) == "owner@shop.test"
    assert opened_at_root(shop.api, "shop-key") == "owner@shop-2.test"


def test_keys_of_the_scenario_go_with_a_reset_to_another_one(shop):
    shop.post("/_mock/reset", {"scenario": {"accounts": [{"name": "x"}, {"name": "y", "api_keys": ["y-key"]}]}})

    assert opened(shop, "shop-key") == 401  # the key of `default`
    assert opened(shop, "y-key") == "owner@y.test"


def test_a_copy_has_the_keys_of_the_scenario_and_drawn_keys_of_its_own(shop, new_workspace):
    copy = type(shop)(shop.api, shop.api.post("/_mock/workspaces", json={"copy_of": "m", "name": "copy"}).json)

    assert opened(copy, "shop-key") == "owner@shop.test"
    assert opened(copy, drawn(shop, "shop")) == 401
    assert is_drawn(drawn(copy, "shop"))
    assert drawn(copy, "shop") != drawn(shop, "shop")


def test_a_copy_of_the_default_workspace_shows_drawn_keys_first(api):
    described = api.post("/_mock/workspaces", json={"copy_of": "default", "name": "copy"}).json

    assert [is_drawn(row["api_key"]) for row in described["accounts"]] == [True, True]
    assert api.get("/w/copy/v3/account", key="shop-key").json["email"] == "owner@shop-2.test"


def test_the_written_state_loads_into_a_workspace_of_another_name(shop, new_workspace):
    loaded = new_workspace(shop.api, shop.state, name="loaded")

    assert opened(loaded, "shop-key") == "owner@shop.test"
    assert [len(row["api_keys"]) for row in loaded.state["accounts"]] == [2, 2]


def test_a_seeded_account_brings_its_key_and_no_key_of_another_account(shop):
    added = {"accounts": [{"name": "new", "api_keys": ["new-key"]}]}
    refused = shop.post("/_mock/seed", {"accounts": [{"name": "new", "api_keys": ["shop-key"]}]})

    assert (refused.status_code, refused.json["errors"][0]["path"]) == (409, "/accounts/0/api_keys/0")
    assert shop.post("/_mock/seed", added).status_code == 200
    assert opened(shop, "new-key") == "owner@new.test"
    assert opened_at_root(shop.api, drawn(shop, "new")) == "owner@new.test"


def test_the_key_of_an_isolated_workspace_is_beside_those_of_its_scenario(make_api):
    api = make_api(keys="isolate")
    name = api.client.post("/_mock/reset", json={"scenario": SHOP}, headers={"api-key": "mine"}).json["name"]

    assert api.get(f"/w/{name}/v3/account", key="shop-key").json["email"] == "owner@shop.test"
    assert api.get(f"/w/{name}/v3/account", key="mine").json["email"] == "owner@acme.test"
    assert api.get("/v3/account", key="mine").json["email"] == "owner@acme.test"
    assert len(api.client.get("/_mock/requests", headers={"api-key": "mine"}).json["items"]) == 3

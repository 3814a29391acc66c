"""Keys that open no account of the workspace that is asked: unknown ones, and those of other workspaces."""

from __future__ import annotations

import pytest

MODES = ["any", "known", "isolate"]


def reset(workspace):
    return workspace.post("/_mock/reset")


def restore(workspace):
    workspace.post("/_mock/snapshots", {"name": "a"})
    return workspace.post("/_mock/snapshots/a/restore")


def put_what_another_workspace_wrote(workspace):
    other = workspace.api.post("/_mock/workspaces", json={"scenario": "corporate-v2"}).json["name"]
    document = workspace.api.get("/_mock/state", headers={"X-Mock-Workspace": other}).json
    return workspace.put("/_mock/state", document)


def put_a_document_without_keys(workspace):
    return workspace.put("/_mock/state", {"accounts": [{"name": "acme"}]})


@pytest.mark.parametrize("mode", MODES)
def test_a_key_of_another_workspace_is_refused_under_a_workspaces_address(make_api, new_workspace, mode):
    api = make_api(keys=mode)
    one, other = new_workspace(api), new_workspace(api)

    assert one.get("/v3/account", key=other.key).status_code == 401
    assert one.get("/v3/account", key="xkeysib-acme").status_code == 401
    assert one.get("/v3/account").status_code == 200


@pytest.mark.parametrize(("mode", "expected"), [("any", 200), ("known", 401), ("isolate", 401)])
def test_an_unknown_key_under_a_workspaces_address(make_api, new_workspace, mode, expected):
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


@pytest.mark.parametrize(("key", "warned"), [("xkeysib-acm", True), ("any", False), ("xkeysib-acme", False)])
def test_the_journal_warns_of_a_key_that_may_be_a_mistyped_one(make_api, key, warned):
    api = make_api("standard", key=key)

    api.get("/v3/account")

    warnings = api.get("/_mock/requests").json["items"][0]["warnings"]
    told = ["unknown API key; used the standalone account acme instead (--keys any)"]
    assert warnings == (told if warned else [])


@pytest.mark.parametrize("key", ["\xff", "two words", "x" * 501])
@pytest.mark.parametrize("keys", ["any", "isolate"])
def test_invalid_keys_open_nothing_in_any_mode(make_api, key, keys):
    """A workspace that had such a key could not be written and read back."""
    api = make_api("standard", key=key, keys=keys)

    assert api.get("/v3/account").status_code == 401
    assert api.get("/_mock/workspaces").json["count"] == 1


@pytest.mark.parametrize("key", ["\xff", "", "two words", "x" * 501])
def test_invalid_keys_are_not_revoked(api, key):
    assert api.post("/_mock/keys/revoke", json={"key": key}).status_code == 400

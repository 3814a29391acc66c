"""Campaigns in a scenario, and in the state that a workspace writes."""

from __future__ import annotations

import pytest

LISTS = [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]
CAMPAIGN = {"id": 1, "name": "C", "html": "<p>Hi</p>", "list_ids": [1, 2], "excluded_list_ids": [2]}


def workspace(**campaign):
    account = {"name": "acme", "api_keys": ["acme"], "contact_lists": LISTS, "campaigns": [{**CAMPAIGN, **campaign}]}
    other = {"name": "shop", "api_keys": ["shop"], "contact_lists": [{"id": 3, "name": "c"}]}
    return {"clock": {"start": "2026-01-15T09:00:00Z", "frozen": True}, "accounts": [account, other]}


@pytest.fixture
def api(make_api):
    return make_api(workspace(), key="acme")


def test_written_state_is_loaded_after_the_last_list_of_a_campaign_was_deleted(make_api):
    api = make_api({**workspace(), "accounts": workspace()["accounts"][:1]}, key="acme")
    assert api.delete("/v3/contacts/lists/2").status_code == 204
    state = api.get("/_mock/state").json

    assert api.put("/_mock/state", json=state).status_code == 200

    assert api.get("/_mock/state").json == state
    assert api.get("/v3/emailCampaigns/1").json["recipients"] == {"lists": [1, 2], "exclusionLists": [2]}


def test_a_row_is_added_to_the_account_after_a_list_of_a_campaign_was_deleted(api):
    assert api.delete("/v3/contacts/lists/2").status_code == 204

    added = api.post("/_mock/seed", json={"accounts": [{"name": "acme", "campaigns": [{"id": 9, "name": "D"}]}]})

    assert added.status_code == 200, added.text


@pytest.mark.parametrize("number", [3, 4], ids=["of another account", "of nobody"])
def test_list_that_the_account_never_had_is_refused(api, number):
    refused = api.post("/_mock/reset", json={"scenario": workspace(list_ids=[number])})

    assert refused.status_code == 400
    assert refused.json["errors"] == [
        {"path": "/accounts/0/campaigns/0/list_ids", "message": f"the account has no list {number}"}
    ]

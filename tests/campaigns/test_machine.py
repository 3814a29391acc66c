"""The states of campaigns, and that each is as before after it was written and read (contract/campaigns#machine)."""

from __future__ import annotations

import pytest
from sendable_campaign import fire, many, recipients, state

from mockserver import Settings, create_app

pytestmark = pytest.mark.api(many(250), key="key-acme")

#: The events after a first step of the process that lead to each state, and how many e-mails leave later.
WAYS = {
    "draft": ((), 0),
    "queued": (("schedule",), 250),
    "in_process": (("send", "1m"), 150),
    "in_review": (("send", "1m", "review"), 0),
    "suspended": (("send", "1m", "suspend"), 0),
    "sent": (("send", "1m", "finish"), 0),
    "archive": (("send", "1m", "finish", "archive"), 0),
}


def go(api, steps):
    for step in steps:
        if step[0].isdigit():
            api.advance(step)
        else:
            fire(api, step)


def reload(api):
    """Load what the workspace dumps."""
    document = api.get("/_mock/state").json
    answer = api.post("/_mock/reset", json={"scenario": document})
    assert answer.status_code == 200, answer.text
    return document


@pytest.mark.parametrize("name", WAYS)
def test_campaign_continues_as_before_after_it_was_dumped_and_loaded(make_api, name):
    steps, later = WAYS[name]
    scenario = many(250)
    scenario["accounts"][0]["campaigns"][0]["scheduled_at"] = "5m"
    api, other = make_api(scenario, key="key-acme"), make_api(scenario, key="key-acme")
    for each in (api, other):
        go(each, steps)
    document = reload(api)  # its mailbox is empty

    assert state(api) == name
    again = api.get("/_mock/state").json
    assert again["accounts"][0]["campaigns"] == document["accounts"][0]["campaigns"]
    for each in (api, other):
        each.advance("10m")
    assert (state(api), len(recipients(api))) == (state(other), later)
    shown = [each.get("/v3/emailCampaigns/11?statistics=globalStats").json["statistics"] for each in (api, other)]
    assert shown[0] == shown[1]


def test_campaign_half_way_returns_to_a_snapshot(api):
    go(api, ("send", "1m"))
    assert api.post("/_mock/snapshots", json={"name": "half"}).status_code == 201
    api.advance("1m")
    restored = api.post("/_mock/snapshots/half/restore")
    assert restored.status_code == 200, restored.text
    assert (state(api), len(recipients(api))) == ("in_process", 100)
    api.advance("1m")

    assert (state(api), sorted(recipients(api))) == ("sent", sorted(f"c{number}@acme.test" for number in range(1, 251)))


def test_campaign_with_a_deleted_list_returns_to_a_snapshot(api):
    assert api.delete("/v3/contacts/lists/7").status_code == 204
    before = api.get("/v3/emailCampaigns").json
    assert api.post("/_mock/snapshots", json={"name": "deleted"}).status_code == 201
    restored = api.post("/_mock/snapshots/deleted/restore")

    assert (restored.status_code, api.get("/v3/emailCampaigns").json) == (200, before)


def test_campaign_in_process_takes_its_recipients_when_the_state_has_none(api):
    go(api, ("send",))
    document = api.get("/_mock/state").json
    del document["accounts"][0]["campaigns"][0]["audience"]
    assert api.put("/_mock/state", json=document).status_code == 200
    api.advance("2m")

    assert (state(api), len(recipients(api))) == ("sent", 250)


def test_campaign_half_way_continues_after_the_server_was_killed(tmp_path):
    settings = Settings(scenario="empty", store=f"sqlite:{tmp_path / 'store.db'}")
    killed = create_app(settings)
    calls = killed.test_client()
    calls.post("/_mock/reset", json={"scenario": many(250)})
    calls.post("/_mock/machines/campaign/11/send")
    calls.post("/_mock/clock/advance", json={"by": "1m"})
    killed.store.storage.close()
    calls = create_app(settings).test_client()
    before = calls.get("/_mock/machines/campaign/11").json["state"]
    calls.post("/_mock/clock/advance", json={"by": "1m"})

    mails = calls.get("/_mock/mailbox?limit=1000").json["items"]
    assert (before, calls.get("/_mock/machines/campaign/11").json["state"]) == ("in_process", "sent")
    assert sorted(mail["to"] for mail in mails) == sorted(f"c{number}@acme.test" for number in range(1, 251))


@pytest.mark.parametrize(
    "members",
    [
        {"progress": {"turns": 1}},
        {"progress": {"turns": -1}},
        {"progress": {"turns": "1"}},
        {"progress": {"next_at": "2026-01-15T09:00:00"}},
        {"progress": {"next_at": "0001-01-01T00:00:00Z"}},
        {"progress": {"ahead": [{"at": None}]}},
        {"progress": {"lists": {"x": {}}}},
        {"progress": {}, "audience": {"contacts": [1, 1], "lists": [5, 5]}},
        {"progress": {}, "audience": {"contacts": [1], "lists": []}},
        {"audience": {"contacts": [1.5]}},
    ],
)
def test_progress_that_contradicts_itself_is_a_validation_error(api, members):
    scenario = many(2)
    scenario["accounts"][0]["campaigns"][0].update(members)
    answer = api.post("/_mock/reset", json={"scenario": scenario})

    assert answer.status_code == 400
    assert "accounts[0].campaigns[0]." in answer.json["detail"]


@pytest.mark.parametrize("progress", [{}, {"turns": 1, "unique": {"x": {"7": None}}, "lists": {"9": {"x": 3}}}])
def test_campaign_in_process_continues_with_the_progress_of_a_scenario(make_api, progress):
    scenario = many(3)
    audience = {"contacts": [1, 2, 99], "lists": [5, 5, 5]}
    scenario["accounts"][0]["campaigns"][0].update(state="in_process", progress=progress, audience=audience)
    api = make_api(scenario, key="key-acme")
    api.advance("2m")

    # Without a step before, the recipients are taken again; contact 99 does not exist.
    wanted = ["c2@acme.test"] if progress else ["c1@acme.test", "c2@acme.test", "c3@acme.test"]
    assert (state(api), recipients(api)) == ("sent", wanted)
    assert api.get("/v3/emailCampaigns/11?statistics=globalStats").status_code == 200

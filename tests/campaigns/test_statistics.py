"""Statistics of campaigns, which follow from the events of their e-mails (contract/campaigns#statistics)."""

from __future__ import annotations

import pytest
from sendable_campaign import CAMPAIGN, WORKSPACE, account_with, fire

pytestmark = pytest.mark.api(WORKSPACE, key="key-acme")


def trigger(api, event, to="ada@acme.test", **members):
    return api.post("/_mock/trigger", json={"event": event, "type": "marketing", "to": to, **members})


def statistics(api, number=11, wanted="globalStats"):
    answer = api.get(f"/v3/emailCampaigns/{number}?statistics={wanted}")
    assert answer.status_code == 200, answer.text
    return answer.json["statistics"]


def figures(counts):
    """The counts that are not zero."""
    return {name: value for name, value in counts.items() if value}


@pytest.fixture
def sent(api):
    """The application after the campaign was sent and delivered."""
    fire(api, "send")
    api.advance("2m")
    return api


def test_emails_count_as_delivered_some_seconds_after_they_are_sent(api):
    fire(api, "send")
    assert statistics(api)["remaining"] == 3
    api.advance("1m")
    assert figures(statistics(api)["globalStats"]) == {"sent": 3}
    api.advance("2s")

    assert figures(statistics(api)["globalStats"]) == {"sent": 3, "delivered": 3}
    assert statistics(api)["remaining"] == 0


def test_each_contact_counts_in_the_first_of_its_lists(sent):
    rows = statistics(sent)["campaignStats"]

    assert {row["listId"]: row["delivered"] for row in rows} == {5: 2, 6: 1}


@pytest.mark.parametrize(
    ("event", "counted"),
    [
        ("delivered", {}),
        ("hardBounce", {"hardBounces": 1}),
        ("softBounce", {"softBounces": 1}),
        ("opened", {"viewed": 2, "uniqueViews": 1, "trackableViews": 1}),
        ("click", {"clickers": 2, "uniqueClicks": 1}),
        ("unsubscribed", {"unsubscriptions": 1}),
        ("spam", {"complaints": 1}),
        ("proxyOpen", {"appleMppOpens": 1}),
    ],
)
def test_event_counts_each_time_and_once_for_each_contact(sent, event, counted):
    before = statistics(sent)["globalStats"]
    for _ in range(2):
        assert trigger(sent, event).status_code == 200

    after = statistics(sent)["globalStats"]
    computed = ("opensRate", "trackableViewsRate", "estimatedViews")
    changed = {name: after[name] - before[name] for name in after if name not in computed}
    assert figures(changed) == counted


def test_rates_are_percentages_of_the_delivered_emails(sent):
    trigger(sent, "opened")
    trigger(sent, "proxyOpen", to="bob@acme.test")

    found = statistics(sent)["globalStats"]
    assert (found["opensRate"], found["trackableViewsRate"], found["estimatedViews"]) == (33.33, 50.0, 2)


def test_clicks_count_by_link(sent):
    trigger(sent, "click", payload={"URL": "https://acme.test/a"})
    trigger(sent, "click", to="bob@acme.test", payload={"URL": "https://acme.test/a"})
    trigger(sent, "click")

    assert statistics(sent, wanted="linksStats")["linksStats"] == {
        "https://acme.test/a": 2,
        "https://acme.test/offer": 1,
    }


def test_events_count_by_domain(sent):
    trigger(sent, "opened", to="cy@other.test")

    found = statistics(sent, wanted="statsByDomain")["statsByDomain"]
    assert {name: (row["delivered"], row["viewed"]) for name, row in found.items()} == {
        "acme.test": (2, 0),
        "other.test": (1, 1),
    }


@pytest.mark.parametrize("event", ["unsubscribed", "spam"])
def test_contact_that_unsubscribes_or_complains_is_blacklisted(sent, event):
    trigger(sent, event)

    assert sent.get("/v3/contacts/ada@acme.test").json["emailBlacklisted"] is True
    assert sent.get("/v3/contacts/lists/5").json["totalBlacklisted"] == 1


@pytest.mark.parametrize("event", ["unsubscribed", "spam"])
def test_contact_that_unsubscribes_before_the_first_campaign_leaves_gets_none(api, event):
    fire(api, "send")
    trigger(api, event)
    api.advance("2m")

    assert api.get("/v3/contacts/ada@acme.test").json["emailBlacklisted"] is True
    assert figures(statistics(api)["globalStats"]) == {"sent": 2, "delivered": 2}


def test_hard_bounce_blocks_the_contact(sent):
    trigger(sent, "hardBounce")

    rows = sent.get("/v3/smtp/blockedContacts").json["contacts"]
    assert "ada@acme.test" in [row["email"] for row in rows]


@pytest.mark.api(account_with(campaigns=[CAMPAIGN, {**CAMPAIGN, "id": 12, "list_ids": [5]}]))
def test_event_without_campaign_counts_for_the_last_one_that_the_contact_got(sent):
    fire(sent, "send", 12)
    sent.advance("2m")
    trigger(sent, "opened")
    trigger(sent, "opened", to="cy@other.test")

    assert [statistics(sent, number)["globalStats"]["viewed"] for number in (11, 12)] == [1, 1]


@pytest.mark.api(account_with(campaigns=[CAMPAIGN, {**CAMPAIGN, "id": 12, "list_ids": [5]}]))
def test_event_counts_for_the_named_campaign(sent):
    fire(sent, "send", 12)
    sent.advance("2m")
    trigger(sent, "opened", campaign=11)

    assert [statistics(sent, number)["globalStats"]["viewed"] for number in (11, 12)] == [1, 0]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({"campaign": 13}, "account acme has no campaign 13 (it has 11)"),
        ({"campaign": 11, "type": "transactional"}, "only allowed together with type marketing"),
        ({"campaign": 11, "event": "listAddition"}, "only allowed together with type marketing"),
    ],
    ids=["unknown", "transactional", "contact"],
)
def test_campaign_of_a_trigger_is_refused_if_it_does_not_fit(sent, body, reason):
    answer = sent.post("/_mock/trigger", json={"event": "opened", "type": "marketing", **body})

    assert answer.status_code == 400
    assert reason in answer.json["detail"]
    assert figures(statistics(sent)["globalStats"]) == {"sent": 3, "delivered": 3}


def test_webhooks_without_a_campaign_are_told_of_constants(api):
    api.post("/v3/webhooks", json={"url": "http://127.0.0.1:9/", "type": "marketing", "events": ["opened"]})
    made = trigger(api, "opened", to="nobody@acme.test").json["items"][0]["id"]
    api.advance("0s")

    body = api.get(f"/_mock/deliveries/{made}").json["attempts"][0]["request"]["body"]
    assert (body["camp_id"], body["campaign name"], body["segment_ids"]) == (31, "June", [1])


def test_domains_beyond_the_most_count_in_the_whole_only(sent, monkeypatch):
    monkeypatch.setattr("mockserver.resources.campaigns.statistics._MOST_DOMAINS", 1)
    for address in ("ada@acme.test", "eve@third.test"):
        trigger(sent, "opened", to=address, campaign=11)

    assert statistics(sent)["globalStats"]["viewed"] == 2
    assert "third.test" not in statistics(sent, wanted="statsByDomain")["statsByDomain"]

"""Sending campaigns: recipients, e-mails, credits and webhooks, with a frozen clock (contract/campaigns#sending)."""

from __future__ import annotations

from datetime import timedelta
from itertools import count
from time import time

import pytest
from sendable_campaign import CAMPAIGN, WORKSPACE, account_with, credits_left, fire, many, recipients, state

pytestmark = pytest.mark.api(WORKSPACE, key="key-acme")


def test_each_contact_of_the_lists_gets_one_email_in_the_order_of_ids(api):
    assert fire(api, "send") == "in_process"
    assert recipients(api) == []
    api.advance("1m")

    assert (state(api), recipients(api)) == ("sent", ["ada@acme.test", "bob@acme.test", "cy@other.test"])
    assert credits_left(api) == 997


def test_the_email_has_the_values_of_its_contact(api):
    fire(api, "send")
    api.advance("1m")

    mail = api.get("/_mock/mailbox?to=ada@acme.test").json["items"][0]
    assert (mail["subject"], mail["html"]) == ("Hello Ada", "<p>Ten, Ada</p>")
    assert (mail["from"], mail["tags"]) == ("Ops <ops@acme.test>", ["summer"])


@pytest.mark.api(
    account_with(
        campaigns=[
            {
                **CAMPAIGN,
                "html": "<p>body</p>",
                "to_field": "{FIRSTNAME} {{ params.OFFER }}",
                "options": {"header": "<i>head</i>", "footer": "<i>foot</i>"},
            }
        ]
    )
)
def test_header_and_footer_surround_the_html_and_to_field_names_the_recipient(api):
    fire(api, "send")
    api.advance("1m")

    mail = api.get("/_mock/mailbox?to=ada@acme.test").json["items"][0]
    assert mail["html"] == "<i>head</i><p>body</p><i>foot</i>"
    assert mail["recipients"][0]["name"] == "Ada Ten"


@pytest.mark.api(account_with(campaigns=[{**CAMPAIGN, "state": "queued", "scheduled_at": "1h"}]))
def test_recipients_are_taken_when_the_campaign_falls_due(api):
    api.post("/v3/contacts", json={"email": "new@acme.test", "listIds": [5]})
    api.advance("59m")
    assert state(api) == "queued"
    api.delete("/v3/contacts/ada@acme.test?identifierType=email_id")
    api.advance("1m")
    assert state(api) == "in_process"
    api.post("/v3/contacts", json={"email": "late@acme.test", "listIds": [5]})
    api.advance("1m")

    assert recipients(api) == ["bob@acme.test", "cy@other.test", "dee@other.test", "new@acme.test"]


def test_contact_that_is_deleted_or_blacklisted_meanwhile_is_skipped(api):
    fire(api, "send")
    api.delete("/v3/contacts/ada@acme.test?identifierType=email_id")
    api.put("/v3/contacts/bob@acme.test?identifierType=email_id", json={"emailBlacklisted": True})
    api.advance("1m")

    assert (state(api), recipients(api), credits_left(api)) == ("sent", ["cy@other.test"], 999)


@pytest.mark.api(account_with(campaigns=[{**CAMPAIGN, "list_ids": [], "state": "queued", "scheduled_at": "1h"}]))
def test_campaign_without_recipients_is_sent(api):
    api.advance("61m")

    assert (state(api), recipients(api)) == ("sent", [])


@pytest.mark.api(many(250))
def test_emails_leave_in_steps_on_the_clock(api):
    fire(api, "send")
    api.advance("1m")
    assert (state(api), len(recipients(api))) == ("in_process", 100)
    api.post("/_mock/clock/advance", json={"seconds": 0.1})
    assert (state(api), len(recipients(api))) == ("in_process", 200)
    api.post("/_mock/clock/advance", json={"to": "next"})

    assert (state(api), len(recipients(api))) == ("sent", 250)
    assert len(set(recipients(api))) == 250


@pytest.mark.api(many(250, plan=[{"type": "payAsYouGo", "creditsType": "sendLimit", "credits": 120}]))
def test_campaign_is_suspended_when_credits_end_and_continues_with_the_others(api):
    fire(api, "send")
    api.advance("2m")
    assert (state(api), len(recipients(api)), credits_left(api)) == ("suspended", 120, 0)

    document = api.get("/_mock/state").json
    document["accounts"][0]["plan"][0]["credits"] = 1_000
    assert api.post("/_mock/reset", json={"scenario": document}).status_code == 200
    api.post("/v3/contacts", json={"email": "late@acme.test", "listIds": [5]})
    fire(api, "send")
    api.advance("2m")
    assert (state(api), credits_left(api)) == ("sent", 870)
    assert recipients(api)[-130:] == [f"c{number}@acme.test" for number in range(121, 251)]


@pytest.mark.parametrize(
    "members",
    [
        {"plan": [{"type": "payAsYouGo", "creditsType": "sendLimit", "credits": 2}]},
        {"senders": [{"id": 2, "name": "Ops", "email": "ops@acme.test", "state": "awaiting_verification"}]},
        {"senders": [], "domains": [{"name": "acme.test", "state": "authenticated"}]},
        {"under_validation": True},
    ],
    ids=["credits", "sender", "domain", "validation"],
)
def test_campaign_that_may_not_be_sent_is_suspended_when_due(make_api, members):
    api = make_api(account_with(campaigns=[{**CAMPAIGN, "state": "queued", "scheduled_at": "1h"}], **members))
    api.advance("1h")

    assert (state(api), recipients(api)) == ("suspended", [])


@pytest.mark.api(many(250))
def test_suspended_campaign_continues_with_those_who_are_left(api):
    fire(api, "send")
    api.advance("1m")
    fire(api, "suspend")
    api.advance("1h")
    assert len(recipients(api)) == 100
    fire(api, "send")
    api.advance("2m")

    assert (state(api), len(recipients(api)), len(set(recipients(api)))) == ("sent", 250, 250)


@pytest.mark.parametrize(("after", "is_late_sent"), [("30s", True), ("1m", False)])
@pytest.mark.api(many(250))
def test_withdrawn_campaign_takes_its_recipients_again_if_no_email_has_left(api, after, is_late_sent):
    fire(api, "send")
    api.advance(after)
    for event in ("suspend", "withdraw"):
        fire(api, event)
    api.post("/v3/contacts", json={"email": "late@acme.test", "listIds": [5]})
    fire(api, "send")
    api.advance("2m")

    assert (state(api), len(recipients(api))) == ("sent", 250 + is_late_sent)


@pytest.mark.api(many(250))
def test_suspended_campaign_takes_those_who_have_not_got_it_again_when_its_lists_are_changed(api):
    fire(api, "send")
    api.advance("1m")
    fire(api, "suspend")
    api.post("/v3/contacts/lists/6/contacts/add", json={"ids": [7, 150]})
    assert api.put("/v3/emailCampaigns/11", json={"recipients": {"listIds": [6]}}).status_code == 204
    fire(api, "send")
    api.advance("2m")

    assert (state(api), recipients(api)[100:]) == ("sent", ["c150@acme.test"])


@pytest.mark.parametrize("event", ["suspend", "delete"])
@pytest.mark.api(account_with(campaigns=[{**CAMPAIGN, "state": "queued", "scheduled_at": "1h"}]))
def test_queued_campaign_is_not_sent_after(api, event):
    fire(api, event)
    api.advance("2h")

    assert recipients(api) == []


def test_campaign_in_review_is_sent_once_it_is_approved(api):
    fire(api, "send")
    assert fire(api, "review") == "in_review"
    api.advance("1h")
    assert recipients(api) == []
    assert fire(api, "approve") == "in_process"
    api.advance("1m")

    assert (state(api), len(recipients(api))) == ("sent", 3)


def test_campaign_in_review_is_rejected_by_suspend(api):
    for event in ("send", "review", "suspend"):
        fire(api, event)
    api.advance("1h")

    assert (state(api), recipients(api)) == ("suspended", [])


@pytest.mark.api(many(250))
def test_finishing_by_hand_sends_to_the_others_at_once(api):
    fire(api, "send")
    assert fire(api, "finish") == "sent"

    assert len(recipients(api)) == 250


@pytest.mark.api(many(30), mailbox_limit=10)
def test_the_mailbox_tells_how_many_emails_left_it(api):
    fire(api, "send")
    api.advance("1m")

    found = api.get("/_mock/mailbox").json
    assert (len(found["items"]), found["evicted"]) == (10, 20)


@pytest.mark.api(account_with(webhooks=[{"url": "http://127.0.0.1:9/", "type": "marketing", "events": ["delivered"]}]))
def test_webhooks_are_told_of_each_delivery_with_the_campaign(api):
    fire(api, "send")
    api.advance("1m")
    rows = api.get("/_mock/deliveries").json["items"]
    assert {(row["event"], row["next_at"]) for row in rows} == {("delivered", "2026-01-15T09:01:02Z")}
    api.advance("2s")

    told = [row["attempts"][0]["request"]["body"] for row in api.get("/_mock/deliveries").json["items"]]
    assert sorted(row["email"] for row in told) == ["ada@acme.test", "bob@acme.test", "cy@other.test"]
    assert {(row["camp_id"], row["campaign name"], row["tag"]) for row in told} == {(11, "June", "summer")}
    assert {(row["ts_sent"], row["ts_event"]) for row in told} == {(1768467660, 1768467662)}
    assert [row["segment_ids"] for row in told] == [[]] * 3


@pytest.mark.api(
    account_with(
        campaigns=[
            {
                **CAMPAIGN,
                "to_field": "{{ contact.FIRSTNAME }}",
                "options": {"header": 5, "segmentIds": 3, "abTesting": True, "subjectA": [1]},
            }
        ]
    )
)
def test_campaign_with_options_of_other_types_is_sent(api):
    fire(api, "send")
    api.advance("1m")

    assert (state(api), len(recipients(api))) == ("sent", 4)


@pytest.mark.api(
    account_with(campaigns=[{**CAMPAIGN, "options": {"abTesting": True, "subjectA": "A", "subjectB": "B"}}])
)
def test_everybody_gets_the_first_subject_of_an_ab_test(api):
    fire(api, "send")
    api.advance("1m")

    assert {mail["subject"] for mail in api.get("/_mock/mailbox").json["items"]} == {"A"}


@pytest.mark.api(
    account_with(
        campaigns=[CAMPAIGN],
        contacts=[
            {"id": 1, "email": "ada@acme.test", "attributes": {"FIRSTNAME": "x" * 100}, "list_ids": [5]},
            {"id": 2, "email": "bob@acme.test", "list_ids": [5]},
        ],
    )
)
def test_email_whose_values_are_too_long_leaves_them_out(api, monkeypatch):
    monkeypatch.setattr("mockserver.resources.templates.texts.LONGEST", 40)
    fire(api, "send")
    api.advance("1m")

    mail = api.get("/_mock/mailbox?to=ada@acme.test").json["items"][0]
    assert (state(api), mail["html"]) == ("sent", CAMPAIGN["html"])


@pytest.mark.api({**WORKSPACE, "behaviour": {"campaign": {"after": "PT0S"}}})
def test_emails_leave_at_once_without_a_processing_time(api):
    fire(api, "send")

    assert (state(api), len(recipients(api))) == ("sent", 3)


@pytest.mark.api({**many(300), "clock": {"start": "2026-01-15T09:00:00Z"}})
def test_a_slow_campaign_lets_others_in_between_its_steps(api, monkeypatch):
    fire(api, "send")

    def act(workspace):
        clock = workspace.state.clock
        clock.move_to(clock.now() + timedelta(minutes=1))
        slow = count(time(), 0.2)
        monkeypatch.setattr(clock, "_real", lambda: next(slow))
        workspace.catch_up()
        return len(workspace.state.mailbox)

    assert api.store.within(api.workspace.name, act) == 100


def test_a_change_of_lists_forgets_the_recipients_when_nobody_had_a_turn(campaigns):
    number = campaigns.create()
    campaigns.done("POST", f"/{number}/sendNow")
    campaigns.to(number, "suspended")
    campaigns.done("PUT", f"/{number}", {"recipients": {"listIds": [2]}})

    assert campaigns.get(f"/{number}")["statistics"]["remaining"] == 0


def test_a_scheduled_campaign_is_sent_to_its_new_lists_when_they_are_changed(campaigns):
    number = campaigns.create(scheduledAt="2026-01-15T10:00:00.000Z")
    campaigns.done("PUT", f"/{number}", {"recipients": {"listIds": [2]}})
    campaigns.api.advance("PT2H")

    assert (campaigns.state(number), campaigns.mails()) == ("sent", ["bob@acme.test"])

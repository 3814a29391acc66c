"""Campaigns whose credits end half way, until all recipients have their e-mails."""

from __future__ import annotations

import pytest

READERS, OLDEST = [f"r{number}@acme.test" for number in range(4)], "oldest@acme.test"
SCENARIO = {
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "accounts": [
        {"name": "group", "role": "master", "api_keys": ["group"], "pool": {"credits": {"email": 100}}},
        {
            "name": "acme", "id": 1_000_001, "role": "sub_account", "of": "group", "api_keys": ["acme"],
            "senders": [{"id": 1, "name": "News", "email": "news@acme.test", "state": "verified"}],
            "contact_lists": [{"id": 1, "name": "Readers"}],
            "contacts": [{"email": OLDEST}, *({"email": email, "list_ids": [1]} for email in READERS)],
            "campaigns": [{"id": 1, "name": "C", "subject": "Hi", "html": "<p>Hi</p>", "list_ids": [1]}],
        },
    ],
}  # fmt: skip


@pytest.fixture
def half_way(make_api):
    """An account whose first campaign is suspended after half of its e-mails, and has credits for the others."""
    api = HalfWay(make_api("empty", key="acme"))
    api.buy(4)
    api.call("POST", "/emailCampaigns/1/sendNow")
    api.send_elsewhere(2)
    api.api.advance("PT1M")
    assert (api.status, api.received()) == ("suspended", READERS[:2])
    api.buy(6)
    return api


class HalfWay:
    def __init__(self, api):
        self.api = api
        assert api.post("/_mock/reset", json={"scenario": SCENARIO}).status_code == 200

    def call(self, method, path, body=None):
        answer = self.api.request(method, f"/v3{path}", **({} if body is None else {"json": body}))
        assert answer.status_code < 300, answer.text
        return answer

    def buy(self, assigned):
        plan = {"credits": {"email": assigned}}
        assert self.api.put("/v3/corporate/subAccount/1000001/plan", json=plan, key="group").status_code == 204

    def send_elsewhere(self, count):
        to = [{"email": f"o{number}@else.test"} for number in range(count)]
        mail = {"sender": {"email": "news@acme.test"}, "to": to, "subject": "Bill", "textContent": "Hello"}
        self.call("POST", "/smtp/email", mail)

    def send_second(self):
        """Send a second campaign to the first reader only; its id."""
        number = self.call("POST", "/contacts/lists", {"name": "First", "folderId": 1}).json["id"]
        self.call("PUT", f"/contacts/{READERS[0]}", {"listIds": [number]})
        members = {"name": "D", "subject": "Ho", "htmlContent": "<p>Hello</p>", "recipients": {"listIds": [number]}}
        second = self.call("POST", "/emailCampaigns", {**members, "sender": {"email": "news@acme.test"}}).json["id"]
        self.buy(7)
        self.call("POST", f"/emailCampaigns/{second}/sendNow")
        self.api.advance("PT1M")
        return second

    def trigger(self, event):
        body = {"type": "marketing", "event": event, "to": READERS[0], "account": "acme"}
        assert self.api.post("/_mock/trigger", json=body).status_code == 200

    def viewed(self, number):
        found = self.call("GET", f"/emailCampaigns/{number}?statistics=globalStats").json["statistics"]
        return found["globalStats"]["viewed"]

    @property
    def status(self):
        return self.call("GET", "/emailCampaigns/1").json["status"]

    def received(self):
        found = self.api.get("/_mock/mailbox?subject=Hi").json["items"]
        return [mail["to"] for mail in reversed(found)]


def test_the_others_get_their_emails_when_it_is_sent_on(half_way):
    half_way.call("POST", "/emailCampaigns/1/sendNow")
    half_way.api.advance("PT1M")

    assert (half_way.status, half_way.received()) == ("sent", READERS)


def test_the_others_get_their_emails_when_it_falls_due_after_the_archive(half_way):
    for status in ("archive", "darchive"):
        half_way.call("PUT", "/emailCampaigns/1/status", {"status": status})
    half_way.call("PUT", "/emailCampaigns/1", {"scheduledAt": "2026-01-15T10:00:00.000Z"})
    half_way.api.advance("PT2H")

    assert (half_way.status, half_way.received()) == ("sent", READERS)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PUT", "/emailCampaigns/1/status", {"status": "draft"}),
        ("PUT", "/emailCampaigns/1", {"scheduledAt": "2026-01-15T10:00:00.000Z"}),
    ],
)
def test_nobody_gets_it_twice_when_it_is_withdrawn(half_way, method, path, body):
    half_way.call(method, path, body)
    half_way.call("POST", "/emailCampaigns/1/sendNow")
    half_way.api.advance("PT1M")

    assert (half_way.status, half_way.received()) == ("sent", READERS)


def test_statistics_have_both_halves(half_way):
    half_way.call("POST", "/emailCampaigns/1/sendNow")
    half_way.api.advance("PT2M")

    found = half_way.call("GET", "/emailCampaigns/1?statistics=globalStats").json["statistics"]

    assert (found["globalStats"]["sent"], found["globalStats"]["delivered"], found["remaining"]) == (4, 4, 0)


def test_a_state_is_loaded_again_when_the_new_lists_have_an_older_contact(half_way):
    new = half_way.call("POST", "/contacts/lists", {"name": "New", "folderId": 1}).json["id"]
    half_way.call("PUT", f"/contacts/{OLDEST}", {"listIds": [new]})
    half_way.call("PUT", "/emailCampaigns/1", {"recipients": {"listIds": [new]}})
    loaded = half_way.api.put("/_mock/state", json=half_way.api.get("/_mock/state").json)
    half_way.call("POST", "/emailCampaigns/1/sendNow")
    half_way.api.advance("PT1M")

    assert (loaded.status_code, half_way.received()) == (200, [*READERS[:2], OLDEST])


def test_an_event_counts_for_the_last_campaign_when_an_earlier_one_goes_on_without_credits(half_way):
    second = half_way.send_second()
    half_way.call("POST", "/emailCampaigns/1/sendNow")
    half_way.send_elsewhere(2)
    half_way.api.advance("PT1M")
    half_way.trigger("opened")

    assert (half_way.status, half_way.viewed(1), half_way.viewed(second)) == ("suspended", 0, 1)


def test_an_event_counts_for_the_last_campaign_when_an_earlier_one_went_on_to_others(half_way):
    second = half_way.send_second()
    half_way.call("POST", "/emailCampaigns/1/sendNow")
    half_way.api.advance("PT1M")
    half_way.trigger("opened")

    assert (half_way.status, half_way.viewed(1), half_way.viewed(second)) == ("sent", 0, 1)

"""What has caused what: requests, timers, deliveries and mails name each other, and still do after going back."""

from __future__ import annotations

import pytest

HOOK = {"url": "http://127.0.0.1:9/", "events": ["inboundEmailProcessed"], "type": "inbound", "domain": "in.acme.test"}
SCENARIO = {
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "accounts": [{"name": "acme", "api_keys": ["xkeysib-acme"], "webhooks": [HOOK]}],
}
#: When a code runs out, fifteen minutes later.
EXPIRY = "20260115T091500000000Z"


def cause(kind, identifier):
    return {"kind": kind, "id": str(identifier)}


pytestmark = pytest.mark.api(SCENARIO)


@pytest.fixture
def sender(api):
    """The id of the request that has made sender 1."""
    answer = api.post("/v3/senders", json={"name": "A", "email": "a@acme.test"})
    assert answer.status_code == 201
    return answer.headers["sib-request-id"]


def test_a_request_and_its_transition_name_the_mail_and_the_timer_and_these_name_the_request(api, sender):
    mail = api.get("/_mock/mailbox?to=a@acme.test").json["items"][0]
    timer = api.get(f"/_mock/timers/sender.1.expire_otp.{EXPIRY}").json

    entry = api.get(f"/_mock/requests/{sender}").json
    assert entry["caused"] == [cause("timer", timer["id"]), cause("mail", mail["id"])]
    assert mail["caused_by"] == timer["caused_by"] == [cause("request", sender)]
    [change] = entry["transitions"]
    assert change["caused_by"] == [cause("request", sender)]
    assert change["caused"] == entry["caused"]


def test_a_pending_timer_says_when_it_is_due_and_for_what(api, sender):
    timer = api.get(f"/_mock/timers/sender.1.expire_otp.{EXPIRY}").json

    assert timer.items() >= {
        "state": "pending", "at": "2026-01-15T09:15:00Z", "real_at": None, "machine": "sender", "key": 1,
        "event": "expire_otp", "account": "acme",
    }.items()  # fmt: skip


def test_a_timer_that_has_fired_is_still_found_with_its_transitions(api, sender):
    api.advance("PT15M")

    timer = api.get(f"/_mock/timers/sender.1.expire_otp.{EXPIRY}").json
    assert (timer["state"], timer["caused_by"]) == ("fired", [cause("request", sender)])
    [change] = timer["transitions"]
    assert (change["event"], change["caused_by"]) == ("expire_otp", [cause("timer", timer["id"])])


def test_a_timer_that_was_cancelled_is_not_found(api, sender):
    api.delete("/v3/senders/1")

    answer = api.get(f"/_mock/timers/sender.1.expire_otp.{EXPIRY}")
    assert answer.status_code == 404
    assert "cancelled" in answer.json["detail"]


@pytest.mark.parametrize("way", ["snapshot", "document"])
def test_pending_timer_keeps_its_cause_after_a_restore(api, sender, way):
    identifier = f"/_mock/timers/sender.1.expire_otp.{EXPIRY}"
    before = api.get(identifier).json
    document = api.get("/_mock/state").json
    assert api.post("/_mock/snapshots", json={"name": "kept"}).status_code == 201
    api.delete("/v3/senders/1")

    if way == "snapshot":
        assert api.post("/_mock/snapshots/kept/restore").status_code == 200
    else:
        assert api.put("/_mock/state", json=document).status_code == 200

    assert api.get(identifier).json == before


def test_a_link_that_is_none_is_refused_with_its_place(api):
    for wrong in [{"kind": "star"}, {"id": 5}, {"caused_by": [{"kind": "request"}]}, {"caused_by": None}]:
        link = {"kind": "delivery", "id": "5", "caused_by": [{"kind": "request", "id": "x"}], **wrong}
        answer = api.put("/_mock/state", json={"resume": {"links": [link]}})
        assert answer.status_code == 400
        assert answer.json["errors"][0]["path"].startswith("/resume/links/0/")


def test_a_mail_that_comes_in_has_caused_the_calls_to_its_webhooks(api):
    arrived = api.post("/_mock/inbound", json={"sender": "a@b.test", "recipient": "c@in.acme.test"}).json

    [delivery] = arrived["deliveries"]
    mail = cause("mail", arrived["uuid"])
    assert delivery["caused_by"] == [mail]
    inbound = api.get("/_mock/inbound").json["items"][0]
    assert inbound["caused"][0] == cause("delivery", delivery["id"])

"""Scheduled e-mails fall due on the clock: webhooks are told, and nothing is left to be deleted."""

from urllib.parse import quote

import pytest

EMAIL = {
    "message_id": "<202601151000.1@smtp-relay.mailin.fr>",
    "batch_id": "5c6cfa04-eed9-42c2-8b5c-6d470d978e9d",
    "to": "bob@example.test",
    "subject": "Your invoice",
}


def delete(workspace, identifier):
    return workspace.api.delete(f"/v3/smtp/email/{quote(identifier, safe='')}")


@pytest.fixture
def waiting(hooked):
    return hooked({"events": ["request", "delivered"]}, scheduled_emails=[{**EMAIL, "scheduled_at": "PT1H"}])


def test_a_scheduled_email_is_sent_at_its_moment_and_soon_delivered(waiting):
    waiting.advance("PT59M59S")
    assert waiting.receiver.bodies == []
    waiting.advance("PT1S")
    assert [body["event"] for body in waiting.receiver.bodies] == ["request"]
    waiting.advance("PT2S")

    sent, delivered = waiting.receiver.bodies
    assert (sent["date"], delivered["date"]) == ("2026-01-15 11:00:00", "2026-01-15 11:00:02")
    assert delivered["event"] == "delivered"
    for body in (sent, delivered):
        shown = body["email"], body["subject"], body["message-id"]
        assert shown == (EMAIL["to"], EMAIL["subject"], EMAIL["message_id"])


@pytest.mark.parametrize(("credits_", "left"), [(2, 1), (1, 0), (0, 0)])
def test_a_scheduled_email_of_a_sub_account_costs_a_credit_as_long_as_there_is_one(make_api, credits_, left):
    master = {"name": "group", "role": "master", "api_keys": ["key-group"], "pool": {"credits": {"email": 10}}}
    assigned = {"credits": {"email": credits_}}
    sub = {"name": "shop", "id": 1003002, "role": "sub_account", "of": "group", "assigned": assigned}
    scheduled = [{**EMAIL, "scheduled_at": "PT1H"}]
    api = make_api({"clock": {"frozen": True}, "accounts": [master, {**sub, "scheduled_emails": scheduled}]})

    api.advance("PT1H")

    plan = api.get("/v3/corporate/subAccount/1003002", key="key-group").json["planInfo"]
    assert plan["credits"]["emails"]["remaining"] == left


def test_a_scheduled_email_is_sent_by_itself_on_a_running_clock(hooked):
    workspace = hooked({"events": ["request"]}, frozen=False, scheduled_emails=[{**EMAIL, "scheduled_at": "PT0.05S"}])
    found = workspace.api.get("/_mock/deliveries?state=delivered&wait=10").json

    assert found["count"] == 1
    assert [body["event"] for body in workspace.receiver.bodies] == ["request"]
    assert delete(workspace, EMAIL["message_id"]).status_code == 404


def test_a_restart_between_sending_and_delivery_loses_neither(waiting):
    waiting.advance("PT1H")
    state = waiting.save_and_load()
    assert waiting.state() == state
    waiting.advance("P1D")
    assert [body["event"] for body in waiting.receiver.bodies] == ["request", "delivered"]


def test_an_encoded_slash_is_part_of_the_message_id(make_api):
    api = make_api({"scheduled_emails": [{**EMAIL, "message_id": "<a/b@c.test>", "scheduled_at": "PT1H"}]})

    assert api.delete("/v3/smtp/email/%3Ca%2Fb%40c.test%3E").status_code == 204
    entry = api.get("/_mock/requests").json["items"][0]
    assert (entry["path"], entry["operation"]) == ("/v3/smtp/email/<a/b@c.test>", "deleteScheduledEmailById")

from datetime import UTC, datetime, timedelta

import pytest

from mockserver import MockServerError

BEGIN = datetime(2026, 1, 15, 9, tzinfo=UTC)


@pytest.fixture
def receiver(workspace, ask):
    """A receiver, and a webhook that calls it about bounces and deliveries."""
    found = workspace.receiver()
    body = {"url": found.url, "events": ["hardBounce", "delivered", "request"]}
    body["auth"] = {"type": "bearer", "token": "t"}
    assert ask(workspace, "POST", "/webhooks", json=body).json == {"id": 1}
    return found


def test_an_event_causes_a_webhook_call_that_is_kept_with_its_attempt(workspace, receiver):
    (made,) = workspace.trigger("hardBounce", to="ada@example.test", payload={"reason": "no such user"})
    assert (made.webhook, made.account, made.event, made.created_at) == (1, "acme", "hardBounce", BEGIN)
    assert (made.export, made.url) == (None, receiver.url)

    (found,) = workspace.deliveries.all(state="delivered", wait=10)

    assert (found.id, found.next_at, found.in_flight) == (made.id, None, False)
    (attempt,) = found.attempts
    assert (attempt.at, attempt.status, attempt.error) == (BEGIN, 200, None)
    assert (attempt.method, attempt.url, attempt.headers["Authorization"]) == ("POST", receiver.url, "Bearer t")
    assert attempt.body["email"] == "ada@example.test"
    (call,) = receiver.calls()
    assert call.body == attempt.body
    assert call.body["reason"] == "no such user"


def test_a_test_of_twelve_hours_moves_the_clock(workspace, receiver):
    receiver.answer(429)
    workspace.trigger("hardBounce")
    (found,) = workspace.deliveries.all(state="retrying", wait=10)
    assert (found.next_at, found.attempts[0].error) == (BEGIN + timedelta(minutes=10), None)

    fired = workspace.clock.advance(hours=12)

    assert [row.event for row in fired if row.machine == "delivery"] == ["fail"] * 3 + ["give_up"]
    (found,) = workspace.deliveries.all(webhook=1)
    assert (found.state, found.next_at) == ("dropped", None)
    assert [attempt.status for attempt in found.attempts] == [429] * 5
    minutes = [(attempt.at - BEGIN) / timedelta(minutes=1) for attempt in found.attempts]
    assert minutes == [0, 10, 70, 190, 670]


def test_handle_redelivers_a_webhook_call(workspace, receiver):
    receiver.answer(400, times=1)
    (made,) = workspace.trigger("hardBounce")
    assert workspace.deliveries.all(state="dropped", wait=10)

    found = workspace.deliveries.redeliver(made.id)

    assert found.state == "delivered"
    assert [attempt.status for attempt in found.attempts] == [400, 200]
    assert workspace.deliveries.get(made.id) == found


def test_a_call_that_is_not_due_yet_cannot_be_redelivered(workspace, receiver):
    *_, later = workspace.story("delivered")

    with pytest.raises(MockServerError) as refusal:
        workspace.deliveries.redeliver(later.id)

    assert (refusal.value.status, refusal.value.members["allowed"]) == (409, ["succeed", "fail", "give_up", "cancel"])


def test_deliveries_are_filtered_by_webhook_state_and_event_and_unknown_ones_are_refused(workspace, receiver):
    workspace.trigger("hardBounce")
    workspace.trigger("delivered")
    workspace.clock.advance("PT0S")  # waits for both

    assert [found.event for found in workspace.deliveries.all()] == ["delivered", "hardBounce"]
    assert workspace.deliveries.all(webhook=2) == workspace.deliveries.all(event="opened") == []
    assert workspace.deliveries.all(state="scheduled", wait=0.01) == []
    assert [found.event for found in workspace.deliveries.all(event="hardBounce")] == ["hardBounce"]
    with pytest.raises(MockServerError, match="unknown delivery '7'"):
        workspace.deliveries.get(7)
    with pytest.raises(MockServerError, match="state"):
        workspace.deliveries.all(state="gone")


def test_the_events_of_a_story_happen_as_the_clock_advances(workspace, receiver):
    made = workspace.story("delivered", to="ada@example.test")
    assert [(call.event, call.created_at) for call in made] == [
        ("request", BEGIN),
        ("delivered", BEGIN + timedelta(seconds=2)),
    ]

    workspace.clock.advance(seconds=2)

    calls = receiver.calls(count=2)
    assert [call.body["event"] for call in calls] == ["delivered", "request"]
    assert {call.body["email"] for call in calls} == {"ada@example.test"}


def test_an_event_of_another_type_and_channel_calls_the_webhooks_of_these(workspace, receiver, ask):
    ask(workspace, "POST", "/webhooks", json={"url": receiver.url, "type": "marketing", "events": ["click"]})
    text = {"url": receiver.url, "type": "transactional", "channel": "sms", "events": ["accepted"]}
    ask(workspace, "POST", "/webhooks", json=text)

    (marketing,) = workspace.trigger("click", type="marketing")
    (sms,) = workspace.trigger("accepted", channel="sms")

    assert (marketing.webhook, sms.webhook) == (2, 3)


def test_an_event_happens_in_the_account_that_is_named(server):
    accounts = [{"name": name, "webhooks": [{"url": "http://127.0.0.1:9", "events": ["spam"]}]} for name in "ab"]
    with server.workspace({"accounts": accounts}) as workspace:
        assert [workspace.trigger("spam")[0].account, workspace.trigger("spam", account="b")[0].account] == ["a", "b"]
        with pytest.raises(LookupError, match="the account 'c' is not among a, b"):
            workspace.trigger("spam", account="c")


def test_an_inbound_mail_calls_the_webhooks_of_its_domain(workspace, ask):
    receiver = workspace.receiver()
    body = {"url": receiver.url, "type": "inbound", "events": ["inboundEmailProcessed"], "domain": "in.acme.test"}
    workspace.seed({"domains": [{"name": "in.acme.test", "state": "authenticated"}]})
    ask(workspace, "POST", "/webhooks", json=body)

    arrival = workspace.inbound("bob@example.test", "reply@in.acme.test", "Re: Hi", "Thank you")

    assert arrival.at == BEGIN
    assert [call.event for call in arrival.deliveries] == ["inboundEmailProcessed"]
    assert ask(workspace, "GET", "/inbound/events").json["events"][0]["uuid"] == arrival.uuid
    (call,) = receiver.calls(count=1, wait=10)
    assert "Re: Hi" in str(call.body)


def test_an_inbound_mail_goes_to_the_account_that_listens_or_is_named_and_is_listed(server):
    hook = {"url": "http://127.0.0.1:9/", "type": "inbound", "domain": "in.acme.test"}
    with server.workspace({"accounts": [{"name": "a"}, {"name": "b", "webhooks": [hook]}]}) as workspace:
        made = [workspace.inbound("bob@example.test", "x@in.acme.test", account=name) for name in (None, "a", "b")]

        found = workspace.inbound_mails()
        with pytest.raises(MockServerError) as refusal:
            workspace.inbound("bob", "reply@in.acme.test")

    assert [[call.account for call in arrival.deliveries] for arrival in made] == [["b"], [], ["b"]]
    assert [error["path"] for error in refusal.value.errors] == ["/sender"]
    assert [(row.uuid, row.at) for row in found] == [(row.uuid, row.at) for row in reversed(made)]
    assert [(row.account, row.sender, row.recipient) for row in found] == [
        (name, "bob@example.test", "x@in.acme.test") for name in "bab"
    ]

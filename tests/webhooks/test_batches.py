"""Batches: five minutes of the workspace's clock, and no more than five hundred events in one call."""

from datetime import datetime

import pytest

from mockserver.resources.webhooks import events
from mockserver.resources.webhooks.model import OpenWindows

SMALL = 5
BATCHED = {"batched": True, "events": ["delivered", "request", "opened", "uniqueOpened"]}


def sizes(workspace):
    return [len(body) for body in workspace.receiver.bodies]


def test_the_events_of_five_minutes_come_in_one_call(hooked):
    workspace = hooked(BATCHED)
    first = workspace.trigger("delivered")
    workspace.advance("PT4M59S")
    second = workspace.trigger("opened")

    assert [row["id"] for row in first] == [row["id"] for row in second]
    assert sizes(workspace) == []
    workspace.advance("PT1S")
    assert [[row["event"] for row in body] for body in workspace.receiver.bodies] == [["delivered", "opened"]]


def test_the_next_window_begins_with_the_event_that_comes_after_it(hooked):
    workspace = hooked(BATCHED)
    workspace.trigger()
    workspace.advance("PT5M")
    workspace.advance("PT2M")
    later = workspace.trigger()

    (row,) = later
    waits = datetime.fromisoformat(row["next_at"]) - datetime.fromisoformat(row["created_at"])
    assert waits == events.BATCH_WINDOW
    workspace.advance("PT4M59S")
    assert sizes(workspace) == [1]
    workspace.advance("PT1S")
    assert sizes(workspace) == [1, 1]


def test_batches_are_collected_separately_per_webhook(hooked):
    workspace = hooked(BATCHED, BATCHED, {"events": ["delivered"]})
    workspace.trigger()
    workspace.advance("PT0S")
    assert [type(body) for body in workspace.receiver.bodies] == [dict]
    workspace.advance("PT5M")
    assert sorted(body[0]["id"] for body in workspace.receiver.bodies[1:]) == [1, 2]


@pytest.fixture
def small_batches(monkeypatch):
    """Lets a call hold few events."""
    assert events.BATCH_SIZE == 500
    monkeypatch.setattr(events, "BATCH_SIZE", SMALL)


@pytest.mark.usefixtures("small_batches")
def test_calls_of_a_window_leave_at_its_end_with_a_limited_number_of_events(hooked):
    workspace = hooked(BATCHED)
    full = {workspace.trigger()[0]["id"] for _ in range(SMALL)}
    workspace.advance("PT3M")
    second = {workspace.trigger()[0]["id"] for _ in range(SMALL)}
    (third,) = workspace.trigger()

    assert [len(ids) for ids in (full, second, full | second | {third["id"]})] == [1, 1, 3]
    workspace.advance("PT1M59S")
    assert sizes(workspace) == []
    workspace.advance("PT1S")
    assert sorted(sizes(workspace)) == [1, SMALL, SMALL]


def test_a_story_falls_into_as_many_windows_as_it_lasts(hooked):
    workspace = hooked(BATCHED)
    items = workspace.tell("delivered_opened")

    assert [row["event"] for row in items] == [["request", "delivered"], ["opened", "uniqueOpened"]]
    workspace.advance("PT5M")
    assert sizes(workspace) == [2]
    workspace.advance("PT4M59S")
    assert sizes(workspace) == [2]
    workspace.advance("PT1S")
    assert sizes(workspace) == [2, 2]


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("before", [1, SMALL - 1, SMALL, SMALL + 1])
def test_a_batch_goes_on_collecting_after_a_restart(before, hooked):
    workspace = hooked(BATCHED)
    for _ in range(before):
        (last,) = workspace.trigger()
    workspace.advance("PT1M")
    state = workspace.save_and_load()
    assert workspace.state() == state

    (after,) = workspace.trigger()
    workspace.trigger()
    assert (after["id"] == last["id"]) is (before != SMALL)
    workspace.advance("PT4M")
    assert sorted(sizes(workspace)) == ([before + 2 - SMALL, SMALL] if before + 2 > SMALL else [before + 2])


def test_a_batch_that_was_sent_before_a_restart_collects_no_more(hooked):
    workspace = hooked(BATCHED)
    (sent,) = workspace.trigger()
    workspace.advance("PT5M")
    workspace.save_and_load()
    assert workspace.trigger()[0]["id"] != sent["id"]


def test_a_batch_that_is_retried_collects_no_more(hooked):
    workspace = hooked(BATCHED)
    workspace.receiver.answers = [429]
    (tried,) = workspace.trigger()
    workspace.advance("PT5M")

    assert workspace.settled(tried["id"])["state"] == "retrying"
    assert workspace.trigger()[0]["id"] != tried["id"]
    workspace.advance("PT10M")
    assert sizes(workspace) == [1, 1, 1]


@pytest.mark.parametrize("restarted", [False, True])
def test_a_webhook_that_is_deleted_gets_no_batch(restarted, hooked):
    workspace = hooked(BATCHED)
    workspace.trigger()
    if restarted:
        workspace.save_and_load()
    workspace.api.delete("/v3/webhooks/1")
    workspace.advance("PT5M")
    assert sizes(workspace) == []
    assert [row["state"] for row in workspace.api.get("/_mock/deliveries").json["items"]] == ["dropped"]


def test_a_batch_goes_to_the_address_that_the_webhook_has_by_then(hooked):
    workspace = hooked({**BATCHED, "url": "http://127.0.0.1:9/old"})
    workspace.trigger()
    workspace.api.put("/v3/webhooks/1", json={"url": f"{workspace.receiver.url}/new"})
    workspace.advance("PT5M")
    assert [call.path for call in workspace.receiver.calls] == ["/hook/new"]


def test_a_webhook_that_is_batched_no_more_is_told_at_once(hooked):
    workspace = hooked(BATCHED)
    workspace.trigger("delivered")
    workspace.api.put("/v3/webhooks/1", json={"batched": False})
    workspace.trigger("opened")

    workspace.advance("PT0S")
    assert [body["event"] for body in workspace.receiver.bodies] == ["opened"]
    workspace.advance("PT5M")
    assert workspace.receiver.bodies[1][0]["event"] == "delivered"


def test_received_mails_are_collected_too(hooked):
    workspace = hooked({"type": "inbound", "domain": "in.acme.test", "batched": True})
    for subject in ("One", "Two"):
        mail = {"sender": "bob@example.test", "recipient": "reply@in.acme.test", "subject": subject}
        workspace.api.post("/_mock/inbound", json=mail)
    workspace.advance("PT5M")
    (body,) = workspace.receiver.bodies
    assert [row["items"][0]["Subject"] for row in body] == ["One", "Two"]


def test_windows_go_with_their_webhook_and_keep_no_call(hooked):
    workspace = hooked(BATCHED)
    workspace.trigger()
    windows = workspace.api.workspace.state.first_account.record(OpenWindows)

    assert [[number for _, number in found] for found in windows.values()] == [[1]]
    assert workspace.api.delete("/v3/webhooks/1").status_code == 204
    assert windows == {}


def test_closed_windows_are_forgotten(hooked):
    workspace = hooked(BATCHED)
    for _ in range(5):
        workspace.trigger()
        workspace.advance("PT6M")
    (found,) = workspace.api.workspace.state.first_account.record(OpenWindows).values()

    assert len(found) == 1

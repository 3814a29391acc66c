"""Batches: five minutes of the world's clock, and no more than five hundred events in one call."""

from datetime import datetime

import pytest

from mockserver.resources.webhooks.batches import BATCH_SIZE, BATCH_WINDOW
from mockserver.resources.webhooks.model import OpenWindows

BATCHED = {"batched": True, "events": ["delivered", "request", "opened", "uniqueOpened"]}


def sizes(world):
    return [len(body) for body in world.receiver.bodies]


def test_the_events_of_five_minutes_come_in_one_call(hooked):
    world = hooked(BATCHED)
    first = world.trigger("delivered")
    world.advance("PT4M59S")
    second = world.trigger("opened")

    assert [row["id"] for row in first] == [row["id"] for row in second]
    assert sizes(world) == []
    world.advance("PT1S")
    assert [[row["event"] for row in body] for body in world.receiver.bodies] == [["delivered", "opened"]]


def test_the_next_window_begins_with_the_event_that_comes_after_it(hooked):
    world = hooked(BATCHED)
    world.trigger()
    world.advance("PT5M")
    world.advance("PT2M")
    later = world.trigger()

    (row,) = later
    waits = datetime.fromisoformat(row["next_at"]) - datetime.fromisoformat(row["created_at"])
    assert waits == BATCH_WINDOW
    world.advance("PT4M59S")
    assert sizes(world) == [1]
    world.advance("PT1S")
    assert sizes(world) == [1, 1]


def test_a_batch_of_one_is_a_list_too(hooked):
    world = hooked(BATCHED)
    world.trigger("delivered")
    world.advance("PT5M")
    assert [row["event"] for row in world.receiver.bodies[0]] == ["delivered"]


def test_each_webhook_collects_for_itself(hooked):
    world = hooked(BATCHED, BATCHED, {"events": ["delivered"]})
    world.trigger()
    world.advance("PT0S")
    assert [type(body) for body in world.receiver.bodies] == [dict]
    world.advance("PT5M")
    assert sorted(body[0]["id"] for body in world.receiver.bodies[1:]) == [1, 2]


def test_all_calls_of_a_window_go_at_its_end_each_with_at_most_500_events(hooked):
    world = hooked(BATCHED)
    full = {world.trigger()[0]["id"] for _ in range(BATCH_SIZE)}
    world.advance("PT3M")
    second = {world.trigger()[0]["id"] for _ in range(BATCH_SIZE)}
    (third,) = world.trigger()

    assert [len(ids) for ids in (full, second, full | second | {third["id"]})] == [1, 1, 3]
    world.advance("PT1M59S")
    assert sizes(world) == []
    world.advance("PT1S")
    assert sorted(sizes(world)) == [1, BATCH_SIZE, BATCH_SIZE]


def test_after_a_window_with_several_calls_a_new_one_begins(hooked):
    world = hooked(BATCHED)
    for _ in range(BATCH_SIZE + 1):
        world.trigger()
    world.advance("PT5M")
    (later,) = world.trigger()

    assert datetime.fromisoformat(later["next_at"]) - datetime.fromisoformat(later["created_at"]) == BATCH_WINDOW


def test_a_story_falls_into_as_many_windows_as_it_lasts(hooked):
    world = hooked(BATCHED)
    items = world.tell("delivered_opened")

    assert [row["event"] for row in items] == [["request", "delivered"], ["opened", "uniqueOpened"]]
    world.advance("PT5M")
    assert sizes(world) == [2]
    world.advance("PT4M59S")
    assert sizes(world) == [2]
    world.advance("PT1S")
    assert sizes(world) == [2, 2]


def test_a_batch_goes_on_collecting_after_a_restart(hooked):
    world = hooked(BATCHED)
    (before,) = world.trigger()
    world.advance("PT2M")

    state = world.save_and_load()
    assert world.state() == state
    (after,) = world.trigger()

    assert after["id"] == before["id"]
    world.advance("PT3M")
    assert sizes(world) == [2]


@pytest.mark.parametrize("before", [BATCH_SIZE - 1, BATCH_SIZE, BATCH_SIZE + 1])
def test_a_window_with_a_full_call_goes_on_collecting_after_a_restart(before, hooked):
    world = hooked(BATCHED)
    for _ in range(before):
        world.trigger()
    world.advance("PT1M")
    world.save_and_load()
    world.trigger()
    world.trigger()
    world.advance("PT4M")
    assert sorted(sizes(world)) == [before + 2 - BATCH_SIZE, BATCH_SIZE]


def test_a_batch_that_was_sent_before_a_restart_collects_no_more(hooked):
    world = hooked(BATCHED)
    (sent,) = world.trigger()
    world.advance("PT5M")
    world.save_and_load()
    assert world.trigger()[0]["id"] != sent["id"]


def test_a_batch_that_is_retried_collects_no_more(hooked):
    world = hooked(BATCHED)
    world.receiver.statuses = [429]
    (tried,) = world.trigger()
    world.advance("PT5M")

    assert world.settled(tried["id"])["state"] == "retrying"
    assert world.trigger()[0]["id"] != tried["id"]
    world.advance("PT10M")
    assert sizes(world) == [1, 1, 1]


@pytest.mark.parametrize("restarted", [False, True])
def test_a_webhook_that_is_deleted_gets_no_batch(restarted, hooked):
    world = hooked(BATCHED)
    world.trigger()
    if restarted:
        world.save_and_load()
    world.api.delete("/v3/webhooks/1")
    world.advance("PT5M")
    assert sizes(world) == []
    assert [row["state"] for row in world.api.get("/_mock/deliveries").json["items"]] == ["dropped"]


def test_a_batch_goes_to_the_address_that_the_webhook_has_by_then(hooked):
    world = hooked({**BATCHED, "url": "http://127.0.0.1:9/old"})
    world.trigger()
    world.api.put("/v3/webhooks/1", json={"url": f"{world.receiver.url}/new"})
    world.advance("PT5M")
    assert [call.path for call in world.receiver.calls] == ["/hook/new"]


def test_a_webhook_that_is_batched_no_more_is_told_at_once(hooked):
    world = hooked(BATCHED)
    world.trigger("delivered")
    world.api.put("/v3/webhooks/1", json={"batched": False})
    world.trigger("opened")

    world.advance("PT0S")
    assert [body["event"] for body in world.receiver.bodies] == ["opened"]
    world.advance("PT5M")
    assert world.receiver.bodies[1][0]["event"] == "delivered"


def test_received_mails_are_collected_too(hooked):
    world = hooked({"type": "inbound", "domain": "in.acme.test", "batched": True})
    for subject in ("One", "Two"):
        mail = {"sender": "bob@example.test", "recipient": "reply@in.acme.test", "subject": subject}
        world.api.post("/_mock/inbound", json=mail)
    world.advance("PT5M")
    (body,) = world.receiver.bodies
    assert [row["items"][0]["Subject"] for row in body] == ["One", "Two"]


def test_windows_go_with_their_webhook_and_keep_no_call(hooked):
    world = hooked(BATCHED)
    world.trigger()
    windows = world.api.world.first_account.record(OpenWindows)

    assert [[number for _, number in found] for found in windows.values()] == [[1]]
    assert world.api.delete("/v3/webhooks/1").status_code == 204
    assert windows == {}


def test_windows_that_are_over_are_forgotten(hooked):
    world = hooked(BATCHED)
    for _ in range(5):
        world.trigger()
        world.advance("PT6M")
    (found,) = world.api.world.first_account.record(OpenWindows).values()

    assert len(found) == 1

"""Attempts against a real receiver: their outcomes, and when the next one follows."""

import time
from datetime import UTC, datetime, timedelta

import pytest

START = datetime(2026, 1, 15, 9, tzinfo=UTC)
MINUTES = [0, 10, 70, 190, 670]


def told(delivery):
    return [attempt.status or attempt.error for attempt in delivery.attempts]


def minutes(delivery):
    return [(attempt.at - START) / timedelta(minutes=1) for attempt in delivery.attempts]


@pytest.mark.parametrize(
    ("answers", "state", "behaviour"),
    [
        ([200], "delivered", {}), ([204], "delivered", {}), ([400], "dropped", {}), ([404], "dropped", {}),
        ([410], "dropped", {}), ([429, 429, 429, 429, 200], "delivered", {}), ([429, 404], "dropped", {}),
        ([429, 503], "dropped", {}), ([500], "dropped", {}), ([599], "dropped", {}), ([429] * 5, "dropped", {}),
        ([429, 500, 503, 429, 200], "delivered", {"webhook_5xx": "retry"}),
        ([500, 502, 503, 504, 599], "dropped", {"webhook_5xx": "retry"}),
    ],
)  # fmt: skip
def test_statuses_lead_to_retries_as_documented(make_workspace, peer, answers, state, behaviour):
    workspace = make_workspace(peer.url, behaviour=behaviour)
    peer.answers = list(answers)
    workspace.trigger("delivered")

    workspace.clock.advance("PT12H")

    (found,) = workspace.deliveries.all()
    assert (found.state, told(found), minutes(found)) == (state, answers, MINUTES[: len(answers)])
    assert len(peer.bodies) == len(answers)
    assert (found.next_at, found.in_flight) == (None, False)


def test_unreachable_address_is_tried_five_times(make_workspace, refusing):
    workspace = make_workspace(refusing)
    workspace.trigger("delivered")

    workspace.clock.advance("PT12H")

    (found,) = workspace.deliveries.all()
    assert (found.state, minutes(found)) == ("dropped", MINUTES)
    assert all("refused" in error for error in told(found))


def test_a_receiver_that_takes_too_long_is_no_answer(make_workspace, peer):
    workspace = make_workspace(peer.url, behaviour={"webhook_timeout": "PT0.1S"})
    peer.answers = ["hold"]
    workspace.trigger("delivered")

    workspace.clock.advance("PT10M")

    (found,) = workspace.deliveries.all()
    assert (found.state, minutes(found)) == ("delivered", [0, 10])
    assert told(found) == ["no answer within 0.1 seconds", 200]


def test_advance_of_twelve_hours_is_fast(hooked_workspace, peer):
    peer.always = 429
    hooked_workspace.trigger("delivered")

    began = time.perf_counter()
    fired = hooked_workspace.clock.advance("PT12H")

    assert time.perf_counter() - began < 10
    assert [(row.event, (row.at - START) / timedelta(minutes=1)) for row in fired] == [
        ("fail", 10), ("fail", 70), ("fail", 190), ("give_up", 670),
    ]  # fmt: skip
    assert hooked_workspace.clock.now == START + timedelta(hours=12)


def test_advance_waits_for_earlier_calls(hooked_workspace, peer, later):
    peer.answers = ["hold", 404]
    hooked_workspace.trigger("delivered")
    peer.await_calls(1)

    fired = later(hooked_workspace.clock.advance, "PT9M")
    peer.lets_go.set()

    assert fired() == []
    assert [found.state for found in hooked_workspace.deliveries.all()] == ["delivered"]


def test_the_next_moment_is_known_only_when_the_call_under_way_is_over(make_workspace, peer, later):
    """The retry to which `to: next` advances is scheduled only when the outcome is known."""
    workspace = make_workspace(peer.url, behaviour={"webhook_timeout": "PT0.2S"})
    peer.answers = ["hold"]
    workspace.trigger("delivered")
    peer.await_calls(1)

    fired = workspace.clock.advance(to="next")

    assert [(row.at, row.event) for row in fired] == [(START + timedelta(minutes=10), "succeed")]
    assert workspace.clock.now == START + timedelta(minutes=10)


def test_calls_that_are_due_at_one_moment_are_made_at_the_same_time(make_workspace, peer):
    workspace = make_workspace(*[peer.url] * 8)
    peer.always = "hold"
    workspace.trigger("delivered")

    peer.await_calls(8)  # while none of them has been answered
    assert all(found.in_flight for found in workspace.deliveries.all())
    peer.lets_go.set()
    workspace.clock.advance("PT0S")

    assert {found.state for found in workspace.deliveries.all()} == {"delivered"}


def test_hanging_receiver_does_not_delay_others(make_workspace, peers):
    dead, alive = peers(), peers()
    dead.always = "hold"
    workspace = make_workspace(*[dead.url] * 40, events=["spam"])
    other = make_workspace(alive.url)
    for _ in range(5):
        workspace.trigger("spam")
    dead.await_calls(1)

    other.trigger("delivered")

    alive.await_calls(1)
    dead.lets_go.set()


def test_attempt_keeps_its_address_when_the_webhook_moves(make_workspace, peers, ask):
    old, new = peers(), peers()
    workspace = make_workspace(old.url)
    old.always = 429
    workspace.trigger("delivered")
    assert workspace.deliveries.all(state="retrying", wait=10)

    ask(workspace, "PUT", "/webhooks/1", {"url": new.url})
    workspace.clock.advance("PT10M")

    (found,) = workspace.deliveries.all()
    assert [attempt.url for attempt in found.attempts] == [old.url, new.url]
    state = workspace.state.get()
    workspace.state.put(state)
    assert workspace.deliveries.all() == [found]


def test_a_redelivery_has_as_many_attempts_as_the_first_delivery(hooked_workspace, peer):
    peer.answers = [429] * 10
    hooked_workspace.trigger("delivered")
    hooked_workspace.clock.advance("PT12H")
    (made,) = hooked_workspace.deliveries.all(state="dropped")

    hooked_workspace.deliveries.redeliver(made.id)
    hooked_workspace.clock.advance("PT12H")

    assert len(hooked_workspace.deliveries.get(made.id).attempts) == 10


def test_number_of_kept_attempts_is_limited(make_workspace, refusing):
    workspace = make_workspace(refusing, behaviour={"webhook_timeout": "PT1S"})
    (made,) = workspace.trigger("delivered")
    workspace.clock.advance("PT0S")
    for _ in range(120):
        workspace.deliveries.redeliver(made.id)

    found = workspace.deliveries.get(made.id)
    assert (len(found.attempts), found.attempts_evicted) == (100, 21)
    state = workspace.state.get()
    workspace.state.put(state)
    assert workspace.deliveries.get(made.id) == found

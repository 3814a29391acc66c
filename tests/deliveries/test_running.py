"""Clocks that run: calls that are due later are made without a request, at their time."""

import threading
import time
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from mockserver.resources.deliveries import model as attempts

START = datetime(2026, 1, 15, 9, tzinfo=UTC)
#: What a machine that is shared by many may add to the tenth of a second that is promised, in seconds.
SHAKING = 0.9


@pytest.fixture
def arrival(peer):
    """Waits for the first call, and gives the real time at which it came."""
    came, moments = threading.Event(), []

    def note(body):
        moments.append(time.monotonic())
        came.set()

    def when():
        assert came.wait(10)
        return moments[0]

    peer.on_call = note
    when.has_come = came.is_set
    return when


def waiting(url, moment):
    """A delivery that has failed once, and is tried next at a moment."""
    return {
        "id": 1, "target": {"url": url}, "payloads": [{"event": "delivered"}], "events": ["delivered"], "webhook": 1,
        "created_at": "-PT10M", "next_at": moment, "state": "retrying", "failures": 1,
        "attempts": [{"at": "-PT10M", "status": 429}],
    }  # fmt: skip


def test_a_retry_leaves_by_itself_at_its_time(make_workspace, peer, arrival):
    began = time.monotonic()
    workspace = make_workspace(peer.url, frozen=False, deliveries=[waiting(peer.url, "PT0.3S")])
    made = time.monotonic()

    came = arrival()

    assert began + 0.3 <= came <= made + 0.3 + 0.1 + SHAKING
    (found,) = workspace.deliveries.all(state="delivered", wait=10)
    assert found.attempts[-1].at == START + timedelta(seconds=0.3)


@pytest.mark.parametrize("frozen", [True, False])
@pytest.mark.parametrize("way", ["new", "reset", "state"])
def test_retry_that_is_due_in_a_loaded_state_is_made_at_once(make_workspace, peer, frozen, way):
    """No other request comes to the workspace."""
    document = {"clock": {"start": "2026-01-15T09:00:00Z", "frozen": frozen}}
    document["deliveries"] = [waiting(peer.url, "-PT1M" if way == "new" else "PT0S")]
    workspace = make_workspace(**document) if way == "new" else make_workspace()
    if way != "new":
        {"reset": workspace.reset, "state": workspace.state.put}[way](document)

    peer.await_calls(1)


@pytest.mark.parametrize("frozen", [True, False])
def test_a_clock_that_is_thawed_or_advanced_lets_a_retry_be_made(make_workspace, peer, arrival, frozen):
    moment = "PT0.2S" if frozen else "PT10M"
    workspace = make_workspace(peer.url, frozen=frozen, deliveries=[waiting(peer.url, moment)])
    assert not arrival.has_come()

    if frozen:
        workspace.clock.thaw()
    else:
        workspace.clock.advance(minutes=9, seconds=59.5)

    arrival()


def test_a_clock_that_is_frozen_in_time_holds_a_retry_back(make_workspace, peer, arrival, peers):
    workspace = make_workspace(peer.url, frozen=False, deliveries=[waiting(peer.url, "PT0.4S")])
    workspace.clock.freeze()
    other = peers()
    make_workspace(other.url, frozen=False, deliveries=[waiting(other.url, "PT0.6S")])

    other.await_calls(1)  # which is due later

    assert not arrival.has_come()


def test_later_event_of_a_story_leaves_by_itself(make_workspace, peer, arrival):
    workspace = make_workspace(peer.url, frozen=False)

    workspace.story("delivered")  # two seconds later
    workspace.clock.advance(seconds=1.7)

    arrival()


def test_retries_run_automatically_on_a_running_clock(make_workspace, peer, monkeypatch):
    monkeypatch.setattr(attempts, "RETRIES", (timedelta(seconds=0.05),) * 4)
    workspace = make_workspace(peer.url, frozen=False)
    peer.always = 429

    workspace.trigger("delivered")

    peer.await_calls(5)
    (found,) = workspace.deliveries.all(state="dropped", wait=10)
    gaps = {later.at - earlier.at for earlier, later in pairwise(found.attempts)}
    assert gaps == {timedelta(seconds=0.05)}


def test_timers_of_other_machines_fire_by_themselves(make_api):
    """Any request would let the workspace catch up, so the test looks at its rows."""
    changed = threading.Event()
    sender = {"id": 1, "name": "Ada", "email": "a@b.test", "state": "awaiting_verification", "otp_expires_at": "PT0.3S"}
    workspace = make_api({"clock": {"start": "2026-01-15T09:00:00Z"}, "senders": [sender]}).workspace
    changes = workspace.collect_changes()
    workspace.watchers.add(changed.set)

    assert changed.wait(10)

    assert [(change.machine, change.event) for change in changes] == [("sender", "expire_otp")]

"""A call that is cancelled is not made, the outcome of one under way changes nothing, and none is made twice."""

import pytest

from mockserver import MockServerError
from mockserver.core.effects import Jobs


def under_way(workspace, peer):
    peer.answers.append("hold")
    (made,) = workspace.trigger("delivered")
    peer.await_calls(1)
    return made


def delete_webhook(workspace, ask):
    ask(workspace, "DELETE", "/webhooks/1")


CALLED_OFF = {
    "reset": lambda workspace, ask: workspace.reset(),
    "another state": lambda workspace, ask: workspace.state.put(
        {"clock": {"start": "2026-01-15T09:00:00Z", "frozen": True}}
    ),
    "delete of the webhook": delete_webhook,
    "drop": lambda workspace, ask: workspace.drop(),
}


@pytest.mark.parametrize("how", CALLED_OFF)
def test_cancelled_retry_is_not_made(make_workspace, peer, ask, how):
    workspace = make_workspace(peer.url)
    peer.always = 429
    workspace.trigger("delivered")
    assert workspace.deliveries.all(state="retrying", wait=10)

    CALLED_OFF[how](workspace, ask)
    if how == "drop":
        with pytest.raises(MockServerError):
            workspace.clock.advance("PT12H")
    else:
        assert workspace.clock.advance("PT12H") == []

    assert len(peer.bodies) == 1


@pytest.mark.parametrize("how", CALLED_OFF)
def test_outcome_of_a_cancelled_call_is_ignored_and_its_job_holds_no_functions(
    make_workspace, peer, ask, monkeypatch, how
):
    begun, begin = [], Jobs.begin
    with monkeypatch.context() as patch:
        patch.setattr(Jobs, "begin", lambda *given: begun.append(begin(*given)) or begun[-1])
        workspace = make_workspace(peer.url)
        under_way(workspace, peer)

    CALLED_OFF[how](workspace, ask)
    assert [(job.is_wanted, job.written(), job.finish) for job in begun] == [(False, None, None)]
    peer.lets_go.set()
    _pass_by(make_workspace, peer)

    if how == "delete of the webhook":
        assert workspace.clock.advance("PT12H") == []
        (found,) = workspace.deliveries.all()
        assert (found.state, found.attempts, found.in_flight) == ("dropped", (), False)
    elif how != "drop":
        assert workspace.clock.advance("PT12H") == []
        assert workspace.deliveries.all() == []
    assert len(peer.bodies) == 1 + 32


@pytest.mark.parametrize("how", ["reset", "delete of the webhook", "drop"])
def test_cancelled_call_in_the_queue_is_not_made(make_workspace, peer, ask, how):
    """At most sixteen calls are made to one receiver at a time."""
    workspace = make_workspace(peer.url)
    peer.always = "hold"
    for _ in range(24):
        workspace.trigger("delivered")
    peer.await_calls(16)

    CALLED_OFF[how](workspace, ask)
    peer.always = 200
    peer.lets_go.set()
    other = make_workspace(peer.url)
    other.trigger("delivered")
    assert other.deliveries.all(state="delivered", wait=10)

    assert len(peer.bodies) == 16 + 1


def test_the_state_of_a_call_under_way_makes_it_again_at_its_moment(make_workspace, peer):
    workspace = make_workspace(peer.url, frozen=False)
    made = under_way(workspace, peer)

    (written,) = workspace.state.get()["accounts"][0]["deliveries"]

    assert (written["state"], written.get("attempts", [])) == ("scheduled", [])
    peer.lets_go.set()
    (found,) = workspace.deliveries.all(state="delivered", wait=10)
    assert found.id == made.id
    assert written["next_at"] == found.attempts[0].at.isoformat().replace("+00:00", "Z")


def test_a_snapshot_with_a_call_under_way_makes_it_again_when_it_is_restored(make_workspace, peer):
    workspace = make_workspace(peer.url)
    made = under_way(workspace, peer)
    snapshot = workspace.snapshot()
    peer.lets_go.set()
    assert workspace.deliveries.all(state="delivered", wait=10)

    snapshot.restore()

    peer.await_calls(1)  # at once, without another call to the workspace
    (found,) = workspace.deliveries.all(state="delivered", wait=10)
    assert (found.id, len(found.attempts)) == (made.id, 1)
    assert peer.bodies[0] == peer.bodies[1]


def test_the_outcome_of_a_call_is_ignored_once_a_snapshot_is_restored(make_workspace, peer):
    workspace = make_workspace(peer.url)
    under_way(workspace, peer)
    peer.answers = [404]

    workspace.snapshot().restore()
    assert workspace.deliveries.all(state="dropped", wait=10)
    peer.lets_go.set()  # the first one is answered by 200 now
    workspace.clock.advance("PT12H")

    assert [[attempt.status for attempt in found.attempts] for found in workspace.deliveries.all()] == [[404]]


def test_a_state_that_is_loaded_elsewhere_makes_the_call_there(make_workspace, peer):
    workspace = make_workspace(peer.url)
    under_way(workspace, peer)

    other = make_workspace()
    other.state.put(workspace.state.get())
    peer.await_calls(1)
    peer.lets_go.set()

    for one in (workspace, other):
        assert len(one.deliveries.all(state="delivered", wait=10)) == 1


def test_a_retry_is_kept_by_a_state_with_its_moment_and_its_count(make_workspace, peer):
    workspace = make_workspace(peer.url)
    peer.always = 429
    workspace.trigger("delivered")
    workspace.clock.advance("PT30M")

    other = make_workspace()
    other.state.put(workspace.state.get())
    fired = other.clock.advance("PT12H")

    events = [(f"{row.at:%H:%M}", row.event) for row in fired]
    assert events == [("10:10", "fail"), ("12:10", "fail"), ("20:10", "give_up")]
    assert len(peer.bodies) == 2 + 3


def test_the_outcome_of_a_call_of_a_deleted_account_is_ignored(make_workspace, peer, ask, caplog):
    workspace = make_workspace(
        accounts=[
            {"name": "boss", "role": "master"},
            {
                "name": "sub", "role": "sub_account", "of": "boss", "id": 77,
                "webhooks": [{"url": peer.url, "events": ["delivered"]}],
            },
        ]
    )  # fmt: skip
    peer.always = "hold"
    workspace.trigger("delivered", account="sub")
    peer.await_calls(1)

    ask(workspace, "DELETE", "/corporate/subAccount/77")
    met = workspace.coverage.report()["transitions"]["delivery"]
    assert workspace.clock.advance("PT12H") == []  # which waits for no call
    peer.lets_go.set()
    _pass_by(make_workspace, peer)

    assert workspace.coverage.report()["transitions"]["delivery"] == met
    assert caplog.text == ""


@pytest.mark.parametrize("event", ["succeed", "fail", "give_up", "cancel"])
def test_an_event_by_hand_comes_before_the_call_under_way(make_workspace, peer, event):
    workspace = make_workspace(peer.url)
    made = under_way(workspace, peer)

    found = workspace.machines.fire("delivery", made.id, event)
    peer.lets_go.set()
    workspace.clock.advance("PT0S")

    now = workspace.deliveries.get(made.id)
    assert (now.state, now.attempts, now.in_flight) == (found.state, (), False)


def test_a_call_under_way_is_not_made_again_by_hand(make_workspace, peer):
    workspace = make_workspace(peer.url)
    made = under_way(workspace, peer)

    with pytest.raises(MockServerError, match=f"delivery {made.id} is under way") as refusal:
        workspace.deliveries.redeliver(made.id)

    assert refusal.value.status == 409
    peer.lets_go.set()


def test_a_redelivery_ends_with_its_workspace(make_workspace, peer, later):
    workspace = make_workspace(peer.url)
    (made,) = workspace.trigger("delivered")
    assert workspace.deliveries.all(state="delivered", wait=10)
    peer.answers = ["hold"]
    answered = later(workspace.deliveries.redeliver, made.id)
    peer.await_calls(2)

    workspace.reset()

    assert answered().status == 404
    peer.lets_go.set()


def test_an_advance_ends_when_its_workspace_is_given_another_state(make_workspace, peer, later, await_watcher):
    workspace = make_workspace(peer.url)
    under_way(workspace, peer)
    moved = later(workspace.clock.advance, "PT12H")
    await_watcher()

    workspace.reset()

    assert moved().status == 409
    assert workspace.clock.now.hour == 9
    peer.lets_go.set()


def _pass_by(make_workspace, peer):
    """Wait until the outcomes of earlier calls to the receiver have reached the server."""
    peer.always = 200
    other = make_workspace(peer.url)
    for _ in range(32):
        other.trigger("delivered")
    other.clock.advance("PT0S")

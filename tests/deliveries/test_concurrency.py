"""Calls and requests at the same time: no request waits without need, and none misses what it waits for."""

import asyncio
import threading
import time
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection

import pytest
from background_server import in_background
from werkzeug.serving import make_server

from mockserver import MockServer, Settings, create_app
from mockserver.web.server import runner

START = datetime(2026, 1, 15, 9, tzinfo=UTC)
SHORT = {"webhook_timeout": "PT0.3S"}


def test_requests_that_come_during_an_advance_see_the_moment_reached(hooked_workspace, peer, ask, later, await_watcher):
    peer.answers = [429, "hold"]
    hooked_workspace.trigger("delivered")
    moved = later(hooked_workspace.clock.advance, "PT12H")
    peer.await_calls(2)
    await_watcher()

    assert hooked_workspace.clock.now == START + timedelta(minutes=10)
    assert ask(hooked_workspace, "GET", "/webhooks")["webhooks"]
    assert [found.in_flight for found in hooked_workspace.deliveries.all()] == [True]
    peer.lets_go.set()

    assert [(row.at, row.event) for row in moved()] == [(START + timedelta(minutes=10), "succeed")]
    assert hooked_workspace.clock.now == START + timedelta(hours=12)


def test_two_advances_at_once_both_arrive_and_nothing_is_made_twice(hooked_workspace, peer, later, await_watcher):
    peer.answers, peer.always = ["hold", 429], 429
    peer.after_hold = 429
    hooked_workspace.trigger("delivered")
    moves = [later(hooked_workspace.clock.advance, by) for by in ("PT1H", "PT12H")]
    await_watcher(2)
    peer.lets_go.set()

    assert all(isinstance(moved(), list) for moved in moves)

    assert hooked_workspace.clock.now == START + timedelta(hours=12)
    (found,) = hooked_workspace.deliveries.all()
    assert [(attempt.at - START) / timedelta(minutes=1) for attempt in found.attempts] == [0, 10, 70, 190, 670]
    assert len(peer.bodies) == 5


def test_a_receiver_may_look_at_the_workspace_that_calls_it(hooked_workspace, peer, ask):
    seen = []
    peer.on_call = lambda body: seen.append(
        (hooked_workspace.clock.now, ask(hooked_workspace, "GET", "/webhooks")["webhooks"][0]["id"])
    )

    hooked_workspace.trigger("delivered")
    hooked_workspace.clock.advance("PT0S")

    assert seen == [(START, 1)]
    assert [found.state for found in hooked_workspace.deliveries.all()] == ["delivered"]


def test_a_receiver_may_let_more_happen_while_an_advance_waits_for_it(make_workspace, peer):
    workspace = make_workspace(peer.url)
    peer.on_call = lambda body: workspace.trigger("delivered") if len(peer.bodies) < 4 else None

    workspace.trigger("delivered")
    workspace.clock.advance("PT1M")

    assert [found.state for found in workspace.deliveries.all()] == ["delivered"] * 4
    assert {attempt.at for found in workspace.deliveries.all() for attempt in found.attempts} == {START}


def test_a_receiver_that_advances_the_clock_and_so_waits_for_itself_runs_out_of_time(make_workspace, peer):
    """The advance waits for the call, whose receiver waits for the advance, until the timeout of webhooks is over."""
    workspace = make_workspace(peer.url, behaviour=SHORT)
    moved = threading.Event()

    def move(body):
        if len(peer.bodies) == 1:
            workspace.clock.advance("PT1M")
            moved.set()

    peer.on_call = move
    workspace.trigger("delivered")

    assert moved.wait(10)
    (found,) = workspace.deliveries.all()
    assert (found.state, found.attempts[0].error) == ("retrying", "no answer within 0.3 seconds")
    assert (found.next_at, workspace.clock.now) == (START + timedelta(minutes=10), START + timedelta(minutes=1))


def test_the_mocks_own_receiver_is_called_while_an_advance_waits_for_it(make_workspace, ask):
    workspace = make_workspace()
    receiver = workspace.receiver()
    receiver.answer(429, delay_ms=20, times=2)
    ask(workspace, "POST", "/webhooks", {"url": receiver.url, "events": ["delivered"]})
    workspace.trigger("delivered")

    workspace.clock.advance("PT12H")

    assert [found.state for found in workspace.deliveries.all()] == ["delivered"]
    assert [call.at - START for call in receiver.calls()] == [timedelta(minutes=minutes) for minutes in (70, 10, 0)]


def test_a_result_that_arrives_just_when_somebody_begins_to_wait_is_not_missed(
    hooked_workspace, peer, later, monkeypatch
):
    """The result arrives after a request has looked for the last time, and before it is suspended."""
    real = runner._changed  # noqa: SLF001  # that is where a request begins to wait

    async def hesitate(suspended, receive):
        peer.lets_go.set()
        while suspended.workspace.watchers.happened(suspended.kinds) == suspended.seen:  # noqa: ASYNC110  # there is no event for it
            await asyncio.sleep(0)
        return await real(suspended, receive)

    peer.answers = ["hold"]
    hooked_workspace.trigger("delivered")
    peer.await_calls(1)
    monkeypatch.setattr(runner, "_changed", hesitate)
    began = time.monotonic()

    found = later(hooked_workspace.deliveries.all, state="delivered", wait=9)()

    assert len(found) == 1
    assert time.monotonic() - began < 5


def test_waiting_never_outlasts_the_result(hooked_workspace, peer):
    began = time.monotonic()
    for _ in range(100):
        hooked_workspace.trigger("delivered")
        assert len(hooked_workspace.deliveries.all(state="delivered", wait=20)) == 1
        hooked_workspace.reset()
    assert time.monotonic() - began < 15


@pytest.fixture
def threaded(peer):
    """A workspace under an ordinary WSGI server with threads, whose webhook leads to the receiver."""
    app = create_app(Settings(scenario="empty"))
    with (
        in_background(make_server("127.0.0.1", 0, app, threaded=True)) as running,
        MockServer.connect(f"http://127.0.0.1:{running.server_port}") as server,
    ):
        hooks = [{"id": 1, "url": peer.url, "events": ["delivered"]}]
        clock = {"start": "2026-01-15T09:00:00Z", "frozen": True}
        yield server.workspace({"clock": clock, "behaviour": SHORT, "webhooks": hooks})
    app.effects.close()


def test_an_advance_waits_in_its_thread(threaded, peer):
    peer.answers = [429, "reset", "hold"]
    peer.on_call = lambda body: threaded.clock.now
    threaded.trigger("delivered")

    threaded.clock.advance("PT12H")

    (found,) = threaded.deliveries.all()
    assert (found.state, len(found.attempts)) == ("delivered", 4)


def test_a_receiver_of_the_mock_itself_is_served_by_another_thread(threaded):
    receiver = threaded.receiver()
    connection = HTTPConnection(receiver.url.split("/")[2], timeout=10)
    body = f'{{"url": "{receiver.url}", "events": ["spam"]}}'
    headers = {"api-key": threaded.api_key, "Content-Type": "application/json"}
    connection.request("POST", f"/w/{threaded.name}/v3/webhooks", body, headers)
    assert connection.getresponse().status == 201
    connection.close()

    (made,) = threaded.trigger("spam")

    assert len(receiver.calls(count=1, wait=10)) == 1
    assert threaded.deliveries.all(state="delivered", wait=10)
    assert threaded.deliveries.redeliver(made.id).state == "delivered"

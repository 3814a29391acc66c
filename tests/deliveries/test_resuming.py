"""Calls that were under way when a server ended are made by the next start, which has its workspaces."""

from functools import partial

import pytest

from mockserver import MockServer
from mockserver.app.server_effects import ServerEffects

START = "2026-01-15T09:00:00Z"
PATIENCE = 10


@pytest.fixture
def start(tmp_path):
    """A factory of servers, one after the other, that have the workspaces of those before."""
    return partial(MockServer, store=f"sqlite:{tmp_path / 'store.db'}")


@pytest.fixture
def scenario(peer):
    hooks = [{"id": 1, "url": peer.url, "events": ["delivered"]}]
    return {"clock": {"start": START, "frozen": True}, "webhooks": hooks}


def under_way(start, scenario, peer, calls=1):
    """A server ends while some calls are under way; returns the ids of their deliveries."""
    peer.answers = ["hold"] * calls
    with start() as server:
        workspace = server.workspace(scenario, name="w")
        for _ in range(calls):
            workspace.trigger("delivered")
        peer.await_calls(calls)
        return [delivery.id for delivery in workspace.deliveries.all()]


def again(server):
    [workspace] = [row for row in server.workspaces() if row.name == "w"]
    return workspace


@pytest.mark.parametrize("calls", [1, 8])
def test_interrupted_calls_are_repeated_with_their_ids_at_the_start(start, scenario, peer, calls):
    ids = under_way(start, scenario, peer, calls)

    with start() as server:
        peer.await_calls(calls)
        workspace = again(server)
        workspace.clock.advance("PT0S")  # which waits for the outcomes
        delivered = workspace.deliveries.all(state="delivered")

    assert sorted(delivery.id for delivery in delivered) == sorted(ids)
    assert [attempt.status for delivery in delivered for attempt in delivery.attempts] == [200] * calls
    sent = [body["message-id"] for body in peer.bodies]
    assert sorted(sent[:calls]) == sorted(sent[calls:])


def test_repeated_call_that_fails_is_retried(start, scenario, peer):
    under_way(start, scenario, peer)
    peer.answers = [429]

    with start() as server:
        workspace = again(server)
        assert workspace.deliveries.all(state="retrying", wait=PATIENCE)
        workspace.clock.advance("PT10M")
        [delivery] = workspace.deliveries.all(state="delivered", wait=PATIENCE)

    assert [attempt.status for attempt in delivery.attempts] == [429, 200]


def test_call_is_repeated_at_each_start_until_it_ends(start, scenario, peer):
    under_way(start, scenario, peer)
    for _ in range(2):
        peer.answers = ["hold"]
        with start():
            peer.await_calls(1)

    with start() as server:
        assert again(server).deliveries.all(state="delivered", wait=PATIENCE)
    assert len(peer.bodies) == 4


def test_retry_due_between_servers_is_made_at_the_start(start, scenario, peer):
    """A running clock goes on."""
    peer.answers = [429]
    with start() as server:
        workspace = server.workspace({**scenario, "clock": {"start": START}}, name="w")
        workspace.trigger("delivered")
        assert workspace.deliveries.all(state="retrying", wait=PATIENCE)
        workspace.clock.advance("PT9M59.9S")

    with start():
        peer.await_calls(2)


def test_call_that_falls_due_while_a_server_stops_is_made_by_the_next(start, scenario, peer, monkeypatch):
    call = ServerEffects.call

    def call_late(effects, url, job):
        effects.close()
        call(effects, url, job)

    with monkeypatch.context() as patch, start() as server:
        patch.setattr(ServerEffects, "call", call_late)
        server.workspace(scenario, name="w").trigger("delivered")

    with start() as server:
        assert again(server).deliveries.all(state="delivered", wait=PATIENCE)
    assert len(peer.bodies) == 1


def test_reset_cancels_repeated_calls(start, scenario, peer):
    under_way(start, scenario, peer)
    peer.answers = ["hold"]

    with start() as server:
        workspace = again(server)
        peer.await_calls(1)
        workspace.reset()
        peer.lets_go.set()
        assert workspace.deliveries.all() == []

"""A server ends at once, whatever hangs, and leaves nothing behind."""

import signal
import subprocess
import sys
import time

import pytest

from mockserver import MockServer

#: The most seconds that a stop may take, with others on the machine; a call that is held takes longer.
SOON_S = 5
SCENARIO = {"clock": {"start": "2026-01-15T09:00:00Z"}}
#: How the names of the threads of a server begin.
OURS = ("dispatcher", "timer thread", "mockserver")


def hooked(server, url):
    return server.workspace({**SCENARIO, "webhooks": [{"url": url, "events": ["delivered"]}]})


def test_servers_leave_no_threads_behind(peer, begun):
    for _ in range(3):
        with MockServer() as server:
            workspace = hooked(server, peer.url)
            peer.answers = [429]
            workspace.trigger("delivered")
            assert workspace.deliveries.all(state="retrying", wait=10)  # whose retry the timer thread awaits
            assert begun(*OURS)

    assert begun(*OURS) == []


def test_a_stop_waits_for_no_receiver_and_its_thread_ends_with_the_call(peer, begun):
    peer.answers = ["hold"]
    with MockServer() as server:
        hooked(server, peer.url).trigger("delivered")
        peer.await_calls(1)
        began = time.monotonic()
    assert time.monotonic() - began < SOON_S

    left = begun(*OURS)
    peer.lets_go.set()
    for thread in left:
        thread.join(10)
        assert not thread.is_alive()


def test_a_call_that_waits_for_its_turn_is_not_made_after_a_stop(peer, begun):
    peer.always = "hold"
    with MockServer() as server:
        workspace = hooked(server, peer.url)
        for _ in range(24):
            workspace.trigger("delivered")
        peer.await_calls(16)
    peer.lets_go.set()

    for thread in begun(*OURS):
        thread.join(10)
    assert len(peer.bodies) == 16


@pytest.mark.parametrize("waiting", [False, True])
def test_a_server_ends_soon_after_a_sigterm(peer, later, waiting):
    peer.always = "hold"
    command = [sys.executable, "-m", "mockserver", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        with MockServer.connect(process.stdout.readline().strip()) as server:
            workspace = hooked(server, peer.url)
            for _ in range(24):
                workspace.trigger("delivered")
            peer.await_calls(16)
            moved = later(workspace.clock.advance, "PT12H") if waiting else None
            began = time.monotonic()
            process.send_signal(signal.SIGTERM)
            assert process.wait(10) == 0
        assert time.monotonic() - began < SOON_S
        assert moved is None or isinstance(moved(), Exception)

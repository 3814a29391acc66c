"""Many deliveries at once: those above a limit are evicted and counted, and none is lost."""

import statistics
import time
from collections import Counter

import pytest

from mockserver import MockServer

HOOKS = 40
FROZEN = {"clock": {"start": "2026-01-15T09:00:00Z", "frozen": True}, "behaviour": {"webhook_limit": 100}}


def workspace_of(server, url, hooks=HOOKS):
    return server.workspace({**FROZEN, "webhooks": [{"url": url, "events": ["delivered"]} for _ in range(hooks)]})


def accounted(server, workspace):
    """How many deliveries there are in each state, and how many were evicted."""
    found, offset = Counter(), 0
    while True:
        page = server.client.json(
            "GET", "/_mock/deliveries", query={"limit": 1000, "offset": offset},
            headers={"X-Mock-Workspace": workspace.name},
        )  # fmt: skip
        found.update(row["state"] for row in page["items"])
        offset += len(page["items"])
        if offset >= page["count"]:
            return found, page["evicted"]


def test_the_oldest_deliveries_are_evicted_when_there_are_too_many(peer):
    peer.always = "hold"
    with MockServer(deliveries_limit=10) as server:
        workspace = workspace_of(server, peer.url, hooks=5)
        for _ in range(5):
            workspace.trigger("delivered")

        assert [found.id for found in workspace.deliveries.all()] == list(range(25, 15, -1))
        assert accounted(server, workspace) == ({"scheduled": 10}, 15)
        peer.lets_go.set()
        workspace.clock.advance("PT0S")
        assert accounted(server, workspace) == ({"delivered": 10}, 15)


def test_finished_deliveries_are_evicted_before_those_that_are_still_to_be_made(peer):
    with MockServer(deliveries_limit=3) as server:
        workspace = workspace_of(server, peer.url, hooks=1)
        peer.answers = [429, 200, 404]
        for state in ("retrying", "delivered", "dropped"):
            workspace.trigger("delivered")
            assert workspace.deliveries.all(state=state, wait=10)

        workspace.trigger("delivered")
        workspace.clock.advance("PT0S")

        assert [(found.id, found.state) for found in workspace.deliveries.all()] == [
            (4, "delivered"), (3, "dropped"), (1, "retrying"),
        ]  # fmt: skip


def test_loaded_state_with_too_many_deliveries_is_cut_down(peer):
    with MockServer() as large, MockServer(deliveries_limit=2) as small:
        workspace = workspace_of(large, peer.url, hooks=4)
        workspace.trigger("delivered")
        workspace.clock.advance("PT0S")
        other = small.workspace("empty")

        other.state.put(workspace.state.get())

        assert accounted(small, other) == ({"delivered": 2}, 2)


@pytest.mark.slow
def test_thousands_of_calls_lose_nothing_and_slow_no_answers(peers, ask):
    """Two thousand calls: to a receiver that is slow, one that fails, and one that stops listening."""
    slow, failing = peers(), peers()
    slow.on_call = lambda body: time.sleep(0.002)
    failing.always = 404
    with MockServer(deliveries_limit=1_500) as server:
        hooks = [{"url": url, "events": ["delivered"]} for url in (slow.url, failing.url) for _ in range(20)]
        workspace = server.workspace({**FROZEN, "webhooks": hooks})
        idle = _median(server, workspace)
        for _ in range(50):
            workspace.trigger("delivered")
        busy = _median(server, workspace)
        found, evicted = accounted(server, workspace)
        assert sum(found.values()) + evicted == 2_000
        workspace.clock.advance("PT12H")

        found, evicted = accounted(server, workspace)
        assert found.keys() == {"delivered", "dropped"}
        assert (sum(found.values()), evicted) == (1_500, 500)
    # A shared machine shakes; what hangs would cost a thousand times as much.
    assert busy < 20 * idle + 0.05


def _median(server, workspace):
    path = f"{workspace.url.removeprefix(server.url)}/senders"
    taken = []
    for _ in range(50):
        began = time.perf_counter()
        server.client.call("GET", path, headers={"api-key": workspace.api_key})
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)

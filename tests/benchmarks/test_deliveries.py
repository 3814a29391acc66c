"""Four thousand calls to a slow receiver: what they cost those who ask the API meanwhile, and how much memory.

Absolute figures are printed; what fails is compared with how long a call takes, and with how many there are.
"""

import statistics
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from background_server import in_background
from benchmarks.bench import MOCK, resident_mb, started

from mockserver import MockServer

pytestmark = pytest.mark.benchmark

HOOKS, ROUNDS = 100, 40
#: How long the receiver takes for each call, in seconds.
SLOW = 0.02


class _Slow(BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        time.sleep(SLOW)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256


@pytest.fixture
def slow():
    """The address of a receiver that takes its time."""
    with in_background(_Server(("127.0.0.1", 0), _Slow)) as running:
        yield f"http://127.0.0.1:{running.server_port}/"


def median_ms(server, workspace, times=300):
    """How long `GET /v3/senders` takes."""
    path = f"/w/{workspace.name}/v3/senders"
    taken = []
    for _ in range(times):
        began = time.perf_counter()
        server.client.call("GET", path, headers={"api-key": workspace.api_key})
        taken.append((time.perf_counter() - began) * 1000)
    return statistics.median(taken)


def states(server, workspace):
    """How many calls are in which state, and how many had to go."""
    found = {}
    for state in ("scheduled", "delivered", "retrying", "dropped"):
        query = {"state": state, "limit": 1}
        page = server.client.json("GET", "/_mock/deliveries", query=query, headers={"X-Mock-Workspace": workspace.name})
        found[state] = page["count"]
    return found, page["evicted"]


@pytest.mark.parametrize("limit", [8_000, 2_000])
def test_four_thousand_calls_to_a_slow_receiver_delay_nobody(show, slow, limit):
    hooks = [{"url": slow, "events": ["delivered"]} for _ in range(HOOKS)]
    clock = {"start": "2026-01-15T09:00:00Z", "frozen": True}
    with started([*MOCK, "empty", "--log-format", "off", "--deliveries-limit", str(limit)]) as (root, process):
        server = MockServer.connect(root)
        workspace = server.workspace({"clock": clock, "behaviour": {"webhook_limit": HOOKS}, "webhooks": hooks})
        idle, before = median_ms(server, workspace), resident_mb(process)
        began = time.perf_counter()
        for _ in range(ROUNDS):
            workspace.trigger("delivered")
        raised = time.perf_counter() - began
        busy = median_ms(server, workspace)
        workspace.clock.advance("PT0S")  # waits for all of them
        over = time.perf_counter() - began
        after, (found, evicted) = resident_mb(process), states(server, workspace)
        server.stop()

    show(
        f"GET /v3/senders idle {idle:.2f} ms, with 4,000 calls under way {busy:.2f} ms; raised in {raised:.1f} s, "
        f"over in {over:.1f} s; memory {before:.0f} MB, then {after:.0f} MB"
    )
    assert sum(found.values()) + evicted == HOOKS * ROUNDS
    assert found["delivered"] == min(limit, HOOKS * ROUNDS)
    assert busy < SLOW * 1000 / 2  # to wait for a single call would take twice that
    assert after - before < 60

"""What open pages of the dashboard cost the API, and how they bear a busy or a large workspace."""

import threading
import time
import urllib.request
from contextlib import ExitStack, contextmanager

import pytest
from benchmarks.bench import KEY, MOCK, get, part_of, post
from benchmarks.connections import request
from benchmarks.processor import REQUESTS, Load, in_turns, servers

from mockserver.dashboard.application import PAGES

pytestmark = pytest.mark.benchmark

#: How many turns each server has: together some seconds, in which every page is fetched again and again.
_TURNS = part_of(150)
#: What `live.js` has as well: how often it is told at most, and which part of the time fetching takes.
_EVERY_S, _SHARE = 1, 0.01
#: The pages that show what comes with each request.
_BUSY = ("requests", "requests", "coverage", "workspaces", "machines")
_LARGE = {
    "extends": "standard",
    "accounts": [{"name": "acme", "generate": {"senders": 20_000, "domains": 10_000, "inbound_events": 20_000}}],
}


class OpenPage(threading.Thread):
    """Does over the wire what an open page does: it hears news, and fetches itself again."""

    def __init__(self, root, name):
        super().__init__(daemon=True)
        self._address = f"{root}/_mock/ui/{name}"
        self._stream = urllib.request.urlopen(f"{root}/_mock/stream?every={_EVERY_S}&heartbeat=1")
        self._is_over, self._has_come = threading.Event(), threading.Event()
        self.fetched = 0

    def run(self):
        not_before = 0
        for line in self._stream:
            if self._is_over.is_set():
                return
            if line.startswith(b"data:"):
                self._is_over.wait(not_before - time.monotonic())
                with urllib.request.urlopen(self._address) as answer:
                    answer.read()
                took = float(answer.headers["Server-Timing"].partition("dur=")[2]) / 1000
                not_before = time.monotonic() + took / _SHARE
                self.fetched += 1
                self._has_come.set()

    def wait_for_first(self):
        assert self._has_come.wait(20)

    def close(self):
        self._is_over.set()
        self.join()
        self._stream.close()


@contextmanager
def opened(root):
    with ExitStack() as stack:
        pages = [OpenPage(root, name) for name in _BUSY]
        for page in pages:
            page.start()
            stack.callback(page.close)
        get(f"{root}/v3/senders")
        yield pages


def test_five_open_pages_cost_less_than_a_twentieth(show):
    """Of all turns together and not of the median one: most turns have no page in them."""
    command, read = [*MOCK, "standard"], [request("GET", "/v3/senders", KEY)] * REQUESTS
    with servers(command, command) as both, opened(both[0].root) as pages:
        for page in pages:
            page.wait_for_first()  # which imports the dashboard
        turns = in_turns(*(Load(server, read) for server in both), turns=_TURNS)
        fetched = sum(page.fetched for page in pages)

    watched, alone = (sum(each) for each in zip(*turns, strict=True))
    more = watched / alone - 1
    show(f"five open pages: {more:+.1%} of the processor for a request, fetched {fetched} times")
    assert more < 0.05


def test_every_page_of_a_large_workspace_is_there_within_a_fifth_of_a_second(show):
    with servers([*MOCK, "standard"]) as [server]:
        post(f"{server.root}/_mock/reset", {"scenario": _LARGE})
        took = {page.name: _milliseconds(f"{server.root}/_mock/ui/{page.name}") for page in PAGES}

    show(", ".join(f"{name} {ms:.0f} ms" for name, ms in took.items()) + " with 50,000 rows")
    assert max(took.values()) < 200


def _milliseconds(address):
    """How long a page takes, the best of some: the first time its templates are read."""
    taken = []
    for _ in range(4):
        begun = time.perf_counter()
        with urllib.request.urlopen(address) as answer:
            answer.read()
        taken.append((time.perf_counter() - begun) * 1000)
    return min(taken)

"""What a balancer before replicas costs, and what three of them give where there is a core for each.

On a machine with two cores three cannot be seen to answer three times as much. But one that has a core for itself shows
how much of it each request takes, asked directly and through the balancer, and the balancer how much of the other core.
Run it with `pytest -m benchmark tests/benchmarks/test_spread.py`; wrk makes the load.
"""

from __future__ import annotations

import os
import re
import statistics
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest
from benchmarks.bench import HERE
from benchmarks.processor import SERVER_CORE, load_core
from load_balancer import BALANCERS, Replica, Spread

pytestmark = pytest.mark.benchmark

TURNS, WORKSPACES = 3, 12
#: So many times as much as one replica answers by itself, three answer at least.
LEAST = 2.2
_TICKS = os.sysconf("SC_CLK_TCK")


class Cost(NamedTuple):
    """The processor time for a request, in microseconds."""

    replica: float
    balancer: float


def seconds(process):
    """The processor time of a process and of those that it has started."""
    parts = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return (int(parts[11]) + int(parts[12])) / _TICKS + sum(map(seconds, children))


def cost(url, keys, replica, balancer):
    """What a second of requests costs, with one key after the other."""

    def used():
        return seconds(replica.process.pid), seconds(balancer.pid)

    before = used()
    command = ["wrk", "-t1", "-c16", "-d1s", "-s", str(HERE / "keys.lua"), f"{url}/v3/senders", "--", *keys]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "Non-2xx" not in told
    assert "Socket errors" not in told
    count = int(re.search(r"(\d+) requests in", told)[1])
    return Cost(*((after - earlier) / count * 1e6 for after, earlier in zip(used(), before, strict=True)))


@pytest.fixture(scope="module")
def replica():
    """The first of the replicas, which has a core for itself."""
    found = Replica("0")
    found.start()
    os.sched_setaffinity(found.process.pid, SERVER_CORE)
    try:
        found.wait()
        yield found
    finally:
        found.kill()


@pytest.mark.parametrize("name", BALANCERS)
def test_three_replicas_answer_more_than_twice_as_much_as_one(name, replica, tmp_path, show):
    with load_core():
        spread = Spread(name, [replica], tmp_path)
        spread.start()
        try:
            keys = [spread.make_on(replica)["api_key"] for _ in range(WORKSPACES)]
            turns = [
                (cost(replica.url, keys, replica, spread.process), cost(spread.url, keys, replica, spread.process))
                for _ in range(TURNS)
            ]
        finally:
            spread.stop()

    alone = statistics.median(direct.replica for direct, _ in turns)
    behind, balancer = (statistics.median(column) for column in zip(*(led for _, led in turns), strict=True))
    gain = 3 * alone / behind
    show(
        f"{name}: {alone:.0f} µs a request asked directly; through it {behind:.0f} µs, and {balancer:.0f} µs of its "
        f"own; with a core each, three replicas answer {gain:.1f} times as much as one"
    )
    assert gain >= LEAST

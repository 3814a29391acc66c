"""A database that is full, or that a network swallows: it fills no faster than it must, and nobody waits for long."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
import redis
from examples import rounds

GROUP = {
    "accounts": [
        {"name": "acme", "id": 1, "role": "master"},
        {"name": "sub", "id": 2, "role": "sub_account", "of": "acme"},
    ]
}
#: How many bytes of Redis a key may take.
BYTES_A_KEY = 2_000


def used_memory(engine):
    """How many bytes the data of a database take, whatever its connections take."""
    with redis.Redis.from_url(engine.url()) as client:
        return sum(client.memory_usage(key, samples=0) or 0 for key in client.scan_iter())  # a key may run out


@pytest.mark.parametrize("count", [300, pytest.param(rounds(4_800), marks=pytest.mark.slow)])
def test_each_key_takes_as_much_of_the_database_as_the_one_before(make_cluster, engine, count):
    cluster = make_cluster(engine.url(), 2)
    made = cluster.make(scenario=GROUP)

    def create():
        body = {"id": 2, "name": "CI"}
        assert cluster.ask("POST", "/v3/corporate/subAccount/key", key=made["api_key"], json=body).status_code == 201

    sizes = [used_memory(engine)]
    for _ in range(2):
        for _ in range(count // 2):
            create()
        sizes.append(used_memory(engine))

    first, second = (after - before for before, after in pairwise(sizes))
    assert second < 1.5 * max(first, 100_000)
    assert first + second < BYTES_A_KEY * count + 500_000


@pytest.fixture
def cluster(make_cluster, proxy):
    """Two servers that reach their database by a line that a test can make bad."""
    return make_cluster(f"redis://127.0.0.1:{proxy.port}/0", 2)


def timed(ask):
    """The status of an answer, and how many seconds it took."""
    begun = time.monotonic()
    return ask().status_code, time.monotonic() - begun


def test_nobody_waits_for_long_while_a_network_swallows_all_and_all_goes_on_after_it(cluster, proxy):
    server = cluster.servers[0]
    made = cluster.make(server=server)

    def ask():
        return cluster.ask("GET", "/v3/account", server=server, key=made["api_key"])

    proxy.silence()
    with ThreadPoolExecutor(100) as pool:
        asked = [pool.submit(timed, ask) for _ in range(100)]
        time.sleep(0.5)
        alive = [timed(lambda: cluster.ask("GET", "/_mock/livez", server=server)) for _ in range(5)]
        time.sleep(2)
        ready = timed(lambda: cluster.ask("GET", "/_mock/readyz", server=server))
        answers = [one.result() for one in asked]
    proxy.pass_all()
    time.sleep(2)

    assert {status for status, _ in answers} == {503}
    assert max(seconds for _, seconds in answers) < 3.5
    assert {status for status, _ in alive} == {200}
    assert sorted(seconds for _, seconds in alive)[2] < 0.2
    assert ready[0] == 503
    assert ready[1] < 1
    assert ask().status_code == 200

"""Servers that are killed under load, one after the other: what was acknowledged is there, and nothing is stuck."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from random import Random

import pytest
from examples import rounds
from storage.crowd import Crowd
from storage.promises import Promises

pytestmark = pytest.mark.slow

#: How often there is a load during which servers are killed.
ROUNDS = rounds(4)
#: How long clients make a load until what was acknowledged is looked for, and how long one kill is after the other.
ROUND_S, PAUSE_S = 16, 2.0
#: How long a client rests between two things that it does, in seconds.
REST_S = 0.05
#: How many workspaces there are in which clients create and move things, and how many in which calls are made.
NAMED = {"crowd": 4, "calls": 2}
#: What a client may be told while a server is away: by nginx, or by another server that has not heard of it yet.
EXCUSED = (502, 503, 504)


class Clients:
    """Clients of some workspaces, who know what was acknowledged."""

    def __init__(self, cluster, receiver, number):
        self._cluster = cluster
        crowds, callers = ([f"{kind}-{number}-{each}" for each in range(count)] for kind, count in NAMED.items())
        self._names = [*crowds, *callers]
        self._clients = [
            *(Crowd(name, excused=EXCUSED, pause_s=REST_S) for name in crowds),
            *(Promises(name, receiver, excused=EXCUSED, pause_s=REST_S) for name in callers),
        ]

    @contextmanager
    def load(self):
        """All clients at once, each in a thread."""
        over = threading.Event()
        with ThreadPoolExecutor(len(self._clients)) as pool:
            played = [pool.submit(client.play, self._cluster.url, over) for client in self._clients]
            try:
                yield
            finally:
                over.set()
        for one in played:
            one.result()

    def check(self):
        """Hold that all is there that was acknowledged, and that no workspace is stuck."""
        for client in self._clients:
            assert client.check(self._cluster.url, lambda _: True) is None
        for name in self._names:
            for server in self._cluster.servers:
                path, body = f"/w/{name}/v3/senders", {"name": "Ops", "email": f"{server.port}@acme.test"}
                assert self._cluster.ask("POST", path, server=server, key="any", json=body).status_code == 201


@pytest.fixture
def clients(receiver):
    """A factory of clients, by a number that their workspaces have in their names."""
    return lambda cluster, number: Clients(cluster, receiver, number)


@pytest.mark.timeout(300 + 30 * ROUNDS)
def test_acknowledged_changes_survive_the_death_of_servers(cluster, clients):
    random = Random(1)
    for number in range(ROUNDS):
        load = clients(cluster, number)
        with load.load():
            for _ in range(int(ROUND_S / PAUSE_S)):
                time.sleep(PAUSE_S * random.uniform(0.7, 1.1))
                victim = random.choice(cluster.servers)
                victim.kill()
                victim.start()
                victim.wait()
        load.check()

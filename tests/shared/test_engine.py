"""An engine that is away, slow, full or cut off: servers say so, nothing is half done, and they go on by themselves."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from functools import partial

import pytest
from cluster import SharingServer
from load_balancer import until

pytestmark = pytest.mark.slow


@pytest.fixture
def cluster(make_cluster, proxy):
    """Two servers that reach their engine by a line that a test can make bad."""
    return make_cluster(f"redis://127.0.0.1:{proxy.port}/0", 2)


@pytest.fixture
def made(cluster):
    """A workspace that the first server has made."""
    return cluster.make(server=cluster.servers[0])


#: How each trouble begins and ends.
TROUBLES = {
    "away": lambda engine, proxy: (engine.kill, engine.start),
    "refused": lambda engine, proxy: (proxy.refuse, proxy.pass_all),
    "cut in the middle": lambda engine, proxy: (partial(proxy.keep_of_replies, 0.5), proxy.pass_all),
    "without a reply": lambda engine, proxy: (partial(proxy.keep_of_replies, 0), proxy.pass_all),
    "silent": lambda engine, proxy: (proxy.silence, proxy.pass_all),
    "standing still": lambda engine, proxy: [
        partial(engine.signal, number) for number in (signal.SIGSTOP, signal.SIGCONT)
    ],
    "full": lambda engine, proxy: [partial(engine.command, f"CONFIG SET maxmemory {size}") for size in ("1mb", "0")],
}


@pytest.fixture(params=TROUBLES)
def trouble(request, engine, proxy):
    """A `with` block in which the engine is in trouble."""

    @contextmanager
    def within():
        begin, end = TROUBLES[request.param](engine, proxy)
        begin()
        try:
            yield
        finally:
            end()

    return within


def emails(cluster, server, made):
    answer = cluster.ask("GET", "/v3/senders?limit=50", server=server, key=made["api_key"])
    assert answer.status_code == 200, answer.text
    return sorted(row["email"] for row in answer.json()["senders"] if row["name"] == "Jo")


def test_engine_trouble_is_reported_and_servers_recover(cluster, made, trouble):
    server, other = cluster.servers
    assert cluster.create(made, 0, server).status_code == 201

    with trouble():
        refused = cluster.create(made, 1, server)
        until(lambda: not server.is_ready(), "the server says that it is not ready")
        ready = cluster.ask("GET", "/_mock/readyz", server=server)
        assert cluster.ask("GET", "/_mock/livez", server=server).status_code == 200
    until(lambda: server.is_ready() and other.is_ready(), "both servers are ready again")

    assert (refused.status_code, set(refused.json())) == (503, {"code", "message"})
    assert "redis://" in ready.json()["detail"]
    found = emails(cluster, server, made)
    assert found in (["s0@acme.test"], ["s0@acme.test", "s1@acme.test"])
    assert emails(cluster, other, made) == found
    for number, each in ((2, server), (3, other)):
        assert cluster.create(made, number, each).status_code == 201
    assert emails(cluster, other, made) == [*found, "s2@acme.test", "s3@acme.test"]


def test_acknowledged_changes_survive_the_death_of_engine_and_servers(cluster, made, engine):
    server, other = cluster.servers
    statuses = [cluster.create(made, number, server).status_code for number in range(20)]

    for each in cluster.servers:
        each.kill()
    engine.kill()
    engine.start()
    other.start()
    other.wait()

    assert statuses == [201] * 20
    assert emails(cluster, other, made) == sorted(f"s{number}@acme.test" for number in range(20))


def test_an_engine_that_takes_two_seconds_for_each_answer_delays_and_loses_nothing(cluster, made, proxy):
    server, other = cluster.servers
    proxy.delay(2)
    statuses = {number: cluster.create(made, number, server).status_code for number in range(3)}
    proxy.pass_all()
    until(lambda: server.is_ready() and other.is_ready(), "both servers are ready")

    found = emails(cluster, other, made)
    assert found == emails(cluster, server, made)
    assert set(statuses.values()) <= {201, 503}
    assert {f"s{number}@acme.test" for number, status in statuses.items() if status == 201} <= set(found)


def test_two_versions_do_not_share_a_store(cluster, made, engine, tmp_path):
    server, other = cluster.servers
    assert cluster.create(made, 0, server).status_code == 201
    assert engine.command("COPY mockserver:header aside") == ":1"
    engine.command("HSET mockserver:header layout of-another-version")

    newcomer = SharingServer(engine.url(), tmp_path)
    newcomer.start()
    assert newcomer.ended() == 2
    assert "in another layout" in newcomer.told()
    assert cluster.create(made, 1, server).status_code == 503
    assert cluster.ask("GET", "/_mock/readyz", server=server).status_code == 503
    newcomer.close()

    engine.command("RENAME aside mockserver:header")
    until(lambda: server.is_ready() and other.is_ready(), "both servers are ready again")
    assert emails(cluster, other, made) == ["s0@acme.test"]

"""A server that stands still is in nobody's way, and writes over nothing when it goes on."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from load_balancer import until

pytestmark = pytest.mark.slow


@pytest.fixture
def paused(cluster):
    """A server that stands still, and a workspace that it has in memory; it goes on in the end."""
    server = cluster.servers[0]
    made = cluster.make(server=server)
    server.pause()
    yield server, made
    server.resume()
    until(server.is_ready, "it goes on")


def create(cluster, server, made, name):
    body = {"name": name, "email": f"{name}@acme.test"}
    return cluster.ask("POST", "/v3/senders", server=server, key=made["api_key"], json=body).status_code


def names(cluster, server, made):
    """The senders that a test has created, as a server tells; None: it tells nothing."""
    answer = cluster.ask("GET", "/v3/senders", server=server, key=made["api_key"])
    if answer.status_code == 503:
        return None
    return {row["name"] for row in answer.json()["senders"] if row["name"] in ("before", "after", "meanwhile", "late")}


def told(cluster, server, made):
    """What a server tells as soon as it has an answer: one that has just gone on waits to be heard of first."""
    return until(lambda: names(cluster, server, made), f"{server.url} answers")


def test_other_servers_go_on_at_once_and_the_first_one_sees_it_when_it_goes_on(cluster, paused):
    server, made = paused
    other = cluster.servers[1]
    assert create(cluster, other, made, "meanwhile") == 201

    server.resume()

    until(lambda: names(cluster, server, made) == {"meanwhile"}, "it sees what was done")
    assert create(cluster, server, made, "after") == 201
    for each in cluster.servers:
        assert names(cluster, each, made) == {"meanwhile", "after"}


def test_requests_before_a_pause_are_done_once_or_refused(cluster, paused):
    server, made = paused
    other = cluster.servers[1]
    with ThreadPoolExecutor(1) as pool:
        late = pool.submit(create, cluster, server, made, "late")
        assert create(cluster, other, made, "meanwhile") == 201
        server.resume()
        status = late.result()

    assert status in (201, 503)
    found = [told(cluster, each, made) for each in cluster.servers]
    assert found[0] == found[1] == found[2]
    assert found[0] - {"late"} == {"meanwhile"}
    assert status == 503 or "late" in found[0]

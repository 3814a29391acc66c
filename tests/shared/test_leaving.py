"""A server that is told to stop ends what it does, and the others go on at once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from storage.crowd import Crowd

pytestmark = pytest.mark.slow

#: What a client may be told whose request was under way when a server stopped.
EXCUSED = (502, 503)
SENDER = {"name": "Jo", "email": "jo@acme.test"}


@pytest.fixture
def leaving(cluster):
    """A server that a test stops; it is there again in the end."""
    server = cluster.servers[1]
    yield server
    server.start()
    server.wait()


def test_other_servers_serve_the_workspaces_of_a_stopped_server(cluster, leaving):
    made = [cluster.make(server=leaving) for _ in range(5)]
    for each in made:
        assert cluster.ask("POST", "/v3/senders", server=leaving, key=each["api_key"], json=SENDER).status_code == 201

    leaving.stop()

    for each, server in zip(made, [cluster.servers[0], cluster.servers[2]] * 3, strict=False):
        rows = cluster.ask("GET", "/v3/senders", server=server, key=each["api_key"]).json()["senders"]
        assert SENDER["email"] in {row["email"] for row in rows}


def test_nothing_is_lost_that_was_acknowledged_under_load(cluster, leaving):
    crowd, over = Crowd("leaving", excused=EXCUSED, pause_s=0), threading.Event()
    cluster.make(server=leaving, name="another")
    with ThreadPoolExecutor(1) as pool:
        played = pool.submit(crowd.play, cluster.url, over)
        try:
            leaving.stop()
            assert cluster.ask("GET", "/w/another/v3/account", key="any").status_code == 200
        finally:
            over.set()
        played.result()

    assert crowd.check(cluster.url, lambda _: True) is None

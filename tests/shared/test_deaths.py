"""A server is killed: its clients hardly notice, and what it had under way is done by another one, as the same."""

from __future__ import annotations

import threading
from collections import Counter

import pytest
import requests
from load_balancer import until

pytestmark = pytest.mark.slow


@pytest.fixture
def killed(cluster):
    """A server that a test kills; it is there again in the end."""
    server = cluster.servers[0]
    yield server
    server.start()
    server.wait()


def ids(receiver):
    return [body["message-id"] for body in receiver.bodies]


def test_a_call_under_way_at_a_server_that_dies_is_made_again_with_the_same_id(cluster, killed, receiver):
    receiver.always = "hold"
    name = cluster.make(scenario={"webhooks": [{"url": receiver.url, "events": ["hardBounce"]}]})["name"]
    deliveries = f"/w/{name}/_mock/deliveries"
    body = {"type": "transactional", "event": "hardBounce", "payload": {"message-id": "m1"}}
    assert cluster.ask("POST", f"/w/{name}/_mock/trigger", server=killed, json=body).status_code == 200
    until(lambda: receiver.calls, "the call is under way")
    before = [row["id"] for row in cluster.ask("GET", deliveries, server=cluster.servers[1]).json()["items"]]

    killed.kill()
    until(lambda: len(receiver.calls) > 1, "another server makes the call")
    receiver.always = 200
    receiver.lets_go.set()

    def states():
        rows = cluster.ask("GET", deliveries, server=cluster.servers[1]).json()["items"]
        return {row["id"]: row["state"] for row in rows}

    until(lambda: set(states().values()) == {"delivered"}, "it is delivered")
    assert list(states()) == before
    assert ids(receiver) == ["m1", "m1"]


def test_a_client_that_tries_again_at_another_server_loses_one_request_at_most(cluster, killed):
    made = cluster.make()
    failed = []

    def ask(number, server):
        try:
            return cluster.create(made, number, server).status_code
        except requests.ConnectionError:
            return None

    for number in range(60):
        if number == 20:
            threading.Timer(0.02, killed.kill).start()
        first, second = (cluster.servers[(number + step) % 3] for step in (0, 1))
        # What was done, and not answered, is refused the second time, as the address is taken.
        if ask(number, first) != 201 and ask(number, second) not in (201, 400):
            failed.append(number)

    assert len(failed) <= 1


def test_a_timer_fires_once_though_all_servers_look_for_it(cluster, receiver):
    made = cluster.make(
        scenario={"accounts": [{"name": "acme"}], "webhooks": [{"url": receiver.url, "events": ["hardBounce"]}]}
    )
    path = f"/w/{made['name']}"
    for number in range(10):
        body = {"type": "transactional", "event": "hardBounce", "payload": {"message-id": f"m{number}"}}
        assert cluster.ask("POST", f"{path}/_mock/trigger", json=body).status_code == 200
    for server in cluster.servers * 5:
        cluster.ask("GET", f"{path}/_mock/deliveries", server=server)

    until(lambda: len(set(ids(receiver))) == 10, "all calls are made")
    assert set(Counter(ids(receiver)).values()) == {1}

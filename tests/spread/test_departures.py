"""A replica that dies takes its workspaces along, and nothing else; one that is drained gets no new ones."""

import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest
from load_balancer import until

pytestmark = pytest.mark.slow

AWAY = "Replica {} of the mock is away, and its workspaces with it"
#: The status of that: 502 where a balancer has kept a connection to the replica, and not seen yet that it is closed.
AWAY_STATUSES = {502, 503}


@pytest.fixture
def made(spread):
    """A workspace on each replica, by the replica's name."""
    return {replica.name: spread.make_on(replica) for replica in spread.replicas}


@contextmanager
def without(spread, replica):
    """A replica is killed, and is there again in the end."""
    replica.kill()
    try:
        yield
    finally:
        replica.start()
        replica.wait()
        there = {"X-Mock-Replica": replica.name}
        until(lambda: spread.ask("GET", "/_mock/readyz", headers=there).status_code == 200, f"{replica.name} is back")


def test_the_workspaces_of_a_dead_replica_are_away_and_the_others_go_on(spread, made):
    dead = spread.replicas[1]

    with without(spread, dead):
        found = {name: spread.ask("GET", "/v3/account", key=about["api_key"]) for name, about in made.items()}
        new = [spread.make()["name"].split("-")[1] for _ in range(6)]

    assert found.pop(dead.name).status_code in AWAY_STATUSES
    assert {name: answer.status_code for name, answer in found.items()} == {"0": 200, "2": 200}
    assert set(new) == {"0", "2"}


def test_that_is_told_in_the_words_of_whoever_was_asked(spread, made):
    dead = spread.replicas[2]
    root = f"/w/{made[dead.name]['name']}"

    with without(spread, dead):
        service, control, oauth = (
            spread.ask("GET", f"{root}{path}")
            for path in ("/v3/account", "/_mock/clock", "/realms/partner/public-keys")
        )

    told = AWAY.format(dead.name)
    assert {answer.status_code for answer in (service, control, oauth)} <= AWAY_STATUSES
    assert service.json() == {"code": "internal_error", "message": told}
    assert (control.headers["Content-Type"], control.json()["detail"]) == ("application/problem+json", told)
    assert oauth.json() == {"error": "temporarily_unavailable", "error_description": told}


def test_a_request_that_is_under_way_hears_that_the_replica_is_away(spread, made):
    dead = spread.replicas[1]
    about = made[dead.name]

    def ask():
        return spread.ask("GET", "/v3/account", key=about["api_key"], headers={"X-Mock-Fault": "latency; ms=25000"})

    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(ask)
        until(lambda: spread.ask("GET", f"/w/{about['name']}/_mock/requests").json()["count"], "the request is there")
        with without(spread, dead):
            answer = asked.result()

    assert answer.status_code in AWAY_STATUSES
    assert answer.json() == {"code": "internal_error", "message": AWAY.format(dead.name)}


def test_a_replica_that_is_there_again_has_forgotten_its_workspaces_and_makes_new_ones(spread, made):
    replica = spread.replicas[0]

    with without(spread, replica):
        pass

    assert spread.ask("GET", "/v3/account", key=made[replica.name]["api_key"]).status_code == 401
    assert spread.ask("GET", f"/w/{made[replica.name]['name']}/_mock/clock").status_code == 404
    until(lambda: spread.make()["name"].startswith(f"w-{replica.name}-"), "it makes new ones")


def test_workspace_of_an_unknown_replica_is_answered_with_503(spread):
    answer = spread.ask("GET", "/w/w-9-0123abcd/v3/account")

    assert (answer.status_code, answer.json()["message"]) == (503, AWAY.format("9"))


@pytest.mark.parametrize(("fault", "status"), [("unavailable", 503), ("maintenance", 503), ("lost_answer", 504)])
def test_what_the_mock_itself_answers_stays_as_it_is(spread, made, fault, status):
    answer = spread.ask("GET", "/v3/account", key=made["0"]["api_key"], headers={"X-Mock-Fault": fault})

    assert answer.status_code == status
    assert "X-Mock-Fault" in answer.headers
    assert "Replica" not in answer.text


def weigh(spread, replica, weight):
    """Tell HAProxy how many of the new workspaces a replica is to get: none for 0, its part for 100%."""
    with socket.create_connection(("127.0.0.1", spread.admin), timeout=10) as admin:
        admin.sendall(f"set weight any/{replica.name} {weight}\n".encode())
        assert admin.recv(4096).strip() == b""


def test_a_drained_replica_gets_no_new_workspaces_and_keeps_its_own(spread, made):
    if spread.balancer != "haproxy":
        return  # nginx is told by its file: `down`, and a reload
    drained = spread.replicas[1]
    weigh(spread, drained, 0)
    try:
        new = {spread.make()["name"].split("-")[1] for _ in range(6)}
        old = spread.ask("GET", "/v3/account", key=made[drained.name]["api_key"])
    finally:
        weigh(spread, drained, "100%")

    assert new == {"0", "2"}
    assert old.status_code == 200

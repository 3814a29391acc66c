"""What clients see of two servers of one store, where nothing forwards: each knows all, and does what it holds."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager

import pytest
from servers_of_one_store import keeper_of
from shared_engine import SharedBytes

from mockserver.core.state.faults import Fault
from mockserver.core.workspaces.keeping import HeldElsewhereError
from mockserver.web.service.handshakes import Handshakes

ONE, TWO = "http://one", "http://two"


@pytest.fixture
def servers(make_api, monkeypatch):
    """Two applications; the first one holds the default workspace, and `a`."""
    shared, keepers, found = SharedBytes(), [], []
    monkeypatch.setattr("mockserver.app.mock.keeping_of", lambda settings: keepers[-1])
    for address in (ONE, TWO):
        keepers.append(keeper_of(shared, address))
        found.append(make_api("empty"))
        keepers[-1].settle()
    found[0].made = found[0].post("/_mock/workspaces", json={"name": "a"}).json
    keepers[0].settle()
    yield found
    for keeper in keepers:
        keeper.close()


@pytest.fixture
def one(servers):
    return servers[0]


@pytest.fixture
def two(servers):
    return servers[1]


@contextmanager
def left_to(address):
    with pytest.raises(HeldElsewhereError) as told:
        yield
    assert told.value.address == address


def away(api):
    """Let the database be away for a server."""
    api.store.keeping.engine.trouble = "the database is away"


# ---------------------------------------------------------------------- what has to be asked elsewhere


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v3/senders"),
        ("GET", "/v3/nowhere"),
        ("GET", "/_mock/clock"),
        ("GET", "/_mock/state"),
        ("POST", "/_mock/reset"),
        ("GET", "/w/a/v3/senders"),
        ("GET", "/w/a/_mock/requests"),
        ("GET", "/_mock/workspaces/a"),
        ("DELETE", "/_mock/workspaces/a"),
        ("GET", "/_mock/ui/requests"),
        ("GET", "/realms/partner/.well-known/openid-configuration"),
    ],
)
def test_what_another_server_holds_is_left_to_it(two, method, path):
    with left_to(ONE):
        two.client.open(path, method=method, headers={"api-key": "any"})


def test_what_is_refused_is_written_down_where_the_default_workspace_is(two):
    with left_to(ONE):
        two.client.get("/v3/senders", headers={})


def test_a_key_of_a_workspace_leads_to_the_server_that_holds_it(one, two):
    with left_to(ONE):
        two.client.get("/v3/senders", headers={"api-key": one.made["api_key"]})


# ---------------------------------------------------------------------- what any server does


@pytest.mark.parametrize("path", ["/_mock/health", "/_mock/livez", "/_mock/readyz", "/_mock/metrics", "/_mock"])
def test_what_is_about_the_server_is_told_by_any(two, path):
    assert two.get(path).status_code == 200


@pytest.mark.parametrize("path", ["/_mock/health", "/_mock/livez", "/_mock/metrics"])
def test_it_is_told_while_the_database_is_away(two, path):
    away(two)
    assert two.get(path).status_code == 200


def test_health_tells_the_scenario_of_the_default_workspace_and_counts_all(one, two):
    for api in (one, two):
        found = api.get("/_mock/health").json
        assert (found["scenario"], found["workspaces"]) == ("empty", 2)


def test_a_list_shows_what_others_hold_and_leaves_it_to_them(one, two):
    found = [{**api.get("/_mock/workspaces").json} for api in (one, two)]
    for listed in found:
        for row in listed["items"]:
            del row["clock"]
    assert found[0] == found[1]
    assert two.store.loaded() == ()


def test_the_page_of_workspaces_shows_them_all(two):
    assert "/w/a/" in two.get("/_mock/ui/workspaces").text


def test_one_that_is_made_is_held_by_the_server_that_made_it(one, two):
    assert two.post("/_mock/workspaces", json={"name": "b", "start": "-P1D"}).status_code == 201
    two.store.keeping.settle()
    with left_to(TWO):
        one.get("/w/b/_mock/clock")


def test_a_name_that_another_server_has_is_taken(two):
    assert two.post("/_mock/workspaces", json={"name": "a"}).status_code == 409


def test_why_a_workspace_is_gone_is_known_to_all(one, two):
    one.delete("/_mock/workspaces/a")
    one.store.keeping.settle()
    assert two.get("/_mock/workspaces/a").json["detail"] == "unknown workspace 'a'; it was deleted"


def test_coverage_of_all_is_told_and_cleared_by_any(one, two):
    one.get("/w/a/v3/senders", headers={"api-key": one.made["api_key"]})
    one.store.keeping.settle()
    assert two.get("/_mock/coverage?workspace=*").json["totals"]["operations"]["met"] == 1
    assert two.delete("/_mock/coverage?workspace=*").status_code == 204
    assert one.get("/_mock/coverage?workspace=*").json["totals"]["operations"]["met"] == 0


# ---------------------------------------------------------------------- what cannot be told


@pytest.mark.parametrize("path", ["/v3/senders", "/w/a/v3/senders", "/w/b/v3/senders", "/v3/nowhere"])
def test_the_service_is_unavailable_where_nobody_can_tell_who_holds_it(two, path):
    away(two)
    found = two.client.get(path, headers={"api-key": "any"})
    assert (found.status_code, found.json["code"]) == (503, "internal_error")
    assert "the database is away" in found.json["message"]


@pytest.mark.parametrize("path", ["/w/a/_mock/clock", "/_mock/workspaces/b", "/_mock/ui/requests"])
def test_so_is_the_control_api(two, path):
    away(two)
    found = two.get(path)
    assert found.status_code == 503
    assert "the database is away" in found.text


def test_a_request_in_a_workspace_that_was_lost_meanwhile_is_refused(one):
    one.store.default.lock.loss = "another server has it"
    found = one.client.get("/v3/senders", headers={"api-key": "any"})
    assert (found.status_code, found.json["message"]) == (503, "another server has it")


def test_a_handshake_is_hit_by_the_rules_of_what_the_server_holds(one, two):
    for api in (one, two):
        api.handshakes = Handshakes(api.store, asyncio.to_thread)
    one.store.default.state.faults.add(Fault("tls_handshake"))

    hits = [asyncio.run(api.handshakes.fault(None)) for api in (two, one)]

    assert [hit and hit.kind for hit in hits] == [None, "tls_handshake"]

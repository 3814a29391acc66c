"""Faults of handshakes where several servers share a store: the rule of a workspace counts at each of them."""

import ssl

import pytest
from redis_server import RedisServer


@pytest.fixture
def engine(tmp_path):
    with RedisServer(tmp_path) as found:
        yield found


@pytest.fixture
def servers(engine, serve_tls):
    return [serve_tls(store=engine.url()) for _ in range(2)]


def test_a_rule_that_one_server_was_told_hits_at_another_that_has_never_used_the_workspace(servers):
    one, two = servers
    one.control("POST", "/workspaces", {"name": "onboarding"})
    one.add("tls_handshake", workspace="onboarding", times=1)

    with pytest.raises(ssl.SSLError, match="HANDSHAKE_FAILURE"):
        two.connect(name="onboarding.localhost")
    assert one.ask(name="onboarding.localhost")[0] == 200


def test_no_rule_of_another_workspace_hits(servers):
    one, two = servers
    one.control("POST", "/workspaces", {"name": "onboarding"})
    one.add("tls_handshake", workspace="onboarding")

    assert two.ask()[0] == 200

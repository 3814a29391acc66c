"""A server hands requests on to the holder of their workspace, and its answers back: what raw conversations leave out.

That the answers are the holder's, byte for byte, is held by `tests/raw/test_through_a_peer.py`.
"""

from __future__ import annotations

import threading

import pytest
from plain_client import Client, asked, reading_from
from two_servers import SECRET, front, holder

from mockserver import Settings
from mockserver.web.server.peers.introduction import Introduction

SETTINGS = Settings(port=0)


@pytest.fixture(scope="module")
def root(forwards, back):
    with forwards(back.url, SETTINGS) as (found, _):
        yield found


@pytest.fixture
def client(root):
    with Client(root) as found:
        found.call("POST", "/_mock/reset")
        yield found


# ---------------------------------------------------------------------- what the holder sees


def journal(client):
    return client.call("GET", "/_mock/requests")["items"][0]


def test_the_journal_has_the_headers_of_the_client_and_no_other(client, back):
    headers = {"api-key": "k", "X-One": "1", "Content-Type": "application/json"}
    with Client(back.url) as direct:
        for one in (direct, client):
            one.connection.request("POST", "/v3/senders", "{}", headers)
            one.connection.getresponse().read()
    newer, older = (row["request"]["headers"] for row in client.call("GET", "/_mock/requests")["items"])

    assert list(newer) == list(older)


@pytest.mark.parametrize("client", [("192.0.2.7", 4711), ("2001:db8::7", 4711), None])
def test_a_peer_is_told_scheme_and_addresses_by_which_a_client_has_reached_the_server(client):
    reached = {"scheme": "https", "client": client, "server": ("::1", 443)}
    header, seen = Introduction(SECRET).header(reached), {}

    Introduction(SECRET).take_off([header], seen)

    assert {name: seen[name] for name in reached} == reached


def test_root_addresses_are_those_by_which_the_client_has_asked(client):
    made = client.call("POST", "/_mock/workspaces", {})

    assert made["url"].startswith(f"http://{client.connection.host}:{client.connection.port}/")


@pytest.mark.parametrize("value", [b"", b"wrong http - 0 - 0", SECRET.hex().encode(), SECRET.hex().encode() + b" http"])
def test_without_the_secret_and_all_that_belongs_to_it_the_header_is_an_ordinary_one(client, back, value):
    request = b"GET /v3/senders HTTP/1.1\r\nx-mock-peer: %s\r\nhost: localhost\r\napi-key: k\r\n\r\n" % value
    with reading_from(back.url, request) as bare:
        assert bare.recv(10_000).startswith(b"HTTP/1.1 200 ")

    assert journal(client)["request"]["headers"]["x-mock-peer"] == value.decode()


def test_an_answer_of_421_without_the_header_is_for_the_client():
    headers = [(b"x-mock-peer", b"not-held"), (b"content-length", b"0")]

    assert Introduction(SECRET).word(421, headers) is None


def test_what_a_peer_adds_counts_for_no_limit():
    settings = Settings(port=0, headers_limit=3, head_limit=60)
    request = b"GET /v3/senders HTTP/1.1\r\nhost: x\r\na: b\r\nc: ddd\r\n\r\n"
    with (
        holder(settings) as runtime,
        front(runtime.url, SETTINGS) as (root, _),
        reading_from(root, request) as bare,
    ):
        assert bare.recv(10_000).startswith(b"HTTP/1.1 401 ")


# ---------------------------------------------------------------------- bodies, streams, and clients that leave


def test_large_bodies_go_both_ways(client):
    state = {"description": "x" * 3_000_000}

    client.call("PUT", "/_mock/state", state)

    assert client.call("GET", "/_mock/state")["description"] == state["description"]


def test_a_body_over_the_limit_is_refused_as_by_the_holder():
    settings = Settings(port=0, body_limit=1_000)
    with holder(settings) as runtime, front(runtime.url, settings) as (root, _):
        found = [asked(url, "POST", "/v3/senders", "x" * 2_000, api_key="k") for url in (runtime.url, root)]

    assert found[0][0] == 413
    assert found[0] == found[1]


def test_a_stream_comes_event_by_event(client, root):
    with reading_from(root, b"GET /_mock/stream HTTP/1.1\r\nhost: localhost\r\n\r\n") as bare:
        came = bare.recv(10_000)
        client.ask("GET", "/v3/senders", api_key="k")
        while b"/v3/senders" not in came:
            came += bare.recv(10_000)

    assert b"transfer-encoding: chunked" in came.lower()


def test_a_waiting_request_goes_on_when_what_it_waits_for_has_happened(client, root):
    waiting = b"GET /_mock/requests?wait=30 HTTP/1.1\r\nhost: localhost\r\n\r\n"
    with reading_from(root, waiting) as bare:
        client.ask("GET", "/v3/senders", api_key="k")

        came = bare.recv(10_000)
        while b"/v3/senders" not in came:
            came += bare.recv(10_000)

    assert came.startswith(b"HTTP/1.1 200 ")


@pytest.fixture(scope="module")
def own_root(back):
    """As `root`, of a server of the mock, which sees clients leave and keeps connections."""
    with front(back.url, SETTINGS) as (found, _):
        yield found


def test_the_holder_sees_a_client_leave(own_root, back):
    connections = back.server.server_state.connections
    with (
        Client(own_root) as client,
        reading_from(own_root, b"GET /v3/senders HTTP/1.1\r\nhost: x\r\napi-key: k\r\nx-mock-fault: hang\r\n\r\n"),
    ):
        client.call("GET", "/_mock/requests?wait=30")
        before = len(connections)
    left = threading.Event()
    while len(connections) >= before:
        assert not left.wait(0.005)


def test_the_connections_of_client_and_peer_are_kept(own_root, back):
    with Client(own_root) as client:
        for _ in range(3):
            assert client.ask("GET", "/v3/senders", api_key="k")[0] == 200
        first = set(back.server.server_state.connections)

        for _ in range(3):
            assert client.ask("GET", "/v3/senders", api_key="k")[0] == 200

        assert set(back.server.server_state.connections) == first

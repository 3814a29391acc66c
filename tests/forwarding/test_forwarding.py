"""A server hands requests on to the holder of their workspace, and its answers back: what raw conversations leave out.

That the answers are the holder's, byte for byte, is held by `tests/raw/test_through_a_peer.py`.
"""

from __future__ import annotations

import http.client
import json
import socket
import threading
from urllib.parse import urlsplit

import pytest
from two_servers import SECRET, front, holder, wsgi_front

from mockserver import Settings
from mockserver.web.server.peers import blocking_departure
from mockserver.web.server.peers.introduction import Introduction

SETTINGS = Settings(port=0)
#: Seconds until something must have come.
PATIENCE = 20


class Client:
    """A connection of a client to a server."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def __init__(self, root):
        self.connection = http.client.HTTPConnection(urlsplit(root).netloc, timeout=PATIENCE)

    def ask(self, method, path, body=None, **headers):
        self.connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        answer = self.connection.getresponse()
        return answer.status, answer.read()

    def call(self, method, path, body=None):
        status, content = self.ask(method, path, None if body is None else json.dumps(body))
        assert status < 300, content
        return json.loads(content) if content else None


def asked(root, method, path, body=None, **headers):
    """The status and the body of an answer to a client with a connection of its own."""
    with Client(root) as client:
        return client.ask(method, path, body, **headers)


@pytest.fixture(scope="module")
def back():
    with holder(SETTINGS) as runtime:
        yield runtime


#: What forwards: the server of the mock, or an ordinary WSGI server.
FRONTS = {"server": front, "wsgi": wsgi_front}


@pytest.fixture(params=FRONTS, scope="module")
def forwards(request):
    """A context with the root address of a running server that forwards all to an address, and its application."""
    return FRONTS[request.param]


@pytest.fixture(scope="module")
def root(forwards, back):
    with forwards(back.url, SETTINGS) as (found, _):
        yield found


@pytest.fixture
def client(root):
    with Client(root) as found:
        found.call("POST", "/_mock/reset")
        yield found


def reading_from(root, request):
    """A bare connection on which a request was sent."""
    address = urlsplit(root)
    found = socket.create_connection((address.hostname, address.port), timeout=PATIENCE)
    found.sendall(request)
    return found


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


# ---------------------------------------------------------------------- holders that change, and that die


def unused_address():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{found.getsockname()[1]}"


def test_a_request_is_asked_for_again_until_its_workspace_is_held_by_a_server_that_answers(forwards, back):
    with forwards(unused_address(), SETTINGS) as (root, app):
        threading.Timer(0.1, setattr, (app, "holder", back.url)).start()

        assert asked(root, "GET", "/v3/senders", api_key="k")[0] == 200
        assert app.asked > 1


def test_a_forwarded_request_is_not_forwarded_again_but_asked_for_again_where_it_has_come_from(forwards, back):
    with front(back.url, SETTINGS) as (second, other), forwards(second, SETTINGS) as (root, app):
        threading.Timer(0.1, setattr, (app, "holder", back.url)).start()

        assert asked(root, "GET", "/v3/senders", api_key="k")[0] == 200
        assert other.asked >= 1


DIALECTS = {
    "/v3/senders": "message",
    "/_mock/state": "detail",
    "/_mock/ui": "detail",
    "/realms/tokens": "error_description",
}


@pytest.mark.parametrize(("path", "member"), DIALECTS.items())
def test_a_holder_that_is_not_reached_is_told_in_the_words_of_the_address(forwards, hasty, path, member):
    address = unused_address()
    with forwards(address, SETTINGS) as (root, _):
        status, content = asked(root, "POST", path)

    assert status == 503
    assert json.loads(content)[member].endswith(f"cannot be reached at {address}; nothing was done")


def test_a_request_whose_holder_has_ended_without_an_answer_is_not_sent_again(forwards, silent):
    address, listener = silent
    with forwards(address, SETTINGS) as (root, app):
        with reading_from(root, b"POST /v3/senders HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n") as bare:
            accepted, _ = listener.accept()
            accepted.recv(10_000)
            accepted.close()
            answer = bare.recv(10_000)
            while b"has not answered; this may have been done" not in answer:
                answer += bare.recv(10_000)

        assert answer.startswith(b"HTTP/1.1 503 ")
        assert app.asked == 1


def test_a_request_whose_silent_holder_has_lost_its_workspace_is_refused(forwards, hasty, silent):
    address, _ = silent
    with forwards(address, SETTINGS, is_held=lambda elsewhere: False) as (root, _):
        status, content = asked(root, "POST", "/v3/senders")

    assert (status, b"this may have been done" in content) == (503, True)


def test_a_silent_holder_is_waited_for_as_long_as_it_holds_the_workspace(forwards, hasty, silent):
    address, listener = silent
    looked = threading.Semaphore(0)

    def is_held(elsewhere):
        looked.release()
        return True

    with forwards(address, SETTINGS, is_held=is_held) as (root, _):
        with reading_from(root, b"GET /v3/senders HTTP/1.1\r\nhost: x\r\n\r\n") as bare:
            accepted, _ = listener.accept()
            assert all(looked.acquire(timeout=PATIENCE) for _ in range(2))
            accepted.sendall(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")

            assert bare.recv(10_000).startswith(b"HTTP/1.1 200 ")
        accepted.close()


@pytest.mark.parametrize("rest", [b"", b"5\r\nhello\r\n5\r\nwo"], ids=["nothing", "a piece and a half"])
def test_an_answer_that_breaks_off_breaks_off_for_the_client(forwards, silent, rest):
    address, listener = silent
    request = b"GET /v3/senders HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n"
    with forwards(address, SETTINGS) as (root, _), reading_from(root, request) as bare:
        accepted, _ = listener.accept()
        accepted.recv(10_000)
        accepted.sendall(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n" + rest)
        accepted.close()
        came = b"".join(iter(lambda: bare.recv(10_000), b""))

    assert rest[:10] in came
    assert not came.endswith(b"0\r\n\r\n")


# ---------------------------------------------------------------------- ordinary WSGI servers


def test_servers_whose_threads_all_wait_for_each_other_get_free(hasty, silent, monkeypatch):
    monkeypatch.setattr(blocking_departure, "_SILENCE_S", 0.0)
    address, _ = silent
    with wsgi_front(address, SETTINGS) as (root, _):
        status, content = asked(root, "POST", "/v3/senders")

    assert (status, b"this may have been done" in content) == (503, True)


def test_a_request_whose_client_leaves_before_its_body_has_come_is_not_handed_on(back):
    with wsgi_front(back.url, SETTINGS) as (root, app), Client(back.url) as direct:
        direct.call("POST", "/_mock/reset")
        request = (
            b"POST /v3/senders HTTP/1.1\r\nhost: x\r\napi-key: k\r\nconnection: close\r\ncontent-length: 9\r\n\r\n{"
        )
        with reading_from(root, request) as bare:
            bare.shutdown(socket.SHUT_WR)
            assert bare.recv(10_000) == b""

        assert app.asked == 1
        assert direct.call("GET", "/_mock/requests")["items"] == []

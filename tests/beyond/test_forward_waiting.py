"""A request that waits for a peer holds up nobody, and mocks that forward in a circle notice it."""

import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest
import requests

from mockserver import Settings, create_app
from mockserver.app.runtime import Runtime
from mockserver.web.server.server import bind

CONTACTS = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n{"contacts":[]}'
PATH = "/v3/companies"


class Held:
    """A peer that answers when it is told to."""

    def __init__(self, listen):
        self.asked, self.told = threading.Semaphore(0), threading.Event()
        self.url = listen(self._behave).url("")

    def wait(self):
        assert self.asked.acquire(timeout=10), "nobody asks"

    def _behave(self, _, connection):
        self.asked.release()
        assert self.told.wait(10)
        connection.sendall(CONTACTS)


@pytest.fixture
def held(listen):
    peer = Held(listen)
    yield peer
    peer.told.set()


@pytest.fixture
def pool():
    with ThreadPoolExecutor(8) as pool:
        yield pool


def call(root, method, path, key="any", **options):
    return requests.request(method, root + path, headers={"api-key": key}, timeout=20, **options)


def journal(root, path=PATH, wait=0):
    return call(root, "GET", f"/_mock/requests?path={path}&wait={wait}").json()["items"]


def test_other_requests_are_answered_meanwhile(held, serve_forwarding, pool):
    root = serve_forwarding(held.url)
    waiting = pool.submit(call, root, "GET", PATH)
    held.wait()

    assert call(root, "POST", "/v3/senders", json={"name": "N", "email": "n@acme.test"}).status_code == 201
    assert call(root, "GET", "/_mock/clock").status_code == 200
    assert not waiting.done()

    held.told.set()
    assert waiting.result().json() == {"contacts": []}


def test_a_request_counts_once_and_stands_in_the_journal_once(held, serve_forwarding, pool):
    root = serve_forwarding(held.url)
    before = int(call(root, "PUT", PATH).headers["x-sib-ratelimit-remaining"])
    waiting = pool.submit(call, root, "GET", PATH)
    held.wait()
    call(root, "GET", "/v3/senders")  # whatever happens meanwhile
    assert [entry["method"] for entry in journal(root)] == ["PUT"]
    held.told.set()

    assert int(waiting.result().headers["x-sib-ratelimit-remaining"]) == before - 1
    assert [entry["status"] for entry in journal(root)] == [200, 404]
    assert journal(root)[0]["ms"] > 0


def test_many_requests_wait_side_by_side(serve, serve_forwarding, pool):
    """The peer, which knows no such address, answers each of them a second late, and all of them within a few."""
    slow = serve()
    call(slow, "POST", "/_mock/faults", json={"fault": "latency", "ms": 1_000})
    root = serve_forwarding(slow)
    start = time.monotonic()

    answers = [pool.submit(call, root, "GET", PATH) for _ in range(8)]

    assert [answer.result().json()["code"] for answer in answers] == ["not_found"] * 8
    assert time.monotonic() - start < 4


@pytest.mark.parametrize("fault", ["latency", "slow_body"])
def test_an_answer_that_a_fault_delays_is_the_whole_one_of_the_peer(listen, serve_forwarding, fault):
    root = serve_forwarding(listen(CONTACTS).url(""))
    call(root, "POST", "/_mock/faults", json={"fault": fault, "ms": 200})
    start = time.monotonic()

    answer = call(root, "GET", PATH)

    assert answer.json() == {"contacts": []}
    assert time.monotonic() - start > 0.15


def test_an_answer_that_a_fault_cuts_off_is_cut_off(listen, serve_forwarding):
    root = serve_forwarding(listen(CONTACTS).url(""))
    call(root, "POST", "/_mock/faults", json={"fault": "truncated_body"})

    with pytest.raises(requests.exceptions.ChunkedEncodingError):
        call(root, "GET", PATH)
    assert [entry["beyond"] for entry in journal(root)] == ["forwarded"]


def test_after_a_reset_the_answer_comes_all_the_same(held, serve_forwarding, pool):
    root = serve_forwarding(held.url)
    waiting = pool.submit(call, root, "GET", PATH)
    held.wait()
    call(root, "POST", "/_mock/reset", json={})
    held.told.set()

    assert waiting.result().json() == {"contacts": []}


def test_the_answer_reaches_the_client_of_a_workspace_that_is_dropped_meanwhile(held, serve_forwarding, pool):
    root = serve_forwarding(held.url)
    workspace = call(root, "POST", "/_mock/workspaces", json={}).json()
    waiting = pool.submit(call, root, "GET", PATH, workspace["api_key"])
    held.wait()
    call(root, "DELETE", f"/_mock/workspaces/{workspace['name']}")
    held.told.set()

    assert waiting.result().json() == {"contacts": []}


def test_what_a_client_has_asked_that_leaves_stands_in_the_journal(held, serve_forwarding):
    root = serve_forwarding(held.url)
    address = urlsplit(root)
    with socket.create_connection((address.hostname, address.port)) as client:
        client.sendall(f"GET {PATH} HTTP/1.1\r\nHost: mock\r\napi-key: any\r\n\r\n".encode())
        held.wait()
    held.told.set()

    assert [entry["status"] for entry in journal(root, wait=10)] == [200]


def test_a_server_that_stops_waits_for_no_peer(held):
    runtime = Runtime(create_app(Settings(beyond="forward", forward_to=held.url)), bind("127.0.0.1", 0))
    with runtime, socket.create_connection(("127.0.0.1", runtime.port)) as client:
        client.sendall(f"GET {PATH} HTTP/1.1\r\nHost: mock\r\napi-key: any\r\n\r\n".encode())
        held.wait()
        runtime.stop()
        client.settimeout(5)
        try:
            left = client.recv(1)
        except ConnectionResetError:
            left = b""
    assert left == b""
    assert not runtime.is_running


def test_a_request_that_has_waited_leaves_nothing_to_the_collector(listen, serve_forwarding, left_behind):
    root = serve_forwarding(listen(CONTACTS).url(""))

    left = left_behind(lambda: call(root, "GET", PATH))

    names = {type(one).__name__ for one in left}
    assert not names & {"Pending", "PendingReply", "SuspendedRequest", "Exchange", "ServiceRequest", "Identified"}


def test_a_peer_whose_answer_is_lost_costs_a_bounded_time(held, serve_forwarding, monkeypatch):
    """Whatever becomes of a call, its request does not wait for ever."""
    monkeypatch.setattr("mockserver.beyond.forward._GRACE_S", 0.1)
    monkeypatch.setattr("mockserver.app.forwards.Forwards.send", lambda *_: None)

    answer = call(serve_forwarding(held.url, forward_timeout=0.1), "GET", PATH)

    assert (answer.status_code, answer.json()["message"]) == (502, "Bad gateway: no answer")


@pytest.fixture
def circle():
    """Runs so many mocks, of which each forwards to the next and the last to the first; their root addresses."""
    with ExitStack() as stack:

        def start(count):
            listeners = [bind("127.0.0.1", 0) for _ in range(count)]
            urls = [f"http://127.0.0.1:{listener.getsockname()[1]}" for listener in listeners]
            for listener, to in zip(listeners, [*urls[1:], urls[0]], strict=True):
                stack.enter_context(Runtime(create_app(Settings(beyond="forward", forward_to=to)), listener))
            return urls

        yield start


@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_call_that_comes_back_is_refused(circle, count):
    first, *_ = circle(count)

    answer = call(first, "GET", PATH)

    assert answer.status_code == 502
    told = "Bad gateway: forwarding loop: it came back to the mock that forwarded it to"
    assert answer.json()["message"].startswith(told)
    assert "forwarding loop" in journal(first)[-1]["reason"] or count > 1
    assert len(journal(first)) == 2


def test_a_call_through_several_mocks_is_answered_at_the_end(listen, serve_forwarding):
    end = listen(CONTACTS)
    root = serve_forwarding(serve_forwarding(end.url("")))

    assert call(root, "GET", PATH).json() == {"contacts": []}
    (via,) = end.headers("via")
    assert [hop.split("-")[0] for hop in via.split(", ")] == ["1.1 mockserver", "1.1 mockserver"]

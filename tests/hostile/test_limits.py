"""Requests that come in too large, too slowly or too many at once, before the application sees anything of them."""

from __future__ import annotations

import json
import logging
import select
import socket
import subprocess
import sys
import time
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest
import requests

KEY = "api-key: any"
#: As much as no answer takes to come, in seconds.
PATIENCE = 20


@pytest.fixture
def connect():
    """Opens raw connections, and closes them in the end."""
    with ExitStack() as stack:

        def opened(root):
            address = urlsplit(root)
            return stack.enter_context(socket.create_connection((address.hostname, address.port), timeout=PATIENCE))

        yield opened


pytestmark = pytest.mark.root(head_timeout=0.3, body_timeout=0.3)


def head(line, *headers):
    return "\r\n".join([line, "host: localhost", *headers, "", ""]).encode()


def read_answer(peer, stream=None):
    """Status, headers and body of the next answer."""
    if stream is None:
        with peer.makefile("rb") as own:
            return read_answer(peer, own)
    status = int(stream.readline().split()[1])
    headers = dict(line.decode().strip().lower().split(": ", 1) for line in iter(stream.readline, b"\r\n"))
    return status, headers, stream.read(int(headers["content-length"]))


def send_all_or_less(peer, pieces):
    """Send pieces, until the server listens no more."""
    try:
        for piece in pieces:
            peer.sendall(piece)
    except ConnectionError:
        pass


def is_closed(peer):
    try:
        return peer.recv(1) == b""
    except ConnectionError:
        return True


# ---------------------------------------------------------------------- size

LONG = b"a" * 10_000
TOO_LARGE = {
    "a header": [b"GET /v3/senders HTTP/1.1\r\nx: ", *[LONG] * 10],
    "a header's name": [b"GET /v3/senders HTTP/1.1\r\n", *[LONG] * 10],
    "many headers": [b"GET /v3/senders HTTP/1.1\r\n", *[b"x: " + LONG + b"\r\n"] * 10],
    "a complete head": [b"GET /v3/senders HTTP/1.1\r\nx: " + LONG * 7 + b"\r\n\r\n"],
    "more headers than 2,000": [b"GET /v3/senders HTTP/1.1\r\n" + b"x: y\r\n" * 2_001 + b"\r\n"],
    "an address": [b"GET /v3/senders?", *[LONG] * 10],
    "trailers": [
        b"POST /v3/senders HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n",
        *[b"x: " + LONG + b"\r\n"] * 10,
    ],
    "a chunk's extension": [b"POST /v3/senders HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n1;x=", *[LONG] * 10],
}


def test_heads_that_are_too_large_are_refused_before_they_are_complete(root, connect):
    for name, pieces in TOO_LARGE.items():
        peer = connect(root)
        send_all_or_less(peer, pieces)
        status, headers, body = read_answer(peer)

        assert (status, headers["connection"], headers["content-type"]) == (431, "close", "application/json"), name
        assert json.loads(body)["code"] == "bad_request"
        assert is_closed(peer)


def test_early_refusals_have_the_format_of_their_audience(root, connect):
    for path, kind, member in (
        ("/v3/senders", "application/json", "code"), ("/w/other/v3/senders", "application/json", "code"),
        ("/_mock/state", "application/problem+json", "detail"),
        ("/realms/partner/oauth/token", "application/json", "error"),
        ("/w/other/_mock/state", "application/problem+json", "detail"),
    ):  # fmt: skip
        peer = connect(root)
        send_all_or_less(peer, [f"GET {path} HTTP/1.1\r\n".encode(), *[b"x: " + LONG + b"\r\n"] * 10])
        status, headers, body = read_answer(peer)

        assert (status, headers["content-type"], member in json.loads(body)) == (431, kind, True), path


def test_a_head_just_below_the_limit_is_read(root):
    answer = requests.get(f"{root}/v3/senders", headers={"api-key": "any", "x": "a" * 64_000})

    assert answer.status_code == 200


def test_the_limits_of_a_head_are_settings(serve):
    root = serve(head_limit=2_000, headers_limit=10)

    def asked(headers):
        return requests.get(f"{root}/v3/senders", headers={"api-key": "any", **headers}).status_code

    assert asked({}) == 200
    assert asked({"x": "a" * 2_000}) == 431
    assert asked({f"x{number}": "a" for number in range(10)}) == 431


def test_trailers_of_a_chunked_body_are_ignored(root, connect):
    """A key among them would let in whoever is let through by what stands before the server."""
    peer = connect(root)
    peer.sendall(head("GET /v3/senders HTTP/1.1", "transfer-encoding: chunked") + b"0\r\napi-key: any\r\n\r\n")

    assert read_answer(peer)[0] == 401


def test_a_body_far_over_the_limit_is_not_read_to_its_end(serve, connect):
    root = serve(body_limit=1_000)
    peer = connect(root)
    peer.sendall(head("POST /v3/senders HTTP/1.1", KEY, "content-length: 1000000000"))
    send_all_or_less(peer, [LONG] * 10)

    assert read_answer(peer)[0] == 413
    assert is_closed(peer)


# ---------------------------------------------------------------------- time


def test_half_a_head_does_not_stay_for_ever(root, connect):
    for sent in (b"G", b"GET /v3/senders HTTP/1.1\r\n", b"GET /v3/senders HTTP/1.1\r\nx: y"):
        peer = connect(root)
        peer.sendall(sent)
        status, _, body = read_answer(peer)

        told = "The head of the request was not complete within 0.3 seconds"
        assert (status, json.loads(body)["message"]) == (408, told), sent
        assert is_closed(peer)


def test_half_a_body_does_not_stay_for_ever(root, connect):
    peer = connect(root)
    peer.sendall(head("POST /_mock/reset HTTP/1.1", "content-length: 10") + b"{")

    status, headers, body = read_answer(peer)

    assert (status, headers["content-type"]) == (408, "application/problem+json")
    assert json.loads(body)["detail"] == "The body of the request was not complete within 0.3 seconds"


@pytest.mark.parametrize(
    "begun",
    [
        b"GET /v3/senders HTTP/1.1\r\nx: ",
        head("POST /v3/senders HTTP/1.1", "content-length: 100000"),
        head("POST /v3/senders HTTP/1.1", "transfer-encoding: chunked") + b"ffff\r\n",
    ],
    ids=["head", "body", "chunk"],
)
def test_slowly_sent_request_times_out(root, connect, begun):
    peer = connect(root)
    peer.settimeout(0.05)
    peer.sendall(begun)
    end = time.monotonic() + PATIENCE
    answer = b""
    while not answer and time.monotonic() < end:
        try:
            answer = peer.recv(100)
        except TimeoutError:
            peer.sendall(b"x")

    assert answer.startswith(b"HTTP/1.1 408 ")


def test_between_two_requests_a_connection_may_rest_longer(root, connect):
    """The time for a head begins with its first byte."""
    peer, other = connect(root), connect(root)
    peer.sendall(head("GET /v3/account HTTP/1.1", KEY))
    assert read_answer(peer)[0] == 200
    other.sendall(b"G")
    assert read_answer(other)[0] == 408

    peer.sendall(head("GET /v3/account HTTP/1.1", KEY))

    assert read_answer(peer)[0] == 200


def test_answers_may_take_longer_than_requests(root, connect):
    for request_bytes in (
        head("GET /_mock/mailbox?to=nobody@acme.test&wait=1 HTTP/1.1"),
        head("GET /v3/account HTTP/1.1", KEY, 'x-mock-fault: {"fault":"latency","ms":1000}'),
        head("GET /v3/account HTTP/1.1", KEY, 'x-mock-fault: {"fault":"slow_body","ms":1000}'),
    ):
        peer = connect(root)
        peer.sendall(request_bytes)
        assert read_answer(peer)[0] == 200


def test_a_request_that_waits_for_the_answer_to_another_is_not_late(root, connect):
    """The client has sent a part of it, and the server does not look at the rest yet."""
    peer = connect(root)
    second = head("POST /v3/senders HTTP/1.1", KEY, "content-length: 2")
    peer.sendall(head("GET /_mock/mailbox?to=nobody@acme.test&wait=1 HTTP/1.1") + second)
    assert read_answer(peer)[0] == 200

    peer.sendall(b"{}")

    assert read_answer(peer)[0] == 400


# ---------------------------------------------------------------------- number


def test_many_requests_at_once_are_all_answered_in_their_order(root, connect):
    peer = connect(root)
    numbers = [200, 404, *[404, 400, 200] * 300, 401]
    sent = {
        200: head("GET /v3/account HTTP/1.1", KEY), 400: head("DELETE /v3/senders/x HTTP/1.1", KEY),
        401: head("GET /v3/account HTTP/1.1"), 404: head("GET /v3/nothing HTTP/1.1", KEY),
    }  # fmt: skip
    peer.sendall(b"".join(sent[number] for number in numbers))

    with peer.makefile("rb") as stream:
        assert [read_answer(peer, stream)[0] for _ in numbers] == numbers


def test_a_request_after_one_that_is_refused_is_not_looked_at(root, connect):
    peer = connect(root)
    good = head("GET /v3/account HTTP/1.1", KEY)
    peer.sendall(good + b"NONSENSE\r\n\r\n" + good)

    with peer.makefile("rb") as stream:
        answers = stream.read()

    assert answers.startswith(b"HTTP/1.1 200 ")
    assert answers.count(b"HTTP/1.1 ") == 1


@pytest.fixture
def warnings(caplog):
    caplog.set_level(logging.WARNING, "mockserver.web.server.limits")
    return lambda: [record.getMessage() for record in caplog.records]


def test_a_new_connection_takes_the_place_of_the_one_that_was_idle_longest(serve, connect, warnings):
    root = serve(connections_limit=3)
    peers = [connect(root) for _ in range(3)]
    for peer in peers:
        peer.sendall(head("GET /v3/account HTTP/1.1", KEY))
        assert read_answer(peer)[0] == 200

    newest = connect(root)
    newest.sendall(head("GET /v3/account HTTP/1.1", KEY))

    assert read_answer(newest)[0] == 200
    assert is_closed(peers[0])
    peers[1].sendall(head("GET /v3/account HTTP/1.1", KEY))
    assert read_answer(peers[1])[0] == 200
    assert warnings() == [
        "there may be 3 connections at once: 1 were closed that had no request to answer, 0 were refused"
    ]


def test_half_a_request_shuts_nobody_out(serve, connect):
    root = serve(connections_limit=2)
    peers = [connect(root) for _ in range(2)]
    for peer in peers:
        peer.sendall(b"GET /")

    newest = connect(root)
    newest.sendall(head("GET /v3/account HTTP/1.1", KEY))

    assert read_answer(newest)[0] == 200


def test_what_is_being_answered_stays_and_one_more_is_refused(serve, connect, warnings):
    root = serve(connections_limit=2)
    peers = [connect(root) for _ in range(2)]
    for peer in peers:
        peer.sendall(head("GET /v3/account HTTP/1.1", KEY, 'x-mock-fault: {"fault":"slow_body","ms":20000}'))
        assert peer.recv(9) == b"HTTP/1.1 "  # it is under way

    status, headers, body = read_answer(connect(root))

    assert (status, headers["connection"]) == (503, "close")
    assert json.loads(body)["message"] == "No room for another connection: there may be 2 connections at once"
    assert len(warnings()) == 1


def half_of(size):
    return head("POST /v3/senders HTTP/1.1", KEY, f"content-length: {size}") + b" " * (size // 2)


def test_half_bodies_keep_nobody_from_sending_a_whole_one(serve, connect):
    root = serve(bodies_limit=1_000_000)
    halves = [connect(root) for _ in range(2)]
    for peer in halves:
        peer.sendall(half_of(1_200_000))

    (gone, *_), _, _ = select.select(halves, [], [], PATIENCE)
    status, _, body = read_answer(gone)
    halves.remove(gone)
    halves[0].sendall(b" " * 600_000)

    assert (status, json.loads(body)["message"].partition(":")[0]) == (503, "No room for another body")
    assert read_answer(halves[0])[0] == 400
    assert requests.post(f"{root}/v3/senders", data=b" " * 900_000, timeout=PATIENCE).status_code == 401


def test_of_many_bodies_that_come_at_once_none_is_refused(serve, connect):
    root = serve(bodies_limit=300_000)
    peers = [connect(root) for _ in range(30)]
    for part in range(3):
        for peer in peers:
            peer.sendall(b" " * 30_000 if part else half_of(120_000))

    assert {read_answer(peer)[0] for peer in peers} == {400}


def test_one_body_is_taken_whatever_all_may_have_together(serve):
    root = serve(bodies_limit=100_000)
    body = json.dumps({"name": "A", "email": "a@b.test"}).ljust(900_000)

    for _ in range(2):
        answer = requests.post(f"{root}/v3/senders", data=body, headers={"api-key": "any"}, timeout=PATIENCE)
        assert answer.status_code in (201, 400)


def test_a_body_waits_while_another_one_is_being_answered(serve, connect):
    root = serve(bodies_limit=1_000_000)
    first, second = connect(root), connect(root)
    asked = "GET /_mock/requests?wait=1&operation=getAccount HTTP/1.1"
    first.sendall(head(asked, "content-length: 900000") + b" " * 900_000)
    assert select.select([first], [], [], 0.3)[0] == []  # it is under way
    second.sendall(half_of(900_000) + b" " * 450_000)

    assert read_answer(second)[0] == 400
    first.setblocking(False)
    assert first.recv(10_000).startswith(b"HTTP/1.1 ")  # it is over


def test_a_body_whose_answer_takes_long_to_leave_keeps_no_room(serve, connect):
    root = serve(bodies_limit=1_000_000)
    first, second = connect(root), connect(root)
    hang = 'x-mock-fault: {"fault":"hang"}'
    first.sendall(head("POST /v3/senders HTTP/1.1", KEY, hang, "content-length: 900000") + b" " * 900_000)
    second.sendall(half_of(900_000) + b" " * 450_000)

    assert read_answer(second)[0] == 400


LIMITED = "import resource, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64)); "
LIMITED += "from mockserver.cli import main; sys.argv[1:] = ['serve', '--port', '0']; main()"


@pytest.mark.skipif(sys.platform == "win32", reason="no such limit there")
def test_with_few_file_descriptors_idle_connections_shut_nobody_out(connect):
    with subprocess.Popen(
        [sys.executable, "-c", LIMITED], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            root = process.stdout.readline().strip()
            for _ in range(200):
                peer = connect(root)
                peer.sendall(head("GET /v3/account HTTP/1.1", KEY))
                assert read_answer(peer)[0] == 200
        finally:
            process.terminate()
            _, told = process.communicate(timeout=PATIENCE)

    assert "were closed that had no request to answer" in told


@pytest.mark.parametrize(
    "sent",
    [b"", b"\r\n\r\n", head("GET /v3/account HTTP/1.1", KEY), head("GET /v3/account HTTP/1.1", KEY) + b"\r\n"],
    ids=["nothing", "empty lines", "a request", "a request and an empty line"],
)
def test_a_connection_that_rests_for_long_is_closed(serve, connect, monkeypatch, sent):
    monkeypatch.setattr("mockserver.web.server.server._KEEP_ALIVE", 0.2)
    peer = connect(serve())
    peer.sendall(sent)

    with peer.makefile("rb") as stream:
        assert stream.read().startswith(b"HTTP/1.1 200 " if b"GET" in sent else b"")


def test_whoever_asks_for_another_protocol_is_answered_in_this_one_without_a_word_in_the_log(root, connect, caplog):
    peer = connect(root)
    upgrade = ["connection: upgrade", "upgrade: websocket", "sec-websocket-key: x", "sec-websocket-version: 13"]
    peer.sendall(head("GET /v3/account HTTP/1.1", KEY, *upgrade))

    assert read_answer(peer)[0] == 200
    assert caplog.records == []


def test_headers_with_an_underscore_are_not_those_with_a_dash(root, connect):
    for status, headers in (
        (401, ["api_key: any"]), (401, ["API_KEY: any"]),
        (200, [KEY, "x_mock_workspace: nowhere", "x_mock_fault: unavailable"]),
    ):  # fmt: skip
        peer = connect(root)
        peer.sendall(head("GET /v3/account HTTP/1.1", *headers))
        assert read_answer(peer)[0] == status, headers

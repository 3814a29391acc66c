"""Faults of the wire, seen by two client libraries and by a bare socket over the real server."""

from __future__ import annotations

import json
import time

import httpx
import pytest
import requests

KEY = {"api-key": "master-key"}
#: How soon a client gives up on what hangs, in seconds.
SOON = 0.3
DISTRIBUTION = '{"fault": "latency", "distribution": {"type": "uniform", "low_ms": 30, "high_ms": 40}}'


@pytest.fixture(scope="module")
def root(module_serve):
    return module_serve(
        {
            "accounts": [
                {
                    "name": "acme",
                    "api_keys": ["master-key"],
                    "senders": [{"id": n, "name": "S", "email": f"s{n}@acme.test"} for n in range(1, 40)],
                }
            ]
        }
    )


@pytest.fixture
def peer(root, peers):
    return peers(root)


def by_requests(root, fault, method="GET", path="/v3/senders", timeout=10.0):
    return requests.request(method, root + path, headers={**KEY, "X-Mock-Fault": fault}, timeout=timeout)


def by_httpx(root, fault, method="GET", path="/v3/senders", timeout=10.0):
    return httpx.request(method, root + path, headers={**KEY, "X-Mock-Fault": fault}, timeout=timeout, trust_env=False)


@pytest.fixture
def plain(root):
    """The answer without a fault."""
    return requests.get(f"{root}/v3/senders", headers=KEY, timeout=10).content


SEEN = {
    "connection_reset": (requests.ConnectionError, httpx.ReadError),
    "empty_response": (requests.ConnectionError, httpx.RemoteProtocolError),
    "truncated_body": (requests.exceptions.ChunkedEncodingError, httpx.RemoteProtocolError),
    "hang": (requests.ReadTimeout, httpx.ReadTimeout),
    "hang; ms=20": (requests.ConnectionError, httpx.RemoteProtocolError),
    "latency; ms=5000": (requests.ReadTimeout, httpx.ReadTimeout),
}


@pytest.mark.parametrize("fault", SEEN)
def test_client_libraries_see_no_answer(root, fault):
    timeout = SOON if issubclass(SEEN[fault][1], httpx.TimeoutException) else 10
    for ask, error in zip((by_requests, by_httpx), SEEN[fault], strict=True):
        with pytest.raises(error):
            ask(root, fault, timeout=timeout)


@pytest.mark.parametrize("ask", [by_requests, by_httpx])
@pytest.mark.parametrize("fault", ["latency; ms=30", "slow_body; ms=30", DISTRIBUTION])
def test_a_client_that_waits_gets_the_whole_answer(root, plain, ask, fault):
    began = time.perf_counter()
    found = ask(root, fault)
    assert time.perf_counter() - began >= 0.03
    assert (found.status_code, found.content) == (200, plain)
    assert found.headers["X-Mock-Fault"] == "header"


@pytest.mark.parametrize("ask", [by_requests, by_httpx])
def test_a_client_cannot_read_a_malformed_body(root, ask):
    found = ask(root, "malformed_body")
    assert found.status_code == 200
    with pytest.raises(ValueError, match=r"Unterminated|Expecting|Invalid"):
        found.json()


@pytest.mark.parametrize("ask", [by_requests, by_httpx])
def test_a_client_reads_an_injected_refusal(root, ask):
    found = ask(root, "rate_limited; reset_s=9")
    assert (found.status_code, found.json()["code"]) == (429, "too_many_requests")
    assert found.headers["x-sib-ratelimit-reset"] == "9"


@pytest.mark.parametrize("ask", [by_requests, by_httpx])
def test_a_client_is_told_that_the_gateway_got_no_answer(root, ask):
    assert ask(root, "lost_answer").status_code == 504


# ---------------------------------------------------------------------- byte by byte


def fault(text):
    return f"x-mock-fault: {text}"


def test_connection_reset_fault_resets_the_socket(peer):
    peer.send("GET", "/v3/senders", fault("connection_reset"))
    with pytest.raises(ConnectionResetError):
        peer.socket.recv(1)


def test_a_reset_comes_after_an_answer_on_the_same_connection(peer):
    assert peer.send().read_answer()[0] == 200
    peer.send("GET", "/v3/senders", fault("connection_reset"))
    with pytest.raises(ConnectionResetError):
        peer.socket.recv(1)


@pytest.mark.parametrize("text", ["empty_response", "hang; ms=0", "hang; ms=20"])
def test_an_empty_answer_is_an_end_without_a_byte(peer, text):
    assert peer.send("GET", "/v3/senders", fault(text)).socket.recv(1) == b""


def test_a_truncated_body_announces_its_whole_length(peer, plain):
    head, _, body = peer.send("GET", "/v3/senders", fault("truncated_body")).read_all().partition(b"\r\n\r\n")
    assert f"content-length: {len(plain)}".encode() in head
    assert body == plain[: len(plain) // 2]


def test_truncated_body_fault_applies_to_refusals(peer):
    answer = peer.send("GET", "/v3/senders/domains/none.test", fault("truncated_body")).read_all()
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 404")
    assert body.startswith(b'{"code"')
    assert 0 < len(body) < int(head.partition(b"content-length: ")[2].split(b"\r")[0])


def test_a_malformed_body_has_its_length(peer):
    status, headers, body = peer.send("GET", "/v3/senders", fault("malformed_body")).read_answer()
    assert (status, int(headers["content-length"])) == (200, len(body))
    with pytest.raises(ValueError, match=r"Unterminated|Expecting|Invalid"):
        json.loads(body)


def test_a_slow_body_comes_in_pieces(peer, plain):
    peer.send("GET", "/v3/senders", fault("slow_body; ms=300"))
    pieces, length = [], None
    while length is None or sum(len(piece) for piece, _ in pieces) < length:
        some = peer.socket.recv(65536)
        if length is None:
            head, _, some = some.partition(b"\r\n\r\n")
            assert f"content-length: {len(plain)}".encode() in head
            length = len(plain)
        pieces.append((some, time.perf_counter()))
    assert b"".join(piece for piece, _ in pieces) == plain
    assert len([piece for piece, _ in pieces if piece]) >= 10
    assert pieces[-1][1] - pieces[0][1] >= 0.2


def test_the_first_byte_of_a_late_answer_is_late(peer):
    began = time.perf_counter()
    peer.send("GET", "/v3/senders", fault("latency; ms=80")).socket.recv(1)
    assert time.perf_counter() - began >= 0.08


KEPT = ["latency; ms=5", "slow_body; ms=5", "malformed_body", "unavailable", "lost_answer"]


@pytest.mark.parametrize("text", KEPT)
def test_the_connection_serves_on_after_an_answer(peer, plain, text):
    peer.send("GET", "/v3/senders", fault(text)).read_answer()
    assert peer.send().read_answer()[2] == plain


# ---------------------------------------------------------------------- answers without a body


@pytest.fixture
def sender(root):
    """The path of a sender that may be deleted."""
    email = f"n{time.perf_counter_ns()}@acme.test"
    answer = requests.post(f"{root}/v3/senders", json={"name": "N", "email": email}, headers=KEY, timeout=10)
    return f"/v3/senders/{answer.json()['id']}"


@pytest.mark.parametrize("text", ["truncated_body", "malformed_body", "slow_body; ms=5", "latency; ms=5"])
def test_an_answer_without_a_body_stays_whole(peer, sender, text):
    status, headers, body = peer.send("DELETE", sender, fault(text)).read_answer()
    assert (status, body, headers["x-mock-fault"]) == (204, b"", "header")
    assert peer.send().read_answer()[0] == 200


@pytest.mark.parametrize("text", ["connection_reset", "empty_response", "hang; ms=5"])
def test_unanswered_request_changes_nothing(root, peer, sender, text):
    peer.send("DELETE", sender, fault(text))
    with pytest.raises((ConnectionResetError, AssertionError), match=r"reset|ended"):
        peer.read_answer()
    identifiers = [row["id"] for row in requests.get(f"{root}/v3/senders", headers=KEY, timeout=10).json()["senders"]]
    assert int(sender.rpartition("/")[2]) in identifiers


@pytest.mark.parametrize("text", ["truncated_body", "malformed_body", "slow_body; ms=5", "latency; ms=5"])
def test_a_truncated_answer_means_that_the_work_was_done(root, peers, sender, text):
    assert peers(root).send("DELETE", sender, fault(text)).read_answer()[0] == 204
    assert requests.delete(root + sender, headers=KEY, timeout=10).status_code == 404


@pytest.mark.parametrize("text", ["slow_body; ms=5", "latency; ms=5", "malformed_body", "truncated_body"])
def test_head_has_no_body_whatever_the_fault(peer, text):
    peer.send("HEAD", "/v3/senders", fault(text))
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += peer.socket.recv(65536)
    assert head.startswith(b"HTTP/1.1 200")
    assert head.count(b"\r\n\r\n") == 1
    assert peer.send().read_answer()[0] == 200


# ---------------------------------------------------------------------- requests sent ahead


@pytest.mark.parametrize("text", KEPT)
def test_a_request_sent_ahead_is_answered_in_its_turn(peer, plain, text):
    peer.send("GET", "/v3/senders", fault(text), ahead=[("GET", "/v3/account"), ("GET", "/v3/senders")])
    assert "x-mock-fault" in peer.read_answer()[1]
    assert b'"email"' in peer.read_answer()[2]
    assert peer.read_answer()[2] == plain


@pytest.mark.parametrize("text", ["connection_reset", "empty_response", "truncated_body", "hang; ms=20"])
def test_a_request_sent_ahead_ends_with_its_connection(root, peer, text):
    key = f"k{time.perf_counter_ns()}"
    peer.send("GET", "/v3/senders", fault(text), ahead=[("DELETE", "/v3/senders/1", f"x-marker: {key}")])
    try:
        rest = peer.read_all()
    except ConnectionResetError:
        rest = b""
    assert b"204" not in rest
    match = {"headers": {"x-marker": key}}
    count = {"match": match, "count": 0}
    assert requests.post(f"{root}/_mock/requests/verify", json=count, timeout=10).json()["satisfied"]


def test_a_rule_hits_over_the_wire_as_often_as_it_says(root, peers):
    rule = requests.post(f"{root}/_mock/faults", json={"fault": "connection_reset", "times": 1}, timeout=10).json()
    with pytest.raises(requests.ConnectionError):
        requests.get(f"{root}/v3/senders", headers=KEY, timeout=10)
    assert requests.get(f"{root}/v3/senders", headers=KEY, timeout=10).status_code == 200
    assert requests.get(f"{root}/_mock/faults/{rule['id']}", timeout=10).json()["hits"] == 1

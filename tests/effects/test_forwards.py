"""Calls that are handed on to a peer: with which key, how far, how long, and what comes back."""

import queue
import socket
import struct
import threading
import time

import pytest
from tables import tables

from mockserver import Settings, create_app
from mockserver.app.forwards import Forwards
from mockserver.core.effects import ForwardedCall, PeerAnswer

#: The tables of the tests by name.
CASES = tables(__file__)
KEY = f"xkeysib-{'5' * 64}-0123456789abcdef"
CALL = ForwardedCall("GET", "/v3/contacts?limit=2", [("accept", "application/json")], b"")
CONTACTS = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 15\r\n\r\n{"contacts":[]}'
#: Within so many seconds calls have ended that were given up, on a busy machine as well.
SOON = 5


@pytest.fixture
def send():
    """A function that hands a call on to a peer, with these settings; what has come back."""
    running = []

    def sent(url, call=CALL, **settings):
        forwards = Forwards(Settings(forward_to=url, **settings), url)
        running.append(forwards)
        over, answers = threading.Event(), []
        forwards.send(call, lambda answer: (answers.append(answer), over.set()))
        assert over.wait(10)
        return answers[0]

    yield sent
    for forwards in running:
        forwards.close()


# ---------------------------------------------------------------------- what leaves, and what comes back


def test_a_call_leaves_as_it_is_and_its_answer_comes_back(listen, send):
    peer = listen(CONTACTS)

    answer = send(peer.url(""))

    assert peer.head[0] == "GET /v3/contacts?limit=2 HTTP/1.1"
    assert peer.headers("accept") == ["application/json"]
    assert peer.body == b""
    headers = (("Content-Type", "application/json"), ("Content-Length", "15"))
    assert answer == PeerAnswer(200, headers, b'{"contacts":[]}')


def test_request_body_is_forwarded_unchanged(listen, send):
    peer = listen(CONTACTS)

    send(peer.url(""), ForwardedCall("PUT", "/v3/x", [("content-type", "text/plain")], b"a\x00b"))

    assert peer.head[0] == "PUT /v3/x HTTP/1.1"
    assert peer.body == b"a\x00b"


@pytest.mark.parametrize("end", ["", "/", "/v3", "/v3/"])
def test_the_peer_is_given_by_its_root_or_by_the_address_of_its_api(listen, send, end):
    peer = listen(CONTACTS)

    assert send(peer.url(end)).status == 200
    assert peer.head[0] == "GET /v3/contacts?limit=2 HTTP/1.1"


def test_the_peer_may_be_a_workspace_of_another_mock(listen, send):
    peer = listen(CONTACTS)
    send(peer.url("/w/staging/v3"))
    assert peer.head[0] == "GET /w/staging/v3/contacts?limit=2 HTTP/1.1"


def test_a_redirection_is_an_answer_and_is_not_followed(listen, send):
    elsewhere = listen()
    peer = listen(f"HTTP/1.1 302 Found\r\nLocation: {elsewhere.url()}\r\nContent-Length: 0\r\n\r\n".encode())

    assert send(peer.url("")).status == 302
    assert elsewhere.calls == []


# ---------------------------------------------------------------------- keys


def test_without_a_key_of_its_own_a_call_has_the_key_that_any_mock_takes(listen, send):
    peer = listen(CONTACTS)
    send(peer.url(""))
    assert peer.headers("api-key") == ["any"]


def test_forward_key_is_sent_to_the_peer_as_api_key(listen, send):
    peer = listen(CONTACTS)
    send(peer.url(""), forward_key=KEY)
    assert peer.headers("api-key") == [KEY]


def test_a_key_may_stand_in_a_file(listen, send, tmp_path):
    (tmp_path / "key").write_text(f"{KEY}\n")
    peer = listen(CONTACTS)
    send(peer.url(""), forward_key_file=tmp_path / "key")
    assert peer.headers("api-key") == [KEY]


def test_a_key_that_the_peer_repeats_is_hidden(listen, send):
    told = f'{{"message":"{KEY} is unknown"}}'.encode()
    peer = listen(b"HTTP/1.1 401 No\r\nX-Key: %s\r\nContent-Length: %d\r\n\r\n%s" % (KEY.encode(), len(told), told))

    answer = send(peer.url(""), forward_key=KEY)

    assert answer.body == b'{"message":"*** is unknown"}'
    assert ("X-Key", "***") in answer.headers
    assert KEY not in repr(answer)


def test_a_short_word_for_a_key_changes_no_answer(listen, send):
    assert send(listen(CONTACTS).url(""), forward_key="contacts").body == b'{"contacts":[]}'


@pytest.mark.parametrize(("settings", "told"), CASES["a_key_that_cannot_be_used"])
def test_a_key_that_cannot_be_used_keeps_the_server_from_starting(settings, told):
    with pytest.raises(ValueError, match=told) as refusal:
        create_app(Settings(forward_to="http://127.0.0.1:9", **settings))
    assert "\u20ac" not in str(refusal.value)


def test_a_key_for_nobody_keeps_the_server_from_starting():
    with pytest.raises(ValueError, match="no --forward-to"):
        create_app(Settings(forward_key=KEY))


# ---------------------------------------------------------------------- how far


@pytest.mark.parametrize(("url", "told"), CASES["an_address_that_cannot_be_called"])
def test_an_address_that_cannot_be_called_keeps_the_server_from_starting(url, told):
    with pytest.raises(ValueError) as refusal:
        create_app(Settings(forward_to=url))
    assert told in str(refusal.value)
    assert "secret" not in str(refusal.value)


FAR = "far.test at 93.184.216.34 is not a loopback"


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({}, f"egress refused: {FAR} or private address (--egress private); the service itself"),
        ({"forward_key": KEY}, f"egress refused: {FAR} or private address (--egress private); the service itself"),
        ({"egress": "any"}, f"egress refused: {FAR} or private address (--egress private); the service itself"),
        ({"egress": "loopback"}, f"egress refused: {FAR} address (--egress loopback); the service itself"),
    ],
)
def test_the_service_is_called_only_if_egress_and_a_key_allow_it(names, send, settings, told):
    names["far.test"] = ["93.184.216.34"]
    answer = send("https://far.test", **settings)
    assert answer.error.startswith(told)
    assert KEY not in answer.error


def test_a_key_leaves_in_the_clear_only_for_a_mock_nearby(names, send):
    names["far.test"] = ["93.184.216.34"]
    answer = send("http://far.test", egress="any", forward_key=KEY)
    assert answer.error == (
        f"egress refused: {FAR} or private address (--egress private); the service itself is called only by https, "
        "with --egress any and a key of its own (--forward-key)"
    )


def test_with_any_egress_and_a_key_the_service_is_called(names, send, monkeypatch):
    names["far.test"] = ["93.184.216.34"]
    called = []

    def create_connection(address, _):
        called.append(address)
        raise OSError("the net is down")

    monkeypatch.setattr(socket, "create_connection", create_connection)

    assert send("https://far.test", egress="any", forward_key=KEY) == PeerAnswer(error="the net is down")
    assert called == [("93.184.216.34", 443)]


def test_nothing_breaks_out_of_the_line_of_a_call(listen, send):
    peer = listen(CONTACTS)
    send(peer.url(""), CALL._replace(target="/v3/a\r\nX-Evil: 1\n b"))
    assert peer.head[0] == "GET /v3/aX-Evil:%201%20b HTTP/1.1"
    assert peer.headers("X-Evil") == []


@pytest.mark.usefixtures("trusted")
def test_a_peer_may_speak_tls(secured, send):
    peer = secured("localhost", behave=CONTACTS)
    assert send(f"https://localhost:{peer.port}").body == b'{"contacts":[]}'


def test_a_peer_whose_certificate_is_not_trusted_gets_no_call(secured, send):
    peer = secured("localhost", behave=CONTACTS)
    assert send(f"https://localhost:{peer.port}").error.startswith("the certificate was refused: ")
    assert peer.calls == []


# ---------------------------------------------------------------------- peers that fail


def _reset(_, connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def _endless(receiver, connection):
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
    while not receiver.over.is_set():
        connection.sendall(b"x" * 65536)


@pytest.mark.parametrize(
    ("behave", "told"),
    [
        (b"", "Remote end closed connection without response"),
        (_reset, "Connection reset by peer"),
        (b"SSH-2.0-OpenSSH_9.6\r\n", "the answer is not HTTP: 'SSH-2.0-OpenSSH_9.6\\r\\n'"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + b"\r\n", "got more than 100 headers"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", "Connection broken: IncompleteRead("),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc", "Connection broken: "),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n" + b"x" * 1001, "the answer has more than 1,000 bytes"),
        (_endless, "the answer has more than 1,000 bytes"),
    ],
)  # fmt: skip
def test_broken_or_oversized_peer_answer_is_reported_as_an_error(listen, send, behave, told):
    answer = send(listen(behave).url(""), forward_answer_limit=1_000)
    assert answer.error.startswith(told), answer.error
    assert answer.status == 0


def test_an_answer_of_as_many_bytes_as_there_may_be_comes_back(listen, send):
    peer = listen(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + b"x" * 1000)
    assert send(peer.url(""), forward_answer_limit=1_000).body == b"x" * 1000


def test_what_is_compressed_comes_back_as_it_is(listen, send):
    """It is not unpacked: a few bytes could become gigabytes."""
    peer = listen(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 7\r\n\r\nno gzip")
    assert send(peer.url("")).body == b"no gzip"
    assert peer.headers("accept-encoding") == ["identity"]


def test_unreachable_peer_is_reported(send):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
        assert send(url) == PeerAnswer(error="Connection refused")


def test_a_peer_that_is_slow_is_given_up(listen, send):
    def slow(receiver, connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        while not receiver.over.wait(0.01):
            connection.sendall(b"x")

    start = time.monotonic()
    assert send(listen(slow).url(""), forward_timeout=0.2) == PeerAnswer(error="no answer within 0.2 seconds")
    assert time.monotonic() - start < SOON


def test_an_error_of_the_mock_is_told_without_its_words(send, monkeypatch, caplog):
    def broken(*_):
        raise RuntimeError("a secret")

    monkeypatch.setattr("mockserver.effects.http.fetch", broken)

    assert send("http://127.0.0.1:9") == PeerAnswer(error="the mock has failed: RuntimeError")
    assert "a forwarded call has failed with an unexpected error" in caplog.text


# ---------------------------------------------------------------------- many calls


def test_the_time_of_a_call_begins_before_its_turn(listen):
    peer = listen(lambda receiver, _: receiver.over.wait(10))
    forwards = Forwards(Settings(forward_timeout=0.8), peer.url(""))
    over, answers = threading.Semaphore(0), []
    start = time.monotonic()
    for _ in range(200):
        forwards.send(CALL, lambda answer: (answers.append(answer.error), over.release()))
    for _ in range(200):
        assert over.acquire(timeout=10)
    forwards.close()

    assert set(answers) == {"no answer within 0.8 seconds"}
    assert time.monotonic() - start < SOON  # one after the other, 32 at a time, it would be 5.6


def test_more_calls_than_may_wait_are_refused(listen):
    peer = listen(lambda receiver, _: receiver.over.wait(10))
    forwards = Forwards(Settings(), peer.url(""))
    answers = queue.SimpleQueue()
    for _ in range(300):
        forwards.send(CALL, lambda answer: answers.put((answer.error, threading.current_thread())))
    error, thread = answers.get(timeout=10)
    peer.close()
    forwards.close()

    assert error == "the queue of forwarded calls is full"
    assert thread is not threading.current_thread()  # on an event loop it must not wait for a workspace


def test_closed_forwarder_refuses_further_calls(listen):
    peer, answers = listen(CONTACTS), []
    forwards = Forwards(Settings(), peer.url(""))
    forwards.close()

    forwards.send(CALL, answers.append)

    assert [answer.error for answer in answers] == ["the queue of forwarded calls is full"]
    assert peer.calls == []

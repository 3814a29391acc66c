"""Webhook calls over HTTP: what they carry, what counts as an answer, and how long anything may take."""

import socket
import struct
import threading
import time
from base64 import b64encode
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
import trustme
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from tables import tables

from mockserver.core.effects import CallOutcome, OutgoingRequest
from mockserver.effects.deadline import Deadline, HurriedSocket
from mockserver.effects.egress import Egress
from mockserver.effects.http import call
from mockserver.resources.deliveries.delivery import Target
from mockserver.resources.deliveries.model import request_headers, request_url

#: The tables of the tests by name.
CASES = tables(__file__)
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
#: Within so many seconds a call has ended that was given up; its peer would hold it for ever.
SOON = 5


def _call(url, *, headers=(), body=b"{}", seconds=5.0):
    return call(OutgoingRequest(url, headers, body, seconds), Egress.LOOPBACK)


def _target(url, **members):
    """A call as a delivery makes it."""
    target = Target(url, **members)
    return _call(request_url(target), headers=request_headers(target), body=b'{"event":"delivered"}')


# ---------------------------------------------------------------------- what a call carries


def test_a_call_posts_json(listen):
    receiver = listen()
    assert _target(receiver.url("/hook?a=1")) == CallOutcome(status=200)
    assert receiver.head[0] == "POST /hook?a=1 HTTP/1.1"
    assert receiver.body == b'{"event":"delivered"}'
    assert receiver.headers("Content-Type") == ["application/json"]
    assert receiver.headers("Content-Length") == ["21"]
    assert receiver.headers("Host") == [receiver.address]
    assert receiver.headers("Connection") == ["close"]
    assert receiver.headers("Authorization") == receiver.headers("Transfer-Encoding") == []


def test_a_library_of_the_field_understands_it():
    seen = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            seen.append((self.path, self.headers["Host"], self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.handle_request)
        thread.start()
        assert _target(f"http://127.0.0.1:{server.server_port}/hook") == CallOutcome(status=204)
        thread.join(10)
    assert seen == [("/hook", f"127.0.0.1:{server.server_port}", b'{"event":"delivered"}')]


@pytest.mark.parametrize(("path", "sent"), CASES["path_and_query"])
def test_path_and_query_are_sent_as_they_are_written(listen, path, sent):
    receiver = listen()
    assert _target(receiver.url(path)).status == 200
    assert receiver.head[0] == f"POST {sent} HTTP/1.1"


@pytest.mark.parametrize(("url", "host"), CASES["the_host"])
def test_the_host_is_named_with_its_port(listen, names, monkeypatch, url, host):
    receiver = listen()
    names |= {key: ["127.0.0.1"] for key in ("hook.test", "hook.test.", "xn--bcher-kva.test", "my_service")}
    _lead(monkeypatch, receiver)
    assert _target(url).status == 200
    assert receiver.headers("Host") == [host]


def _lead(monkeypatch, receiver):
    """Let every connection lead to a receiver."""

    def create_connection(_, seconds):
        found = socket.socket()
        found.settimeout(seconds)
        found.connect(("127.0.0.1", receiver.port))
        return found

    monkeypatch.setattr(socket, "create_connection", create_connection)


@pytest.mark.parametrize(
    ("credentials", "sent"),
    [
        ("user:word", "user:word"), ("user", "user:"), (":word", ":word"), ("us%40er:w%3Aor%2Fd", "us@er:w:or/d"),
        ("user:a:b", "user:a:b"), ("user:a@b", "user:a@b"), ("%C3%BCser:w%C3%B6rd", "üser:wörd"),
    ],
)  # fmt: skip
def test_credentials_of_the_address_become_a_header_and_nothing_else(listen, credentials, sent):
    receiver = listen()
    assert _target(receiver.url(host=f"{credentials}@127.0.0.1")).status == 200
    assert receiver.headers("Authorization") == [f"Basic {b64encode(sent.encode()).decode()}"]
    assert receiver.head[0] == "POST /hook HTTP/1.1"
    assert receiver.headers("Host") == [receiver.address]


@pytest.mark.parametrize("host", ["127.0.0.1", "user:word@127.0.0.1"])
def test_a_bearer_token_comes_before_credentials(listen, host):
    receiver = listen()
    assert _target(receiver.url(host=host), auth={"type": "bearer", "token": "t0k3n"}).status == 200
    assert receiver.headers("Authorization") == ["Bearer t0k3n"]


def test_headers_of_the_webhook_are_added(listen):
    receiver = listen()
    own = (("X-One", "1"), ("x-two", "a, b"), ("X-Two", "c"), ("X-Empty", ""), ("X-Latin", "größe"))
    assert _target(receiver.url(), headers=own).status == 200
    found = {name: receiver.headers(name) for name in ("x-one", "x-two", "x-empty", "x-latin")}
    assert found == {"x-one": ["1"], "x-two": ["a, b", "c"], "x-empty": [""], "x-latin": ["größe"]}


@pytest.mark.parametrize(
    ("name", "value"), [("content-type", "text/plain"), ("User-Agent", "team"), ("AUTHORIZATION", "Token 1")]
)
def test_headers_of_the_webhook_replace_those_of_the_service(listen, name, value):
    """Proposed: the real service does not say."""
    receiver = listen()
    assert _target(receiver.url(), headers=((name, value),), auth={"type": "bearer", "token": "t"}).status == 200
    assert receiver.headers(name) == [value]


@pytest.mark.parametrize(
    ("name", "value", "sent"),
    [
        ("Host", "evil.test", ["127.0.0.1:{port}"]), ("content-length", "3", ["21"]),
        ("Transfer-Encoding", "chunked", []), ("Connection", "keep-alive", ["close"]), ("Expect", "100-continue", []),
        ("Upgrade", "h2c", []), ("TE", "trailers", []), ("Trailer", "x", []),
    ],
)  # fmt: skip
def test_where_a_call_goes_and_where_it_ends_is_no_business_of_the_webhook(listen, name, value, sent):
    receiver = listen()
    assert _target(receiver.url(), headers=((name, value),)).status == 200
    assert receiver.headers(name) == [text.format(port=receiver.port) for text in sent]
    assert receiver.body == b'{"event":"delivered"}'


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("X-A", "1\r\nX-Evil: 1"), ("X-A", "1\nX-Evil: 1"), ("X-A", "1\rX"), ("X-A", "1\r\n folded"), ("X-A", "\x00"),
        ("X-A", "\x7f"), ("X-A", "€"), ("X-A", "\ud800"), ("X-A\r\nX-Evil", "1"), ("X A", "1"), ("X:A", "1"), ("", "1"),
        (" X", "1"), ("Host ", "evil.test"), ("ü", "1"), ("Content-Length\x0b", "1"),
    ],
)  # fmt: skip
def test_a_header_that_cannot_be_sent_is_an_error_and_no_call(listen, name, value):
    receiver = listen()
    outcome = _target(receiver.url(), headers=((name, value),))
    assert outcome.status is None
    assert outcome.hopeless
    assert "header" in outcome.error
    assert outcome.error.isascii()
    assert receiver.calls == []


@pytest.mark.parametrize("token", ["a\r\nX-Evil: 1", "€"])
def test_a_token_that_cannot_be_sent_is_an_error_and_no_call(listen, token):
    receiver = listen()
    told = "the value of the header Authorization has characters that are not allowed in headers"
    outcome = _target(receiver.url(), auth={"type": "bearer", "token": token})
    assert outcome == CallOutcome(error=told, hopeless=True)
    assert receiver.calls == []


@pytest.mark.parametrize(
    "url",
    [
        "", "hook", "//127.0.0.1/", "/hook", "ftp://127.0.0.1/", "file:///etc/passwd", "http:", "http://", "http:///x",
        "http://user@/", "http://:80/", "http://127.0.0.1:65536/", "http://127.0.0.1:-1/", "http://127.0.0.1:x/",
        "http://[::1/", "http://::1]/", "http://[127.0.0.1]/", "http://127.0.0.1 /", "http://127.0.0.1 evil/",
        "http://a..b/", f"http://{'a' * 64}.test/", "http://a\x00b/", "http://a\\b/", "http://127.0.0.1\\@evil.test\\x/",
        "http://\ud800/", "http://127.0.0.1/\ud800", "http://a\u2100b/", "http://<evil>/", 'http://"/', "http://%\n@\x7f/",
        "javascript:alert(1)", "http://127.0.0.1/?\udfff",
    ],
)  # fmt: skip
def test_what_is_no_address_is_an_error_and_no_call(monkeypatch, url):
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: pytest.fail("it was looked up"))
    outcome = _call(url)
    assert (outcome.status, outcome.hopeless) == (None, True)
    assert "URL" in outcome.error
    assert outcome.error.isascii()


@pytest.mark.parametrize(
    ("url", "port"),
    [
        ("http://127.0.0.1/", 80), ("http://127.0.0.1:/", 80), ("https://127.0.0.1/", 443), ("http://127.0.0.1:0/", 0),
        ("http://127.0.0.1:65535/", 65535),
    ],
)  # fmt: skip
def test_the_port_is_the_one_of_the_address_or_else_the_usual_one(monkeypatch, url, port):
    called = []

    def create_connection(address, _):
        called.append(address)
        raise OSError("nobody is there")

    monkeypatch.setattr(socket, "create_connection", create_connection)
    assert _call(url) == CallOutcome(error="nobody is there")
    assert called == [("127.0.0.1", port)]


def test_a_very_long_name_is_an_error(names):
    assert _call(f"http://{'a.' * 5_000}test/").error == "Name or service not known"


# ---------------------------------------------------------------------- what counts as an answer


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        (OK, 200), (b"HTTP/1.0 200 OK\r\n\r\n", 200), (b"HTTP/1.1 200\r\n\r\n", 200),
        (b"HTTP/1.1 201 Created\r\n\r\nno length, but an end", 201), (b"HTTP/1.1 204 No Content\r\n\r\n", 204),
        (b"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", 204),
        (b"HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n", 304),
        (b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n", 302),
        (b"HTTP/1.1 429 Slow\r\nRetry-After: 3600\r\nContent-Length: 0\r\n\r\n", 429),
        (b"HTTP/1.1 503 Down\r\nRetry-After: 3600\r\nContent-Length: 0\r\n\r\n", 503),
        (b"HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n", 999), (b"HTTP/1.1 100 Continue\r\n\r\n" + OK, 200),
        (b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + OK, 200),
        (b"HTTP/1.1 102 P\r\n\r\nHTTP/1.1 100 C\r\n\r\nHTTP/1.1 103 E\r\n\r\nHTTP/1.1 500 No\r\n\r\n", 500),
        (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", 101),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", 200),
        (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 7\r\n\r\nno gzip", 200),
        (b"HTTP/1.1 200 OK\r\nContent-Encoding: br, nonsense\r\nContent-Length: 1\r\n\r\nx", 200),
        (b"HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nX: \xff\xfe\r\nContent-Length: 0\r\n\r\n", 200),
    ],
)  # fmt: skip
def test_the_status_of_an_answer_is_what_counts(listen, answer, status):
    assert _call(listen(answer).url()) == CallOutcome(status=status)


def test_of_an_answer_without_an_end_only_the_beginning_is_read(listen):
    def endless(receiver, connection):
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while not receiver.over.is_set():
            connection.sendall(b"x" * 65536)

    start = time.monotonic()
    assert _call(listen(endless).url(), seconds=30) == CallOutcome(status=200)
    assert time.monotonic() - start < 10


def _hang_up(_, connection):
    """The connection is gone at once, by a reset."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (b"", "Remote end closed connection without response"),
        (_hang_up, "Connection reset by peer"),
        (b"\x00\x01\x02garbage\xff\r\n\r\n", "the answer is not HTTP: '\\x00\\x01\\x02garbage\\xff\\r\\n'"),
        (b"hello, this is HTTP/0.9\n", "the answer is not HTTP: 'hello, this is HTTP/0.9\\n'"),
        (b"SSH-2.0-OpenSSH_9.6\r\n", "the answer is not HTTP: 'SSH-2.0-OpenSSH_9.6\\r\\n'"),
        (b"HTTP/1.1 xyz OK\r\n\r\n", "the answer is not HTTP: 'HTTP/1.1 xyz OK\\r\\n'"),
        (b"HTTP/1.1 99 OK\r\n\r\n", "the answer is not HTTP: 'HTTP/1.1 99 OK\\r\\n'"),
        (b"HTTP/1.1 1000 OK\r\n\r\n", "the answer is not HTTP: 'HTTP/1.1 1000 OK\\r\\n'"),
        (b"HTTP/2.0 200 OK\r\n\r\n", "HTTP/2.0"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + b"\r\n", "got more than 100 headers"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"y" * 70_000 + b"\r\n\r\n", "got more than 65536 bytes when reading header line"),
        (b"HTTP/1.1 " + b"2" * 70_000, "got more than 65536 bytes when reading status line"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", "Connection broken: IncompleteRead("),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc", "Connection broken: IncompleteRead("),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nhalf", "Connection broken: "),
    ],
)  # fmt: skip
def test_malformed_webhook_answer_is_reported_as_an_error(listen, answer, told):
    outcome = _call(listen(answer).url())
    assert outcome.status is None
    assert outcome.error.startswith(told), outcome.error
    assert outcome.error.isascii()
    assert len(outcome.error) <= 300
    assert not outcome.hopeless


def test_a_refused_connection_is_an_error():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        assert _call(f"http://127.0.0.1:{taken.getsockname()[1]}/") == CallOutcome(error="Connection refused")


def test_who_answers_before_the_call_has_ended_is_heard(listen):
    def impatient(_, connection):
        connection.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(65536):
            pass

    assert _call(listen(impatient, reads=False).url(), body=b"x" * 3_000_000) == CallOutcome(status=413)


@pytest.mark.parametrize("error", [BrokenPipeError, ConnectionResetError])
def test_who_answers_and_reads_no_further_is_heard(listen, monkeypatch, error):
    def break_off(sock, data):
        sendall(sock, data)
        raise error

    sendall = HurriedSocket.sendall
    monkeypatch.setattr(HurriedSocket, "sendall", break_off)
    assert _call(listen(b"HTTP/1.1 503 No\r\n\r\n").url(), body=b"") == CallOutcome(status=503)


# ---------------------------------------------------------------------- time


def _trickle(first, rest=b"x"):
    """Something, and then a little for as long as it is listened to."""

    def behave(receiver, connection):
        connection.sendall(first)
        while not receiver.over.wait(0.01):
            connection.sendall(rest)

    return behave


def _silent(receiver, _):
    receiver.over.wait(10)


SLOW = {
    "no answer": _silent,
    "a status line by and by": _trickle(b"HTTP/1.1 200 "),
    "headers by and by": _trickle(b"HTTP/1.1 200 OK\r\nX: "),
    "headers one by one": _trickle(b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"),
    "half of its headers": _trickle(b"HTTP/1.1 200 OK\r\nX: y\r\n", b""),
    "a body by and by": _trickle(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"),
    "a body without an end": _trickle(b"HTTP/1.1 200 OK\r\n\r\n"),
    "half of its body": _trickle(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", b""),
    "chunks by and by": _trickle(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
    "a chunk's length by and by": _trickle(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"0"),
    "nothing but announcements": _trickle(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "nothing but hints": _trickle(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"),
}


@pytest.mark.parametrize("behave", SLOW.values(), ids=SLOW)
def test_no_answer_takes_longer_than_the_call_may(listen, behave):
    receiver = listen(behave)
    start = time.monotonic()
    assert _call(receiver.url(), seconds=0.15) == CallOutcome(error="no answer within 0.15 seconds")
    assert 0.14 < time.monotonic() - start < SOON


def test_a_peer_that_does_not_read_takes_no_longer_than_the_call_may(listen):
    receiver = listen(_silent, reads=False)
    start = time.monotonic()
    body = b"x" * 30_000_000  # more than the buffers of both ends hold
    assert _call(receiver.url(), body=body, seconds=0.15) == CallOutcome(error="no answer within 0.15 seconds")
    assert time.monotonic() - start < SOON


def test_a_peer_that_reads_by_and_by_takes_no_longer_than_the_call_may():
    here, there = socket.socketpair()
    over = threading.Event()

    def sip():
        while not over.wait(0.01) and there.recv(4096):
            pass

    thread = threading.Thread(target=sip)
    with here, there:
        here.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8192)
        here.settimeout(5)
        thread.start()
        start = time.monotonic()
        with pytest.raises(TimeoutError):
            HurriedSocket(here, Deadline(0.15)).sendall(b"x" * 2_000_000)
        assert time.monotonic() - start < SOON
        over.set()
        thread.join(10)


@pytest.mark.parametrize("seconds", [0.0, -1.0])
def test_zero_or_negative_timeout_gives_no_answer(listen, seconds):
    receiver = listen()
    assert _call(receiver.url(), seconds=seconds) == CallOutcome(error=f"no answer within {seconds:g} seconds")


@pytest.mark.parametrize("seconds", [1e6, 1e300, float("inf")])
def test_long_timeout_values_are_accepted(listen, seconds):
    assert _call(listen().url(), seconds=seconds) == CallOutcome(status=200)


def test_slow_webhook_answer_is_accepted(listen):
    def slow(receiver, connection):
        receiver.over.wait(0.05)
        connection.sendall(OK)

    assert _call(listen(slow).url(), seconds=5) == CallOutcome(status=200)


# ---------------------------------------------------------------------- https


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
@pytest.mark.usefixtures("trusted")
def test_an_authority_of_the_team_is_trusted(secured, host):
    receiver = secured(host)
    assert _target(receiver.url(host=host, scheme="https")) == CallOutcome(status=200)
    assert receiver.headers("Host") == [f"{host}:{receiver.port}"]


@pytest.mark.usefixtures("trusted")
def test_a_certificate_is_for_the_name_and_not_for_its_address(secured, names):
    names |= {"hook.test": ["127.0.0.1"], "hook.test.": ["127.0.0.1"]}
    receiver = secured("hook.test")
    assert _target(receiver.url(host="hook.test", scheme="https")) == CallOutcome(status=200)
    assert _target(receiver.url(host="hook.test.", scheme="https")) == CallOutcome(status=200)
    assert _target(receiver.url(scheme="https")).error.startswith("the certificate was refused: IP address mismatch")


@pytest.mark.usefixtures("trusted")
def test_a_certificate_for_another_name_is_an_error_and_no_call(secured):
    receiver = secured("other.test", "127.0.0.1")
    outcome = _target(receiver.url(host="localhost", scheme="https"))
    told = "the certificate was refused: Hostname mismatch, certificate is not valid for 'localhost'."
    assert outcome == CallOutcome(error=told)
    assert receiver.calls == []


@pytest.mark.usefixtures("trusted")
def test_a_certificate_of_another_authority_is_an_error_and_no_call(secured):
    receiver = secured("localhost", issuer=trustme.CA())
    outcome = _target(receiver.url(host="localhost", scheme="https"))
    assert outcome.error.startswith("the certificate was refused: ")
    assert receiver.calls == []


def test_without_the_variable_the_authority_of_the_team_is_not_trusted(secured, monkeypatch):
    monkeypatch.delenv("SSL_CERT_FILE", raising=False)
    receiver = secured("localhost")
    outcome = _target(receiver.url(host="localhost", scheme="https"))
    assert outcome.error.startswith("the certificate was refused: ")
    assert receiver.calls == []


@pytest.mark.usefixtures("trusted")
def test_who_speaks_no_tls_is_an_error(listen):
    outcome = _target(listen(OK, reads=False).url(host="localhost", scheme="https"))
    assert outcome.status is None
    assert "SSL" in outcome.error


@pytest.mark.usefixtures("trusted")
def test_a_handshake_takes_no_longer_than_the_call_may(listen):
    receiver = listen(_silent, reads=False)
    start = time.monotonic()
    url = receiver.url(host="localhost", scheme="https")
    assert _call(url, seconds=0.15) == CallOutcome(error="no answer within 0.15 seconds")
    assert time.monotonic() - start < SOON


@pytest.mark.parametrize("name", ["no answer", "headers by and by", "a body by and by"])
@pytest.mark.usefixtures("trusted")
def test_no_answer_behind_tls_takes_longer_than_the_call_may(secured, name):
    receiver = secured("localhost", behave=SLOW[name])
    url = receiver.url(host="localhost", scheme="https")
    start = time.monotonic()
    assert _call(url, seconds=0.4) == CallOutcome(error="no answer within 0.4 seconds")
    assert time.monotonic() - start < SOON


# ---------------------------------------------------------------------- through the mock


def _delivery(api):
    assert api.post("/_mock/trigger", json={"event": "delivered"}).status_code == 200
    api.advance("PT0S")
    (row,) = api.get("/_mock/deliveries").json["items"]
    return row


def _hooked(make_api, url, **members):
    webhook = {"id": 1, "url": url, "events": ["delivered"], **members}
    return make_api({"clock": {"frozen": True}, "webhooks": [webhook]})


def test_a_webhook_with_all_that_it_may_carry_is_called(make_api, listen):
    receiver = listen()
    own = [{"key": "X-Team", "value": "blue"}, {"key": "X-Empty"}, {"value": "without a name"}]
    auth = {"type": "bearer", "token": "t0k3n"}
    row = _delivery(_hooked(make_api, receiver.url("/a?b=c", host="user:word@127.0.0.1"), headers=own, auth=auth))
    assert row["state"] == "delivered"
    assert receiver.head[0] == "POST /a?b=c HTTP/1.1"
    found = {name: receiver.headers(name) for name in ("Authorization", "X-Team", "X-Empty")}
    assert found == {"Authorization": ["Bearer t0k3n"], "X-Team": ["blue"], "X-Empty": [""]}
    assert row["attempts"][0]["request"]["url"] == receiver.url("/a?b=c")


def test_bearer_auth_without_token_sends_no_header(make_api, listen):
    receiver = listen()
    assert _delivery(_hooked(make_api, receiver.url(), auth={"type": "bearer"}))["state"] == "delivered"
    assert receiver.headers("Authorization") == []


@pytest.mark.parametrize("value", ["1\r\nX-Evil: 1", "€"])
def test_a_delivery_whose_header_cannot_be_sent_is_dropped_with_that_reason(make_api, listen, value):
    receiver = listen()
    target = {"url": receiver.url(), "headers": [["X-A", value]]}
    row = {"id": 1, "target": target, "payloads": [{}], "events": ["delivered"], "created_at": "2026-01-01T00:00:00Z"}
    api = make_api({"clock": {"frozen": True}, "deliveries": [row]})
    api.advance("PT0S")
    (found,) = api.get("/_mock/deliveries").json["items"]
    assert found["state"] == "dropped"
    assert found["attempts"][0]["error"].startswith("the value of the header X-A has characters")
    assert receiver.calls == []


@pytest.mark.parametrize(
    ("members", "path"),
    [
        ({"headers": [{"key": "X-A", "value": "1\r\nX-Evil: 1"}]}, "headers/0/value"),
        ({"headers": [{"key": "X A", "value": "1"}]}, "headers/0/key"),
        ({"headers": [{"key": "X-A", "value": "1"}] * 101}, "headers"),
        ({"headers": [{"key": "X-A", "value": "1" * 8_192}] * 8}, "headers"),
        ({"auth": {"type": "bearer", "token": "€"}}, "auth/token"),
        ({"auth": {"type": "basic", "token": "t"}}, "auth/type"),
        ({"type": "inbound", "domain": "acme"}, "domain"),
        ({"type": "inbound", "domain": "reply@in.acme.test"}, "domain"),
    ],
)
def test_a_webhook_of_a_scenario_keeps_the_rules_of_the_operations(make_api, members, path):
    webhook = {"id": 1, "url": "http://127.0.0.1:9/", **({} if "type" in members else {"events": ["click"]}), **members}
    answer = make_api().post("/_mock/reset", json={"scenario": {"webhooks": [webhook]}})
    assert answer.status_code == 400
    assert [row["path"] for row in answer.json["errors"]] == [f"/webhooks/0/{path}"]


@pytest.mark.parametrize("url", ["http://[::1/", "http://a\u2100b/", "ftp://127.0.0.1/", "hook"])
def test_a_delivery_of_a_scenario_needs_an_address_that_can_be_called(make_api, url):
    row = {"id": 1, "target": {"url": url}, "payloads": [{}], "events": ["delivered"]}
    scenario = {"deliveries": [{**row, "created_at": "2026-01-01T00:00:00Z"}]}
    answer = make_api().post("/_mock/reset", json={"scenario": scenario})
    assert answer.status_code == 400
    (error,) = answer.json["errors"]
    assert (error["path"], error["message"].startswith("not a URL: got")) == ("/deliveries/0/target/url", True)


# ---------------------------------------------------------------------- whatever is written


def _fail(*_, **__):
    raise OSError("nothing leaves this test")


_HOSTS = st.text() | st.from_regex(r"[0-9a-fx.:%\[\]@\\#?]{0,30}", fullmatch=True) | st.ip_addresses().map(str)
_URLS = st.text() | st.builds("{}://{}{}".format, st.sampled_from(["http", "https", "HTTP", "ws"]), _HOSTS, st.text())


@given(_URLS)
def test_any_address_comes_to_an_error(url):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", _fail)
        patch.setattr(socket, "create_connection", _fail)
        outcome = _call(url)
    assert outcome.status is None
    assert outcome.error.isascii()


_NAMES = st.text(max_size=20) | st.from_regex(r"[A-Za-z-]{1,9}", fullmatch=True)
_VALUES = st.text(max_size=40) | st.text("ab \t\r\n:\x00\x7fÿ", max_size=20)


@pytest.fixture(scope="module")
def taker(module_listen):
    return module_listen()


@given(st.lists(st.tuples(_NAMES, _VALUES), max_size=4))
@examples(60)
def test_any_header_is_sent_as_one_line_or_not_at_all(taker, own):
    taker.calls.clear()
    outcome = _target(taker.url(), headers=tuple(own))
    if outcome.status is None:
        assert outcome.hopeless
        assert taker.calls == []
    else:
        assert len(taker.head) <= 7 + len(own)
        for name, value in own:
            if name.lower() not in ("te", "host", "expect"):
                assert value.strip() in [found.strip() for found in taker.headers(name)]

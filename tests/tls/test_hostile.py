"""Whatever comes to a port that speaks TLS: it is answered or ended, within its limits, and nobody else is held up."""

from __future__ import annotations

import contextlib
import itertools
import os
import select
import socket
import ssl
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tls_server import PATIENCE


def opened(served):
    return socket.create_connection(("127.0.0.1", served.port), timeout=PATIENCE)


def greeting(name="localhost"):
    """The first bytes of an honest client."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    with contextlib.suppress(ssl.SSLWantReadError):
        context.wrap_bio(incoming, outgoing, server_hostname=name).do_handshake()
    return outgoing.read()


def end_of(connection):
    """What comes before the connection ends."""
    found = b""
    with contextlib.suppress(ConnectionResetError):
        while some := connection.recv(65536):
            found += some
    return found


HOSTILE = {
    "noise": b"\x00\x01\x02" * 1_000,
    "an empty record": b"\x16\x03\x01\x00\x00" + b"\x17\x03\x03\x00\x01x",
    "an alert": b"\x15\x03\x01\x00\x02\x02\x28",
    "another message": b"\x16\x03\x01\x00\x04\x02\x00\x00\x00",
    "a message of nothing": b"\x16\x03\x01\x00\x04\x01\x00\x00\x00",
    "a message that announces 16 MB": b"\x16\x03\x01\x40\x00\x01\xff\xff\xff" + b"x" * 100_000,
    "records without end": b"\x16\x03\x01\x00\x00" * 50_000,
    "SSL 2": b"\x80\x2e\x01\x00\x02\x00\x15\x00\x00\x00\x10" + b"x" * 40,
    "a name that is no text": greeting("x" * 40 + ".test").replace(b"x" * 40, b"\xff" * 40),
    "a name with a null": greeting("x" * 40 + ".test").replace(b"x" * 40, b"\x00" * 40),
    "a greeting and noise": greeting() + b"\x17\x03\x03\x00\x10" + b"x" * 16,
    "a greeting and a line": greeting() + b"GET / HTTP/1.1\r\n\r\n",
    "a line without end": b"GET /" + b"x" * 100_000,
    "a proxy's line": b"PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\n" + greeting(),
    "a tunnel": b"CONNECT api.brevo.com:443 HTTP/1.1\r\n\r\n",
}


@pytest.mark.parametrize("data", HOSTILE.values(), ids=HOSTILE)
def test_what_is_no_handshake_is_ended_without_a_traceback(served, data, capfd, caplog):
    with opened(served) as connection:
        with contextlib.suppress(OSError):  # the server may have closed the connection already
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
        end_of(connection)

    assert served.ask()[0] == 200
    assert "Traceback" not in capfd.readouterr().err
    assert not [row for row in caplog.records if row.exc_info]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(noise=st.binary(min_size=1, max_size=60), at=st.integers(0, 500))
def test_a_greeting_with_other_bytes_is_ended_or_answered(served, noise, at):
    whole = greeting()
    with opened(served) as connection:
        with contextlib.suppress(ConnectionError):
            connection.sendall(whole[:at] + noise + whole[at + len(noise) :])
            connection.shutdown(socket.SHUT_WR)
        end_of(connection)

    assert served.ask()[0] == 200


def test_a_broken_handshake_is_told_by_an_alert(served):
    with opened(served) as connection:
        connection.sendall(b"\x16\x03\x01\x00\x04\x02\x00\x00\x00")

        assert end_of(connection)[:1] == b"\x15"


def test_a_handshake_that_comes_byte_by_byte_succeeds(served):
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = served.trusting().wrap_bio(incoming, outgoing, server_hostname="localhost")
    with opened(served) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        while True:
            try:
                client.do_handshake()
            except ssl.SSLWantReadError:
                for byte in outgoing.read():
                    connection.sendall(bytes((byte,)))
                incoming.write(connection.recv(65536))
            else:
                break

        assert client.version() == "TLSv1.3"


@pytest.mark.parametrize(
    "data", [b"GET / HTTP/1.1\r\n\r\n", b"\x17\x03\x03\x00\x20" + b"x" * 32], ids=["plain", "forged"]
)
def test_what_is_no_tls_behind_a_handshake_ends_the_connection(served, data):
    with served.connect() as connection, socket.socket(fileno=os.dup(connection.fileno())) as plain:
        plain.sendall(data)
        plain.settimeout(PATIENCE)
        end_of(plain)

    assert served.ask()[0] == 200


def test_a_handshake_that_does_not_end_is_cut(serve_tls):
    served = serve_tls(head_timeout=0.3)
    began = time.monotonic()
    with opened(served) as silent, opened(served) as half:
        half.sendall(greeting()[:50])

        assert (end_of(silent), end_of(half)) == (b"", b"")
    assert 0.2 < time.monotonic() - began < PATIENCE


def ended(connections):
    """Of some connections, those that have ended as soon as another one has."""
    readable = select.select(connections, [], [], PATIENCE)[0]
    for connection in readable:
        assert end_of(connection) == b""
    return readable


def test_half_a_handshake_counts_as_a_connection(serve_tls):
    served = serve_tls(connections_limit=3)
    with contextlib.ExitStack() as stack:
        waiting = [stack.enter_context(opened(served)) for _ in range(10)]
        for connection in waiting:
            with contextlib.suppress(ConnectionError):
                connection.sendall(greeting()[:50])
        while len(waiting) > 3:
            gone = ended(waiting)
            assert gone
            waiting = [connection for connection in waiting if connection not in gone]

        assert served.ask()[0] == 200


def send_on(clients):
    for client in itertools.cycle(clients):
        client.sendall(b"\r\n")


def test_clients_that_do_not_read_their_answers_are_cut_off(serve_tls):
    served = serve_tls(answers_limit=10_000_000)
    served.control("PUT", "/state", {"description": "x" * 9_000_000})
    with contextlib.ExitStack() as stack:
        # The system holds nearly half of an answer for the server, so that it takes three to be over the limit. Any of
        # them is cut off, as they may have waited equally long.
        clients = [stack.enter_context(served.connect(receive_buffer=4096)) for _ in range(3)]
        for client in clients:
            client.sendall(b"GET /_mock/state HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert client.recv(1) == b"H"

        with pytest.raises(OSError, match=r"reset|closed|pipe|EOF"):
            send_on(clients)

        assert served.ask()[0] == 200


def test_a_refusal_is_read_by_a_client_that_sends_on(served):
    with served.connect() as client:
        client.suppress_ragged_eofs = False
        for _ in range(60):
            client.sendall(b"GET /" + b"x" * 65_536)

        assert end_of(client).startswith(b"HTTP/1.1 400 ")


def descriptors():
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def test_connections_that_fail_leave_no_descriptor(served):
    def tried():
        for _ in range(20):
            with opened(served) as connection, contextlib.suppress(OSError):
                connection.sendall(greeting() + b"x" * 100)
                end_of(connection)
        assert served.ask()[0] == 200

    tried()
    before = descriptors()
    tried()

    assert descriptors() < before + 20  # others of this process may open some meanwhile, and each try opens twenty


def test_the_log_tells_once_of_clients_that_do_not_trust(serve_tls, caplog):
    served = serve_tls()
    for _ in range(3):
        with pytest.raises(ssl.SSLCertVerificationError):
            served.ask(context=ssl.create_default_context())
    assert served.ask()[0] == 200

    told = [row.getMessage() for row in caplog.records if "handshakes" in row.getMessage()]
    assert told == ["1 TLS handshakes have failed, the last one: TLSV1_ALERT_UNKNOWN_CA"]


def test_the_log_says_nothing_of_handshakes_that_a_fault_made_fail(serve_tls, caplog):
    served = serve_tls()
    served.add("expired_certificate", times=1)
    with pytest.raises(ssl.SSLCertVerificationError):
        served.connect()
    assert served.ask()[0] == 200

    assert caplog.records == []

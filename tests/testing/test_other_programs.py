"""Whatever answers at the address of a server, the handles and the commands say so in a line, within bounds."""

from __future__ import annotations

import socket

import pytest
from cli_runner import invoke
from raw_receiver import listening

from mockserver import MockServer, MockServerError
from mockserver.testing import client as module
from mockserver.testing.client import Client


def ok(body, *headers):
    """An answer with a body, however long it is said to be."""
    return "\r\n".join(["HTTP/1.1 200 OK", "Connection: close", *headers, "", body]).encode()


#: What is sent for an answer, and a part of what is told.
ANSWERS = {
    "a page": (ok("<html>hi</html>"), "gets no answer of a mock server: '<html>"),
    "nothing": (b"", "no mock server answers"),
    "an empty body": (ok(""), "it has no workspaces"),
    "a number": (ok("1" * 5_000), "gets no answer of a mock server"),
    "a list": (ok("[]"), "it has no workspaces"),
    "lists in lists": (ok("[" * 100_000), "gets no answer of a mock server"),
    "an object": (ok('{"items": 5}'), "it has no workspaces"),
    "another protocol": (b"SSH-2.0-hello\r\n\r\n", "it does not speak HTTP, and begins with 'SSH-2.0-hello'"),
    "a body that is cut off": (ok("{", "Content-Length: 100"), "99 more expected"),
    "a redirect": (b"HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n", "gets no answer of a mock"),
    "a problem that says nothing": (
        b'HTTP/1.1 400 No\r\nContent-Length: 12\r\n\r\n{"detail":5}', "no answer of a mock",
    ),
}  # fmt: skip


@pytest.fixture
def program():
    """A factory of programs that answer each connection alike, by bytes or by a function; gives their address."""
    with listening() as start:
        yield lambda answer: start(answer).url("")


@pytest.mark.parametrize(("answer", "told"), ANSWERS.values(), ids=ANSWERS)
def test_the_handles_raise_their_own_error_and_commands_end_with_a_line(program, answer, told):
    url = program(answer)

    with pytest.raises(MockServerError) as refusal:
        MockServer.connect(url)
    assert told in refusal.value.detail
    assert refusal.value.detail.isprintable()
    assert refusal.value.status in (None, 200, 302, 400)

    ended = invoke(["health", "--url", url])

    assert ended.exit_code == 1
    assert ended.output.startswith(f"no mock server answers at {url}")
    assert ended.output.count("\n") == 1


def endless(_, connection):
    connection.sendall(ok("["))
    while True:
        connection.sendall(b"0," * 10_000)


def test_an_answer_without_an_end_is_not_read_to_its_end(program, monkeypatch):
    monkeypatch.setattr(module, "LONGEST", 1_000_000)
    url = program(endless)

    with pytest.raises(MockServerError, match="its answer does not end"):
        MockServer.connect(url)
    assert "its answer does not end" in invoke(["health", "--url", url]).output


def test_an_answer_that_takes_too_long_is_given_up(program, monkeypatch):
    moments = iter(range(0, 10_000, 10))
    monkeypatch.setattr(module, "monotonic", lambda: next(moments))
    url = program(endless)

    with pytest.raises(MockServerError, match="its answer does not end"):
        MockServer.connect(url)


def test_client_gives_up_after_its_timeout_when_a_server_hangs():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        client = Client(f"http://127.0.0.1:{silent.getsockname()[1]}")
        client.timeout = 0.05

        with pytest.raises(MockServerError, match="it did not answer in time"):
            client.json("GET", "/_mock/health")


def test_stream_is_refused_with_a_sentence_when_it_is_none(program):
    for answer, told in [
        (ok("<html>hi</html>"), "its answer is not a stream"),
        (b'HTTP/1.1 404 No\r\nContent-Length: 17\r\n\r\n{"detail":"gone"}', "404: gone"),
        (b"", "no mock server answers"),
    ]:
        client = Client(program(answer))
        with pytest.raises(MockServerError, match=told):
            list(client.lines("/_mock/stream", timeout=5))

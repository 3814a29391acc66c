"""Holders that change, that die, and that say nothing: how a request ends that is forwarded to them."""

from __future__ import annotations

import json
import socket
import threading

import pytest
from plain_client import PATIENCE, asked, reading_from
from two_servers import front

from mockserver import Settings

SETTINGS = Settings(port=0)


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

"""Forwarding under an ordinary WSGI server, and to one: what differs from a server of the mock."""

from __future__ import annotations

import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing

import pytest
from plain_client import PATIENCE, Client, asked, reading_from
from two_servers import SECRET, Elsewhere, Holders, front, wsgi_front, wsgi_server
from werkzeug.test import create_environ

from mockserver import Settings
from mockserver.app.refusal import refusal
from mockserver.web.server.peers import blocking_departure
from mockserver.web.server.peers.introduction import Introduction
from mockserver.web.server.peers.trust import Trust
from mockserver.web.server.peers.wsgi_forwarding import WsgiForwarding

SETTINGS = Settings(port=0)


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


@pytest.mark.parametrize("rest", [b"content-length: 9\r\n\r\nabc", b"transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n"])
def test_a_server_is_told_that_an_answer_has_broken_off_after_all_that_came(silent, rest):
    address, listener = silent
    forwards = WsgiForwarding(Elsewhere(address), 100, Introduction(SECRET), Trust(), Holders(), refusal)
    came = []

    def run():
        answer = forwards(create_environ("/v3/senders"), lambda status, headers: None)
        with closing(answer):
            came.extend(answer)

    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(run)
        with listener.accept()[0] as accepted:
            accepted.recv(10_000)
            accepted.sendall(b"HTTP/1.1 200 OK\r\n" + rest)
        with pytest.raises(ConnectionResetError):
            running.result(PATIENCE)

    assert b"".join(came) == b"abc"


def test_a_connection_that_a_wsgi_server_may_end_at_any_moment_is_used_once(silent):
    address, listener = silent
    name, value = Introduction(SECRET).once()
    answer = f"HTTP/1.1 200 OK\r\n{name}: {value}\r\ncontent-length: 0\r\n\r\n".encode()
    with front(address, SETTINGS) as (root, _), Client(root) as client, ExitStack() as kept:
        for _ in range(2):
            client.connection.request("GET", "/v3/senders")
            accepted = kept.enter_context(listener.accept()[0])
            accepted.recv(10_000)
            accepted.sendall(answer)
            found = client.connection.getresponse()
            found.read()

            assert found.getheader(name) is None


def test_an_answer_of_a_wsgi_server_says_so_to_peers_alone():
    def app(environ, start_response):
        start_response("200 OK", [("Content-Length", "0")])
        return [b""]

    introduction = Introduction(SECRET)
    forwards = WsgiForwarding(app, 100, introduction, Trust(), Holders(), refusal)
    header = introduction.header({"scheme": "http", "client": None, "server": None})[1].decode()
    with wsgi_server(forwards) as (_, root), Client(root) as client:
        found = []
        for headers in ({"X-Mock-Peer": header}, {}):
            client.connection.request("GET", "/", headers=headers)
            answer = client.connection.getresponse()
            answer.read()
            found.append(answer.getheader("X-Mock-Peer"))

    assert found == [introduction.once()[1], None]

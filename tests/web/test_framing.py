"""One request is one request: the server and the proxies in front of it read the same bytes alike."""

from __future__ import annotations

import json
import re
import socket
import ssl
import threading
from urllib.parse import urlsplit

import pytest
import requests
from proxies import PROXIES, proxy
from request_framings import KEPT, REFUSED, ROWS, head, with_length

from mockserver import MockServer
from mockserver.web.server.connection import Connection

#: A request behind each row, which is answered if the connection is kept and nothing before it was misread.
LAST = ("GET", "/v3/last", None)
_LAST = head("GET /v3/last HTTP/1.1", "Connection: close")
_STATUS = re.compile(rb"^HTTP/1\.1 (?!100)(\d{3})", re.MULTILINE)


class Server:
    """A server, and an address at which clients reach it."""

    def __init__(self, url, way=None, ca_file=None):
        self.url, self._address = url, urlsplit(way or url)
        self._context = ssl.create_default_context(cafile=ca_file) if ca_file else None
        self._session, self._ca_file = requests.Session(), ca_file

    def sends(self, data, received=None):
        """Send bytes, byte by byte if `received` tells of each; return the answers' statuses and the requests read."""
        self._ask("POST", "/_mock/reset")
        with socket.create_connection((self._address.hostname, self._address.port), timeout=20) as plain:
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self._secured(plain) as peer:
                statuses = self._talk(peer, data, received)
        return statuses, self._requests()

    def _secured(self, plain):
        return plain if self._context is None else self._context.wrap_socket(plain, server_hostname="localhost")

    def _talk(self, peer, data, received):
        back = b""
        try:
            if received is None:
                peer.sendall(data)
            else:
                for byte in data:
                    peer.sendall(bytes([byte]))
                    if not received.acquire(timeout=0.2):  # the server reads no more
                        break
            while piece := peer.recv(65_536):
                back += piece
        except ConnectionError:  # it was refused before all was sent
            pass
        return [int(status) for status in _STATUS.findall(back)]

    def _requests(self):
        rows = self._ask("GET", "/_mock/requests")["items"]
        details = [self._ask("GET", f"/_mock/requests/{row['id']}") for row in reversed(rows)]
        return [((row["method"], row["path"], row["request"].get("body")), row["status"]) for row in details]

    def _ask(self, method, path):
        answer = self._session.request(method, self.url + path, timeout=20, verify=self._ca_file)
        assert answer.ok, answer.text
        return answer.json()


def is_read(row, statuses, seen):
    """Whether a server read and answered exactly the requests of a row."""
    expected = [*row.requests, *([LAST] if row.end == KEPT else [])]
    answered = [status for _, status in seen]
    return [request for request, _ in seen] == expected and statuses == [*answered, *([400] * (row.end == REFUSED))]


def is_passed_on(row, statuses, seen):
    """Whether a proxy passed on the requests of a row, or refused all of it."""
    passed = [(request, status) for request, status in seen if request != LAST]
    if not passed:
        return all(status >= 400 for status in statuses[:1])
    expected = row.requests or row.proxied
    return [request for request, _ in passed] == list(expected) and statuses[: len(passed)] == [s for _, s in passed]


def misread(server, is_right, received=None):
    """Return the rows that are not read as they should be, with the answers' statuses and what was read."""
    found = {name: server.sends(row.sent + _LAST, received) for name, row in ROWS.items()}
    return {name: (ROWS[name].requests, *seen) for name, seen in found.items() if not is_right(ROWS[name], *seen)}


def test_server_reads_each_request_once_and_whole(root):
    assert misread(Server(root), is_read) == {}


def test_server_reads_each_request_once_and_whole_when_it_comes_byte_by_byte(root, monkeypatch):
    received, original = threading.Semaphore(0), Connection.data_received

    def data_received(connection, data):
        original(connection, data)
        if len(data) == 1:  # other connections are those of the control API
            received.release()

    monkeypatch.setattr(Connection, "data_received", data_received)
    assert misread(Server(root), is_read, received) == {}


def test_server_of_a_pytest_fixture_reads_each_request_once_and_whole():
    with MockServer() as server:
        assert misread(Server(server.url), is_read) == {}


def test_server_with_tls_reads_each_request_once_and_whole(tmp_path):
    file = tmp_path / "ca.pem"
    with MockServer(tls=True, tls_ca_file=file) as server:
        assert misread(Server(server.url, ca_file=str(file)), is_read) == {}


@pytest.mark.parametrize("name", PROXIES)
def test_proxy_passes_on_what_the_server_reads(root, tmp_path, name):
    with proxy(name, tmp_path, urlsplit(root).port) as url:
        assert misread(Server(root, url), is_passed_on) == {}


@pytest.mark.parametrize(
    ("sent", "reason"),
    [
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "HTTP/2 is not supported, expected HTTP/1.1"),
        (head("GET /v3/account HTTP/2.0"), "version HTTP/2.0 is not supported, expected HTTP/1.1"),
        (head("CONNECT a.test:80 HTTP/1.1"), "method CONNECT is not supported, as the server is no proxy"),
        (head("GET /v3/account HTTP/1.1", "Host: b"), "more than one Host header"),
        (head("GET a HTTP/1.1"), "the request target is neither a path nor a URL"),
        (head("GET /a b HTTP/1.1"), "the first line does not end with HTTP/1.1"),
        (
            head("POST /v3/senders HTTP/1.1", "Transfer-Encoding: gzip, chunked"),
            "Transfer-Encoding 'gzip, chunked' is not supported, expected 'chunked'",
        ),
    ],
)
def test_refusal_says_what_is_wrong_with_the_request(root, caplog, sent, reason):
    address = urlsplit(root)
    with socket.create_connection((address.hostname, address.port), timeout=20) as peer:
        peer.sendall(sent)
        answer = b"".join(iter(lambda: peer.recv(65_536), b""))

    assert json.loads(answer.partition(b"\r\n\r\n")[2])["message"] == f"Invalid HTTP request: {reason}"
    assert [record.getMessage() for record in caplog.records] == [f"Invalid HTTP request from 127.0.0.1: {reason}"]


def test_url_without_a_path_asks_for_the_root(root):
    assert statuses_of(root, head("GET http://m.test HTTP/1.1")) == statuses_of(root, head("GET / HTTP/1.1"))


def statuses_of(root, sent):
    return Server(root).sends(sent + _LAST)[0]


def test_head_with_an_offer_is_read_alike_once_it_is_known(root):
    sent = with_length("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c")
    address = urlsplit(root)
    requests.post(f"{root}/_mock/reset", timeout=20)
    with socket.create_connection((address.hostname, address.port), timeout=20) as peer:
        answers = []
        for _ in range(4):
            peer.sendall(sent)
            answers.append(peer.recv(65_536)[9:12])

    assert answers == [b"201", b"400", b"400", b"400"]  # the sender is there already

"""What the tests of faults share: a small workspace, its rules, and peers over a real socket."""

from __future__ import annotations

import itertools
import socket
from urllib.parse import urlsplit

import pytest

WORKSPACE = {
    "clock": {"start": "2026-01-15T09:00:00Z", "frozen": True},
    "seed": 7,
    "accounts": [
        {
            "name": "acme",
            "role": "master",
            "api_keys": ["master-key"],
            "senders": [
                {"id": 1, "name": "News", "email": "news@acme.test", "state": "verified"},
                {"id": 2, "name": "Ops", "email": "ops@acme.test", "state": "awaiting_verification", "otp": 123456},
            ],
            "domains": [{"name": "acme.test", "state": "pending"}],
        },
        {"name": "shop", "role": "standalone", "api_keys": ["shop-key"]},
    ],
}
#: How long a peer waits before a test fails, in seconds.
PATIENCE = 10


@pytest.fixture
def scenario():
    """The scenario, as a document."""
    return WORKSPACE


@pytest.fixture
def api(make_api):
    return make_api(WORKSPACE, key="master-key")


class Rules:
    """The rules of an API's default workspace."""

    def __init__(self, api):
        self.api = api

    def add(self, fault="server_error", **rule):
        """Write a rule; gives what the answer says of it."""
        answer = self.api.post("/_mock/faults", json={"fault": fault, **rule})
        assert answer.status_code == 201, answer.text
        return answer.json

    def refused(self, fault, **rule):
        """Write a rule that is no good; gives the mistakes by path."""
        answer = self.api.post("/_mock/faults", json={"fault": fault, **rule})
        assert answer.status_code == 400, answer.text
        assert self.all() == []
        return {row["path"]: row["message"] for row in answer.json["errors"]}

    def get(self, identifier):
        return self.api.get(f"/_mock/faults/{identifier}").json

    def all(self):
        return self.api.get("/_mock/faults").json["items"]

    def hits(self):
        return [rule["hits"] for rule in self.all()]


@pytest.fixture
def rules(api):
    return Rules(api)


@pytest.fixture
def rules_of():
    """The rules of another API."""
    return Rules


def _written(method, path, *headers):
    lines = [f"{method} {path} HTTP/1.1", "host: x", "api-key: master-key", "content-length: 0", *headers]
    return "\r\n".join([*lines, "", ""]).encode()


class Peer:
    """A connection of bytes."""

    def __init__(self, root):
        address = urlsplit(root)
        self.socket = socket.create_connection((address.hostname, address.port), timeout=PATIENCE)
        #: What has come behind the last answer.
        self.read = b""

    def send(self, method="GET", path="/v3/senders", *headers, ahead=()):
        """Send a request, and at once others that do not wait for its answer."""
        requests = [(method, path, *headers), *ahead]
        self.socket.sendall(b"".join(itertools.starmap(_written, requests)))
        return self

    def read_answer(self):
        """A whole answer, as its Content-Length says: its status, its headers and its body."""
        while b"\r\n\r\n" not in self.read:
            self._read_more()
        head, _, self.read = self.read.partition(b"\r\n\r\n")
        lines = head.decode().split("\r\n")
        headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:])}
        length = int(headers.get("content-length", 0))
        while len(self.read) < length:
            self._read_more()
        body, self.read = self.read[:length], self.read[length:]
        return int(lines[0].split()[1]), headers, body

    def read_all(self):
        """Whatever comes before the connection ends."""
        found = b""
        while some := self.socket.recv(65536):
            found += some
        return found

    def _read_more(self):
        found = self.socket.recv(65536)
        assert found, "the connection has ended"
        self.read += found

    def close(self):
        self.socket.close()


@pytest.fixture
def peers():
    """A factory of connections to a root address, which are closed afterwards."""
    found = []

    def connect(root):
        found.append(Peer(root))
        return found[-1]

    yield connect
    for peer in found:
        peer.close()

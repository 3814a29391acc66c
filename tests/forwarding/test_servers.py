"""Whichever server of a store is asked, the workspace is the same."""

from __future__ import annotations

import http.client
import smtplib
import socket
from urllib.parse import urlsplit

import pytest
from balanced import until
from running_servers import RunningServers

HOOK = {"url": "http://127.0.0.1:9/", "type": "inbound", "events": ["inboundEmailProcessed"], "domain": "in.test"}
LISTENING = {"accounts": [{"name": "m", "role": "master", "api_keys": ["m"], "webhooks": [HOOK]}]}
MAIL = b"From: a@a.test\r\nTo: b@in.test\r\nSubject: S\r\n\r\nText\r\n"


@pytest.fixture(scope="module")
def servers():
    with RunningServers() as found:
        yield found


@pytest.fixture(scope="module")
def one(servers):
    """The server that holds the default workspace."""
    return servers.start()


@pytest.fixture(scope="module")
def two(one, servers):
    return servers.start(smtp_in="127.0.0.1:0")


def test_what_one_server_does_the_other_one_tells(one, two):
    key = two.ask("POST", "/_mock/workspaces", {"name": "a", "scenario": "empty"})["api_key"]
    one.ask("POST", "/v3/senders", {"name": "S", "email": "s@a.test"}, api_key=key)

    told = [server.ask("GET", "/v3/senders", api_key=key) for server in (one, two)]

    assert told[0] == told[1]
    assert [row["name"] for row in told[0]["senders"]] == ["S"]


@pytest.mark.parametrize("name", ["default", "listening"])
def test_a_mail_reaches_a_workspace_of_another_server(one, two, name):
    if name != "default":
        one.ask("POST", "/_mock/workspaces", {"name": name, "scenario": LISTENING})
    host, _, port = two.ask("GET", "/_mock/health")["smtp_in"]["address"].rpartition(":")
    domain = "in.test" if name == "listening" else "other.test"

    with smtplib.SMTP(host, int(port), timeout=20) as client:
        client.sendmail("a@a.test", [f"b@{domain}"], MAIL)

    taken = one.ask("GET", "/_mock/inbound", X_Mock_Workspace=name)["items"]
    assert taken[0]["recipient"] == f"b@{domain}"


def bare(server, request, workspace):
    """A connection on which a request for a workspace was sent."""
    address = urlsplit(server.root)
    found = socket.create_connection((address.hostname, address.port), timeout=20)
    found.sendall(
        b"%s HTTP/1.1\r\nhost: localhost\r\nx-mock-workspace: %s\r\nconnection: close\r\n\r\n"
        % (request, workspace.encode())
    )
    return found


class Moving:
    """A workspace of the first server, which is moved away from it."""

    def __init__(self, servers, holder):
        self._servers, self._holder = servers, holder
        self.name = holder.ask("POST", "/_mock/workspaces", {})["name"]

    def move(self):
        """Let the server hold it no longer, which it notices by the next change of something that nobody waits for."""
        self._servers.shared.steal(self.name)
        self._holder.answer("DELETE", "/_mock/mailbox", X_Mock_Workspace=self.name)


@pytest.fixture
def moving(servers, one):
    return Moving(servers, one)


@pytest.mark.parametrize("asked", ["one", "two"])
def test_a_stream_ends_when_its_workspace_is_held_elsewhere(request, asked, moving):
    with bare(request.getfixturevalue(asked), b"GET /_mock/stream", moving.name) as stream:
        began = stream.recv(10_000)
        moving.move()
        came = b"".join(iter(lambda: stream.recv(10_000), b""))

    assert began.startswith(b"HTTP/1.1 200 ")
    assert came.endswith(b"0\r\n\r\n")


@pytest.mark.parametrize("asked", ["one", "two"])
def test_a_request_that_waits_goes_on_where_its_workspace_is_held_by_then(request, asked, one, two, moving):
    waiting = b"GET /_mock/requests?wait=30&path=/v3/account"
    with bare(request.getfixturevalue(asked), waiting, moving.name) as connection:
        until(lambda: len(one.mock.store.peek(moving.name).watchers), "the request waits")
        moving.move()
        two.ask("GET", "/v3/account", api_key="any", X_Mock_Workspace=moving.name)

        assert b"/v3/account" in connection.recv(10_000)


def test_a_request_that_hangs_ends_without_a_word_when_its_client_leaves(one, moving, caplog):
    asked = b"GET /v3/account HTTP/1.1\r\napi-key: any\r\nx-mock-fault: hang\r\nx-rest:"
    with bare(one, asked, moving.name):
        one.ask("GET", "/_mock/requests?wait=30&held=true", X_Mock_Workspace=moving.name)
        moving.move()
    one.ask("GET", "/v3/account", api_key="any")

    assert not [row for row in caplog.records if row.levelname == "ERROR"]


def test_a_mail_that_its_holder_cannot_keep_is_not_taken(one, two):
    host = two.ask("GET", "/_mock/health")["smtp_in"]["address"]
    one.ask("GET", "/v3/account", api_key="any")
    one.engine.trouble = "the disk is full"
    try:
        with smtplib.SMTP(host, timeout=20) as client, pytest.raises(smtplib.SMTPDataError, match="could not be saved"):
            client.sendmail("a@a.test", ["b@other.test"], MAIL)
    finally:
        one.engine.trouble = None


def test_who_has_signed_in_at_one_server_sees_the_pages_of_all(servers):
    first, second = (servers.start(control_token="sesame") for _ in range(2))
    found, _ = second.answer("GET", "/_mock/ui/requests")
    connection = http.client.HTTPConnection(urlsplit(first.root).netloc, timeout=20)
    connection.request(
        "POST", "/_mock/ui/sign-in", "token=sesame", {"Content-Type": "application/x-www-form-urlencoded"}
    )
    cookie = connection.getresponse().headers["Set-Cookie"].partition(";")[0]
    connection.close()

    assert found.status == 303
    assert second.answer("GET", "/_mock/ui/requests", Cookie=cookie)[0].status == 200

"""The header of peers is believed of peers alone, whatever clients write into it, and no request goes in circles."""

from __future__ import annotations

import json
import socket
from urllib.parse import urlsplit

import httpx
import pytest
from two_servers import STORE, front, holder, wsgi_front, wsgi_server

from mockserver import MockServer, Settings, create_app
from mockserver.web.server.peers.introduction import HEADER

SETTINGS = Settings(port=0)
PATIENCE = 20
#: What clients write into the header.
VALUES = {
    "nothing": [b""],
    "a guess": [b"0" * 32 + b" http 127.0.0.1 1 127.0.0.1 1"],
    "a word": [b"not-held"],
    "a long one": [b"0123456789abcdef" * 400],
    "many parts": [b"a " * 2_000 + b"a"],
    "several": [b"one", b"two", b"three"],
    "commas": [b",,a,,"],
    "odd bytes": [b"\x80\xff\xe9 \t http"],
}
FRONTS = pytest.mark.parametrize("forwards", [front, wsgi_front], ids=["server", "wsgi"])
TWO_FRONTS = pytest.mark.parametrize("other_forwards", [front, wsgi_front], ids=["server", "wsgi"])


@pytest.fixture(scope="module")
def back():
    """A server that holds all, and knows peers."""
    with holder(SETTINGS) as runtime:
        yield runtime


def answer_to(root, *values, path=b"/v3/senders"):
    """The bytes of the answer to a request with the header, as often as there are values."""
    address = urlsplit(root)
    headers = [b"%s: %s" % (HEADER, value) for value in values]  # before all others, as those of peers are
    head = [b"GET %s HTTP/1.1" % path, *headers, b"host: localhost", b"api-key: any", b"connection: close"]
    with socket.create_connection((address.hostname, address.port), timeout=PATIENCE) as connection:
        connection.sendall(b"\r\n".join([*head, b"", b""]))
        return b"".join(iter(lambda: connection.recv(65_536), b""))


def journaled(root):
    """The header of the last request, as the journal has it."""
    item = httpx.get(f"{root}/_mock/requests", timeout=PATIENCE).json()["items"][0]
    return item["request"]["headers"].get(HEADER.decode())


def joined(values):
    """What WSGI makes of several headers."""
    return ",".join(value.strip().decode("latin-1") for value in values)


@pytest.mark.parametrize("name", VALUES)
def test_whoever_does_not_know_the_secret_is_a_client(back, name):
    answer = answer_to(back.url, *VALUES[name])

    assert answer.startswith(b"HTTP/1.1 200 ")
    assert journaled(back.url) == joined(VALUES[name])


@FRONTS
@pytest.mark.parametrize("name", VALUES)
def test_what_a_client_writes_is_handed_on_behind_what_the_peer_says(back, forwards, name):
    with forwards(back.url, SETTINGS) as (root, _):
        answer = answer_to(root, *VALUES[name])

    assert answer.startswith(b"HTTP/1.1 200 ")
    assert journaled(back.url) == joined(VALUES[name])


@pytest.fixture(scope="module")
def application(shared):
    """The root address of an application under a WSGI server, which holds all, and knows peers."""
    with wsgi_server() as (running, root):
        running.app = create_app(Settings(store=STORE, peer_address=root))
        yield root
        running.app.close()


@pytest.mark.parametrize("asks", ["itself", "a peer"])
@pytest.mark.parametrize("name", VALUES)
def test_it_is_so_under_a_wsgi_server(application, shared, asks, name):
    if asks == "itself":
        answer = answer_to(application, *VALUES[name])
    else:
        httpx.get(f"{application}/_mock/clock", timeout=PATIENCE)
        with MockServer(store=STORE) as peer:
            answer = answer_to(peer.url, *VALUES[name])

    assert answer.startswith(b"HTTP/1.1 200 ")
    assert journaled(application) == joined(VALUES[name])


def test_a_header_beyond_the_limits_is_refused_as_any_other(back):
    assert answer_to(back.url, b"a" * 100_000).startswith(b"HTTP/1.1 431 ")


@pytest.mark.parametrize("root", ["back", "application"])
def test_a_call_of_peers_is_no_address_for_clients(request, root):
    found = request.getfixturevalue(root)
    root = found if isinstance(found, str) else found.url

    assert answer_to(root, b"0" * 32 + b" http - 0 - 0", path=b"/peers/mail").startswith(b"HTTP/1.1 404 ")


# ---------------------------------------------------------------------- circles


@FRONTS
@TWO_FRONTS
def test_two_servers_that_take_each_other_for_the_holder_end_after_one_hop(impatient, forwards, other_forwards):
    with other_forwards("http://127.0.0.1:9", SETTINGS) as (second, other), forwards(second, SETTINGS) as (root, app):
        other.holder = root
        answer = answer_to(root)

    assert answer.startswith(b"HTTP/1.1 503 ")
    assert app.asked == other.asked > 0


@FRONTS
def test_a_server_that_takes_itself_for_another_one_ends_after_one_hop(impatient, forwards):
    with forwards("http://127.0.0.1:9", SETTINGS) as (root, app):
        app.holder = root
        answer = answer_to(root)

    assert answer.startswith(b"HTTP/1.1 503 ")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["message"].endswith("; nothing was done")
    assert app.asked % 2 == 0

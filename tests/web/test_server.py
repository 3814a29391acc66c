"""What the server does every tenth of a second: it aborts connections with too many unread bytes of answers."""

from __future__ import annotations

import itertools
import socket
from contextlib import contextmanager
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
import requests

from mockserver.web.server.server import cut_off


def reading(unread, since):
    """A connection whose client has read nothing since a moment."""
    found = SimpleNamespace(unread=unread, unread_since=since, is_cut=False)
    found.transport = SimpleNamespace(abort=lambda: setattr(found, "is_cut", True))
    return found


@pytest.mark.parametrize(
    ("rows", "cut"),
    [
        ([(60, 1), (40, 2)], []), ([(60, 1), (50, 2)], [0]), ([(60, 3), (50, 2), (0, 1)], [1]),
        ([(200, 2), (50, 1)], [0, 1]),
    ],
    ids=["no more than may be", "longest", "nothing to read", "all"],
)  # fmt: skip
def test_connections_whose_clients_have_read_nothing_for_longest_are_aborted(rows, cut):
    connections = [reading(*row) for row in rows]

    cut_off(connections, 100)

    assert [index for index, row in enumerate(connections) if row.is_cut] == cut


def send_on(peers):
    for peer in itertools.cycle(peers):
        peer.sendall(b"\r\n")


@contextmanager
def reads_nothing(root):
    """A client that has asked for the state, and reads no more of it than the first byte."""
    with socket.socket() as peer:
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 10_000)
        peer.settimeout(20)
        peer.connect((urlsplit(root).hostname, urlsplit(root).port))
        peer.sendall(b"GET /_mock/state HTTP/1.1\r\nhost: localhost\r\n\r\n")
        assert peer.recv(1) == b"H"
        yield peer


def test_a_client_that_reads_nothing_of_a_large_answer_is_cut_off(serve):
    root = serve(answers_limit=10_000_000)
    state = {"description": "x" * 9_000_000}
    assert requests.put(f"{root}/_mock/state", json=state, timeout=20).status_code == 200

    # The system may hold up to half of an answer, so that it takes three to be over the limit in any case. They may
    # have waited equally long, so that any of them is cut off.
    with reads_nothing(root) as first, reads_nothing(root) as second, reads_nothing(root) as third:
        with pytest.raises(ConnectionError):
            send_on((first, second, third))

        assert requests.get(f"{root}/_mock/state", timeout=20).json()["description"] == state["description"]

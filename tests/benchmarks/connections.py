"""A client that sends requests over 16 connections, and costs little itself: it makes no request while it measures."""

import re
import socket
from collections import Counter
from contextlib import ExitStack
from typing import NamedTuple
from urllib.parse import urlsplit

#: As many as wrk has in the other benchmarks.
CONNECTIONS = 16
#: How many seconds an answer may take. Chosen: virtual machines have been seen to stand still for ten.
_TIMEOUT = 60
_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


class Answer(NamedTuple):
    status: int
    body: bytes


def request(method, path, headers, body=b""):
    """The bytes of a request."""
    lines = [f"{method} {path} HTTP/1.1", "host: mock", *(f"{name}: {value}" for name, value in headers.items())]
    if body:
        lines.append(f"content-length: {len(body)}")
    return "\r\n".join([*lines, "", ""]).encode() + body


class Connections:
    """Connections to one server; each has at most one request without an answer."""

    def __init__(self, root):
        self._address = urlsplit(root).hostname, urlsplit(root).port

    def __enter__(self):
        with ExitStack() as stack:
            self._sockets = [
                stack.enter_context(socket.create_connection(self._address, timeout=_TIMEOUT))
                for _ in range(CONNECTIONS)
            ]
            for connection in self._sockets:
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_):
        self._stack.close()

    def answers(self, requests):
        """Sends the requests, over each connection as soon as it is free; gives their answers, in the same order."""
        for index, text in enumerate(requests):
            connection = self._sockets[index % CONNECTIONS]
            if index >= CONNECTIONS:
                yield _answer(connection)
            connection.sendall(text)
        for index in range(max(0, len(requests) - CONNECTIONS), len(requests)):
            yield _answer(self._sockets[index % CONNECTIONS])

    def statuses(self, requests):
        """The same, but gives only how many answers have which status."""
        return Counter(answer.status for answer in self.answers(requests))


def _answer(connection):
    """The answer that comes next; its end is told by its length, which each answer of the mock has if it has a body."""
    text = b""
    while (end := text.find(b"\r\n\r\n")) < 0:
        text += _received(connection)
    found = _LENGTH.search(text, 0, end)
    length = int(found[1]) if found else 0
    body = text[end + 4 :]
    while len(body) < length:
        body += _received(connection)
    assert len(body) == length
    return Answer(int(text[9:12]), body)


def _received(connection):
    some = connection.recv(1 << 18)
    assert some, "the server has closed the connection"
    return some

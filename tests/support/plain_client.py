"""A client of a server, for tests of what goes over its connections."""

from __future__ import annotations

import http.client
import json
import socket
from urllib.parse import urlsplit

#: Seconds until something must have come.
PATIENCE = 20


class Client:
    """A connection of a client to a server."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def __init__(self, root):
        self.connection = http.client.HTTPConnection(urlsplit(root).netloc, timeout=PATIENCE)

    def ask(self, method, path, body=None, **headers):
        self.connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        answer = self.connection.getresponse()
        return answer.status, answer.read()

    def call(self, method, path, body=None):
        status, content = self.ask(method, path, None if body is None else json.dumps(body))
        assert status < 300, content
        return json.loads(content) if content else None


def asked(root, method, path, body=None, **headers):
    """The status and the body of an answer to a client with a connection of its own."""
    with Client(root) as client:
        return client.ask(method, path, body, **headers)


def reading_from(root, request):
    """A bare connection on which a request was sent."""
    address = urlsplit(root)
    found = socket.create_connection((address.hostname, address.port), timeout=PATIENCE)
    found.sendall(request)
    return found

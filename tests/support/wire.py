"""A workspace behind a socket."""

from __future__ import annotations

import json
from http.client import HTTPConnection
from urllib.parse import urlsplit


class Wire:
    """A workspace behind a real socket: a connection of its own, with the answers' status and JSON."""

    def __init__(self, root, name):
        self._name = name
        self._connection = HTTPConnection(urlsplit(root).netloc, timeout=30)
        self.key = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._connection.close()

    def ask(self, method, path, body=None, *, key=None):
        """As a workspace's; `/_mock/workspaces` has no prefix."""
        headers = {"Content-Type": "application/json"}
        if path.startswith("/v3"):
            headers["api-key"] = key or self.key
        prefix = "" if path == "/_mock/workspaces" else f"/w/{self._name}"
        self._connection.request(method, prefix + path, None if body is None else json.dumps(body), headers)
        answer = self._connection.getresponse()
        raw = answer.read()
        return answer.status, decoded(raw)


def decoded(raw):
    """The value of a body, or None."""
    try:
        return json.loads(raw) if raw else None
    except ValueError:  # a fault has broken it
        return None

"""Running servers of one store in one process, over a stand-in for the database that they share."""

from __future__ import annotations

import http.client
import json
from contextlib import ExitStack
from urllib.parse import urlsplit

from shared_engine import SharedBytes

from mockserver import Settings
from mockserver.app.mock import _mock_of
from mockserver.app.runtime import Runtime
from mockserver.core.workspaces.origin import WorkspaceLimits
from mockserver.resources.registry import PARTS
from mockserver.storage.shared_keeper import SharedKeeper
from mockserver.web.server.server import address, bind


class RunningServers:
    """What the servers share, and the servers, from `start` to the end of the context."""

    def __init__(self):
        self.shared = SharedBytes()
        self._stack = ExitStack()

    def start(self, **settings):
        """Another server."""
        listener = bind("127.0.0.1", 0)
        return self._stack.enter_context(RunningServer(self.shared, listener, settings))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._stack.close()


class RunningServer:
    """One server, and a client of it."""

    def __init__(self, shared, listener, settings):
        self.root = address(listener)
        self.engine = shared.engine(self.root)
        # The name of another store stands for that of the one that they share.
        settings = Settings(store="sqlite:unused", store_sync="always", peer_address=self.root, **settings)
        limits = WorkspaceLimits.of(settings)
        keeping = SharedKeeper(self.engine, parts=PARTS, limits=limits)
        self.mock = _mock_of(settings, keeping)
        self.runtime = Runtime(self.mock, listener)
        self._connection = http.client.HTTPConnection(urlsplit(self.root).netloc, timeout=20)

    def __enter__(self):
        self.runtime.start()
        return self

    def __exit__(self, *_):
        self._connection.close()
        self.runtime.stop()

    def answer(self, method, path, body=None, **headers):
        """The answer to a client, and its body."""
        sent = {"Content-Type": "application/json", **{name.replace("_", "-"): text for name, text in headers.items()}}
        self._connection.request(method, path, None if body is None else json.dumps(body), sent)
        found = self._connection.getresponse()
        return found, found.read()

    def ask(self, method, path, body=None, **headers):
        """What an answer that is no refusal says, as JSON."""
        found, content = self.answer(method, path, body, **headers)
        assert found.status < 400, content
        return json.loads(content) if content else None

"""Servers on a store, as processes, and the engines of stores."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
from redis_server import RedisServer
from server_process import ServerProcess
from wire import Wire

from mockserver.core.workspaces.keeping import Outline
from mockserver.storage.batch import Batch
from mockserver.storage.records.changes import Changes, LogChange


@pytest.fixture
def store(tmp_path):
    """Where the file of the servers is."""
    return tmp_path / "store.db"


class Servers:
    """Starts servers on one file, and knows what they have told."""

    def __init__(self, store, stack):
        self._store, self._stack = store, stack
        self._log = store.with_suffix(".log")
        self._log.touch()

    def start(self, *options):
        """A server that has begun to start; it is killed in the end."""
        server = ServerProcess("--store", f"sqlite:{self._store}", *options, log=self._log)
        return self._stack.enter_context(server)

    def refused(self, *options):
        """What a server says that cannot start: one sentence."""
        server = self.start(*options)
        assert server.ended() == 2
        return self.told()

    def told(self):
        """What has been written to standard error, which no traceback ever is."""
        text = self._log.read_text()
        assert "Traceback" not in text
        return text


@pytest.fixture
def servers(store):
    with ExitStack() as stack:
        yield Servers(store, stack)


@pytest.fixture
def ask():
    """Asks a server; gives the status and the JSON of the answer."""

    def asked(server, method, path, body=None, workspace="default"):
        with Wire(server.root, workspace) as wire:
            wire.key = "any"
            return wire.ask(method, path, body)

    return asked


@pytest.fixture
def create():
    """Creates a sender in a workspace of a server, by its number; gives the status of the answer."""

    def created(wire, number):
        return wire.ask("POST", "/v3/senders", {"name": "Ops", "email": f"s{number}@acme.test"})[0]

    return created


@pytest.fixture
def write():
    """Writes one workspace of a part `state` and a log `journal`."""

    def write(engine, name="acme", state=b"as it stands", journal=(), **outline):
        log = LogChange("journal", 0, list(enumerate(journal)))
        changes = Changes({"state": state}, (), [log] if journal else [])
        engine.write(Batch(workspaces=[(Outline(name, **{"keys": [], **outline}), changes)]))

    return write


@pytest.fixture(scope="session")
def running_redis(tmp_path_factory):
    with RedisServer(tmp_path_factory.mktemp("redis")) as found:
        yield found


@pytest.fixture
def redis_server(running_redis):
    """Redis without a key; a test that changes its settings has one of its own."""
    running_redis.command("FLUSHALL")
    return running_redis

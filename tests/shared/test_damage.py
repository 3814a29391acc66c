"""One bit of the default workspace is another one: that costs the default workspace, and a reset mends it."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
import requests
from cluster import SharingServer
from redis_server import RedisServer


def ask(server, method, path, **options):
    return requests.request(method, f"{server.url}{path}", headers={"api-key": "any"}, timeout=30, **options)


def flipped(content):
    at = len(content) // 2
    return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]


class OfFile:
    """A store in a file."""

    def __init__(self, folder):
        self._path = folder / "store.db"
        self.url = f"sqlite:{self._path}"

    def damage(self):
        with closing(sqlite3.connect(self._path)) as connection, connection:
            rows = connection.execute(
                "SELECT rowid, content FROM field WHERE workspace = 'default' AND name GLOB 'p:*'"
            )
            rowid, content = max(rows, key=lambda row: len(row[1]))
            connection.execute("UPDATE field SET content = ? WHERE rowid = ?", (flipped(content), rowid))

    def close(self):
        """A file needs no end."""


class OfDatabase:
    """A store in Redis."""

    def __init__(self, folder):
        self._engine = RedisServer(folder, durable=True)
        self._engine.__enter__()
        self.url = self._engine.url()

    def damage(self):
        from redis import Redis  # noqa: PLC0415

        key = "mockserver:data:default"
        with closing(Redis(port=self._engine.port)) as client:
            parts = {field: text for field, text in client.hgetall(key).items() if field.startswith(b"p:")}
            field = max(parts, key=lambda name: len(parts[name]))
            client.hset(key, field, flipped(parts[field]))

    def close(self):
        self._engine.__exit__()


@pytest.fixture(params=[OfFile, OfDatabase], ids=["sqlite", "redis"])
def store(request, tmp_path):
    found = request.param(tmp_path)
    yield found
    found.close()


@pytest.fixture
def damaged_server(store, tmp_path):
    """A server on a store whose default workspace is damaged."""
    first = SharingServer(store.url, tmp_path)
    first.start()
    first.wait()
    assert ask(first, "POST", "/_mock/workspaces", json={"name": "other"}).status_code == 201
    first.stop()
    first.close()
    store.damage()
    found = SharingServer(store.url, tmp_path)
    found.start()
    assert found._process.root  # noqa: SLF001  # it serves, ready or not
    yield found
    found.close()


def test_a_damaged_default_workspace_costs_itself_until_it_is_reset(damaged_server):
    damaged = ask(damaged_server, "GET", "/v3/account")
    other = ask(damaged_server, "GET", "/w/other/v3/account")
    reset = ask(damaged_server, "POST", "/_mock/reset")

    assert (damaged.status_code, set(damaged.json())) == (503, {"code", "message"})
    assert other.status_code == 200
    assert reset.status_code < 300, reset.text
    assert ask(damaged_server, "GET", "/v3/account").status_code == 200
    assert "Traceback" not in damaged_server.told()

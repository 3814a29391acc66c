"""Where servers have their store: a file, of which one server at a time goes on, or a database that several share."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import cached_property

from redis_server import RedisServer
from trouble_proxy import TroubleProxy


def _flipped(content):
    at = len(content) // 2
    return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]


class File:
    """A store in a file."""

    count = 1
    #: Whether what is only read is noted before the answer leaves.
    keeps_reads = False

    def __init__(self, folder):
        self.path = folder / "store.db"
        self.url = self.line_url = f"sqlite:{self.path}"

    def flip(self):
        """Flip a bit of the default workspace."""
        parts = "FROM field WHERE workspace = 'default' AND name GLOB 'p:*'"
        with closing(sqlite3.connect(self.path)) as connection, connection:
            rowid, content = max(connection.execute(f"SELECT rowid, content {parts}"), key=lambda row: len(row[1]))
            connection.execute("UPDATE field SET content = ? WHERE rowid = ?", (_flipped(content), rowid))

    def close(self):
        """A file needs no end."""


class Database:
    """A store in Redis, which keeps what it acknowledges; `line_url` leads there by a line that can be made bad."""

    count = 3
    keeps_reads = True

    def __init__(self, folder):
        #: A path beside which nothing ever changes.
        self.path = folder / "no file"
        self.engine = RedisServer(folder, durable=True)
        self.engine.__enter__()
        self.url = self.engine.url()

    @cached_property
    def line(self):
        return TroubleProxy(self.engine.port).__enter__()

    @property
    def line_url(self):
        return f"redis://127.0.0.1:{self.line.port}/0"

    def flip(self):
        from redis import Redis  # noqa: PLC0415  # few tests need it

        key = "mockserver:data:default"
        with closing(Redis(port=self.engine.port)) as client:
            parts = {field: text for field, text in client.hgetall(key).items() if field.startswith(b"p:")}
            field = max(parts, key=lambda name: len(parts[name]))
            client.hset(key, field, _flipped(parts[field]))

    def close(self):
        if "line" in vars(self):
            self.line.__exit__()
        self.engine.__exit__()

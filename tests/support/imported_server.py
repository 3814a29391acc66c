"""What a server imports until its first answer, imported: the processes that are forked from this one start faster."""

import sqlite3  # noqa: F401  # nothing else here may import it

import mockserver.app.runtime
import mockserver.cli.serving  # noqa: F401  # the command
from mockserver import Settings, create_app

with create_app(Settings()).test_client() as _client:
    _client.get("/v3/senders", headers={"api-key": "any"})
    _client.post("/_mock/workspaces", json={})

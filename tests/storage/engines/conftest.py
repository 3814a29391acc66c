"""Stores of each kind, of which each test has its own."""

from pathlib import Path

import pytest

from mockserver.storage.engine import ANY_VERSION, Batch, Changes, Row
from mockserver.storage.redis_engine import Engine as RedisEngine
from mockserver.storage.sqlite_engine import Engine as FileEngine


@pytest.fixture
def opened(store_url):
    """Opens the store of the test, after closing the engine before; all are closed in the end."""
    engines, path = [], store_url.removeprefix("sqlite:")

    def opened():
        for engine in engines:
            engine.close()
        kind, place = (RedisEngine, path) if path == store_url else (FileEngine, Path(path))
        engines.append(kind(place, layout="the layout of today", writer="mockserver 1.0"))
        return engines[-1]

    yield opened
    for engine in engines:
        engine.close()


@pytest.fixture
def engine(opened):
    return opened()


@pytest.fixture
def write():
    """Writes fields of a workspace, whatever its version is."""

    def write(engine, name, fields, *, gone=(), due_at=None):
        engine.write(Batch(rows=[Row(name, Changes(fields, gone), ANY_VERSION, due_at)]))

    return write

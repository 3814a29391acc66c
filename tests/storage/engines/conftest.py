"""Stores of each kind, of which each test has its own."""

import pytest

from mockserver.storage.engine import ANY_VERSION, Batch, Changes, Row
from mockserver.storage.redis_engine import Engine as RedisEngine
from mockserver.storage.sqlite_engine import Engine as FileEngine

LAYOUT, WRITER = "the layout of today", "mockserver 1.0"


@pytest.fixture
def open_file(tmp_path):
    return lambda: FileEngine(tmp_path / "store.db", layout=LAYOUT, writer=WRITER)


@pytest.fixture
def open_redis(redis_server):
    return lambda: RedisEngine(redis_server.url(), layout=LAYOUT, writer=WRITER)


@pytest.fixture(params=["file", "redis"])
def opened(request):
    """Opens the store of the test, after closing the engine before; all are closed in the end."""
    engines, open_engine = [], request.getfixturevalue(f"open_{request.param}")

    def opened():
        for engine in engines:
            engine.close()
        engines.append(open_engine())
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

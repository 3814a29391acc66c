"""Stores of each kind, of which each test has its own."""

from __future__ import annotations

import pytest

from mockserver.storage.redis import Engine as RedisEngine
from mockserver.storage.sqlite import Engine as FileEngine

LAYOUT, WRITER = "the layout of today", "mockserver 1.0"


class LoneEngine(RedisEngine):
    """An engine that servers share, used by one alone: it holds what it writes for as long as it writes."""

    def write(self, batch):
        written = {outline.name: outline for outline, _ in batch.workspaces}
        for name in {*batch.removed, *written}:
            if not self.claim(name):
                self.take(name)
        assert not super().write(batch)
        for outline in written.values():
            self.let_go(outline)


@pytest.fixture
def opened_file(tmp_path):
    return lambda: FileEngine(tmp_path / "store.db", layout=LAYOUT, writer=WRITER)


@pytest.fixture
def opened_redis(redis_server):
    return lambda: LoneEngine(redis_server.url(), layout=LAYOUT, writer=WRITER, address="http://127.0.0.1:8080")


@pytest.fixture(params=["sqlite", "redis"])
def opened(request):
    """Opens the store of the test, which the engine before it leaves; all are closed in the end."""
    engines = []
    kind = {"sqlite": "opened_file", "redis": "opened_redis"}[request.param]
    of_kind = request.getfixturevalue(kind)

    def opened():
        for engine in engines:
            engine.close()
        engines.append(of_kind())
        return engines[-1]

    yield opened
    for engine in engines:
        engine.close()


@pytest.fixture
def engine(opened):
    return opened()

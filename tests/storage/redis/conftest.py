"""Servers of one store in Redis, as engines in this process."""

from contextlib import ExitStack, closing

import pytest
from redis_server import RedisServer
from trouble_proxy import TroubleProxy

from mockserver.storage.engine import Batch, Changes, EngineError, Row
from mockserver.storage.redis_engine import Engine

LAYOUT, WRITER = "the layout of today", "mockserver 1.0"


@pytest.fixture
def join(redis_server):
    """Opens an engine on the store; all are closed in the end."""
    with ExitStack() as opened:

        def join(url=None, *, layout=LAYOUT, writer=WRITER, **options):
            engine = Engine(url or redis_server.url(), layout=layout, writer=writer, **options)
            return opened.enter_context(closing(engine))

        yield join


@pytest.fixture
def refused(join):
    """Opens an engine that cannot be opened; gives the sentence."""

    def refused(url=None, **options):
        with pytest.raises(EngineError) as found:
            join(url, **options)
        return str(found.value)

    return refused


@pytest.fixture
def start(tmp_path):
    """Starts a Redis server with some options."""
    with ExitStack() as stack:
        yield lambda *options, kind=RedisServer: stack.enter_context(kind(tmp_path, *options))


@pytest.fixture
def proxy(redis_server):
    """A line to the store that a test can make bad."""
    with TroubleProxy(redis_server.port) as found:
        yield found


@pytest.fixture
def write():
    """Writes one workspace, by default `acme` upon any version."""

    def write(engine, fields=(), *, gone=(), name="acme", base="*", nonce="", due_at=None):
        engine.write(Batch(rows=[Row(name, Changes(dict(fields), gone), base, due_at)], nonce=nonce))

    return write

"""Servers on a store, as processes, and the engines of stores."""

from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path

import pytest
from cluster import Cluster, SharingServer
from redis_server import RedisServer
from storage.places import Database, File
from storage.stepper import Stepper
from store_trouble import StoreTrouble

from mockserver import MockServer
from mockserver.storage.engine import Batch, Changes, Row


@pytest.fixture
def store(tmp_path):
    """Where the file of the servers is."""
    return tmp_path / "store.db"


@pytest.fixture
def write():
    """Writes fields of a workspace; its part `state` by default."""

    def write(engine, name="acme", state=b"as it is", *, gone=(), base="", due_at=None, nonce="n", **fields):
        named = {f"p:{part}": content for part, content in {"state": state, **fields}.items() if content is not None}
        engine.write(Batch(rows=[Row(name, Changes(named, gone), base, due_at)], nonce=nonce))

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


@pytest.fixture
def join_at():
    """A factory of servers without HTTP on a store; all are closed in the end."""
    with ExitStack() as opened:

        def join(place, **options):
            found = Stepper(place, **options)
            opened.callback(found.close)
            return found

        yield join


@pytest.fixture
def join(join_at, redis_server):
    """A factory of servers that share a store."""
    return partial(join_at, redis_server.url())


@pytest.fixture(params=["sqlite", "redis"])
def store_url(request, store):
    """The address of a store of each kind, as the setting has it."""
    return f"sqlite:{store}" if request.param == "sqlite" else request.getfixturevalue("redis_server").url()


@pytest.fixture(params=[File, Database], ids=["sqlite", "redis"])
def place(request, tmp_path):
    """Where servers have their store, for processes: of each kind, of the test's own."""
    with closing(request.param(tmp_path)) as found:
        yield found


@pytest.fixture
def server_process(place, tmp_path):
    """A server on the store that is not started."""
    with closing(SharingServer(place.url, tmp_path)) as found:
        yield found


@pytest.fixture
def make_cluster(place, tmp_path):
    """A factory of servers on the store, as processes, by their options."""
    with ExitStack() as stack:
        yield lambda *options, url=None: stack.enter_context(Cluster(url or place.url, tmp_path, place.count, *options))


@pytest.fixture
def cluster(make_cluster):
    return make_cluster()


@pytest.fixture
def trouble(monkeypatch):
    return StoreTrouble(monkeypatch)


@pytest.fixture
def start(trouble, store_url):
    """A factory of servers on the store, in this process."""
    return partial(MockServer, store=store_url)


@pytest.fixture
def options():
    """The options of a server's store; modules may have others."""
    return {}


@pytest.fixture
def server(join_at, store_url, options):
    """A server on a store of each kind, without HTTP."""
    return join_at(Path(store_url.removeprefix("sqlite:")) if "sqlite:" in store_url else store_url, **options)

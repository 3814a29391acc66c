"""Servers that share a store, and the engine that holds it."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
from cluster import Cluster
from redis_server import RedisServer
from trouble_proxy import TroubleProxy

COUNT = 3


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Three servers on an engine that stays well, one after the other of which gets each request."""
    folder = tmp_path_factory.mktemp("cluster")
    with RedisServer(folder, durable=True) as engine, Cluster(engine.url(), folder, COUNT) as found:
        yield found


@pytest.fixture
def make_cluster(tmp_path):
    """A factory of such servers, for whoever does them harm: an address of a store, how many, and their options."""
    with ExitStack() as stack:
        yield lambda store, count, *options: stack.enter_context(Cluster(store, tmp_path, count, *options))


@pytest.fixture
def engine(tmp_path):
    """An engine to do harm to."""
    with RedisServer(tmp_path, durable=True) as found:
        yield found


@pytest.fixture
def proxy(engine):
    """A line to the engine that a test can make bad."""
    with TroubleProxy(engine.port) as found:
        yield found

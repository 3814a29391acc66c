"""Servers of one store in Redis, as engines in this process."""

from __future__ import annotations

from contextlib import ExitStack, closing

import pytest

from mockserver.core.workspaces.keeping import Outline
from mockserver.storage.batch import Batch
from mockserver.storage.records.changes import Changes
from mockserver.storage.redis import Engine

LAYOUT, WRITER = "the layout of today", "mockserver 1.0"


@pytest.fixture
def join(redis_server):
    """Opens an engine on the store, at the address of a server; all are closed in the end."""
    with ExitStack() as opened:

        def join(address="http://a", *, url=None, layout=LAYOUT, writer=WRITER):
            engine = Engine(url or redis_server.url(), layout=layout, writer=writer, address=address)
            return opened.enter_context(closing(engine))

        yield join


@pytest.fixture
def one(join):
    return join("http://one")


@pytest.fixture
def other(join):
    return join("http://other")


@pytest.fixture
def written():
    """Writes a part of a workspace; gives whether the engine holds it."""

    def written(engine, name="acme", state=b"as it stands", **outline):
        changes = Changes({"state": state}, (), ())
        return not engine.write(Batch(workspaces=[(Outline(name, **{"keys": [], **outline}), changes)]))

    return written


@pytest.fixture
def made(written):
    """Makes a workspace, which the engine then holds."""

    def made(engine, name="acme", **outline):
        assert engine.claim(name)
        assert written(engine, name, **outline)

    return made


@pytest.fixture
def silenced(redis_server):
    """Lets an engine be heard of no more, unless it is asked for a beat, and its lease run out."""

    def silenced(engine):
        engine._heartbeat.close()  # noqa: SLF001  # as if its process had stopped
        redis_server.command(f"DEL mockserver:server:{engine.server}")  # as time does

    return silenced

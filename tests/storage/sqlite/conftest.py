"""Stores in files, of which each test has its own."""

import pytest

from mockserver.storage.sqlite_engine import Engine

LAYOUT = "the layout of today"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.db"


@pytest.fixture
def opened(path):
    """Opens the store of the test, or another one, after closing the one before; all are closed in the end."""
    engines = []

    def opened(at=path, *, layout=LAYOUT, writer="mockserver 1.0", **options):
        for engine in engines:
            engine.close()
        engines.append(Engine(at, layout=layout, writer=writer, **options))
        return engines[-1]

    yield opened
    for engine in engines:
        engine.close()


@pytest.fixture
def engine(opened):
    return opened()


@pytest.fixture
def fields_that():
    """Makes fields that call a function when all but the last are written."""

    class Fields(dict):
        def __init__(self, call, fields):
            super().__init__(fields)
            self._call = call

        def items(self):
            *first, last = super().items()
            yield from first
            self._call()
            yield last

    return Fields

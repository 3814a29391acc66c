"""A store whose disk is full, or whose process is killed: each batch is written as a whole, or not at all."""

import resource
import shutil
import sqlite3
from contextlib import closing, contextmanager

import pytest

from mockserver.storage.engine import ANY_VERSION, Batch, Changes, EngineError, Row
from mockserver.storage.sqlite_engine import translated

LARGE = b"L" * 8_000_000


@contextmanager
def largest_file(size):
    """Let no file of this process become larger than so many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("size", [4_096, 20_000, 600_000])  # with 20,000 SQLite cannot even undo the write
def test_a_write_that_finds_no_room_changes_nothing_and_succeeds_when_there_is_room(engine, write, size):
    before = b"B" * 500_000
    write(engine, "before", before)
    with largest_file(size), pytest.raises(EngineError, match=r"store\.db cannot be read or written: "):
        write(engine, "after", LARGE)
    assert engine.read("before").fields == {"p:state": before}
    assert [row.name for row in engine.outlines()] == ["before"]
    write(engine, "after", LARGE)
    assert engine.read("after").fields == {"p:state": LARGE}


def test_a_full_disk_is_named():
    with closing(sqlite3.connect(":memory:")) as connection, pytest.raises(EngineError) as caught, translated("F"):
        connection.executescript("PRAGMA max_page_count = 1; CREATE TABLE t (x)")
    assert str(caught.value) == "F cannot grow: its disk is full, or a quota is reached"


def test_a_batch_that_fails_in_its_middle_changes_nothing(engine, write, fields_that):
    def fail():
        raise KeyError

    write(engine)
    rows = [Row("new", Changes(fields_that(fail, {"p:state": LARGE, "p:clock": b"noon"})))]
    with pytest.raises(KeyError):
        engine.write(Batch(removed={"acme": ANY_VERSION}, rows=rows, counts={"calls": 1}))
    assert engine.read("acme").fields == {"p:state": b"as it is"}
    assert engine.counts() == {}


def test_a_store_of_a_process_that_was_killed_in_a_write_is_as_before_the_write(
    engine, write, path, tmp_path, opened, fields_that
):
    killed = tmp_path / "killed"

    def copy():
        killed.mkdir()
        for file in path.parent.glob("store.db*"):
            shutil.copy(file, killed)

    write(engine, "acme", b"before")
    engine.write(Batch(rows=[Row("acme", Changes(fields_that(copy, {"p:state": LARGE, "p:clock": b"noon"})))]))
    # SQLite has written changes into the file already, and what was there before to the journal.
    assert (killed / "store.db").stat().st_size > 1_000_000
    store = opened(killed / "store.db")
    assert store.read("acme").fields == {"p:state": b"before"}
    assert store.damages() == []

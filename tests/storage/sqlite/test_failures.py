"""What goes wrong while a store is used is told, nothing of it is half done, and it goes on by itself afterwards."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing

import pytest

from mockserver.core.workspaces.keeping import Outline
from mockserver.storage.batch import Batch
from mockserver.storage.records.changes import Changes
from mockserver.storage.sqlite import EngineError, connection

SMALL, LARGE = b"small", b"L" * 400_000


@pytest.fixture
def disk(monkeypatch):
    """Sets how many pages of four kilobytes a store may have from now on."""
    writers = []

    class Connections(connection.Connections):
        def __init__(self, *args, **options):
            super().__init__(*args, **options)
            writers.append(self.writer)

    monkeypatch.setattr("mockserver.storage.sqlite.engine.Connections", Connections)
    return lambda pages: writers[-1].execute(f"PRAGMA max_page_count = {pages}").fetchone()


def test_a_full_disk_is_told_and_a_write_is_done_again_when_there_is_room(disk, engine, write):
    write(engine, "before", SMALL)
    disk(50)
    with pytest.raises(EngineError, match=r"store\.db cannot grow: its disk is full, or a quota is reached$"):
        write(engine, "after", LARGE)
    assert [row.name for row in engine.outlines()] == ["before"]
    write(engine, "before", b"as small")
    disk(1000)
    write(engine, "after", LARGE)
    assert engine.read("after").parts == {"state": LARGE}


def test_a_store_that_was_removed_is_told_and_goes_on_when_it_is_back(engine, write, path):
    write(engine, "before")
    path.rename(path.with_suffix(".aside"))
    with pytest.raises(EngineError, match=r"store\.db was removed or replaced while it was used: put the file back"):
        write(engine, "after")
    assert not path.exists()
    path.with_suffix(".aside").rename(path)
    write(engine, "after")
    assert [row.name for row in engine.outlines()] == ["before", "after"]


def test_a_store_that_was_replaced_is_told_and_the_other_one_is_left_alone(engine, write, path):
    write(engine)
    shutil.copy(path, path.with_suffix(".copy"))
    path.with_suffix(".copy").replace(path)
    before = path.read_bytes()
    with pytest.raises(EngineError, match="was removed or replaced while it was used"):
        write(engine)
    engine.close()
    assert path.read_bytes() == before


def test_what_is_written_after_the_log_was_removed_outlasts_the_process(engine, write, path, tmp_path):
    write(engine, "before")
    path.with_name("store.db-wal").unlink()
    write(engine, "after")
    found = copy_of(path, tmp_path / "copy")
    assert found == {"before", "after"}


def copy_of(path, folder):
    """The names of the workspaces in what a killed process would leave."""
    folder.mkdir()
    for file in path.parent.glob("store.db*"):
        shutil.copy(file, folder)
    with closing(sqlite3.connect(folder / path.name)) as found:
        return {name for (name,) in found.execute("SELECT name FROM workspace")}


def test_the_log_is_emptied_once_it_is_too_large(engine, write, path, monkeypatch):
    monkeypatch.setattr("mockserver.storage.sqlite.engine.MOST_LOG_BYTES", 100_000)
    with closing(sqlite3.connect(path)) as reader:
        # As long as somebody reads what was there before, nothing of the log can be used again.
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM workspace").fetchone()
        write(engine, "large", LARGE)
        write(engine, "small", SMALL)
        assert path.with_name("store.db-wal").stat().st_size > 400_000
    write(engine, "small", SMALL)
    assert path.with_name("store.db-wal").stat().st_size < 100_000


def test_vacuum_gives_room_back(engine, write, path):
    write(engine, state=LARGE)
    write(engine, state=SMALL)
    engine.vacuum()
    assert path.stat().st_size < 100_000
    assert engine.read("acme").parts == {"state": SMALL}


def test_a_batch_that_fails_in_its_middle_changes_nothing(engine, write):
    write(engine)
    unwritable = Changes({"state": "a text, and no bytes"}, (), ())
    with pytest.raises(TypeError):
        engine.write(Batch(removed=["acme"], workspaces=[(Outline("new", []), unwritable)]))
    assert engine.read("acme").parts == {"state": b"as it stands"}

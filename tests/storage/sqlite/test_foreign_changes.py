"""A file that another program changes while it is used: no write is acknowledged, and the file is left alone."""

import os
import shutil
from pathlib import Path

import pytest

from mockserver.storage.engine import Batch, Changes, EngineError, Row

CHANGED = r"store\.db was changed by another program while it was used: put the file back, or start anew$"
GONE = r"store\.db was removed or replaced while it was used: put the file back, or start anew$"


@pytest.fixture
def used(engine, write, opened, path):
    """A store in use, of which there is an older backup."""
    write(engine, "old")
    engine.close()
    shutil.copy(path, path.with_name("backup"))
    engine = opened()
    write(engine, "new", b"L" * 20_000)
    return engine


def flip(path):
    before = path.stat().st_mtime_ns
    while path.stat().st_mtime_ns == before:  # some systems count the time in hundredths of a second
        with path.open("r+b") as file:
            file.seek(30)
            file.write(b"\xff" * 8)


def replace(path):
    path.with_name("backup").replace(path)


WAYS = {
    "emptied": (lambda path: os.truncate(path, 0), CHANGED),
    "cut": (lambda path: os.truncate(path, path.stat().st_size // 2), CHANGED),
    "flipped": (flip, CHANGED),
    "overwritten": (lambda path: shutil.copyfile(path.with_name("backup"), path), CHANGED),
    "removed": (Path.unlink, GONE),
    "replaced": (replace, GONE),
}


@pytest.mark.parametrize(("change", "sentence"), WAYS.values(), ids=WAYS)
def test_a_changed_file_is_refused_by_writes_and_reads_and_left_alone_by_close(used, write, path, change, sentence):
    change(path)
    before = path.read_bytes() if path.exists() else None
    for _ in range(2):
        with pytest.raises(EngineError, match=sentence):
            write(used)
        with pytest.raises(EngineError, match=sentence):
            used.outlines()
    used.close()
    assert (path.read_bytes() if path.exists() else None) == before


def test_a_file_that_is_replaced_during_a_write_is_noticed_before_the_write_is_acknowledged(used, path, fields_that):
    fields = fields_that(lambda: replace(path), {"p:state": b"lost"})
    with pytest.raises(EngineError, match=GONE):
        used.write(Batch(rows=[Row("lost", Changes(fields))]))


def test_a_file_that_was_put_back_is_used_again(used, write, path):
    path.rename(path.with_suffix(".aside"))
    with pytest.raises(EngineError, match=GONE):
        write(used, "lost")
    path.with_suffix(".aside").rename(path)
    write(used, "kept")
    assert [row.name for row in used.outlines()] == ["old", "new", "kept"]


def test_a_file_that_was_moved_during_a_write_and_put_back_is_used_again(used, write, path, fields_that):
    aside = path.with_suffix(".aside")
    with pytest.raises(EngineError, match=GONE):
        used.write(Batch(rows=[Row("moved", Changes(fields_that(lambda: path.rename(aside), {"p:state": b"s"})))]))
    aside.rename(path)
    write(used, "kept")
    assert [row.name for row in used.outlines()] == ["old", "new", "moved", "kept"]

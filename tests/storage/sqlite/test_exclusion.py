"""A store serves one process at a time, for as long as that lives."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from mockserver.storage.sqlite import Engine, EngineError
from mockserver.storage.sqlite.store_file import StoreFile

#: Opens the file of the first argument as a store, says so, and waits until it is ended.
HOLDER = """
import sys
from mockserver.storage.sqlite.store_file import StoreFile
held = StoreFile(sys.argv[1], create=True)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holder(path):
    """Another process that holds the store of the test."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"held\n"
        yield process
        process.kill()


def refused(path):
    with pytest.raises(EngineError) as caught:
        Engine(path, layout="l", writer="w")
    return str(caught.value)


def used(path):
    return f"{path} is used by another process: a store serves one server at a time"


def test_a_store_is_refused_while_another_process_holds_it(holder, path, opened):
    assert refused(path) == used(path)
    holder.send_signal(signal.SIGSTOP)
    assert refused(path) == used(path)
    holder.kill()
    holder.wait()
    assert opened().outlines() == []


def test_a_store_is_refused_while_this_process_holds_it(engine, path, write):
    assert refused(path) == used(path)
    # SQLite's own locks are still there: whoever closes a file in a process loses all of them.
    program = f"import sqlite3; sqlite3.connect({str(path)!r}, 0).execute('PRAGMA journal_mode = DELETE')"
    other = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert other.stderr.endswith(b"sqlite3.OperationalError: database is locked\n")
    write(engine)


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_store_is_the_same_by_another_name(engine, path, link):
    other = path.with_name("other.db")
    link(path, other)
    assert refused(other).endswith("is used by another process: a store serves one server at a time")


def test_a_file_that_is_let_go_twice_is_not_taken_from_whoever_holds_it_then(path):
    first = StoreFile(path, create=True)
    first.close()
    second = StoreFile(path, create=True)
    first.close()
    assert refused(path) == used(path)
    second.close()


def test_a_program_that_reads_a_store_disturbs_nobody(engine, path, write):
    with closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN")
        assert other.execute("SELECT count(*) FROM workspace").fetchone() == (0,)
        write(engine)
        assert other.execute("SELECT count(*) FROM workspace").fetchone() == (0,)
    assert [row.name for row in engine.outlines()] == ["acme"]


def test_a_program_that_locks_a_store_is_told_of_until_it_is_done(opened, path, write, monkeypatch):
    monkeypatch.setattr("mockserver.storage.sqlite.connection._PATIENCE_S", 0.01)
    engine = opened()
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(EngineError, match=r"is locked by another program, such as the shell of SQLite$"):
            write(engine)
        other.execute("ROLLBACK")
    write(engine)
    assert [row.name for row in engine.outlines()] == ["acme"]

"""A store serves one process, and one engine in it, for as long as that lives."""

import os
import shutil
import signal
import subprocess
import sys

import pytest

from mockserver.storage.engine import EngineError
from mockserver.storage.sqlite_engine import Engine

#: Opens the store of the first argument, and waits until it is killed.
HOLDER = """
import sys
from mockserver.storage.sqlite_engine import Engine
engine = Engine(sys.argv[1], layout="the layout of today")
print("open", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def holder(path):
    """Another process that has opened the store of the test."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"open\n"
        yield process
        process.kill()


def assert_used(path):
    with pytest.raises(EngineError, match=r"is used by another process: a store serves one server at a time$"):
        Engine(path, layout="the layout of today")


def test_a_store_is_refused_while_another_process_uses_it_even_if_that_is_stopped(holder, path):
    assert_used(path)
    holder.send_signal(signal.SIGSTOP)
    assert_used(path)


def test_a_store_is_opened_once_the_process_that_used_it_is_killed(holder, opened):
    holder.kill()
    holder.wait()
    assert opened().outlines() == []


@pytest.mark.parametrize("name", [lambda path, other: None, os.symlink, os.link])
def test_a_store_is_refused_while_this_process_uses_it_by_whatever_name(engine, path, name):
    other = path.with_name("other.db")
    name(path, other)
    assert_used(other if other.exists() else path)


@pytest.mark.parametrize("statement", ["SELECT * FROM header", "DELETE FROM header", "PRAGMA journal_mode = WAL"])
def test_a_shell_of_sqlite_is_refused_after_writes_failures_and_other_engines(engine, path, write, statement):
    write(engine)
    with pytest.raises(EngineError):
        engine.read("missing")
    assert_used(path)
    program = f"import sqlite3; sqlite3.connect({str(path)!r}, 0).execute({statement!r})"
    shell = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert shell.stderr.endswith(b"sqlite3.OperationalError: database is locked\n")


def test_a_program_that_copies_a_store_in_use_is_not_noticed(engine, path, write, tmp_path):
    write(engine)
    subprocess.run([shutil.which("cp"), path, tmp_path / "copy"], check=True)
    write(engine)
    assert [row.name for row in engine.outlines()] == ["acme"]

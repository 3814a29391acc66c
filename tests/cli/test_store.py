"""`mockserver store info` of a file, which no server uses."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest
from cli_runner import invoke

from mockserver.storage.engine import Batch, Changes, Row
from mockserver.storage.packing import layout
from mockserver.storage.records import Written
from mockserver.storage.sqlite_engine import Engine


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.db"


def filled(path, *rows, **options):
    """A store with workspaces, which nobody uses."""
    with closing(Engine(path, **{"layout": layout(), "writer": "mockserver 1.0", **options})) as engine:
        engine.write(Batch(rows=rows))
    return path


def row(name, *keys):
    """A workspace of two thousand bytes, which is none that this version can load."""
    fields = {"p:state": b"s" * (2000 - 10 * len(keys)), **{f"k:{key}": b"k" * 10 for key in keys}}
    return Row(name, Changes(fields))


def sound_row(make_api, name):
    """A workspace that this version can load."""
    return Row(name, Written(make_api().store.create(name=name)).changes())


def change(path, statement):
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


def printed(*words):
    found = invoke(["store", *map(str, words)])
    assert (found.exit_code, found.stderr) == (0, "")
    return found.stdout


# ------------------------------------------------------------------ info


def test_info_tells_what_a_store_holds_the_workspace_written_last_first(path):
    filled(path, row("default"), row("acme", "a", "b"))
    size = path.stat().st_size
    assert printed("info", path).splitlines() == [
        f"file        {path}",
        f"size        {size / 1000:.1f} kB",
        "written by  mockserver 1.0, which this version reads",
        "workspace  size    keys",
        "acme       2.0 kB  2",
        "default    2.0 kB  0",
    ]


def test_info_is_json_for_programs(path):
    filled(path, row("acme", "a", "b"))
    assert json.loads(printed("info", "--json", path)) == {
        "path": str(path),
        "bytes": path.stat().st_size,
        "written_by": "mockserver 1.0",
        "readable": True,
        "workspaces": [{"name": "acme", "bytes": 2000, "keys": 2}],
    }


def test_info_tells_that_another_version_has_to_read_a_store_which_is_named_as_the_server_names_it(path):
    filled(path, layout="another")
    told = printed("info", f"sqlite:{path}")
    assert "written by  mockserver 1.0, in a layout that this version cannot read\n" in told
    assert f"file        {path}\n" in told


def test_store_info_leaves_the_file_unchanged(path):
    before = filled(path, row("acme")).read_bytes()
    invoke(["store", "info", "--check", str(path)])
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["store.db"]


def test_check_finds_nothing_in_a_sound_store(path, make_api):
    filled(path, sound_row(make_api, "acme"))
    assert "damages     none\n" in printed("info", "--check", path)
    assert json.loads(printed("info", "--check", "--json", path))["damages"] == []


def test_check_lists_each_damaged_workspace(path, make_api):
    filled(path, sound_row(make_api, "acme"), sound_row(make_api, "beta"), sound_row(make_api, "sound"))
    change(path, "UPDATE field SET content = x'00' WHERE workspace != 'sound' AND name = 'p:state'")
    found = invoke(["store", "info", "--check", str(path)])
    assert found.exit_code == 1
    assert "damages     2, told below\n" in found.stdout
    assert [line.partition(" cannot be read: ")[0] for line in found.stderr.splitlines()] == [
        f"workspace {name} of {path}" for name in ("beta", "acme")
    ]


def test_check_lists_damages_of_the_file_whatever_the_layout(path):
    filled(path, row("acme"), layout="another")
    change(path, "INSERT INTO value VALUES ('secret', x'00')")
    found = invoke(["store", "info", "--check", "--json", str(path)])
    assert found.exit_code == 1
    assert len(json.loads(found.stdout)["damages"]) == 1


# ------------------------------------------------------------------ what cannot be read


def test_a_store_that_is_used_is_left_alone_and_a_missing_file_is_not_created(path):
    found = invoke(["store", "info", str(path)])
    assert (found.exit_code, path.exists()) == (2, False)
    assert f"Error: there is no file {path}\n" in found.stderr
    with closing(Engine(path, layout=layout())):
        found = invoke(["store", "info", str(path)])
    assert found.exit_code == 2
    assert f"Error: {path} is used by another process: a store serves one server at a time\n" in found.stderr

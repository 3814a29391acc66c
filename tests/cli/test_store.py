"""`mockserver store`: the file of a store is looked at and tended while no server uses it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest
from invoking import invoke

from mockserver.core.workspaces.keeping import Outline
from mockserver.storage.records.changes import Changes, LogChange
from mockserver.storage.records.layout import layout
from mockserver.storage.sqlite import Batch, Engine


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.db"


def filled(path, *outlines, state=b"s" * 1500, **options):
    """A store with workspaces, which nobody uses."""
    with closing(Engine(path, **{"layout": layout(), "writer": "mockserver 1.0", **options})) as engine:
        changes = Changes({"state": state}, (), [LogChange("journal", 0, [(0, b"j" * 500)])])
        engine.write(Batch(workspaces=[(outline, changes) for outline in outlines]))
    return path


def change(path, statement):
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


def printed(*words):
    found = invoke(["store", *map(str, words)])
    assert (found.exit_code, found.stderr) == (0, "")
    return found.stdout


# ------------------------------------------------------------------ info


def test_info_tells_what_a_store_holds_the_workspace_written_last_first(path):
    filled(path, Outline("default", []), Outline("acme", ["a", "b"]))
    size = path.stat().st_size
    assert printed("info", path).splitlines() == [
        f"file        {path}",
        f"size        {size / 1000:.1f} kB, of which 0 bytes are free",
        "written by  mockserver 1.0, which this version reads",
        "workspace  size    keys",
        "acme       2.0 kB  2",
        "default    2.0 kB  0",
    ]


def test_info_is_json_for_programs(path):
    filled(path, Outline("acme", ["a", "b"]))
    assert json.loads(printed("info", "--json", path)) == {
        "path": str(path),
        "bytes": path.stat().st_size,
        "free_bytes": 0,
        "written_by": "mockserver 1.0",
        "readable": True,
        "workspaces": [{"name": "acme", "bytes": 2000, "keys": 2}],
    }


def test_info_tells_that_another_version_has_to_read_a_store(path):
    filled(path, layout="another")
    assert "written by  mockserver 1.0, in a layout that this version cannot read\n" in printed("info", path)


def test_a_store_is_named_as_the_server_names_it(path):
    filled(path)
    assert f"file        {path}\n" in printed("info", f"sqlite:{path}")


def test_info_changes_nothing(path):
    before = filled(path, Outline("acme", [])).read_bytes()
    printed("info", "--check", path)
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["store.db"]


def test_check_finds_nothing_in_a_sound_store(path):
    filled(path, Outline("acme", []))
    assert "damages     none\n" in printed("info", "--check", path)
    assert json.loads(printed("info", "--check", "--json", path))["damages"] == []


def test_check_tells_each_damage(path):
    filled(path, Outline("acme", []), Outline("beta", []), Outline("sound", []))
    change(path, "UPDATE part SET content = x'00' WHERE workspace < 3")
    found = invoke(["store", "info", "--check", str(path)])
    assert found.exit_code == 1
    assert "damages     2, told below\n" in found.stdout
    assert found.stderr.splitlines() == [
        f"{path} is damaged: {name}/state is not what was written" for name in ("acme", "beta")
    ]


def test_check_finds_an_entry_that_an_index_has_lost(path):
    filled(path, Outline("acme", []))
    with path.open("r+b") as file, closing(sqlite3.connect(path)) as connection:
        page = connection.execute("SELECT rootpage FROM sqlite_schema WHERE tbl_name = 'entry' AND type = 'index'")
        # The number of cells of a page (sqlite.org/fileformat.html, 1.6).
        file.seek((page.fetchone()[0] - 1) * 4096 + 3)
        file.write(b"\0\0")
    found = invoke(["store", "info", "--check", "--json", str(path)])
    assert found.exit_code == 1
    assert json.loads(found.stdout)["damages"]


# ------------------------------------------------------------------ vacuum


def test_vacuum_gives_room_back(path):
    filled(path, Outline("acme", []), state=b"L" * 500_000)
    filled(path, Outline("acme", []))
    before = path.stat().st_size
    found = json.loads(printed("vacuum", "--json", path))
    assert found == {"path": str(path), "bytes_before": before, "bytes": path.stat().st_size}
    assert before > 500_000
    assert path.stat().st_size < 100_000


def test_vacuum_tells_the_sizes(path):
    filled(path)
    size = f"{path.stat().st_size / 1000:.1f} kB"
    assert printed("vacuum", path) == f"{path}: {size} before, {size} now\n"


# ------------------------------------------------------------------ what cannot be tended


@pytest.mark.parametrize("command", ["info", "vacuum"])
def test_a_store_that_is_used_is_left_alone(path, command):
    with closing(Engine(path, layout=layout())):
        found = invoke(["store", command, str(path)])
    assert found.exit_code == 2
    assert f"Error: {path} is used by another process: a store serves one server at a time\n" in found.stderr


@pytest.mark.parametrize("command", ["info", "vacuum"])
def test_a_file_that_is_not_there_is_not_made(path, command):
    found = invoke(["store", command, str(path)])
    assert (found.exit_code, path.exists()) == (2, False)
    assert f"Error: there is no file {path}\n" in found.stderr

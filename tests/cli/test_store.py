"""`mockserver store`: what a file holds that no server uses, and its workspaces as scenarios for any version."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
from contextlib import closing

import pytest
import yaml
from cli_runner import invoke

from mockserver.core.workspaces.workspace import WorkspaceLimits
from mockserver.resources.registry import PARTS
from mockserver.settings import Settings
from mockserver.storage.engine import Batch, Changes, Row
from mockserver.storage.packing import layout
from mockserver.storage.records import Written, load
from mockserver.storage.sqlite_engine import Engine


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.db"


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "documents"


@pytest.fixture
def store(make_api):
    """The workspaces of a server, in whose default workspace something has happened."""
    api = make_api("onboarding")
    assert api.put("/_mock/clock", json={"frozen": True}).status_code == 200
    assert api.post("/v3/senders", json={"name": "New", "email": "new@acme.test"}).status_code == 201
    api.advance("PT1M")
    return api.store


def filled(path, *rows, **options):
    """A store with workspaces, which nobody uses."""
    with closing(Engine(path, **{"layout": layout(), "writer": "mockserver 1.0", **options})) as engine:
        engine.write(Batch(rows=rows))
    return path


def row(name, *keys):
    """A workspace of two thousand bytes, which is none that this version can load."""
    fields = {"p:state": b"s" * (2000 - 10 * len(keys)), **{f"k:{key}": b"k" * 10 for key in keys}}
    return Row(name, Changes(fields))


def change(path, statement):
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(statement)


def keep(path, *workspaces):
    """Write workspaces to a store."""
    filled(path, *(Row(found.name, Written(found).changes()) for found in workspaces))


def kept(path, name):
    """A workspace of a store."""
    with closing(Engine(path)) as engine:
        return load(name, engine.read(name).fields, parts=PARTS, limits=WorkspaceLimits.of(Settings()))


def run(*words):
    found = invoke(["store", *map(str, words)])
    assert (found.exit_code, found.stderr) == (0, "")
    return found.stdout


def refused(*words, status=2):
    found = invoke(["store", *map(str, words)])
    assert found.exit_code == status, found.output
    return found.stderr.splitlines()[0].removeprefix("Error: ")


# ------------------------------------------------------------------ there and back


def test_an_imported_store_is_exported_as_the_same_documents(store, path, folder):
    own_keys = store.create("corporate-v2", name="own", seed=7, counted=False)
    own_keys.revoke_key(store.create("standard", name="other").state.first_account.api_keys[0])
    keep(path, store.default, own_keys, store.get("other"))
    assert run("export", path, folder) == f"workspaces written to {folder}: 3\n"
    new, again = path.with_name("new.db"), folder.with_name("again")
    assert run("import", new, folder) == f"workspaces in {new}: 3\n"
    run("export", new, again)
    for name in ("default", "own", "other"):
        assert without_running_clock(again / f"{name}.yaml") == without_running_clock(folder / f"{name}.yaml")


def without_running_clock(file):
    found = yaml.safe_load(file.read_text())
    if not found["clock"]["frozen"]:
        del found["clock"]["start"]
    return found


def test_json_has_the_same_members_as_yaml(store, path, folder):
    keep(path, store.default)
    run("export", path, folder, "--format", "json")
    run("export", path, folder)
    as_json, as_yaml = json.loads((folder / "default.json").read_text()), (folder / "default.yaml").read_text()
    assert yaml.safe_load(as_yaml) == as_json
    run("import", path.with_name("new.db"), folder / "default.json")
    assert kept(path.with_name("new.db"), "default").state.first_account.name == as_json["accounts"][0]["name"]


def test_an_imported_workspace_is_reset_to_its_document_and_keeps_its_api_keys(store, path, folder):
    before = store.create({"accounts": [{"name": "acme"}]}, name="own")
    keep(path, before)
    run("export", path, folder)
    run("import", path.with_name("new.db"), folder)
    found = kept(path.with_name("new.db"), "own")
    assert found.origin.scenario == yaml.safe_load((folder / "own.yaml").read_text())
    assert found.state.first_account.api_keys == before.state.first_account.api_keys


def test_an_exported_document_is_the_state_that_the_control_api_shows(make_api, path, folder):
    api = make_api("onboarding")
    api.put("/_mock/clock", json={"frozen": True})
    keep(path, api.workspace)
    run("export", path, folder)
    assert yaml.safe_load((folder / "default.yaml").read_text()) == api.get("/_mock/state").json


def test_a_workspace_larger_than_the_limits_of_this_machine_is_exported_and_imported(make_api, path, folder):
    api = make_api({"accounts": [{"name": "acme", "generate": {"senders": 30}}]}, rows_limit=100)
    keep(path, api.workspace)
    run("export", path, folder)
    run("import", path.with_name("new.db"), folder)


# ------------------------------------------------------------------ export


def test_only_its_owner_can_read_what_was_exported(store, path, folder):
    keep(path, store.default)
    before = os.umask(0)
    try:
        run("export", path, folder)
    finally:
        os.umask(before)
    modes = [stat.filemode(found.stat().st_mode) for found in (folder, folder / "default.yaml")]
    assert modes == ["drwx------", "-rw-------"]


def test_some_workspaces_are_exported_by_their_names(store, path, folder):
    keep(path, store.default, store.create(name="one"), store.create(name="two"))
    found = json.loads(run("export", path, folder, "two", "default", "--json"))
    assert found == {"written": ["two", "default"], "damages": []}
    assert sorted(file.name for file in folder.iterdir()) == ["default.yaml", "two.yaml"]


def test_export_refuses_an_existing_file_and_an_unknown_workspace(store, path, folder):
    keep(path, store.default)
    folder.mkdir()
    (folder / "default.yaml").write_text("mine")
    assert refused("export", path, folder) == f"{folder}/default.yaml cannot be written: File exists"
    assert (folder / "default.yaml").read_text() == "mine"
    assert refused("export", path, folder, "other") == f"{path} holds no workspace other"


@pytest.mark.parametrize(
    ("statement", "sentence"),
    [
        ("UPDATE field SET content = 1.5", "{path} is damaged: "),
        ("UPDATE field SET content = x'00'", "workspace hit of {path} cannot be read: "),
        ("DELETE FROM field", "workspace hit of {path} cannot be read: "),
    ],
)
def test_a_damaged_workspace_is_left_out_and_named(store, path, folder, statement, sentence):
    keep(path, store.create(name="hit"), store.create(name="spared"))
    change(path, f"{statement} WHERE workspace = 'hit' AND name = 'p:state'")
    assert refused("export", path, folder, status=1).startswith(sentence.format(path=path))
    assert [file.name for file in folder.iterdir()] == ["spared.yaml"]


@pytest.mark.parametrize("name", ["../../victim", "/tmp/victim", "a/b", "", "a" * 65, "a\nb"])
@pytest.mark.parametrize("names", ["all", "one"])
def test_export_writes_no_file_outside_its_folder_whatever_the_names_in_the_store(store, path, folder, name, names):
    filled(path, Row(name, Written(store.default).changes()))
    told = invoke(["store", "export", str(path), str(folder), *([name] if names == "one" else [])])

    assert told.exit_code != 0
    assert f"{name!r} is not a name that a workspace can have" in told.output + told.stderr
    assert list(path.parent.iterdir()) == [path]


def test_a_store_of_another_layout_is_exported_by_the_version_that_wrote_it(path, folder):
    Engine(path, layout="another", writer="mockserver 0.9").close()
    assert refused("export", path, folder).startswith(f"{path} was written by mockserver 0.9, in another layout: ")
    assert not folder.exists()


# ------------------------------------------------------------------ import


STATE = "accounts: [{name: acme}]"


def test_a_mistake_is_reported_with_its_place_and_nothing_is_written(path, tmp_path):
    for text, sentence in [
        ("acounts: []\n", "{file}:1: acounts: "),
        ("seed: 1\naccounts:\n  - {name: a, role: king}\n", "{file}:3: accounts[0].role: "),
        ("- 1", "{file}:1: a scenario must be a mapping"),
        ("a: [", "{file}:1: not YAML: "),
        ('{"name": ', "{file}:1: not YAML: "),
        ("\ufeff\x00", "{file}:1: not YAML: "),
    ]:
        file = tmp_path / "acme.yaml"
        file.write_text(text)
        assert refused("import", path, file).startswith(sentence.format(file=file))
        assert not path.exists()


def test_a_file_that_is_missing_or_no_text_and_a_folder_without_documents_are_refused(path, tmp_path, folder):
    file = tmp_path / "acme.yaml"
    assert refused("import", path, file) == f"{file} cannot be read: No such file or directory"
    file.write_bytes(b"name: \xff")
    assert refused("import", path, file) == f"{file} is not UTF-8 at byte 6"
    folder.mkdir()
    assert refused("import", path, folder) == f"{folder} has no documents: their names end in .yaml, .yml, .json"


def test_a_file_whose_name_no_workspace_can_have_is_refused(path, tmp_path):
    (tmp_path / "a b.yaml").write_text(STATE)
    told = refused("import", path, tmp_path / "a b.yaml")
    assert told == f"'a b' is not a name that a workspace can have ({tmp_path / 'a b.yaml'})"


def test_two_documents_of_one_workspace_are_refused(path, tmp_path):
    one, two = tmp_path / "one" / "acme.yaml", tmp_path / "two" / "acme.yaml"
    for file in (one, two):
        file.parent.mkdir()
        file.write_text(STATE)
    assert refused("import", path, one, two) == f"duplicate workspace acme: {one} and {two}"


def test_a_file_with_workspaces_is_not_imported_into(store, path, tmp_path):
    keep(path, store.default)
    (tmp_path / "acme.yaml").write_text(STATE)
    assert refused("import", path, tmp_path / "acme.yaml") == f"{path} holds workspaces already: name a new file"


def test_scenario_file_is_imported_into_a_store_under_its_name(path, tmp_path):
    (tmp_path / "acme.yaml").write_text(STATE)
    assert json.loads(run("import", path, tmp_path / "acme.yaml", "--json")) == {
        "path": str(path),
        "imported": ["acme"],
    }
    assert [account.name for account in kept(path, "acme").state.accounts.values()] == ["acme"]


# ------------------------------------------------------------------ info


def test_info_tells_what_a_store_holds_the_workspace_written_last_first(path):
    filled(path, row("default"), row("acme", "a", "b"))
    size = path.stat().st_size
    assert run("info", path).splitlines() == [
        f"file        {path}",
        f"size        {size / 1000:.1f} kB",
        "written by  mockserver 1.0, which this version reads",
        "workspace  size    keys",
        "acme       2.0 kB  2",
        "default    2.0 kB  0",
    ]


def test_info_is_json_for_programs(path):
    filled(path, row("acme", "a", "b"))
    assert json.loads(run("info", "--json", path)) == {
        "path": str(path), "bytes": path.stat().st_size, "written_by": "mockserver 1.0", "readable": True,
        "workspaces": [{"name": "acme", "bytes": 2000, "keys": 2}],
    }  # fmt: skip


def test_info_tells_that_another_version_has_to_read_a_store_which_is_named_as_the_server_names_it(path):
    filled(path, layout="another")
    told = run("info", f"sqlite:{path}")
    assert "written by  mockserver 1.0, in a layout that this version cannot read\n" in told
    assert f"file        {path}\n" in told


def test_store_info_leaves_the_file_unchanged(path):
    before = filled(path, row("acme")).read_bytes()
    invoke(["store", "info", "--check", str(path)])
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == ["store.db"]


def test_check_finds_nothing_in_a_sound_store(path, make_api):
    keep(path, make_api().store.create(name="acme"))
    assert "damages     none\n" in run("info", "--check", path)
    assert json.loads(run("info", "--check", "--json", path))["damages"] == []


def test_check_lists_each_damaged_workspace(path, make_api):
    keep(path, *(make_api().store.create(name=name) for name in ("acme", "beta", "sound")))
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

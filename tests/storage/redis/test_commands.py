"""`mockserver store` of a database: it is looked at, copied and added to beside the servers that use it."""

from __future__ import annotations

import json
import sys

import httpx
import pytest
import yaml
from invoking import invoke
from redis_server import RedisServer

from mockserver import MockServer
from mockserver.storage.records.layout import layout

DOCUMENT = "name: {}\nstate: {{clock: {{frozen: true}}, accounts: [{{name: acme, api_keys: [{}]}}]}}\n"


def run(*words):
    found = invoke(["store", *map(str, words)])
    assert (found.exit_code, found.stderr) == (0, "")
    return found.stdout


def refused(*words):
    found = invoke(["store", *map(str, words)])
    assert found.exit_code == 2, found.output
    assert "Traceback" not in found.output
    return found.stderr.splitlines()[0].removeprefix("Error: ")


@pytest.fixture
def store(redis_server):
    """The address of a store."""
    return redis_server.url()


@pytest.fixture
def server(store):
    """A server that holds the default workspace."""
    with MockServer(store=store) as found:
        assert ask(found, "/v3/account").status_code == 200
        yield found


def ask(server, path, key="any"):
    return httpx.get(f"{server.url}{path}", headers={"api-key": key}, timeout=30)


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "documents"


@pytest.fixture
def document(tmp_path):
    """Writes a document of a workspace with a key."""

    def written(name):
        file = tmp_path / f"{name}.yaml"
        file.write_text(DOCUMENT.format(name, f"key-of-{name}"))
        return file

    return written


# ------------------------------------------------------------------ info


def test_info_tells_who_uses_a_store_and_what_each_server_holds(store, server):
    lines = run("info", store).splitlines()

    assert lines[0] == f"database    {store}"
    assert lines[1].startswith("size        ")
    assert lines[2].endswith(", which this version reads")
    assert lines[3] == f"servers     {server.url}"
    assert lines[4].split() == ["workspace", "size", "keys", "held", "by"]
    assert lines[5].split()[::4] == ["default", server.url]


def test_info_is_json_for_programs(store, join, made):
    made(join("http://one", layout=layout()), "acme", keys=["a", "b"])

    assert json.loads(run("info", "--json", store)) == {
        "path": store,
        "bytes": len(b"as it stands"),
        "written_by": "mockserver 1.0",
        "readable": True,
        "servers": ["http://one"],
        "workspaces": [{"name": "acme", "bytes": len(b"as it stands"), "keys": 2, "held_by": "http://one"}],
    }


def test_info_tells_that_another_version_has_to_read_a_store_that_no_server_uses(store, join):
    join(layout="another").close()
    found = run("info", "--check", store)

    assert "written by  mockserver 1.0, in a layout that this version cannot read\n" in found
    assert "servers     none\n" in found
    assert "damages     none\n" in found


def test_the_sizes_of_many_workspaces_are_told(store, join, made):
    one = join()
    for number in range(120):
        made(one, f"w{number}")

    found = json.loads(run("info", "--json", store))
    assert [row["bytes"] for row in found["workspaces"]] == [len(b"as it stands")] * 120


def test_check_tells_each_damage(store, server, redis_server, document):
    run("import", store, document("hit"))
    assert redis_server.command("HSET mockserver:workspace:hit p:state nonsense") == ":0"

    found = invoke(["store", "info", "--check", store])

    assert found.exit_code == 1
    assert "damages     1, told below\n" in found.stdout
    assert found.stderr.startswith(f"workspace hit of {store} cannot be read: ")


def test_a_value_that_is_damaged_is_told(store, server, redis_server):
    assert redis_server.command("HSET mockserver:values secret/peers nonsense") == ":0"

    found = invoke(["store", "info", "--check", store])

    assert (found.exit_code, found.stderr.startswith(f"{store} is damaged: ")) == (1, True)


# ------------------------------------------------------------------ export


def test_export_takes_nothing_away_from_the_server_that_holds_it(store, server, folder, redis_server):
    before = redis_server.command("HGET mockserver:holders default"), redis_server.command("GET mockserver:event")

    assert run("export", store, folder) == f"workspaces written to {folder}: 1\n"

    assert yaml.safe_load((folder / "default.yaml").read_text())["name"] == "default"
    assert (
        redis_server.command("HGET mockserver:holders default"),
        redis_server.command("GET mockserver:event"),
    ) == before
    assert ask(server, "/v3/account").status_code == 200


def test_one_that_is_not_there_is_told(store, server, folder):
    assert refused("export", store, folder, "other") == f"{store} holds no workspace other"


def test_a_store_of_another_layout_is_exported_by_the_version_that_wrote_it(store, join, folder):
    join(layout="another")
    assert refused("export", store, folder).startswith(f"{store} was written by mockserver 1.0, in another layout: ")


# ------------------------------------------------------------------ import


def test_a_store_of_documents_is_written_as_the_same_documents(redis_server, folder, document):
    new, again = redis_server.url(1), folder.with_name("again")

    assert run("import", new, document("one"), document("two")) == f"workspaces in {new}: 2\n"
    run("export", new, folder)
    redis_server.command("FLUSHDB", 1)
    run("import", new, folder)
    run("export", new, again)

    for name in ("one", "two"):
        assert (again / f"{name}.yaml").read_text() == (folder / f"{name}.yaml").read_text()
    assert [row["held_by"] for row in json.loads(run("info", "--json", new))["workspaces"]] == [None, None]


def test_running_servers_have_what_is_imported_at_once(store, server, document):
    assert json.loads(run("import", store, document("fresh"), "--json")) == {"path": store, "imported": ["fresh"]}

    assert ask(server, "/_mock/workspaces/fresh").json()["api_key"] == "key-of-fresh"
    assert ask(server, "/_mock/clock", "key-of-fresh").json()["frozen"] is True


@pytest.mark.parametrize("is_written", [True, False], ids=["is there", "a server is just making it"])
def test_where_one_name_is_taken_nothing_is_imported(store, join, written, document, is_written, redis_server):
    server = join(layout=layout())
    assert server.claim("taken")
    if is_written:
        assert written(server, "taken")

    found = refused("import", store, document("free"), document("taken"))

    assert found == f"{store} holds a workspace taken already, and nothing was written"
    assert redis_server.command("HGET mockserver:holders free") == "$-1"
    assert [row["name"] for row in json.loads(run("info", "--json", store))["workspaces"]] == ["taken"] * is_written


# ------------------------------------------------------------------ refusals


@pytest.mark.parametrize("command", [["info"], ["export", "folder"]], ids=" ".join)
def test_a_database_without_a_store_is_told_and_gets_none(store, command, redis_server):
    found = refused(command[0], store, *command[1:])

    assert found == f"{store} holds no store: it was emptied, or none was ever made"
    assert redis_server.command("DBSIZE") == ":0"


def test_vacuum_is_for_files(store):
    assert refused("vacuum", store) == "vacuum is for files: a database takes no room for what has gone"


@pytest.mark.parametrize("command", [["info"], ["export", "folder"], ["import", "{document}"]], ids=" ".join)
def test_a_database_that_is_not_reached_is_told_without_its_password(command, tmp_path, document):
    with RedisServer(tmp_path) as gone:
        port = gone.port
    words = [word.format(document=document("a")) for word in command[1:]]

    found = refused(command[0], f"redis://:secret@127.0.0.1:{port}/0", *words)

    assert found == f"redis://127.0.0.1:{port}/0 cannot be reached: connection refused"


def test_a_client_that_is_missing_is_told(store, monkeypatch):
    monkeypatch.setitem(sys.modules, "redis", None)

    assert "needs a client of Redis, which is not installed here: pip install" in refused("info", store)

"""`mockserver store` of a database, which servers use meanwhile."""

import json
import sys

import httpx
import pytest
import yaml
from cli_runner import invoke
from ports import free_port

from mockserver import MockServer

DOCUMENT = "clock: {{frozen: true}}\naccounts: [{{name: acme, api_keys: [{}]}}]\n"


def run(*words):
    found = invoke(["store", *map(str, words)])
    assert (found.exit_code, found.stderr) == (0, "")
    return found.stdout


def misused(*words):
    found = invoke(["store", *map(str, words)])
    assert found.exit_code == 2, found.output
    return found.stderr.splitlines()[0].removeprefix("Error: ")


@pytest.fixture
def store(redis_server):
    """The address of a store."""
    return redis_server.url()


@pytest.fixture
def stored_server(store):
    """A server with the default workspace."""
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

    def document(name):
        file = tmp_path / f"{name}.yaml"
        file.write_text(DOCUMENT.format(f"key-of-{name}"))
        return file

    return document


def test_info_shows_a_store_that_servers_use(store, stored_server):
    found = json.loads(run("info", "--json", store))

    assert (found["path"], found["readable"]) == (store, True)
    assert [row["name"] for row in found["workspaces"]] == ["default"]
    assert found["bytes"] == found["workspaces"][0]["bytes"] > 100
    assert run("info", "--check", store).startswith(f"database    {store}\n")


def test_info_shows_the_writer_of_a_store_of_another_layout(store, join, folder):
    join(layout="another").close()

    assert "written by  mockserver 1.0, in a layout that this version cannot read\n" in run("info", "--check", store)
    assert misused("export", store, folder).startswith(f"{store} was written by mockserver 1.0, in another layout: ")


def test_check_finds_damage(store, stored_server, redis_server, document):
    run("import", store, document("hit"))
    assert redis_server.command("HSET mockserver:data:hit p:state nonsense") == ":0"

    found = invoke(["store", "info", "--check", store])

    assert found.exit_code == 1
    assert f"workspace hit of {store} cannot be read: " in found.stderr


def test_store_export_leaves_redis_unchanged(store, stored_server, folder, redis_server):
    before = redis_server.command("HGET mockserver:header turn")

    assert run("export", store, folder) == f"workspaces written to {folder}: 1\n"

    assert yaml.safe_load((folder / "default.yaml").read_text())["accounts"]
    assert redis_server.command("HGET mockserver:header turn") == before
    assert ask(stored_server, "/v3/account").status_code == 200
    assert misused("export", store, folder, "other") == f"{store} holds no workspace other"


def test_running_servers_have_imported_workspaces_at_once(store, stored_server, document):
    assert json.loads(run("import", store, document("fresh"), "--json")) == {"path": store, "imported": ["fresh"]}

    assert ask(stored_server, "/_mock/clock", "key-of-fresh").json()["frozen"] is True


def test_import_writes_nothing_when_a_name_is_taken(store, document):
    run("import", store, document("taken"))

    found = misused("import", store, document("free"), document("taken"))

    assert found == f"{store} holds a workspace taken already, and nothing was written"
    assert [row["name"] for row in json.loads(run("info", "--json", store))["workspaces"]] == ["taken"]


def test_unreachable_database_is_refused_without_its_password():
    place = f"127.0.0.1:{free_port()}/0"

    found = misused("info", f"redis://:s3cret@{place}")

    assert found.startswith(f"redis://{place} cannot be reached: ")
    assert "Connection refused" in found


def test_missing_client_is_explained(store, monkeypatch):
    monkeypatch.setitem(sys.modules, "redis", None)

    assert "needs a client of Redis, which is not installed here: pip install" in misused("info", store)

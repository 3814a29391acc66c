"""A server with a store goes on where an earlier one has ended."""

import gc

import httpx
import pytest

from mockserver import MockServer, Settings, create_app
from mockserver.core.workspaces.storage import StorageError

KEY = {"api-key": "any"}


@pytest.fixture(params=["background", "always"])
def make_server(tmp_path, request):
    """A factory of servers with the same file."""

    def make(**settings):
        return MockServer(store=f"sqlite:{tmp_path / 'mock.db'}", store_sync=request.param, **settings)

    return make


def add_sender(server, name):
    answer = httpx.post(f"{server.url}/v3/senders", headers=KEY, json={"name": name, "email": f"{name}@acme.com"})
    assert answer.status_code == 201


def senders(server):
    found = httpx.get(f"{server.url}/v3/senders", headers=KEY).json()["senders"]
    return {row["name"] for row in found}


def test_what_a_server_was_told_another_one_knows(make_server):
    with make_server() as server:
        add_sender(server, "lasting")
    with make_server() as server:
        assert "lasting" in senders(server)


def test_a_workspace_that_was_made_is_there_again_and_one_that_was_dropped_is_not(make_server):
    with make_server() as server:
        for name in ("stays", "goes"):
            httpx.post(f"{server.url}/_mock/workspaces", json={"name": name}).raise_for_status()
        httpx.delete(f"{server.url}/_mock/workspaces/goes").raise_for_status()
    with make_server() as server:
        found = httpx.get(f"{server.url}/_mock/workspaces/stays"), httpx.get(f"{server.url}/_mock/workspaces/goes")
        assert [answer.status_code for answer in found] == [200, 404]


def test_a_workspace_made_anew_under_a_name_has_nothing_of_the_earlier_one(make_server):
    with make_server() as server:
        add_sender(server, "early")
    with make_server() as server:
        httpx.post(f"{server.url}/_mock/reset").raise_for_status()
    with make_server() as server:
        assert "early" not in senders(server)


def test_health_tells_of_the_file(make_server, tmp_path):
    with make_server() as server:
        found = httpx.get(f"{server.url}/_mock/health").json()
    assert found["store"] == "sqlite"
    assert found["kept"]["place"] == str(tmp_path / "mock.db")


def test_two_servers_with_one_file_are_refused(make_server):
    with make_server(), pytest.raises(StorageError, match="is used by another process"), make_server():
        pass


def test_a_start_that_fails_lets_go_of_the_file(make_server):
    with MockServer() as other:
        taken = int(other.url.rpartition(":")[2])
        with pytest.raises(OSError, match=str(taken)), make_server(port=taken):
            pass
    with make_server() as server:
        add_sender(server, "later")


def test_an_application_that_nobody_closes_keeps_all_when_it_is_gone(tmp_path):
    settings = Settings(store=f"sqlite:{tmp_path / 'mock.db'}")
    client = create_app(settings).test_client()
    assert client.post("/v3/senders", headers=KEY, json={"name": "a", "email": "a@acme.com"}).status_code == 201
    del client
    gc.collect()  # an application refers to itself
    found = create_app(settings).test_client().get("/v3/senders", headers=KEY).json["senders"]
    assert "a" in {row["name"] for row in found}

"""What clients see of workspaces that rest: nothing, but where one cannot be read."""

from __future__ import annotations

import asyncio

import pytest
from memory_storage import MemoryStorage
from wire import Wire


class Patient(MemoryStorage):
    """A storage from which nothing is loaded on an event loop, which does not wait."""

    def load(self, name):
        with pytest.raises(RuntimeError, match="no running event loop"):
            asyncio.get_running_loop()
        return super().load(name)


@pytest.fixture
def storage(monkeypatch):
    """Keeps the workspaces of all applications of a test."""
    found = Patient()
    monkeypatch.setattr("mockserver.app.mock.storage_of", lambda settings: found)
    return found


@pytest.fixture
def resting(storage, make_api):
    """An application with the workspaces `a` and `b`, which rest; `keys` are theirs."""
    api = make_api("empty")
    made = [api.post("/_mock/workspaces", json={"name": name}).json for name in "ab"]
    api.keys = {row["name"]: row["api_key"] for row in made}
    assert all(map(api.store.passivate, "ab"))
    return api


@pytest.fixture
def damaged(resting, storage):
    """The same; `a` cannot be read."""
    storage.damaged["a"] = "the part state is damaged"
    return resting


WHY = "workspace a cannot be read: the part state is damaged"


# ---------------------------------------------------------------------- they are there


@pytest.mark.parametrize(("query", "shown"), [("limit=2", ["b", "a"]), ("limit=1&offset=1", ["a"])])
def test_a_list_has_them_all_and_loads_only_what_it_shows(resting, storage, query, shown):
    found = resting.get(f"/_mock/workspaces?{query}").json
    assert ([row["name"] for row in found["items"]], found["count"], storage.names) == (shown, 3, shown)


def test_health_and_metrics_count_them_without_loading_them(resting, storage):
    assert resting.get("/_mock/health").json["workspaces"] == 3
    metrics = resting.get("/_mock/metrics").text
    assert "mockserver_workspaces 3.0" in metrics
    assert "mockserver_workspaces_loaded 1.0" in metrics
    assert storage.names == []


def test_a_call_drops_one_without_loading_it(resting, storage):
    assert resting.delete("/_mock/workspaces/a").status_code == 204
    assert resting.get("/_mock/workspaces/a").json["detail"] == "unknown workspace 'a'; it was deleted"
    assert storage.names == []


def test_the_journal_names_the_workspace_of_a_key_that_was_revoked_there(resting):
    key = resting.keys["a"]
    resting.store.get("a").revoke_key(key)
    resting.store.passivate("a")
    assert resting.get("/v3/senders", key=key).status_code == 401
    assert "was revoked in workspace a" in resting.get("/_mock/requests").json["items"][0]["reason"]


@pytest.mark.parametrize(
    "path", ["/v3/senders", "/_mock/clock", "/_mock/workspaces", "/_mock/ui/requests", "/_mock/coverage"]
)
def test_the_event_loop_loads_nothing(resting, serve_app, path, storage):
    with Wire(serve_app(resting.app), "a") as client:
        client.key = resting.keys["a"]
        status, _ = client.ask("GET", path)
    assert status == 200


# ---------------------------------------------------------------------- one that cannot be read


def test_a_request_for_a_damaged_workspace_alone_gets_503_in_the_words_of_its_audience(damaged):
    for path, key in (("/v3/senders", damaged.keys["a"]), ("/w/a/v3/senders", "any")):
        answer = damaged.get(path, key=key)
        assert (answer.status_code, answer.json["code"]) == (503, "temporarily_unavailable")
    assert damaged.get("/_mock/requests").json["items"][0]["reason"] == WHY
    page = damaged.get("/w/a/_mock/ui/requests")
    assert (page.status_code, WHY[1:] in page.text) == (503, True)
    for key in (damaged.keys["b"], "any"):
        assert damaged.get("/v3/senders", key=key).status_code == 200


def test_a_control_call_for_it_gets_503_with_the_sentence(damaged):
    for path in ("/_mock/workspaces/a", "/w/a/_mock/state", "/w/a/_mock/clock"):
        answer = damaged.get(path)
        assert (answer.status_code, answer.json["detail"]) == (503, WHY)
        assert answer.content_type == "application/problem+json"


def test_workspace_list_names_the_damaged_workspace_until_it_is_readable_or_dropped(damaged, storage):
    for _ in range(2):
        found = damaged.get("/_mock/workspaces").json
        assert [row["name"] for row in found["items"]] == ["b", "default"]
        assert (found["count"], found["unreadable"]) == (2, [{"name": "a", "why": WHY}])
    assert WHY in damaged.get("/_mock/ui/workspaces").text

    why = dict(storage.damaged)
    storage.damaged.clear()
    assert damaged.get("/v3/senders", key=damaged.keys["a"]).status_code == 200
    assert damaged.get("/_mock/workspaces").json["unreadable"] == []

    assert damaged.store.passivate("a")
    storage.damaged.update(why)
    assert damaged.get("/_mock/workspaces/a").status_code == 503
    assert damaged.delete("/_mock/workspaces/a").status_code == 204
    assert damaged.get("/_mock/workspaces").json["unreadable"] == []
    assert damaged.post("/_mock/workspaces", json={"name": "a"}).status_code == 201


# ---------------------------------------------------------------------- over starts, in a file


def test_coverage_that_was_cleared_stays_so_at_the_next_start(make_api, tmp_path):
    store = f"sqlite:{tmp_path / 'store.db'}"
    api = make_api("empty", store=store)
    api.get("/v3/senders")
    api.delete("/_mock/coverage?workspace=*")
    api.app.close()

    again = make_api("empty", store=store)
    assert again.store.coverage().answers == {}
    again.app.close()


def test_workspace_that_is_not_loaded_since_the_start_is_found_by_its_label(make_api, tmp_path):
    store = f"sqlite:{tmp_path / 'store.db'}"
    api = make_api("empty", store=store)
    api.post("/_mock/workspaces", json={"name": "mine", "label": "tests/test_a.py::test_one"})
    api.request("PATCH", "/_mock/workspaces/mine", json={"outcome": "failed"})
    api.app.close()

    again = make_api("empty", store=store)
    found = again.get("/_mock/workspaces?label=test_one&outcome=failed").json["items"]
    again.app.close()

    assert [(row["name"], row["label"], row["outcome"]) for row in found] == [
        ("mine", "tests/test_a.py::test_one", "failed")
    ]

"""There are only so many workspaces: which one goes for a new one, and who says so."""

from __future__ import annotations

import logging
from http.client import HTTPConnection
from urllib.parse import urlsplit

from mockserver.core.traffic.exchange import Held


def names(api):
    return [row["name"] for row in api.get("/_mock/workspaces").json["items"]]


def test_the_longest_idle_workspace_goes_for_a_new_one_and_never_the_default_one(make_api, new_workspace):
    api = make_api("empty", workspaces_limit=4)
    workspaces = [new_workspace(api, name=name) for name in "abc"]
    workspaces[0].get("/v3/senders")
    api.get("/_mock/clock", headers={"X-Mock-Workspace": "b"})

    new_workspace(api, name="d")

    assert sorted(names(api)) == ["a", "b", "d", "default"]


def test_log_health_and_answers_say_that_it_was_evicted(make_api, new_workspace, caplog):
    api = make_api("empty", workspaces_limit=2)
    first = new_workspace(api, name="first")
    with caplog.at_level(logging.WARNING, "mockserver"):
        new_workspace(api, name="second")

    assert "workspace first was evicted" in caplog.text
    assert api.get("/_mock/health").json["evicted"] == 1
    for path in ("/w/first/_mock/clock", "/_mock/workspaces/first"):
        assert "evicted" in api.get(path).json["detail"]
    assert first.get("/v3/senders").status_code == 401


def test_an_evicted_name_that_is_used_again_and_dropped_was_not_evicted(make_api, new_workspace):
    api = make_api("empty", workspaces_limit=2)
    for name in ("first", "second", "first"):
        new_workspace(api, name=name)
    api.delete("/_mock/workspaces/first")

    assert api.get("/_mock/workspaces/first").json["detail"] == "unknown workspace 'first'; it was deleted"


def test_a_new_workspace_or_an_unknown_key_is_refused_where_no_workspace_can_go(make_api):
    api = make_api("empty", workspaces_limit=1, keys="isolate")

    answer = api.post("/_mock/workspaces", json={})
    assert (answer.status_code, answer.content_type) == (409, "application/problem+json")
    assert api.get("/v3/senders", key="made-up").status_code == 401
    assert api.client.get("/_mock/clock", headers={"api-key": "made-up"}).status_code == 409
    assert "workspace limit reached: 1 (--workspaces-limit)" in api.get("/_mock/requests").json["items"][0]["reason"]
    assert (names(api), api.get("/_mock/health").json["evicted"]) == (["default"], 0)


def test_a_workspace_in_which_a_request_waits_stays_though_it_was_idle_longest(serve):
    root = serve("empty", workspaces_limit=3)

    def ask(method, path, body=None, connection=None):
        connection = connection or HTTPConnection(urlsplit(root).netloc, timeout=20)
        connection.request(method, path, body, {"Content-Type": "application/json"})
        return connection

    def read(connection):
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text

    for name in ("a", "b"):
        assert read(ask("POST", "/_mock/workspaces", f'{{"name": "{name}"}}'))[0] == 201
    waiting = ask("GET", "/w/a/_mock/mailbox?wait=20")
    while "mockserver_watchers 1.0" not in read(ask("GET", "/_mock/metrics"))[1]:
        pass  # not yet waiting
    assert read(ask("GET", "/w/b/_mock/clock"))[0] == 200
    assert read(ask("POST", "/_mock/workspaces", '{"name": "c"}'))[0] == 201

    there = read(ask("GET", "/_mock/workspaces"))[1]
    assert ('"a"' in there, '"b"' in there, '"c"' in there) == (True, False, True)
    assert read(ask("DELETE", "/_mock/workspaces/a"))[0] == 204
    assert read(waiting)[0] == 404


def test_a_workspace_with_a_request_that_a_fault_holds_stays_though_it_was_idle_longest(make_api, new_workspace):
    api = make_api("empty", workspaces_limit=3)
    first = new_workspace(api, name="first")
    new_workspace(api, name="second")
    first.get("/v3/account")
    held = api.store.peek("first").journal.newest
    held.held = Held(held.id)
    api.get("/w/second/_mock/clock")

    new_workspace(api, name="third")

    assert sorted(names(api)) == ["default", "first", "third"]

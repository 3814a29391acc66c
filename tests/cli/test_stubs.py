"""`mockserver stubs`: stubs are listed, added and removed on a running server."""

from __future__ import annotations

import json

import pytest
import requests
import yaml

SCENARIO = {
    "accounts": [{"name": "acme", "api_keys": ["any"]}],
    "stubs": [
        {"id": "notes", "method": "GET", "path": "/v3/notes", "answer": {"text": "a"}, "times": 1},
        {"id": "task", "method": "DELETE", "path": "/v3/tasks/{id}", "answer": {"status": 204}},
    ],
}
MORE = "stubs:\n- {method: POST, path: /v3/notes, answer: {json: {id: 7}}}\n"


@pytest.fixture
def stub_server(serve):
    return serve(SCENARIO)


@pytest.fixture
def run(run, stub_server):
    """Runs a command for stubs, of the one server."""
    return lambda *arguments: run("stubs", *arguments, MOCKSERVER_URL=stub_server)


@pytest.fixture
def more(tmp_path):
    file = tmp_path / "more.yaml"
    file.write_text(MORE)
    return str(file)


def paths(server):
    return [stub["path"] for stub in requests.get(f"{server}/_mock/stubs", timeout=10).json()["items"]]


def test_stubs_are_listed_a_line_each_with_their_hits(run, stub_server):
    requests.get(f"{stub_server}/v3/notes", headers={"api-key": "any"}, timeout=10)

    assert run("list").output.splitlines() == [
        "notes  GET    /v3/notes  1 hit, spent",
        "task   DELETE /v3/tasks/{id}  0 hits",
    ]
    assert [row["id"] for row in json.loads(run("list", "--json").output)] == ["notes", "task"]


def test_one_stub_is_shown_as_yaml_or_as_json(run):
    shown = yaml.safe_load(run("show", "notes").output)

    assert shown == {**SCENARIO["stubs"][0], "hits": 0, "position": 0, "active": True}
    assert json.loads(run("show", "notes", "--json").output) == shown


def test_stubs_of_a_file_are_added_before_those_that_are_there_or_take_their_place(run, stub_server, more):
    answer = run("new", more)

    assert answer.output == "stub-1  POST   /v3/notes  0 hits\n"
    assert paths(stub_server) == ["/v3/notes", "/v3/notes", "/v3/tasks/{id}"]
    run("new", "--replace", more)
    assert paths(stub_server) == ["/v3/notes"]


def test_stubs_of_a_folder_are_added_by_their_name(run, stub_server, more, tmp_path):
    (tmp_path / "lists.yaml").write_text("stubs:\n- {method: GET, path: /v3/lists, answer: {}}\n")

    run("new", "more", "lists", "--scenarios", str(tmp_path))

    assert paths(stub_server)[:2] == ["/v3/notes", "/v3/lists"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("stubs:\n- {method: GET, path: /v3/senders, answer: {}}\n", "more.yaml:2: stubs[0].path: conflicts with"),
        ("seed: 1\n", "more.yaml has no stubs"),
        ("- a\n", "more.yaml:1: a scenario must be a mapping"),
    ],
)
def test_a_bad_file_is_told_with_its_line_before_anything_is_sent(run, stub_server, more, tmp_path, text, told):
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "more.yaml").write_text(text)

    answer = run("new", more, str(tmp_path / "bad" / "more.yaml"))

    assert (answer.exit_code, told in answer.output) == (1, True)
    assert len(paths(stub_server)) == 2


def test_stubs_are_deleted_by_their_ids_or_all(run, stub_server):
    assert run("delete", "task").output == "deleted: task\n"
    assert paths(stub_server) == ["/v3/notes"]
    assert run("delete", "--all").output == "deleted: 1\n"
    assert json.loads(run("delete", "--all", "--json").output) == {"deleted": 0}


def test_a_workspace_is_chosen_by_its_name(run, stub_server, more):
    requests.post(f"{stub_server}/_mock/workspaces", json={"name": "other"}, timeout=10)

    run("new", more, "--workspace", "other")

    assert len(paths(stub_server)) == 2
    assert len(json.loads(run("list", "--workspace", "other", "--json").output)) == 1


@pytest.mark.parametrize("command", [("show", "none"), ("delete", "none")])
def test_show_and_removal_of_an_unknown_stub_are_refused(run, command):
    answer = run(*command)

    assert (answer.exit_code, "unknown stub 'none'" in answer.output) == (2, True)

"""Stub libraries: the setting `stubs` gives theirs to each workspace of a server, behind its own."""

import pytest

from mockserver import Settings, create_app
from mockserver.beyond.stubs.schema import MOST_STUBS
from mockserver.scenario.documents.mistakes import ScenarioError

NOTES = "description: Notes.\nstubs:\n- {id: notes, method: GET, path: /v3/notes, answer: {text: library}}\n"
TASKS = "stubs:\n- {method: GET, path: /v3/tasks, answer: {}}\n- {method: GET, path: /v3/task, answer: {}}\n"
OWN = {"method": "GET", "path": "/v3/notes", "answer": {"text": "own"}}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "notes.yaml").write_text(NOTES)
    (tmp_path / "tasks.yaml").write_text(TASKS)
    (tmp_path / "whole.yaml").write_text(f"{NOTES}seed: 7\nstrict: true\n")
    return tmp_path


@pytest.fixture
def libraries(make_api, folder):
    """An API whose server has two libraries, one by its name and one by its path; its time stands still."""
    frozen = {"clock": {"start": "2026-01-15T09:00:00Z", "frozen": True}}
    return make_api(frozen, scenarios=folder, stubs=("notes", str(folder / "tasks.yaml")))


def addresses(api, **headers):
    return [stub["path"] for stub in api.get("/_mock/stubs", headers=headers).json["items"]]


def test_each_workspace_has_the_stubs_of_all_libraries(libraries):
    libraries.post("/_mock/workspaces", json={"name": "other", "scenario": "standard"})

    assert addresses(libraries) == ["/v3/notes", "/v3/tasks", "/v3/task"]
    assert addresses(libraries, **{"X-Mock-Workspace": "other"}) == addresses(libraries)
    assert libraries.get("/v3/notes").text == "library"


def test_stubs_of_a_scenario_stand_before_those_of_libraries(libraries):
    libraries.post("/_mock/reset", json={"scenario": {"stubs": [{**OWN, "id": "notes"}]}})

    assert libraries.get("/_mock/stubs").json["items"][0]["id"] == "notes"
    assert addresses(libraries) == ["/v3/notes", "/v3/notes", "/v3/tasks", "/v3/task"]
    assert libraries.get("/v3/notes").text == "own"


def test_a_reset_gives_back_what_was_removed(libraries):
    before = libraries.get("/_mock/stubs").json
    libraries.get("/v3/notes")
    libraries.delete("/_mock/stubs")

    libraries.post("/_mock/reset")

    assert libraries.get("/_mock/stubs").json == before


def test_a_state_that_is_put_has_the_stubs_that_it_says(libraries):
    libraries.delete("/_mock/stubs/notes")
    state = libraries.get("/_mock/state").json

    libraries.put("/_mock/state", json=state)

    assert addresses(libraries) == ["/v3/tasks", "/v3/task"]
    assert libraries.get("/_mock/state").json == state


def test_a_snapshot_brings_back_the_stubs_of_its_moment(libraries):
    libraries.delete("/_mock/stubs/notes")
    libraries.post("/_mock/snapshots", json={"name": "now"})
    libraries.delete("/_mock/stubs")

    libraries.post("/_mock/snapshots/now/restore")

    assert addresses(libraries) == ["/v3/tasks", "/v3/task"]


def test_stubs_that_a_workspace_has_already_are_not_added_again(libraries):
    state = libraries.get("/_mock/state").json

    libraries.post("/_mock/workspaces", json={"name": "copy", "scenario": state})
    libraries.post("/_mock/reset", json={"scenario": {"extends": "tasks"}})

    assert addresses(libraries, **{"X-Mock-Workspace": "copy"}) == ["/v3/notes", "/v3/tasks", "/v3/task"]
    assert addresses(libraries) == ["/v3/tasks", "/v3/task", "/v3/notes"]


def test_workspaces_count_the_hits_of_a_library_for_themselves(libraries):
    libraries.post("/_mock/workspaces", json={"name": "other"})
    libraries.get("/v3/notes")

    hits = [
        libraries.get("/_mock/stubs/notes", headers={"X-Mock-Workspace": name}).json["hits"]
        for name in ("default", "other")
    ]

    assert hits == [1, 0]


def test_a_workspace_without_room_for_the_libraries_is_refused(libraries):
    many = {"stubs": [OWN] * (MOST_STUBS - 2)}

    answer = libraries.post("/_mock/workspaces", json={"scenario": many})

    assert answer.status_code == 400
    assert "too many stubs: got 1,001, expected at most 1,000 (3 of them from --stubs)" in answer.json["detail"]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("nots", "unknown stub library 'nots'; did you mean notes?"),
        ("standrd", "unknown stub library 'standrd'; known:"),
        ("nowhere.yaml", "nowhere.yaml: no such file"),
        ("empty", "empty is not a stub library: it also has seed, accounts; use extends for other scenarios"),
        ("whole", "whole is not a stub library: it also has seed, strict"),
    ],
)
def test_what_is_no_library_stops_the_start_with_a_sentence(folder, name, told):
    with pytest.raises(ScenarioError) as error:
        create_app(Settings(scenarios=folder, stubs=(name,)))

    assert told in str(error.value)


def test_a_library_with_a_mistake_stops_the_start_with_file_and_line(folder):
    (folder / "bad.yaml").write_text("stubs:\n- {method: GET, path: /v3/senders, answer: {}}\n")

    with pytest.raises(ScenarioError) as error:
        create_app(Settings(stubs=(str(folder / "bad.yaml"),)))

    assert f"{folder / 'bad.yaml'}:2: stubs[0].path: conflicts with getSenders" in str(error.value)


def test_libraries_are_told_from_other_scenarios(libraries):
    rows = {row["name"]: row for row in libraries.get("/_mock/scenarios").json["items"]}

    found = [name for name in ("notes", "tasks", "whole", "empty") if rows[name].get("stub_library")]
    assert found == ["notes", "tasks"]

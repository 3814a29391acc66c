"""Scenarios in files where nothing can read YAML: the server does, and what it refuses names the file."""

import pytest

from mockserver import MockServerError, ServerMissingError
from mockserver.testing.scenario import YamlText, sendable

STORY = """\
extends: onboarding
clock: {start: 2026-02-01T00:00:00Z}
accounts: [{name: acme, senders: [{name: Ada, email: ada@acme.test}]}]
"""
WRONG = "extends: onboarding\n\nsed: 1\nsenders: [{emial: b}]\n"
#: What takes a scenario, each called with the server, a workspace and the path of a file.
TAKERS = {
    "a workspace": lambda server, _, path: server.workspace(path),
    "a reset": lambda _, workspace, path: workspace.reset(path),
    "a reset of the server": lambda server, _, path: server.reset(path),
    "a state": lambda _, workspace, path: workspace.state.put(path),
}
takers = pytest.mark.parametrize("take", TAKERS.values(), ids=TAKERS)


@pytest.fixture(autouse=True)
def no_server(monkeypatch):
    """What reads YAML is not installed, for files of scenarios; tests/elsewhere has it so for everything."""

    def refuse(what):
        raise ServerMissingError(f"{what} needs the server, which is not installed here")

    monkeypatch.setattr("mockserver.testing.scenario.needing_server", refuse)


@pytest.fixture
def story(tmp_path):
    """Writes the file of a scenario, and returns its path."""

    def write(text):
        path = tmp_path / "story.yaml"
        path.write_text(text)
        return path

    return write


def test_scenario_file_is_sent_as_its_text(story):
    path = story(STORY)

    assert sendable(path) == sendable(str(path)) == YamlText(str(path), STORY)


def test_a_workspace_is_made_of_a_file(server, story):
    with server.workspace(story(STORY), seed=7) as workspace:
        assert (workspace.clock.now.month, workspace.state.get()["seed"]) == (2, 7)
        assert [row["email"] for row in workspace.state.get()["accounts"][0]["senders"]] == ["ada@acme.test"]


@pytest.mark.parametrize("method", ["reset", "put"])
def test_a_workspace_becomes_what_a_file_says(workspace, story, method):
    take = workspace.reset if method == "reset" else workspace.state.put

    take(story("description: Mine.\naccounts: [{name: mine}]\n"))

    assert workspace.state.get()["description"] == "Mine."
    assert workspace.key("mine")


@takers
def test_a_mistake_in_a_file_is_told_with_file_and_line_and_changes_nothing(server, workspace, story, take):
    path, before = story(WRONG), workspace.state.get()

    with pytest.raises(MockServerError) as refusal:
        take(server, workspace, path)

    assert refusal.value.status == 400
    assert f"{path}:3: sed: unknown key" in refusal.value.detail
    assert f"; {path}:4: senders[0].emial: unknown key" in refusal.value.detail
    assert ("/sed", 3) in {(row["path"], row["line"]) for row in refusal.value.errors}
    assert workspace.state.get() == before


@takers
@pytest.mark.parametrize("text", ["seed: 1\n- what\n", "\n- what\n"], ids=["broken", "no mapping"])
def test_a_file_that_is_not_yaml_is_refused_with_its_line(server, workspace, story, take, text):
    with pytest.raises(ValueError, match=r"story\.yaml:[12]: (not YAML|a scenario must be a mapping)"):
        take(server, workspace, story(text))


@takers
def test_a_file_that_is_not_there_or_no_text_in_utf_8_raises_an_error(server, workspace, tmp_path, take):
    with pytest.raises(FileNotFoundError):
        take(server, workspace, tmp_path / "none.yaml")
    (tmp_path / "story.yaml").write_bytes(b"description: \xff")
    with pytest.raises(ValueError, match="utf-8"):
        take(server, workspace, tmp_path / "story.yaml")


def test_a_refusal_that_has_nothing_to_do_with_the_file_is_told_as_it_is(server, workspace, story):
    with pytest.raises(MockServerError, match=f"^409: duplicate workspace name '{workspace.name}'$"):
        server.workspace(story(STORY), name=workspace.name)


def test_what_the_file_extends_keeps_its_name_and_a_file_that_is_too_large_is_named(server, story):
    with pytest.raises(MockServerError, match=r"^413: .*story\.yaml: yaml is larger than 9,437,184 bytes"):
        server.workspace(story("#" * (9 * 1024 * 1024 + 1)))
    with pytest.raises(MockServerError, match=r"^400: .*story\.yaml:2: extends: unknown scenario 'no-such'"):
        server.workspace(story("seed: 1\nextends: no-such\n"))

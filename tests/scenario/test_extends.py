"""Scenarios that extend several others, and what becomes of the stubs of each."""

import pytest

from mockserver.scenario.documents.library import Library, _warn_once
from mockserver.scenario.documents.mistakes import ScenarioError
from mockserver.scenario.load import load

STUB = "{method: GET, path: /v3/contacts, answer: {text: %s}}"


@pytest.fixture
def write(tmp_path):
    """Writes a file; gives the library of the folder."""

    def written(**files):
        for name, text in files.items():
            (tmp_path / f"{name}.yaml").write_text(text)
        return Library(tmp_path)

    return written


def texts(document):
    return [stub["answer"]["text"] for stub in document["stubs"]]


def mistakes_of(library, name):
    with pytest.raises(ScenarioError) as refused:
        load(library.read(name), name="w")
    return str(refused.value).splitlines()


def test_of_several_scenarios_each_is_laid_over_those_before_it(write):
    library = write(
        a="seed: 1\nstrict: true\naccounts: [{name: a, email: a@a.test}, {name: b}]\n",
        b="seed: 2\naccounts: [{name: c}, {name: a, company_name: A}]\n",
        top="extends: [a, b]\nsolution: v1\n",
    )
    found = library.read("top")
    assert (found["seed"], found["strict"], found["solution"]) == (2, True, "v1")
    assert found["accounts"] == [{"name": "a", "email": "a@a.test", "company_name": "A"}, {"name": "b"}, {"name": "c"}]


def test_a_scenario_that_is_extended_in_two_ways_counts_once(write):
    library = write(
        base=f"seed: 1\nstubs: [{STUB % 'base'}]\n",
        a="extends: base\nseed: 2\n",
        b="extends: base\n",
        top="extends: [a, b]\n",
    )
    found = library.read("top")
    assert (found["seed"], texts(found)) == (2, ["base"])


def test_the_stubs_of_a_scenario_stand_before_those_that_it_extends(write):
    library = write(
        a=f"stubs: [{STUB % 'a'}]\n",
        b=f"stubs: [{STUB % 'b'}, {STUB % 'c'}]\n",
        top=f"extends: [a, b]\nstubs: [{STUB % 'own'}]\n",
    )
    assert texts(library.read("top")) == ["own", "b", "c", "a"]


def test_a_mistake_in_a_stub_is_told_with_the_file_and_the_index_where_it_stands(write):
    library = write(
        a=f"stubs:\n  - {STUB % 'a'}\n  - {{method: GET, path: /v4/a, answer: {{}}}}\n",
        top=f"extends: a\nstubs:\n  - {STUB % 'own'}\n  - {{method: GET, path: /v5/a, answer: {{}}}}\n",
    )
    one, other = sorted(mistakes_of(library, "top"))
    assert "a.yaml:3: stubs[1].path: invalid value: got '/v4/a', expected a path" in one
    assert "top.yaml:4: stubs[1].path: invalid value: got '/v5/a', expected a path" in other


def test_what_cannot_be_extended_is_told_with_its_place(write):
    for extends, told in [
        ("[a, 7]", "top.yaml:1: extends[1]: not a string: got 7 (a number)"),
        ("[a, nobody]", "top.yaml:1: extends[1]: unknown scenario 'nobody'; known: a,"),
        ("{a: 1}", "top.yaml:1: extends: not a string: got a mapping of 1 key"),
        ("[a, round]", "round.yaml:1: extends[0]: circular extends: top > round > top"),
    ]:
        library = write(a="seed: 1\n", round="extends: [top]\n", top=f"extends: {extends}\n")
        (found,) = mistakes_of(library, "top")
        assert told in found


def test_a_scenario_beside_the_file_that_extends_it_is_found_by_its_folder(tmp_path):
    (tmp_path / "team.yaml").write_text("seed: 1\n")
    (tmp_path / "top.yaml").write_text("extends: team\n")

    with pytest.raises(ScenarioError, match=r"unknown scenario 'team'.*; a file of this name is in ") as error:
        load(Library().read(str(tmp_path / "top.yaml")), name="test")

    assert str(error.value).endswith(f": add --scenarios {tmp_path}")
    assert Library(tmp_path).read(str(tmp_path / "top.yaml"))["seed"] == 1


def test_a_document_that_was_sent_is_told_of_no_files(tmp_path, monkeypatch, api):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "team.yaml").write_text("seed: 1\n")

    answer = api.post("/_mock/reset", data="scenario: {extends: team}\n", content_type="application/yaml")

    assert answer.json["errors"][0]["message"].startswith("unknown scenario 'team'; ")
    assert "a file of this name" not in answer.text


def test_no_more_than_fifty_files_stand_below_each_other(write):
    names = [f"s{number}" for number in range(60)]
    row = {name: f"extends: s{number}\n" for number, name in enumerate(names, 1)}
    for files in (
        {**dict.fromkeys(names, "seed: 1\n"), "top": f"extends: [{', '.join(names)}]\n"},
        {**row, "top": "extends: s0"},
    ):
        assert "too many files extend each other, expected at most 50" in mistakes_of(write(**files), "top")[0]


def test_names_beyond_the_longest_list_are_not_looked_up(monkeypatch):
    looked_up = []
    original = Library.names
    monkeypatch.setattr(Library, "names", lambda library: looked_up.append(1) or original(library))

    with pytest.raises(ScenarioError, match="extends: "):
        load(Library().document({"extends": [f"n{number}" for number in range(1_000)]}), name="w", title="mine")

    assert len(looked_up) < 200


@pytest.fixture
def warnings(caplog):
    """The warnings that were logged so far."""
    _warn_once.cache_clear()
    return lambda: [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]


@pytest.mark.parametrize(("name", "has"), [("send", "sending"), ("contacts", "contacts")])
def test_a_scenario_that_extends_an_alias_is_warned_once(write, warnings, name, has):
    library = write(top=f"seed: 1\nextends: {name}\n")

    for _ in range(2):
        library.read("top")

    place = f"{library.path('top')}:2"
    assert warnings() == [f"extends: {name} ({place}) changes nothing and can be removed: every scenario has {has}"]


@pytest.mark.parametrize("name", ["send", "contacts"])
def test_stubs_of_an_alias_are_warned_of(warnings, name):
    Library().stub_library(name)

    assert [warning.split(" and ")[0] for warning in warnings()] == [f"--stubs {name} changes nothing"]


def test_an_own_scenario_with_the_name_of_an_alias_is_no_alias(write, warnings):
    library = write(send="seed: 1\n", top="extends: send\n")

    library.read("top")

    assert warnings() == []

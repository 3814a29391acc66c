import os

import pytest

from mockserver.scenario.documents.library import Library
from mockserver.scenario.documents.mistakes import ScenarioError


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "below.yaml").write_text(
        "description: Below.\nseed: 1\nbehaviour: {dkim: cname, webhook_limit: 3}\n"
        "accounts:\n  - {name: a, enterprise: true, senders: [{name: A, email: a@a.test}]}\n  - {name: b}\n"
    )
    (tmp_path / "above.yaml").write_text(
        "extends: below\nseed: 2\nbehaviour: {webhook_limit: 4}\n"
        "accounts:\n  - {name: c}\n  - {name: a, company_name: A, senders: []}\n"
    )
    (tmp_path / "standard.yml").write_text("description: Mine.\n")
    return tmp_path


@pytest.fixture
def library(folder):
    return Library(folder)


def test_scenarios_of_the_users_folder_come_before_those_that_are_shipped(library):
    assert library.read("standard")["description"] == "Mine."
    assert {"above", "below", "standard", "empty"} <= set(library.names())


def test_a_scenario_can_be_given_as_a_path(folder):
    assert Library().read(str(folder / "below.yaml"))["description"] == "Below."


def test_mappings_merge_by_key_accounts_by_name_and_other_lists_replace(library):
    accounts = [{"name": "a", "enterprise": True, "company_name": "A", "senders": []}, {"name": "b"}, {"name": "c"}]

    found = library.read("above")

    assert found["behaviour"] == {"dkim": "cname", "webhook_limit": 4}
    assert found["accounts"] == accounts
    assert (found["description"], found["seed"]) == ("Below.", 2)


def test_a_file_that_has_changed_is_read_again(folder, library):
    library.read("below")
    path = folder / "below.yaml"
    path.write_text("description: Changed.\n")
    later = path.stat().st_mtime + 1
    os.utime(path, (later, later))

    assert library.read("below")["description"] == "Changed."


def test_a_bad_scenario_is_listed_with_its_mistake(folder, library):
    (folder / "bad.yaml").write_text("- 1")

    row = next(row for row in library.describe() if row["name"] == "bad")

    assert "a scenario must be a mapping: got a list" in row["error"]


@pytest.mark.parametrize("name", ["nowhere", ".hidden", "a" * 10_000])
def test_unknown_scenario_is_refused_with_the_known_names(library, name):
    with pytest.raises(ScenarioError, match="; known: above, below, "):
        library.read(name)


def test_missing_scenario_folder_adds_no_scenarios(tmp_path):
    assert Library(tmp_path / "nowhere").names() == Library().names()

"""Documents without content, and JSON files that YAML cannot read."""

from __future__ import annotations

import pytest

from mockserver.scenario.documents.mistakes import ScenarioError
from mockserver.scenario.documents.reading import parse


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "it is empty"),
        ("\n", "it is empty"),
        ("# a\n", "it has nothing but comments"),
        ("---\n# a\n", "it has nothing but comments"),
    ],
)
def test_document_without_content_is_refused_with_the_file(text, why):
    with pytest.raises(ScenarioError, match=rf"^c\.yaml:1: {why}; write {{}} if that is meant$"):
        parse(text, "c.yaml")


def test_empty_mapping_is_read():
    assert parse("{} # meant", "c.yaml") == {}


@pytest.mark.parametrize("key", ["k" * 1_500, "\x7f"])
def test_key_of_json_is_read_when_yaml_cannot_have_it(key):
    assert parse(f'{{"{key}": [1]}}\n', "c.json") == {key: [1]}


def test_broken_json_file_is_refused_with_its_line():
    with pytest.raises(ScenarioError, match=r"^c\.json:2: not JSON: "):
        parse('{"seed": 1,\n"clock": {}\n', "c.json")

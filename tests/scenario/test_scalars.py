"""Plain scalars: what YAML 1.1 and 1.2 read differently is refused, and never written.

PyYAML stands for the readers of YAML 1.1; `js-yaml` and `yaml` for those of YAML 1.2.
"""

from datetime import date
from itertools import product

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from tables import tables
from typescript import MODULES, needs_generators, run_node

from mockserver.scenario.documents.document import InvalidValue
from mockserver.scenario.documents.library import Library
from mockserver.scenario.documents.mistakes import ScenarioError
from mockserver.scenario.documents.reading import parse
from mockserver.scenario.dump import to_yaml
from mockserver.scenario.load import load
from mockserver.testing.scenario import sendable

#: The parametrized cases by test.
CASES = tables(__file__)
AMBIGUOUS = [text for text, _ in CASES["ambiguous"]]
LIKE_NUMBERS = st.text("0123456789+-._:eExobafT Z", min_size=1, max_size=10)
ODD = st.text("aynNoO01e.:_-+~=<# \t\n\r\0\x1b\x7f\x85\xa0\u2028\u2029\ufeff\uffff\U0001f600'\"\\", max_size=60)
ANY = st.text(st.characters(codec="utf-8"), max_size=20)
#: Words that some reader takes for something else.
WORDS = [*AMBIGUOUS, *(text for text, _ in CASES["the_same_in_all_versions"]), "~", "null", "<<", "", " ", "2026-01-15"]
#: What is printed: each text as both libraries read it, and with the core schema alone.
READ = """
const jsYaml = require('js-yaml'), yaml = require('yaml'), core = {schema: jsYaml.CORE_SCHEMA};
const read = text => [jsYaml.load(text), jsYaml.load(text, core), yaml.parse(text)];
console.log(JSON.stringify(given.map(read)));
"""


def collected(strategy):
    """Return the examples of a strategy, for a program that is run once for all of them."""
    found = {}

    @given(strategy)
    def collect(text):
        found[text] = None

    collect()
    return list(found)


@pytest.mark.parametrize(("text", "instead"), CASES["ambiguous"])
def test_scalar_that_yaml_versions_read_differently_is_refused_with_line_and_advice(text, instead):
    told = f"ambiguous, as YAML 1.1 and 1.2 differ: got {text}; write it in quotes{instead}"

    for document in (f"before: 1\nwrong: {text}\nafter: [{text}]", f"before: 1\n{text}: 1\nafter: [{{{text}: 1}}]"):
        found = parse(document, "body")
        before, wrong, after = found.values()
        assert (before, wrong.text, list(found.marks.values())[1].line) == (1, told, 2)
        after = after[0].get(text) if isinstance(after[0], dict) else after[0]
        assert after.text == told


@pytest.mark.parametrize("text", AMBIGUOUS)
def test_ambiguous_scalar_is_text_in_quotes(text):
    assert parse(f'a: \'{text}\'\n"{text}": ["{text}", !!str {text}]', "body") == {"a": text, text: [text, text]}


@pytest.mark.parametrize(("text", "value"), CASES["the_same_in_all_versions"])
def test_scalar_that_all_versions_read_alike_is_read(text, value):
    found = parse(f"a: {text}\n{text}: 1", "body")

    assert (found["a"], type(found["a"]), text in found) == (value, type(value), True)
    assert yaml.safe_load(f"a: {text}") == {"a": value}


@pytest.mark.parametrize(("text", "expected"), CASES["tagged"])
def test_explicit_tag_is_followed_and_makes_nothing_of_an_ambiguous_scalar(text, expected):
    found = parse(f"a: {text}", "body")["a"]

    if isinstance(found, InvalidValue):
        assert found.text.startswith(expected)
    else:
        assert (found, type(found)) == (expected, type(expected))


@pytest.mark.parametrize(("text", "value"), [("true", True), ("7", 7), ("~", None), ("'7'", "7"), ("Ada", "Ada")])
def test_alias_of_an_anchored_key_has_the_value_that_pyyaml_reads(text, value):
    document = f"&a {text}: 1\nb: *a"

    found = parse(document, "body")["b"]
    assert (found, type(found)) == (value, type(value)) == (yaml.safe_load(document)["b"], type(value))


@given(LIKE_NUMBERS)
def test_accepted_scalar_has_the_value_that_pyyaml_reads(text):
    try:
        found = parse(f"a: {text}", "body").get("a")
    except ScenarioError:
        return
    if not isinstance(found, (InvalidValue, dict, list)):
        there = yaml.safe_load(f"a: {text}")["a"]
        assert (found, type(found)) == (there, type(there))


def test_json_is_not_ambiguous():
    assert parse('{"a": 1e5, "b": [-1.5E3, 1e-07]}', "mine.json") == {"a": 1e5, "b": [-1.5e3, 1e-7]}
    assert isinstance(parse('{"a": 1e999}', "mine.json")["a"], InvalidValue)
    assert isinstance(parse('{"a": 1e5, b: 1}', "mine.yaml")["a"], InvalidValue)


SCENARIO = """\
seed: 0o17
strict: on
accounts:
- name: NO
  contacts:
  - {email: ada@acme.test, attributes: {ZIP: 01234, OPEN: 12:30}}
oauth_apps:
- {client_secret: 0123456789}
stubs:
- {method: GET, path: /v3/shops, answer: {status: 200, json: {no: 1, size: 1_000}}}
"""
MISTAKES = [
    (1, "seed", "0o17"),
    (2, "strict", "on"),
    (4, "accounts[0].name", "NO"),
    (6, "accounts[0].contacts[0].attributes.ZIP", "01234"),
    (6, "accounts[0].contacts[0].attributes.OPEN", "12:30"),
    (10, "stubs[0].answer.json.no", "no"),
    (10, "stubs[0].answer.json.size", "1_000"),
]


def test_scenario_shows_all_ambiguous_scalars_at_once_but_no_secret(tmp_path):
    (tmp_path / "mine.yaml").write_text(SCENARIO)

    with pytest.raises(ScenarioError) as error:
        load(Library(tmp_path).read("mine"), name="test")

    lines = str(error.value).splitlines()
    for line, path, given_ in MISTAKES:
        start = f"mine.yaml:{line}: {path}: ambiguous, as YAML 1.1 and 1.2 differ: got {given_}; write it in quotes"
        assert [text for text in lines if start in text]
    assert not [text for text in lines if "0123456789" in text]
    assert [text for text in lines if "client_secret: ambiguous, as YAML 1.1 and 1.2 differ (redacted)" in text]


def test_scenario_file_of_a_test_is_refused_before_it_is_sent(tmp_path):
    (tmp_path / "mine.yaml").write_text("description: a\nseed: 1_000\n")

    with pytest.raises(ScenarioError, match=r"mine.yaml:2: seed: ambiguous, .* got 1_000; write it in quotes"):
        sendable(tmp_path / "mine.yaml")


@given(ODD | ANY | LIKE_NUMBERS | st.sampled_from(WORDS))
def test_written_text_is_itself_for_pyyaml_and_for_us(text):
    document = {"a": text, "b": [{text: text}]}
    written = to_yaml(document)

    assert yaml.safe_load(written) == yaml.load(written, yaml.SafeLoader) == parse(written, "body") == document


def test_plain_moment_of_a_document_is_written_as_text():
    document = parse("clock: {start: 2026-01-15T09:00:00}\nrows: [{at: 2026-01-15T10:00:00+01:00}]", "body")

    expected = {"clock": {"start": "2026-01-15T09:00:00Z"}, "rows": [{"at": "2026-01-15T10:00:00+01:00"}]}
    assert yaml.safe_load(to_yaml(document)) == parse(to_yaml(document), "body") == expected


@pytest.mark.slow
@needs_generators
def test_written_texts_are_themselves_for_readers_of_yaml_1_2():
    texts = [*WORDS, *(a + b for a in WORDS for b in WORDS), *collected(ODD), *collected(ANY), *collected(LIKE_NUMBERS)]
    documents = [{"a": text, "b": [{text: text, "number": 1.5e-7}], "long": f"{text} {text}" * 40} for text in texts]

    for document, found in zip(documents, run_node(READ, list(map(to_yaml, documents)), MODULES.parent), strict=True):
        assert found == [document] * 3


@pytest.mark.slow
@needs_generators
def test_short_scalars_that_are_accepted_have_the_value_that_other_readers_read():
    short = ("".join(signs) for size in range(1, 5) for signs in product("01x.:_-+eo", repeat=size))
    documents = {}
    for text in (*WORDS, *short):
        try:
            found = parse(f"a: {text}", "body")
        except ScenarioError:
            continue
        if not isinstance(found["a"], (InvalidValue, dict, list, date)):
            documents[f"a: {text}"] = dict(found)

    read = run_node(READ, list(documents), MODULES.parent)

    assert len(documents) > 4_000
    for (text, value), found in zip(documents.items(), read, strict=True):
        assert [yaml.safe_load(text), *found] == [value] * 4, text

"""YAML is counted before anything is made of it, and a value that JSON has not is a mistake in its own place."""

from datetime import UTC, date, datetime

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from tables import tables

from mockserver.scenario.documents.document import InvalidValue, MappingNode
from mockserver.scenario.documents.mistakes import Mark, ScenarioError
from mockserver.scenario.documents.reading import Bounds, parse
from mockserver.scenario.dump import to_yaml

#: The parametrized cases by test.
CASES = tables(__file__)

TENFOLD = ", ".join(f"&k{level} [{', '.join([f'*k{level - 1}'] * 10)}]" for level in range(1, 9))
MERGES = ", ".join(f"&m{level} {{<<: [{', '.join([f'*m{level - 1}'] * 10)}]}}" for level in range(1, 9))


def test_a_text_that_would_become_immense_is_refused():
    for text, message in [
        ("- " * 30_000 + "x", "nested too deeply, expected at most 100 levels"),
        ("a: " + "[" * 30_000, "nested too deeply"),
        ("{a: " * 30_000, "nested too deeply"),
        ("? " * 30_000, "nested too deeply"),
        (f"a: &k0 [x, x]\nb: [{TENFOLD}]", "aliases and merges repeat more than 50,000 parts"),
        (f"? [&k0 [x, x], {TENFOLD}]\n: 1", "aliases and merges repeat more than 50,000 parts"),
        (f"<<: [&m0 {{a: 1}}, {MERGES}]", "aliases and merges repeat more than 50,000 parts"),
        (
            "".join(f"%TAG !a{n}! tag:x\n" for n in range(100_000)) + "---\na: 1",
            "too many YAML directives, expected at most 20",
        ),
        (
            "a: 1\n...\n" + "".join(f"%TAG !a{n}! tag:x\n" for n in range(100_000)),
            "too many YAML directives, expected at most 20",
        ),
    ]:
        with pytest.raises(ScenarioError, match=message):
            parse(text, "body")


def test_an_alias_counts_only_the_parts_of_its_anchor():
    text = f"a: [{'x, ' * 1_000} &k [y]]\nb: [{', '.join(['*k'] * 100)}]"

    assert "b" in parse(text, "body")


def test_an_alias_counts_with_the_levels_that_it_brings():
    deep = "a: &a " + "[" * 60 + "]" * 60 + "\nb: " + "[" * 60 + "*a" + "]" * 60

    with pytest.raises(ScenarioError, match=r"body:2: b.*nested too deeply"):
        parse(deep, "body")


@pytest.mark.parametrize(("levels", "fits"), [(99, True), (100, False)])
def test_document_is_read_up_to_a_hundred_levels(levels, fits):
    text = "a: " + "[" * levels + "]" * levels

    if fits:
        assert "a" in parse(text, "body")
    else:
        with pytest.raises(ScenarioError):
            parse(text, "body")


def test_document_with_too_many_nodes_is_refused():
    with pytest.raises(ScenarioError, match=r"body:3: b\[1\]: too many keys and values, expected at most 6"):
        parse("a: 1\nb: [1,\n1, 1]", "body", Bounds(parts=6))


def test_a_value_that_json_has_not_is_misread_in_its_place():
    for text, message in [
        *CASES["a_value_that_json_has_not"],
        ("1" + ":1" * 100_000, "beyond 64 bits"),
        ("9" * 100_000, "beyond 64 bits"),
    ]:
        found = parse(f"before: 1\nwrong: {text}\nafter: 2", "body")
        assert (found["before"], found["after"], found.marks["wrong"].line) == (1, 2, 2)
        if message is not None:
            assert isinstance(found["wrong"], InvalidValue)
            assert message in found["wrong"].text


def test_what_is_wrong_with_a_key_is_misread_in_its_place():
    found = parse("a: 1\na: 2\n? [b]\n: 3\n<<: 4\nc: 5", "body")

    assert {key: getattr(value, "text", value) for key, value in found.items()} == {
        "a": "duplicate key, first on line 1",
        "?": "a key must be a string",
        "<<": "<< must have a mapping or a list of mappings",
        "c": 5,
    }
    assert [mark.line for mark in found.marks.values()] == [2, 3, 5, 6]


def test_mapping_keys_are_read_as_text():
    assert list(parse("1: a\ntrue: b\n2026-01-01: c\n~: d\n&x e: f\n*x : g\n1.50: h", "body")) == [
        "1", "true", "2026-01-01", "~", "e", "1.50",
    ]  # fmt: skip


def test_a_value_is_what_yaml_says():
    for text, value in [
        *CASES["a_value_is_what_yaml_says"],
        ("2026-01-15T09:00:00Z", datetime(2026, 1, 15, 9, tzinfo=UTC)),
        ("2026-01-15", date(2026, 1, 15)),
        ("-9223372036854775808", -(2**63)),
    ]:
        assert parse(f"a: {text}", "body")["a"] == value


def test_own_keys_win_over_those_that_are_merged_and_earlier_ones_over_later_ones():
    text = "x: &x {a: 1, b: 2}\ny:\n  <<: [*x, {b: 7, c: 8}]\n  a: 9"

    found = parse(text, "body")["y"]

    assert found == {"a": 9, "b": 2, "c": 8}
    assert {key: mark.line for key, mark in found.marks.items()} == {"a": 4, "b": 1, "c": 3}


def test_what_is_no_yaml_is_told_with_its_line():
    for text, line in [("a: 1\nb: \x00", 2), ("a: 1\nb: [}", 2), ("a: 1\n---\nb: 1", 2), ('a: 1\nb: "\\ud800"', 2)]:
        with pytest.raises(ScenarioError) as error:
            parse(text, "body")
        assert error.value.mistakes[0].mark.line == line


SCALARS = (
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
)
VALUES = st.recursive(
    SCALARS | st.text(st.characters(codec="utf-8")),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(VALUES)
def test_written_yaml_is_read_back_unchanged(value):
    assert parse(to_yaml({"a": value}), "body") == {"a": value}


@given(st.text("ab:-?&*!|>'\"%@`{}[],#<=~ \n0123456789.eEx_", max_size=40))
def test_any_text_is_a_mapping_or_refused(text):
    try:
        found = parse(text, "body")
    except ScenarioError as error:
        found = error.mistakes[0].mark
    assert isinstance(found, (MappingNode, Mark))


@given(VALUES)
def test_what_the_library_reads_is_read_alike(value):
    text = yaml.safe_dump({"a": value}, default_style='"')

    assert parse(text, "body") == yaml.safe_load(text)

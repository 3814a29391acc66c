"""Answers are compared with what a case promises, and promised answers become examples."""

import pytest

from mockserver.evidence.fixture import PLACEHOLDERS, differences, examples


def test_a_value_that_is_as_promised_has_no_differences():
    for wanted, got in [
        (None, None), ({"id": 1, "name": "Ops"}, {"name": "Ops", "id": 1}),
        ({"id": 1, "$rest": True}, {"id": 1, "name": "Ops"}), ([1, "$any"], [1, {"anything": []}]), ("$string", ""),
        ("$integer", 7), ("$number", 7.5), ("$boolean", False), ("$uuid", "0b9c2f4e-3c1d-4b5a-9e7f-2a6d8c1b0e55"),
        ("$datetime", "2026-01-15T09:00:00+00:00"), ("$url", "https://my.brevo.com/x-"),
    ]:  # fmt: skip
        assert list(differences(wanted, got)) == []


def test_a_difference_names_its_path():
    for wanted, got, expected in [
        (1, 2, "$: wanted 1, got 2"),
        (1, True, "$: wanted 1, got True"),
        (1, 1.0, "$: wanted 1, got 1.0"),
        (None, {}, "$: wanted None, got {}"),
        ({"id": 1}, {}, "$.id: is missing"),
        ({"id": 1, "$rest": True}, {}, "$.id: is missing"),
        ({}, {"id": 1}, "$.id: was not expected, is 1"),
        ({"a": [{"b": 1}]}, {"a": [{"b": 2}]}, "$.a[0].b: wanted 1, got 2"),
        ([1], [1, 2], "$: wanted [1], got [1, 2]"),
        ("$string", 7, "$: wanted $string, got 7"),
        ("$integer", True, "$: wanted $integer, got True"),
        ("$number", "7", "$: wanted $number, got '7'"),
        ("$boolean", 0, "$: wanted $boolean, got 0"),
        ("$uuid", "0b9c2f4e", "$: wanted $uuid, got '0b9c2f4e'"),
        ("$datetime", "2026-01-15", "$: wanted $datetime, got '2026-01-15'"),
        ("$api_key", "xkeysib-1", "$: wanted $api_key, got 'xkeysib-1'"),
        ("$token", 7, "$: wanted $token, got 7"),
        ("$url", "my.brevo.com", "$: wanted $url, got 'my.brevo.com'"),
    ]:
        assert list(differences(wanted, got)) == [expected]


def test_all_differences_of_an_answer_are_listed():
    assert len(list(differences({"a": 1, "b": 2, "c": 3}, {"a": 2, "b": 3, "d": 4}))) == 4


@pytest.mark.parametrize("kind", [kind for kind in PLACEHOLDERS if kind != "$any"])
def test_the_sample_of_a_kind_is_of_that_kind(kind):
    assert list(differences(kind, PLACEHOLDERS[kind][1])) == []


def test_an_example_holds_no_words_of_the_fixtures():
    texts = [repr(example.body) for rows in examples().values() for example in rows]
    assert texts
    assert not [text for text in texts if "$" in text]

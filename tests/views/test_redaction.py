"""Secrets that are known, replaced in texts."""

import pytest

from mockserver.views import redaction
from mockserver.views.redaction import KnownSecrets


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("the code is 123456.", "the code is ***."),
        ("1234567", "1234567"),
        ("it is a b c d, again", "it is ***, again"),
        ("it is a b c d e, again", "it is ***, again"),
        ("a b c da b c d", "******"),
        ("a b c", "a b c"),
        ("", ""),
        ("]^-\\ ]^-\\", "***"),
    ],
)
def test_known_secrets_are_hidden_as_words_or_if_they_are_several_words_anywhere(text, hidden):
    assert KnownSecrets(["123456", "a b c d", "a b c d e", "abc", "]^-\\ ]^-\\"]).hide(text) == hidden


def test_numbers_names_and_items_are_hidden_too():
    found = KnownSecrets(["123456"]).hide({"123456": [123456, "x 123456"]})

    assert found == {"***": ["***", "x ***"]}


def test_without_secrets_of_several_words_other_words_stay():
    assert KnownSecrets(["123456"]).hide("a 123456 b") == "a *** b"


TEXTS = {
    "a sentence": ("unknown refresh token: no grant has it", "unknown refresh token: no grant has it"),
    "a value in a sentence": ("the token: a8f7 is wrong", "the token: *** is wrong"),
    "a form": ("password=hunter&page=2", "password=***&page=2"),
    "JSON in a text": ('it sent {"password": "hunter", "n": 1}', 'it sent {"password": ***, "n": 1}'),
    "escaped JSON": ('{\\"password\\": \\"hunter\\"}', '{\\"password\\": ***\\"}'),
    "a header": ("curl -H 'Authorization: Bearer hunter'", "curl -H 'Authorization: ***'"),
    "an address in an address": ("https://a.test?x=https%3A%2F%2Fb%3Ftoken%3Da8f7", "https://a.test?x=https%3A%2F%2Fb%3Ftoken%3D***"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "shown"), TEXTS.values(), ids=TEXTS)
def test_secrets_in_a_sentence_are_hidden_and_its_words_stay(text, shown):
    assert redaction.plain(text) == shown


YAML = {
    "a word": ("password: hunter\nname: x", "password: ***\nname: x"),
    "a list in a line": ("api_keys: [a, b]\nname: x", "api_keys: ***\nname: x"),
    "a list below": ("api_keys:\n- a\n- b\nname: x", "api_keys:\n***\nname: x"),
    "a block": ("password: |\n  a\n  b\nname: x", "password: ***\nname: x"),
    "a mapping below": ("auth:\n  type: bearer\n  token: a", "auth:\n  type: bearer\n  token: ***"),
    "a mapping in a line": ("auth: {type: bearer, token: a}", "auth: {type: bearer, token: ***}"),
}


@pytest.mark.parametrize(("text", "shown"), YAML.values(), ids=YAML)
def test_secrets_of_a_scenario_in_yaml_are_hidden(text, shown):
    assert redaction.text(text) == shown
    assert redaction.member("", {"yaml": text}) == {"yaml": shown}


def test_parent_of_a_member_tells_whether_it_is_a_secret():
    assert redaction.member("", {"marketingAutomation": {"key": "tracker"}}) == {"marketingAutomation": {"key": "***"}}
    assert redaction.member("", {"rows": [{"key": "tracker"}]}) == {"rows": [{"key": "tracker"}]}

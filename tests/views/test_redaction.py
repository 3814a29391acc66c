"""Secrets that are known, replaced in texts."""

import pytest

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

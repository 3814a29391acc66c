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


def test_parent_of_a_member_tells_whether_it_is_a_secret():
    assert redaction.member("", {"marketingAutomation": {"key": "tracker"}}) == {"marketingAutomation": {"key": "***"}}
    assert redaction.member("", {"rows": [{"key": "tracker"}]}) == {"rows": [{"key": "tracker"}]}


#: YAML in which the secret `zqS3cret` is a value, or part of one.
SECRET_YAML = {
    "on the next line": "password:\n  zqS3cret",
    "of several words": "password: correct horse zqS3cret",
    "after a comma": "password: x, zqS3cret",
    "with a quote": "password: 'it''s zqS3cret'",
    "after an empty line": "password: >-\n  a\n\n  zqS3cret",
    "with an anchor and a tag": "password: &a !!str zqS3cret",
    "of a key of its own line": "? password\n: zqS3cret",
    "of an escaped key": '"p\\x61ssword": zqS3cret',
    "in a list with an anchor": "api_keys: &k\n - zqS3cret",
    "in a list with a comment": "api_keys:\n- a1\n# b\n- zqS3cret",
    "after a comment with a bracket": "api_keys: [a1, # ]\n zqS3cret]",
    "in a comment": "# password: zqS3cret\nname: x",
    "in a wrong document": "password: [zqS3cret",
    "in a value of several readings": "password: 0zqS3cret\nname: yes",
}
JSON = {"content-type": "application/json"}


@pytest.mark.parametrize("text", SECRET_YAML.values(), ids=SECRET_YAML)
def test_secret_of_a_document_in_yaml_is_hidden_however_it_is_written(text):
    raw = text.encode()
    shown = [
        redaction.member("", {"yaml": text}),
        redaction.body([("content-type", "application/yaml")], raw, "/_mock/state"),
        redaction.body([("content-type", "application/x-yaml")], raw),
    ]
    assert "S3cret" not in str(shown)


def test_control_call_in_yaml_of_another_type_is_read_as_yaml():
    assert redaction.body(JSON.items(), b"password:\n  hunter", "/_mock/state") == '{"password":"***"}'
    assert redaction.body(JSON.items(), b"{wrong", "/_mock/state") == "{wrong"


def test_document_in_yaml_without_secrets_is_shown_as_it_was_sent():
    assert redaction.member("", {"yaml": "a: 1\nb: [x]"}) == {"yaml": "a: 1\nb: [x]"}


def test_moments_of_yaml_are_texts_and_wrong_values_are_hidden():
    shown = redaction.member("", {"yaml": "pin: 12\na: 2026-01-02\nb: yes"})

    assert shown == {"yaml": '{"pin":"***","a":"2026-01-02","b":"***"}'}


MEMBERS = [
    ([["password", "S"]], [["password", "***"]]),
    (["Authorization", "Bearer S"], ["Authorization", "***"]),
    ({"Name": "password", "Value": "S"}, {"Name": "password", "Value": "***"}),
    ({"key": "password", "val": "S"}, {"key": "password", "val": "***"}),
    ({"id": "api_token", "value": "S"}, {"id": "api_token", "value": "***"}),
    ({"id": "colour", "value": "red"}, {"id": "colour", "value": "red"}),
    ({"a": '{"p\\u0061ssword": ["S"]}'}, {"a": '{"password":"***"}'}),
    ({"a": '[["password", "S"], 1]'}, {"a": '[["password","***"],1]'}),
    ({"a": '{"n": [1, "x"]}'}, {"a": '{"n": [1, "x"]}'}),
    ({"a": "<password>S b</password>"}, {"a": "<password>***</password>"}),
    ({"a": "<password><![CDATA[S b]]></password>"}, {"a": "<password><![CDATA[***</password>"}),
    ({"X-Trace": "Bearer s3cret"}, {"X-Trace": "Bearer ***"}),
    ("use DPoP abcdefghijklmnop now", "use DPoP *** now"),
    ("Basic authentication of a bearer token", "Basic authentication of a bearer token"),
    ("/account/login/sub-account/SSO/TICKET", "/account/login/sub-account/SSO/***"),
    ("/account/login/sub-account/sso//TICKET", "/account/login/sub-account/sso//***"),
]


@pytest.mark.parametrize(("value", "shown"), MEMBERS)
def test_secrets_of_pairs_texts_and_paths_are_hidden(value, shown):
    assert redaction.member("", value) == shown

"""A server checks its settings when it takes them, whether a flag or a program gives them."""

import math
from types import UnionType
from typing import Union, get_args, get_origin, get_type_hints

import click
import pytest
from cli_runner import invoke

from mockserver import MockServer, Settings
from mockserver.cli.options import Integer
from mockserver.cli.serving import flags
from mockserver.settings import declared


def test_a_setting_out_of_range_is_refused_by_its_name():
    for setting, value, expected in [
        ("seed", 2**63, "a whole number of 64 bits, not 9223372036854775808"),
        ("seed", -(2**63) - 1, "a whole number of 64 bits, not -9223372036854775809"),
        ("port", 65_536, "a whole number from 0 to 65535, not 65536"),
        ("journal_limit", -1, "a whole number from 1 on, not -1"),
        ("deliveries_limit", 0, "a whole number from 1 on, not 0"),
        ("depth_limit", 201, "a whole number from 10 to 200, not 201"),
        ("head_timeout", math.nan, "a number of seconds above 0, not nan"),
        ("body_timeout", math.inf, "a number of seconds above 0, not inf"),
        ("body_timeout", 0, "a number of seconds above 0, not 0"),
        ("keys", "some", "any, known or isolate, not 'some'"),
        ("log_format", "xml", "text, json or off, not 'xml'"),
        ("egress", "none", "loopback, private or any, not 'none'"),
        ("allowed_host", (5,), "a tuple of texts, not (5,)"),
        ("store", "sqlite:", "memory, sqlite:PATH or redis://HOST:PORT, not 'sqlite:'"),
        ("store", "redis:mock", "memory, sqlite:PATH or redis://HOST:PORT, not 'redis:mock'"),
    ]:
        with pytest.raises(ValueError) as refusal:
            Settings(**{setting: value})
        assert str(refusal.value) == f"{setting} must be {expected}"


@pytest.mark.parametrize(
    ("setting", "value", "expected"),
    [
        ("seed", "x", "a whole number of 64 bits, not 'x'"),
        ("seed", True, "a whole number of 64 bits, not True"),
        ("mailbox_limit", "a", "a whole number from 1 on, not 'a'"),
        ("rows_limit", None, "a whole number from 1 on, not None"),
        ("head_timeout", "30", "a number of seconds above 0, not '30'"),
        ("scenario", None, "a name, a path or a document, not None"),
        ("scenario", 5, "a name, a path or a document, not 5"),
        ("scenario", [], "a name, a path or a document, not []"),
        ("allowed_host", "a.test", "a tuple of texts, not 'a.test'"),
        ("smtp_url", b"x" * 1_000, f"a text, not b'{'x' * 57}…"),
        ("control_token", b"sesame", "a text, not what is given, of type bytes"),
    ],
)
def test_a_setting_of_another_type_is_refused_by_its_name(setting, value, expected):
    with pytest.raises(TypeError) as refusal:
        MockServer(**{setting: value})

    assert str(refusal.value) == f"{setting} must be {expected}"


def test_a_setting_in_range_is_taken():
    for settings in [
        {"seed": 2**63 - 1}, {"seed": -(2**63)}, {"scenario": {}}, {"allowed_host": ["a.test"]}, {"head_timeout": 3},
    ]:  # fmt: skip
        assert {name: getattr(Settings(**settings), name) for name in settings} == settings


def test_no_secret_is_shown_with_the_settings():
    settings = Settings(control_token="sesame", forward_to="http://127.0.0.1:9", forward_key="open")

    assert "http://127.0.0.1:9" in repr(settings)
    assert "sesame" not in repr(settings)
    assert "open" not in repr(settings)


def test_a_program_may_set_both_bounds_and_every_choice_of_a_flag():
    for flag in flags():
        bounds = [getattr(flag.type, name, None) for name in ("min", "max")] if isinstance(flag.type, Integer) else []
        values = [*(flag.type.choices if isinstance(flag.type, click.Choice) else bounds)]
        values = [value for value in values if value is not None]
        assert [getattr(Settings(**{flag.name: value}), flag.name) for value in values] == values, flag.name


def types_in(annotation):
    """The types that an annotation names; to a type checker, an int is a float as well."""
    union = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    found = {get_origin(member) or member for member in union}
    return found | {int} if float in found else found


def test_a_setting_takes_what_its_annotation_says():
    for setting in declared():
        left_out = {type(None)} if setting.default is None else set()
        hint = get_type_hints(Settings)[setting.name]
        assert types_in(hint) == {*setting.declaration.type.types} | left_out, setting.name


@pytest.mark.parametrize("number", ["1_0", "+1", "٣", " 1"])
@pytest.mark.parametrize("flag", ["--lint-timeout", "--port"])
def test_flag_refuses_numbers_in_forms_of_python(flag, number):
    assert "is not a valid" in invoke(["serve", flag, number]).stderr

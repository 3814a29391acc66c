"""Filling texts of templates and campaigns with values (contract/templates#texts)."""

import time

import pytest

from mockserver.resources.templates import texts
from mockserver.resources.templates.texts import TooLongError, filled_in

ROOTS = {
    "params": {"NAME": "Ada", "order": {"id": 7, "paid": True}, "empty": "", "rows": [1], "braces": "{{ mirror }}"},
    "contact": {"FIRSTNAME": "<b>Ada</b>", "CITY": None},
    "mirror": "https://mirror.test/1",
}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("Hi {{ params.NAME }}!", "Hi Ada!"),
        ("{{params.NAME}}{{params.NAME}}", "AdaAda"),
        ("{{ params.order.id }} {{ params.order.paid }}", "7 true"),
        ("{{ contact.FIRSTNAME }}", "<b>Ada</b>"),
        ("{{ contact.firstname }}", ""),
        ('<a href="{{ mirror }}">', '<a href="https://mirror.test/1">'),
        ("{{ params.none }}{{ params.none.id }}{{ contact.CITY }}{{ params.order }}{{ params.rows }}", ""),
        ("{{ params.NAME.id }}", ""),
        ("{{ params.braces }}", "{{ mirror }}"),
        ('{{ contact.CITY | default : "there" }}', "there"),
        ("{{contact.CITY|default:'there'}}", "there"),
        ("{{ params.empty | default: 'a | b' }}", "a | b"),
        ("{{ params.NAME | default : 'there' }}", "Ada"),
        ("{{ params.none | default : '' }}", ""),
    ],
)
def test_value_replaces_its_placeholder(text, wanted):
    assert filled_in(text, ROOTS) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "no braces", "{ params.NAME }", "{{ unsubscribe }}", "{{ params }}", "{{ contact }}", "{{ mirror.id }}",
        "{{ params.NAME | upper }}", "{{ params.NAME | default }}", "{{ params.NAME | default: 'a' | upper }}",
        "{% if params.NAME %}", "{{ params.NAME", "{{ {{ params.NAME }}", "{{ paramsNAME }}", "",
    ],
)  # fmt: skip
def test_other_text_is_left_unchanged(text):
    assert filled_in(text, ROOTS) is text


def test_missing_roots_leave_nothing():
    assert filled_in("a{{ params.NAME }}{{ contact.NAME }}{{ mirror }}b", {}) == "ab"


def test_text_is_refused_when_its_values_make_it_too_long(monkeypatch):
    monkeypatch.setattr(texts, "LONGEST", 1_000)
    roots = {"params": {"a": "x" * 100}}

    assert len(filled_in("{{params.a}}" * 10, roots)) == 1_000
    with pytest.raises(TooLongError):
        filled_in("{{params.a}}" * 11, roots)


@pytest.mark.parametrize("part", ["{{", "{{ a }}", "{{ params.a|default:' }}", "{{" + " " * 50, "}}"])
def test_filling_takes_time_linear_in_the_text(part):
    def seconds(size):
        text = part * (size // len(part))
        start = time.process_time()
        filled_in(text, ROOTS)
        return time.process_time() - start

    assert min(seconds(1_000_000) for _ in range(3)) < 1

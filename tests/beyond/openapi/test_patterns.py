"""The shortest text that a regular expression fits."""

from __future__ import annotations

import re
import time
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.beyond.openapi.patterns import NoMatchError, shortest_match


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("", ""),
        ("^abc$", "abc"),
        ("^a*b+c?$", "b"),
        ("^a{2,3}b{0,}c{1}$", "aac"),
        ("^a+?$", "a"),
        ("^x{a}$", "x{a}"),
        ("^[b-d]$", "b"),
        ("^[^a-c]$", "d"),
        ("^[^\\w\\s]$", "!"),
        ("^[\\d-]$", "-"),
        ("^[a\\-z]$", "a"),
        ("^\\d\\w\\s\\S\\D\\W$", "0a aa "),
        ("^.\\.$", "a."),
        ("^(ab|c)(?:d|ef)(?<name>g)$", "cdg"),
        ("^\\x41\\u00e4\\t\\/$", "A\u00e4\t/"),
        ("^[\\b]$", "\b"),
        ("^a|bcd$", "a"),
    ],
)
def test_the_shortest_text_is_found(pattern, text):
    assert shortest_match(pattern) == text


@pytest.mark.parametrize(
    ("pattern", "least", "text"),
    [
        ("^a+$", 3, "aaa"),
        ("^(ab)*$", 3, "abab"),
        ("^x[0-9]{1,5}y$", 6, "x0000y"),
        ("abc", 5, "aaabc"),
        ("^abc", 5, "abcaa"),
        ("abc$", 5, "aaabc"),
    ],
)
def test_a_text_is_made_as_long_as_it_has_to_be(pattern, least, text):
    assert shortest_match(pattern, least) == text
    assert re.search(pattern, text)


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("a)", "nothing opens"),
        ("(a", "nothing closes"),
        ("[a", "too early"),
        ("a\\", "too early"),
        ("(?=a)", r"\(\?="),
        ("(?<!a)b", r"\(\?<"),
        ("\\1", r"\\1"),
        ("\\bword", r"\\b"),
        ("\\p{L}", r"\\p"),
        ("\\ud83d", "escape"),
        ("\\xZZ", "escape"),
        ("*a", "behind nothing"),
        ("[z-a]", "range"),
        ("[]a", "without"),
        ("[^\\s\\S]", "without a usual character"),
        ("a" * 1_001, "too many characters"),
        ("(" * 30 + ")" * 30, "within each other"),
        ("a{999999999}", "too long"),
        ("(a{999}){999}", "too long"),
    ],
)
def test_what_is_not_read_is_named(pattern, why):
    with pytest.raises(NoMatchError, match=why):
        shortest_match(pattern)


@pytest.mark.parametrize("pattern", ["^abc$", "^a{1,2}$"])
def test_a_text_that_cannot_be_so_long_is_told(pattern):
    with pytest.raises(NoMatchError):
        shortest_match(pattern, 5)


atoms = st.sampled_from(["a", "Z", "\\d", "\\w", "\\s", "\\.", "[b-d]", "[^x]", "[\\d_]", ".", "\\W", "\\S"])
quantifiers = st.sampled_from(["", "*", "+", "?", "{2}", "{1,}", "{0,3}", "+?"])


def _grouped(inner):
    return st.one_of(
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.builds("(?:{}){}".format, inner, quantifiers),
        st.lists(inner, min_size=2, max_size=3).map("|".join).map("({})".format),
    )


patterns = st.recursive(st.builds("{}{}".format, atoms, quantifiers), _grouped, max_leaves=8)


@given(patterns, st.integers(0, 12))
def test_every_text_fits_its_expression(pattern, least):
    try:
        text = shortest_match(f"^{pattern}$", least)
    except NoMatchError:
        return
    assert re.fullmatch(pattern, text)
    assert len(text) >= least


@given(st.text(alphabet="ab()[]{}|*+?\\^$-,.1dwxu:<", max_size=40))
def test_any_text_is_read_or_refused_in_time(pattern):
    start = time.process_time()
    with suppress(NoMatchError):
        assert len(shortest_match(pattern)) <= 100_000
    assert time.process_time() - start < 1

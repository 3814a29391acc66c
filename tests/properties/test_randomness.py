"""Seeded randomness: what one purpose draws depends on nothing but the seed, the purpose and how often it has drawn."""

from __future__ import annotations

import string
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from mockserver.core.state.identifiers import Randomness

PURPOSES = st.sampled_from(["otp", "mail", "request", "a/b", "a", "b"])
SEEDS = st.integers(-(2**63), 2**63)
DRAWS = st.lists(PURPOSES, max_size=40)


def draw(random, purpose):
    return random.integer(purpose, 0, 2**64)


@given(SEEDS, DRAWS)
def test_the_same_seed_gives_the_same_draws(seed, purposes):
    one, other = Randomness(seed, "default"), Randomness(seed, "default")
    assert [draw(one, purpose) for purpose in purposes] == [draw(other, purpose) for purpose in purposes]


@given(SEEDS, DRAWS, PURPOSES)
def test_draws_of_one_purpose_are_independent_of_all_others(seed, purposes, kept):
    mixed, alone = Randomness(seed, "default"), Randomness(seed, "default")
    among_others = [(purpose, draw(mixed, purpose)) for purpose in purposes]
    by_themselves = [draw(alone, kept) for purpose in purposes if purpose == kept]
    assert [value for purpose, value in among_others if purpose == kept] == by_themselves


@given(SEEDS, DRAWS, DRAWS)
def test_a_position_that_is_restored_goes_on_with_the_same_draws(seed, before, after):
    first = Randomness(seed, "default")
    for purpose in before:
        draw(first, purpose)
    second = Randomness(seed, "default")
    second.positions = dict(first.positions)
    assert [draw(first, purpose) for purpose in after] == [draw(second, purpose) for purpose in after]


@given(SEEDS, st.integers(), st.integers(0, 2**128))
def test_an_integer_lies_between_its_bounds(seed, low, width):
    assert low <= Randomness(seed, "default").integer("any", low, low + width) <= low + width


@given(SEEDS, st.integers(1, 30))
def test_digits_are_as_many_as_asked_for_and_begin_with_no_zero(seed, length):
    text = Randomness(seed, "default").digits("any", length)
    assert len(text) == length
    assert text.isdecimal()
    assert length == 1 or text[0] != "0"


@given(SEEDS, st.integers(0, 128))
def test_hexadecimal_digits_are_as_many_as_asked_for(seed, length):
    text = Randomness(seed, "default").hex("any", length)
    assert len(text) == length
    assert set(text) <= set("0123456789abcdef")


@given(SEEDS)
def test_a_uuid_is_one_of_version_four(seed):
    text = Randomness(seed, "default").uuid("any")
    assert str(UUID(text)) == text
    assert (UUID(text).version, UUID(text).variant) == (4, "specified in RFC 4122")


@given(SEEDS, st.integers(0, 85), st.sampled_from(["01", "0123456789abcdef", string.ascii_letters + string.digits]))
def test_text_spells_the_number_that_is_drawn_from_its_last_digit_on(seed, length, alphabet):
    number, spelt = int(Randomness(seed, "default").hex("any", 128), 16), ""
    for _ in range(length):
        number, digit = divmod(number, len(alphabet))
        spelt += alphabet[digit]

    assert Randomness(seed, "default").text("any", length, alphabet) == spelt


@given(SEEDS, st.text(max_size=20), st.text(max_size=20))
def test_secrets_differ_between_workspaces_and_all_else_does_not(seed, one, other):
    first, second = Randomness(seed, one), Randomness(seed, other)
    assert (first.secret("key", 40) == second.secret("key", 40)) == (one == other)
    assert first.text("word", 40) == second.text("word", 40)


def test_values_of_one_purpose_do_not_repeat():
    random = Randomness(0, "default")
    assert len({random.uuid("request") for _ in range(2000)}) == 2000

from datetime import UTC, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from mockserver.core.state import reasons


def test_a_moment_is_rfc_3339_in_utc_to_the_second():
    for moment, text in [
        (datetime(2026, 1, 15, 9, 20, tzinfo=UTC), "2026-01-15T09:20:00Z"),
        (datetime(2026, 1, 15, 9, 20, 59, 999_999, tzinfo=UTC), "2026-01-15T09:20:59Z"),
        (datetime(2026, 1, 15, 9, 20, tzinfo=timezone(timedelta(hours=2))), "2026-01-15T07:20:00Z"),
        (datetime(1, 1, 1, tzinfo=UTC), "0001-01-01T00:00:00Z"),
    ]:
        assert reasons.instant(moment) == text


def test_a_value_is_shown_on_one_short_line():
    for value, text in [
        (7, "7"), ("plain text", "plain text"), ("", "''"), ("two\nlines", r"'two\nlines'"),
        ("half \ud800", r"'half \ud800'"), ("x" * 80, "x" * 80), ("x" * 81, "x" * 79 + "…"),
    ]:  # fmt: skip
        assert reasons.shown(value) == text


def test_a_list_names_five_at_most():
    for count, text in [(0, "none"), (1, "1"), (5, "1, 2, 3, 4, 5"), (6, "1, 2, 3, 4, 5 and 1 more")]:
        assert reasons.listed(range(1, count + 1)) == text


def test_of_many_numbers_the_nearest_are_named():
    for number, text in [
        (1, "1, 2, 3, 4, 5 and 95 more"),
        (50, "48, 49, 50, 51, 52 and 95 more"),
        (999, "96, 97, 98, 99, 100 and 95 more"),
    ]:
        assert reasons.nearest(range(1, 101), number) == text


@given(st.lists(st.integers(-30, 30), unique=True) | st.sets(st.integers(-30, 30)).map(sorted), st.integers(-90, 90))
def test_no_number_is_nearer_than_those_that_are_named(numbers, number):
    named = sorted(sorted(numbers, key=lambda other: abs(other - number))[:5])

    text = ", ".join(map(str, named)) or "none"
    more = f" and {len(numbers) - 5} more" if len(numbers) > 5 else ""
    assert reasons.nearest(numbers, number) == text + more


def test_known_keys_are_listed_and_for_a_number_the_nearest_ones():
    for keys, key, text in [
        ([], "a", "none"),
        (["b", "a"], "c", "b, a"),
        (range(1, 10), 8, "5, 6, 7, 8, 9 and 4 more"),
    ]:
        assert reasons.known(keys, key) == text


def test_names_of_fields_are_listed_in_backticks():
    assert reasons.fields(["a", "ips[0].ip"]) == "`a`, `ips[0].ip`"

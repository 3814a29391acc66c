"""Months later: the same day where the month has it, else the month's last day."""

from __future__ import annotations

from datetime import UTC, timedelta

from hypothesis import given
from hypothesis import strategies as st

from mockserver.core.time.duration import months_later

MOMENTS = st.datetimes(timezones=st.just(UTC)).filter(lambda moment: 1971 <= moment.year < 9000)
MONTHS = st.integers(-600, 600)


@given(MOMENTS, MONTHS)
def test_month_arithmetic_gives_the_expected_month(moment, months):
    later = months_later(moment, months)
    assert later.year * 12 + later.month == moment.year * 12 + moment.month + months


@given(MOMENTS, MONTHS)
def test_the_day_stays_or_is_the_last_one_of_a_shorter_month(moment, months):
    later = months_later(moment, months)
    is_last = (later + timedelta(days=1)).month != later.month
    assert later.day == moment.day or (later.day < moment.day and is_last)
    assert later.timetz() == moment.timetz()


@given(MOMENTS, MONTHS)
def test_adding_and_subtracting_months_never_ends_later(moment, months):
    back = months_later(months_later(moment, months), -months)
    assert back <= moment
    assert back == moment or moment.day > 28


@given(MOMENTS, MOMENTS, MONTHS)
def test_adding_months_keeps_the_order_of_moments(one, other, months):
    first, second = sorted((one, other))
    assert months_later(first, months).date() <= months_later(second, months).date()

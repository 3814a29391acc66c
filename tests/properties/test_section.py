"""Durations and instants of scenarios: what is written is read again, and nothing else but a ValueError comes out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from marshmallow import ValidationError

from mockserver.core.time import duration
from mockserver.core.time.clock import EARLIEST, LATEST
from mockserver.resources.section import Duration, Instant, counting_from, parse_instant, write_instant

LENGTHS = st.timedeltas(timedelta(), timedelta(days=365_000))
MOMENTS = st.datetimes(EARLIEST.replace(tzinfo=None), LATEST.replace(tzinfo=None), timezones=st.just(UTC))
ZONES = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
#: Text that is nearly a duration or an instant.
NEARLY = st.text("PTWDHMS0123456789.,:+-Z ", max_size=30) | st.text(max_size=30)


@given(LENGTHS)
def test_a_duration_that_is_written_is_read_again(length):
    assert duration.parse(duration.write(length)) == length


@given(LENGTHS)
def test_a_sign_turns_a_duration_round(length):
    assert duration.parse(f"-{duration.write(length)}") == -length


@given(st.integers(0, 99), st.integers(0, 99), st.integers(0, 99), st.integers(0, 99))
def test_the_parts_of_a_duration_add_up(days, hours, minutes, seconds):
    expected = timedelta(days=days, hours=hours, minutes=minutes, seconds=seconds)
    assert duration.parse(f"P{days}DT{hours}H{minutes}M{seconds}S") == expected


@given(MOMENTS)
def test_an_instant_that_is_written_is_read_again(moment):
    assert parse_instant(write_instant(moment)) == moment


@given(
    MOMENTS.filter(lambda moment: 1972 <= moment.year < 8999).map(lambda moment: moment.replace(microsecond=0)), ZONES
)
def test_an_instant_of_any_zone_is_read_as_the_same_moment(moment, zone):
    there = moment.replace(tzinfo=zone)
    assert parse_instant(there.isoformat()) == there


@given(NEARLY)
def test_any_text_is_a_length_of_time_or_refused(text):
    try:
        length = duration.parse(text)
    except ValueError:
        return
    assert isinstance(length, timedelta)


@given(NEARLY)
def test_any_text_is_a_moment_within_the_clocks_years_or_refused(text):
    try:
        moment = parse_instant(text)
    except ValueError:
        return
    assert EARLIEST <= moment <= LATEST


@given(MOMENTS, LENGTHS, st.sampled_from(["", "-"]))
def test_a_relative_instant_counts_from_the_clocks_start_or_is_refused(start, length, sign):
    with counting_from(lambda: start):
        try:
            moment = Instant().deserialize(f"{sign}{duration.write(length)}")
        except ValidationError:
            return
    assert moment == (start - length if sign else start + length)


@given(st.none() | st.booleans() | st.integers() | st.floats() | st.lists(st.integers()) | NEARLY)
@pytest.mark.parametrize("field", [Duration(required=True), Instant(required=True)], ids=["duration", "instant"])
def test_a_field_refuses_what_it_does_not_know_with_a_validation_error(field, value):
    with counting_from(lambda: EARLIEST):
        try:
            found = field.deserialize(value)
        except ValidationError:
            return
    assert isinstance(found, (timedelta, datetime))

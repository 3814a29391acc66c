"""Durations as people write them."""

from __future__ import annotations

from datetime import timedelta

import pytest

from mockserver.core.time import duration


def test_duration_is_read_in_the_short_form_and_in_iso_8601():
    for text, length in [
        ("16m", timedelta(minutes=16)),
        ("1h30m", timedelta(minutes=90)),
        ("1h 30m", timedelta(minutes=90)),
        ("90s", timedelta(seconds=90)),
        ("2d", timedelta(days=2)),
        ("1w2d3h4m5s6ms", timedelta(weeks=1, days=2, hours=3, minutes=4, seconds=5, milliseconds=6)),
        ("1.5h", timedelta(minutes=90)),
        ("500ms", timedelta(milliseconds=500)),
        ("-1d", timedelta(days=-1)),
        ("+1d", timedelta(days=1)),
        ("PT16M", timedelta(minutes=16)),
        ("P1DT1H30M", timedelta(days=1, minutes=90)),
        ("P2W", timedelta(weeks=2)),
        ("-P1D", timedelta(days=-1)),
        ("PT0,5S", timedelta(milliseconds=500)),
        ("P0Y0M1D", timedelta(days=1)),
    ]:
        assert duration.parse(text) == length


def test_duration_is_refused_with_examples_when_it_is_another_text():
    for text in [
        "", "-", "soon", "5", "m", "1x", "1H", "1 h", "1h  30m", "1h ", "30m1h", "1h1h", "1.h", "1.2.3s", "16m\n",
        "P", "PT", "PT5",
    ]:  # fmt: skip
        with pytest.raises(ValueError, match=r"^not a duration, such as 16m, 1h30m, 2d or PT16M$"):
            duration.parse(text)


@pytest.mark.parametrize("text", ["P1Y", "P2M", "P1Y2M3D"])
def test_duration_is_refused_when_it_has_years_or_months(text):
    with pytest.raises(ValueError, match=r"^years and months have no fixed length: give days$"):
        duration.parse(text)


def test_duration_is_refused_when_it_is_too_long():
    with pytest.raises(ValueError, match=r"^too long for a duration"):
        duration.parse(f"{'9' * 40}w")


def test_duration_is_written_in_iso_8601():
    for length, text in [
        (timedelta(), "P0D"), (timedelta(minutes=15), "PT15M"), (timedelta(days=1, hours=2, seconds=3), "P1DT2H3S"),
        (timedelta(milliseconds=500), "PT0.5S"), (timedelta(days=-1), "-P1D"),
    ]:  # fmt: skip
        assert duration.write(length) == text


def test_duration_is_told_from_a_moment():
    for value, expected in [
        ("-1d", True), ("PT15M", True), ("2026-01-15T09:00:00Z", False), ("soon", False), (7, False),
    ]:  # fmt: skip
        assert duration.is_duration(value) is expected

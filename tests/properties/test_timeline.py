"""A timeline's page, found by bisection, is what a plain filter of a sorted list gives."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from mockserver.core.state.tables import Timeline

START = datetime(2026, 1, 15, 9, tzinfo=UTC)
MINUTES = st.integers(0, 12)


@dataclass(frozen=True)
class Row:
    date: datetime
    number: int


def at(minute):
    return START + timedelta(minutes=minute)


@given(
    st.lists(MINUTES, max_size=30), st.lists(MINUTES, max_size=10), MINUTES, MINUTES, st.integers(0, 12),
    st.integers(0, 12), st.booleans(), st.none() | st.integers(1, 3),
)  # fmt: skip
def test_a_page_is_what_a_plain_filter_gives(loaded, added, start, end, offset, limit, oldest_first, divisor):
    rows = [Row(at(minute), number) for number, minute in enumerate([*loaded, *added])]
    where = None if divisor is None else lambda row: row.number % divisor == 0
    timeline = Timeline()
    timeline.extend(rows[: len(loaded)])
    for row in rows[len(loaded) :]:
        timeline.add(row)
    found = timeline.page(at(start), at(end), offset=offset, limit=limit, oldest_first=oldest_first, where=where)

    wanted = sorted(rows, key=lambda row: row.date)
    wanted = [row for row in wanted if at(start) <= row.date <= at(end) and (where is None or where(row))]
    wanted = wanted if oldest_first else wanted[::-1]
    assert found == wanted[offset : offset + limit]


@given(st.lists(MINUTES, max_size=30))
def test_rows_stand_by_date_and_rows_of_one_date_in_the_order_of_adding(minutes):
    timeline = Timeline()
    for number, minute in enumerate(minutes):
        timeline.add(Row(at(minute), number))
    assert list(timeline) == sorted((Row(at(minute), number) for number, minute in enumerate(minutes)), key=_key)
    assert len(timeline) == len(minutes)


def _key(row):
    return row.date, row.number

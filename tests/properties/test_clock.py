"""The clock, over a wall clock that a test moves: every move counts in full, and real time unless it is frozen."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mockserver.core.time.clock import EARLIEST, LATEST, Clock, ClockError

SPANS = st.timedeltas(timedelta(), timedelta(days=400))
STARTS = SPANS.map(lambda span: datetime(1980, 1, 1, tzinfo=UTC) + 200 * span)
MOVES = st.lists(
    st.one_of(
        st.tuples(st.just("advance"), SPANS),
        st.tuples(st.just("wall"), SPANS),
        st.tuples(st.just("freeze"), st.none()),
        st.tuples(st.just("thaw"), st.none()),
    ),
    max_size=20,
)


class Wall:
    """Real time, as far as the clock knows; whole microseconds, so that nothing is lost in floats."""

    def __init__(self):
        self.seconds = 1_700_000_000.0

    def __call__(self):
        return self.seconds

    def pass_by(self, span):
        self.seconds += span // timedelta(seconds=1)


def play(clock, wall, moves):
    """Make the moves; how far the clock should have come."""
    expected = clock.now()
    for move, span in moves:
        if move == "advance":
            clock.move_to(clock.now() + span)
            expected += span
        elif move == "wall":
            wall.pass_by(span)
            expected += timedelta() if clock.frozen else timedelta(seconds=span // timedelta(seconds=1))
        else:
            getattr(clock, move)()
        yield expected


@given(STARTS, st.booleans(), MOVES)
def test_moves_and_real_time_add_up(start, frozen, moves):
    wall = Wall()
    clock = Clock(start, frozen=frozen, real=wall)
    for expected in play(clock, wall, moves):
        assert clock.now() == expected


@given(STARTS, SPANS)
def test_a_moment_that_has_passed_is_refused_and_moving_to_it_changes_nothing(start, span):
    assume(span)
    clock = Clock(start, frozen=True)
    with pytest.raises(ClockError):
        clock.check(start - span)
    clock.move_to(start - span)
    assert clock.now() == start


@given(st.datetimes(timezones=st.just(UTC)))
def test_moments_out_of_its_years_are_refused(moment):
    assume(not EARLIEST <= moment <= LATEST)
    with pytest.raises(ClockError):
        Clock(EARLIEST, frozen=True).check(moment)


@given(STARTS, st.timedeltas(-timedelta(days=400), timedelta(days=400)), st.booleans())
def test_pinned_it_shows_another_moment_for_a_block_only(start, span, frozen):
    clock = Clock(start, frozen=frozen, real=Wall())
    with clock.pinned(start + span):
        assert clock.now() == start + span
    assert clock.now() == start


@given(STARTS, SPANS, SPANS)
def test_the_offset_is_the_distance_from_real_time(start, wait, advance):
    wall = Wall()
    clock = Clock(start, real=wall)
    wall.pass_by(wait)
    clock.move_to(clock.now() + advance)
    assert clock.offset == clock.now() - datetime.fromtimestamp(wall.seconds, UTC)

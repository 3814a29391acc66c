from datetime import UTC, datetime, timedelta

import pytest

from mockserver.core.time.clock import LATEST, Clock, ClockError

NINE = datetime(2026, 1, 15, 9, tzinfo=UTC)
HOUR = timedelta(hours=1)


class Wall:
    """Real time that a test moves."""

    seconds = 1_700_000_000.0

    def __call__(self):
        return self.seconds


@pytest.fixture
def wall():
    return Wall()


def test_a_clock_without_a_start_shows_real_time(wall):
    assert Clock(real=wall).now() == datetime.fromtimestamp(wall.seconds, UTC)


def test_a_frozen_clock_moves_forward_only_and_stays_frozen(wall):
    clock = Clock(NINE, frozen=True, real=wall)

    clock.move_to(NINE + HOUR)
    clock.move_to(NINE)
    wall.seconds += 60

    assert (clock.now(), clock.frozen) == (NINE + HOUR, True)


def test_a_thawed_clock_runs_on_from_where_it_stood(wall):
    clock = Clock(NINE, frozen=True, real=wall)
    wall.seconds += 3600

    clock.thaw()
    wall.seconds += 60

    assert clock.now() == NINE + timedelta(seconds=60)


def test_freezing_keeps_the_moment(wall):
    clock = Clock(NINE, real=wall)
    wall.seconds += 60

    clock.freeze()
    wall.seconds += 60

    assert clock.now() == NINE + timedelta(seconds=60)


def test_moving_the_clock_into_the_past_or_out_of_its_years_is_refused(wall):
    for moment, told in [(NINE - timedelta(microseconds=1), "backwards"), (LATEST + HOUR, "from 1971 to 9000")]:
        with pytest.raises(ClockError, match=told):
            Clock(NINE, frozen=True, real=wall).check(moment)


def test_a_pinned_moment_is_shown_for_the_time_of_a_block(wall):
    clock = Clock(NINE, frozen=True, real=wall)

    with clock.pinned(NINE - HOUR):
        within = clock.now()

    assert (within, clock.now()) == (NINE - HOUR, NINE)


def test_the_offset_tells_how_far_the_clock_is_from_real_time(wall):
    start = datetime.fromtimestamp(wall.seconds, UTC) + HOUR

    assert Clock(start, real=wall).offset == HOUR

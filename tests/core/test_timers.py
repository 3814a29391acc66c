"""Timers that are cancelled do not stay."""

from datetime import UTC, datetime, timedelta

import pytest

from mockserver.core.time.clock import Timers

START = datetime(2026, 1, 15, tzinfo=UTC)


@pytest.fixture
def timers():
    found = Timers()
    found.set(START, 1, "scheduled_email", "first", "fall_due")
    return found


def test_cancelled_timers_go_when_they_are_more_than_those_that_live(timers):
    for number in range(5_000):
        timers.set(START + timedelta(hours=1), 1, "sender", number, "expire")
        timers.cancel("sender", number)

    assert timers.held < 100
    assert timers.take_due(START).key == "first"
    assert timers.next() is None


def test_timers_that_are_set_anew_leave_no_others_behind(timers):
    for number in range(5_000):
        timers.set(START + timedelta(hours=number), 1, "sender", 1, "expire")

    assert timers.held < 100
    assert [timer.moment for timer in timers] == [START, START + timedelta(hours=4_999)]


def test_the_timers_of_an_account_go_together(timers):
    for number in range(1_000):
        timers.set(START, 2, "sender", number, "expire")

    timers.cancel_account(2)

    assert [timer.key for timer in timers] == ["first"]
    assert timers.held < 100

"""Where attempts stand on the timeline of deliveries."""

from datetime import UTC, datetime, timedelta

import pytest

from mockserver.dashboard.deliveries import Scale, signs

BEGIN = datetime(2026, 1, 15, 9, tzinfo=UTC)


def after(**length):
    return BEGIN + timedelta(**length)


def delivery(*attempts, next_at=None, in_flight=False):
    rows = [{"at": at, **({} if status is None else {"status": status})} for at, status in attempts]
    return {"attempts": rows, "next_at": next_at, "in_flight": in_flight}


def seen(*attempts, now=BEGIN, **members):
    row = delivery(*attempts, **members)
    moments = [at for at, _ in attempts] + [at for at in [members.get("next_at")] if at]
    return [(sign.look, sign.says.partition(" at ")[0]) for sign in signs(row, Scale(moments, now))]


def test_a_line_reaches_from_its_first_moment_to_its_last_unless_these_are_close():
    scale = Scale([BEGIN, after(hours=1)], after(minutes=30))

    assert [scale.place(moment) for moment in (BEGIN, after(minutes=30), after(hours=1))] == [4, 50, 96]
    assert Scale([BEGIN, after(seconds=1)], BEGIN).place(after(seconds=1)) < 6


def test_a_clock_that_went_on_presses_nothing_together():
    scale = Scale([BEGIN, after(hours=1)], after(days=30))

    assert scale.place(after(hours=1)) == 50
    assert (scale.place(scale.now), scale.is_beyond) == (96, True)


def test_scale_without_moments_begins_at_the_present():
    scale = Scale([], BEGIN)

    assert (scale.first, scale.is_beyond) == (BEGIN, False)


def test_an_attempt_looks_as_it_ended():
    for status, look in ((200, "ok"), (204, "ok"), (302, "refused"), (503, "refused"), (None, "silent")):
        assert seen((BEGIN, status)) == [(look, str(status or "no answer"))]


def test_next_attempt_has_a_separate_mark():
    assert seen((BEGIN, 503), next_at=after(minutes=10)) == [("refused", "503"), ("next", "Next attempt")]
    assert seen(in_flight=True) == [("under_way", "An attempt is under way")]


def test_of_many_attempts_the_last_ones_are_shown():
    assert len(seen(*((after(hours=number), 500) for number in range(100)))) == 12


@pytest.mark.parametrize(
    ("length", "told"),
    [(timedelta(hours=1), "09:00:00 to 10:00:00"), (timedelta(days=2), "15 Jan 09:00 to 17 Jan 09:00")],
)
def test_scale_names_its_ends(length, told):
    assert Scale([BEGIN, BEGIN + length], BEGIN).span == told

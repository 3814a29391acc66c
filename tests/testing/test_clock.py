import re
from datetime import UTC, datetime, timedelta

import pytest

from mockserver import MockServerError

START = datetime(2026, 1, 15, 9, tzinfo=UTC)


def test_the_clock_tells_the_workspaces_time(workspace):
    assert (workspace.clock.now, workspace.clock.frozen) == (START, True)


@pytest.mark.parametrize(
    ("by", "units"),
    [(None, {"minutes": 20}), (None, {"hours": 0.25, "minutes": 5}), (timedelta(minutes=20), {}), ("PT20M", {})],
)
def test_the_clock_is_moved_by_whatever_is_easiest_to_say(workspace, by, units):
    fired = workspace.clock.advance(by, **units)

    assert workspace.clock.now == START + timedelta(minutes=20)
    assert [(event.at, event.machine, event.key, event.event) for event in fired] == [
        (START + timedelta(minutes=15), "sender", 2, "expire_otp")
    ]


def test_the_clock_is_moved_to_the_next_timer(workspace):
    fired = workspace.clock.advance(to="next")

    assert workspace.clock.now == START + timedelta(minutes=15)
    assert [event.event for event in fired] == ["expire_otp"]


@pytest.mark.parametrize(
    ("by", "options"),
    [(None, {}), ("PT1M", {"minutes": 1}), (None, {"to": "next", "minutes": 1}), (20, {}), (0, {}), (["PT1M"], {})],
)
def test_a_move_that_says_nothing_or_two_things_is_a_mistake(workspace, by, options):
    with pytest.raises(TypeError, match="advance takes one of"):
        workspace.clock.advance(by, **options)


def test_no_move_at_all_is_a_move(workspace):
    assert workspace.clock.advance(timedelta()) == []
    assert workspace.clock.advance(seconds=0) == []
    assert workspace.clock.now == START


def test_the_clock_is_put_forward(workspace):
    workspace.clock.set(START + timedelta(hours=1))
    assert workspace.clock.now == START + timedelta(hours=1)

    workspace.clock.set("2026-01-15T11:00:00Z")
    assert workspace.clock.now == START + timedelta(hours=2)


def test_the_clock_is_not_put_back(workspace):
    with pytest.raises(MockServerError, match=r"^400: .*backwards by a reset only") as refusal:
        workspace.clock.set(START - timedelta(seconds=1))

    assert refusal.value.status == 400


def test_the_clock_runs_and_stands(workspace):
    workspace.clock.thaw()
    assert not workspace.clock.frozen

    workspace.clock.freeze()
    assert workspace.clock.frozen


@pytest.mark.parametrize(("unit", "near"), [("minuts", "did you mean minutes? "), ("fortnights", "")])
def test_an_unknown_unit_is_told_with_those_that_there_are(workspace, unit, near):
    message = f"advance knows no unit '{unit}'; {near}there are weeks, days, hours, minutes, seconds, "

    with pytest.raises(TypeError, match=re.escape(message)):
        workspace.clock.advance(**{unit: 3})

    assert workspace.clock.now == START

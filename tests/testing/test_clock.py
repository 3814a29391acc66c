import re
from datetime import UTC, datetime, timedelta

import pytest

from mockserver import MockServerError

START = datetime(2026, 1, 15, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("by", "units"),
    [(None, {"minutes": 20}), (None, {"hours": 0.25, "minutes": 5}), (timedelta(minutes=20), {}), ("PT20M", {})],
)
def test_the_clock_advances_by_a_timedelta_a_duration_or_units(workspace, by, units):
    fired = workspace.clock.advance(by, **units)

    assert workspace.clock.now == START + timedelta(minutes=20)
    assert [(event.at, event.machine, event.key, event.event) for event in fired] == [
        (START + timedelta(minutes=15), "sender", 2, "expire_otp")
    ]


@pytest.mark.parametrize("given", ["itself", "its id", "next"])
def test_the_clock_is_moved_to_a_timer(workspace, given):
    (timer,) = workspace.clock.timers()
    assert (timer.at, timer.machine, timer.key, timer.account) == (START + timedelta(minutes=15), "sender", 2, "acme")

    fired = workspace.clock.advance(to={"itself": timer, "its id": timer.id}.get(given, given))

    assert workspace.clock.now == START + timedelta(minutes=15)
    assert [event.event for event in fired] == ["expire_otp"]
    assert workspace.clock.timers() == []


def test_advance_takes_exactly_one_kind_of_argument_which_may_be_zero(workspace):
    two = {"to": "next", "minutes": 1}
    for by, options in [(None, {}), ("PT1M", {"minutes": 1}), (None, two), (20, {}), (0, {}), (["PT1M"], {})]:
        with pytest.raises(TypeError, match="advance takes one of"):
            workspace.clock.advance(by, **options)
    for unit, advice in [("minuts", "did you mean minutes?"), ("fortnights", "known: days, hours, microseconds, ")]:
        with pytest.raises(TypeError, match=re.escape(f"advance has no argument '{unit}'; {advice}")):
            workspace.clock.advance(**{unit: 3})
    assert workspace.clock.advance(timedelta()) == []
    assert workspace.clock.advance(seconds=0) == []
    assert workspace.clock.now == START


def test_the_clock_is_set_to_a_later_moment_only_thawed_and_frozen(workspace):
    assert (workspace.clock.now, workspace.clock.frozen) == (START, True)
    workspace.clock.set(START + timedelta(hours=1))
    assert workspace.clock.now == START + timedelta(hours=1)
    workspace.clock.set("2026-01-15T11:00:00Z")
    assert workspace.clock.now == START + timedelta(hours=2)
    workspace.clock.thaw()
    assert not workspace.clock.frozen
    workspace.clock.freeze()
    assert workspace.clock.frozen
    with pytest.raises(MockServerError, match=r"^400: .*backwards by a reset only"):
        workspace.clock.set(START)

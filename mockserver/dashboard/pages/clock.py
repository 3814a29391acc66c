"""The page "Clock": what time it is in a workspace, what is due, and ways to move on."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from mockserver.control.framework import off_loop, target
from mockserver.control.framework.problem import Problem
from mockserver.core.time.clock import Clock
from mockserver.dashboard.clock import due_line
from mockserver.dashboard.clock.due import due, fired, one, under_way
from mockserver.dashboard.framework.lengths import spoken
from mockserver.dashboard.framework.numbers import asked
from mockserver.dashboard.framework.page import Page
from mockserver.dashboard.snippets.example import example_key
from mockserver.resources.section import write_instant
from mockserver.web.server import loop

PAGE = Page("clock", "Clock")

#: The usual lengths of an advance, as buttons.
_USUAL = (("PT1M", "1 minute"), ("PT15M", "15 minutes"), ("PT1H", "1 hour"), ("PT12H", "12 hours"), ("P1D", "1 day"))
#: A clock that is less than this away from real time shows real time.
_NEAR = timedelta(seconds=1)


@PAGE.view()
def index() -> Mapping[str, Any]:
    """The clock, what is due, and the ways to move on."""
    workspace = target.workspace()
    first = asked("offset")
    if first.number > loop.LARGE_LIST:
        off_loop.leave()
    with workspace.lock:
        clock = workspace.state.clock
        now = clock.now()
        return {
            "now": write_instant(now.replace(microsecond=0)),
            "now_ms": round(now.timestamp() * 1000),
            "frozen": clock.frozen,
            "distance": _distance(clock),
            "due": due(workspace, now, first.number),
            "ticks": due_line.ticks(),
            "under_way": under_way(workspace),
            "fired": fired(workspace),
            "usual": _USUAL,
            "mistake": first.mistake,
            "key": example_key(workspace),
        }


@PAGE.view("/<identifier>", "timer.html")
def timer(identifier: str) -> Mapping[str, Any]:
    """One timer, pending or fired: who set it, and what followed when it fired."""
    workspace = target.workspace()
    with workspace.lock:
        found = one(workspace, identifier)
        if found is None:
            raise Problem(404, "there is no such timer: it was cancelled or set again, or it has fired too long ago")
        return {"line": found, "frozen": workspace.state.clock.frozen, "instant": write_instant}


def _distance(clock: Clock) -> str:
    """How far a clock is from real time, in words."""
    offset = clock.offset
    if abs(offset) < _NEAR:
        return "It shows real time."
    return f"It is {spoken(offset)} {'ahead of' if offset > timedelta() else 'behind'} real time."

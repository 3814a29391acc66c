"""The page "Clock": what time it is in a workspace, what is due, and ways to move on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, NamedTuple

from mockserver.control.framework import off_loop, target
from mockserver.control.framework.problem import Problem
from mockserver.core.time.clock import Clock
from mockserver.core.time.duration import spoken
from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard import due_line
from mockserver.dashboard.addresses import asked
from mockserver.dashboard.due_line import Dot
from mockserver.dashboard.framework.page import Page
from mockserver.dashboard.snippets.example import example_key
from mockserver.resources.section import write_instant
from mockserver.views.record import plain
from mockserver.views.workspace_records import Timer
from mockserver.views.workspaces import pending, show_timer
from mockserver.web.server import loop

#: How many timers a page lists. Chosen: with a form each they stay within the 60 kB of a first view.
MOST_ROWS = 25
#: How many timers are drawn on the line; what comes after them is counted.
_MOST_DRAWN = 500
#: How many timers that have fired the page lists.
_MOST_FIRED = 10
#: How many calls under way are named.
_MOST_CALLS = 5


class Line(NamedTuple):
    """A timer as the page lists it: as the control API shows it, and how long it is until then."""

    timer: dict[str, Any]
    at: str
    #: The same in milliseconds since 1970.
    ms: int
    left: str


class Due(NamedTuple):
    """What is due: one page of the list, and all of it on a line of time."""

    lines: Sequence[Line]
    #: How many timers there are in all, and after how many of them the lines begin.
    number: int
    offset: int
    dots: Sequence[Dot]
    #: How many timers are later than those that are drawn.
    not_drawn: int

    @property
    def before(self) -> int | None:
        """Where the page before begins, or None if there is none."""
        return max(self.offset - MOST_ROWS, 0) if self.offset else None

    @property
    def after(self) -> int | None:
        """Where the next page begins, or None if there is none."""
        end = self.offset + MOST_ROWS
        return end if end < self.number else None


def due(workspace: Workspace, now: datetime, offset: int) -> Due:
    """What is due after a moment; the caller holds the lock of the workspace."""
    timers = workspace.state.timers
    offset = min(offset, max(timers.count - 1, 0) // MOST_ROWS * MOST_ROWS)
    drawn = [timer.moment for timer in islice(timers.soonest(), _MOST_DRAWN)]
    lines = [_line(show_timer(workspace, timer), now) for timer in pending(workspace, offset, MOST_ROWS)]
    return Due(lines, timers.count, offset, due_line.dots(now, drawn), timers.count - len(drawn))


def _line(row: Timer, now: datetime) -> Line:
    return Line(plain(row), write_instant(row.at), round(row.at.timestamp() * 1000), spoken(row.at - now))


def fired(workspace: Workspace) -> list[Line]:
    """The timers that have fired last, newest first; the caller holds the lock of the workspace."""
    now = workspace.state.clock.now()
    return [_line(show_timer(workspace, row.timer, row), now) for row in islice(workspace.fired, _MOST_FIRED)]


def one(workspace: Workspace, identifier: str) -> Line | None:
    """A timer, pending or fired, or None if there is none of this id; the caller holds the lock of the workspace."""
    now = workspace.state.clock.now()
    pending_one = workspace.state.timers.get(identifier)
    if pending_one is not None:
        return _line(show_timer(workspace, pending_one), now)
    found = workspace.fired_timer(identifier)
    return None if found is None else _line(show_timer(workspace, found.timer, found), now)


class UnderWay(NamedTuple):
    """Calls whose answers the clock waits for when it is moved: how many, and the deliveries of the first ones."""

    number: int
    deliveries: Sequence[str]


def under_way(workspace: Workspace) -> UnderWay:
    """The calls that are under way; the caller holds the lock of the workspace."""
    return UnderWay(len(workspace.jobs), [str(job.key) for job in islice(workspace.jobs, _MOST_CALLS)])


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

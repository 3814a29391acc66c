"""What is due on the clock of a workspace, what has fired, and what the clock waits for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import islice
from typing import Any, NamedTuple

from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard.clock import due_line
from mockserver.dashboard.clock.due_line import Dot
from mockserver.dashboard.framework.lengths import spoken
from mockserver.resources.section import write_instant
from mockserver.views.workspaces.timers import Due as Row
from mockserver.views.workspaces.timers import Timer, pending

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
    lines = [_line(row, now) for row in pending(workspace, offset, MOST_ROWS)]
    return Due(lines, timers.count, offset, due_line.dots(now, drawn), timers.count - len(drawn))


def _line(row: Row, now: datetime) -> Line:
    at = row.timer.moment
    return Line(Timer.show(row), write_instant(at), round(at.timestamp() * 1000), spoken(at - now))


def fired(workspace: Workspace) -> list[Line]:
    """The timers that have fired last, newest first; the caller holds the lock of the workspace."""
    now = workspace.state.clock.now()
    return [_line(Row.of(workspace, row.timer, row), now) for row in islice(workspace.fired, _MOST_FIRED)]


def one(workspace: Workspace, identifier: str) -> Line | None:
    """A timer, pending or fired, or None if there is none of this id; the caller holds the lock of the workspace."""
    now = workspace.state.clock.now()
    pending_one = workspace.state.timers.get(identifier)
    if pending_one is not None:
        return _line(Row.of(workspace, pending_one), now)
    found = workspace.fired_timer(identifier)
    return None if found is None else _line(Row.of(workspace, found.timer, found), now)


class UnderWay(NamedTuple):
    """Calls whose answers the clock waits for when it is moved: how many, and the deliveries of the first ones."""

    number: int
    deliveries: Sequence[str]


def under_way(workspace: Workspace) -> UnderWay:
    """The calls that are under way; the caller holds the lock of the workspace."""
    return UnderWay(len(workspace.jobs), [str(job.key) for job in islice(workspace.jobs, _MOST_CALLS)])

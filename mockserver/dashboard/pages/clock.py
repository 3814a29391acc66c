"""The page "Clock": workspace time, due timers, and buttons to advance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import islice, pairwise, takewhile
from typing import Any, NamedTuple

from flask import request

from mockserver.control.framework import target
from mockserver.control.framework.problem import Problem
from mockserver.core.time import duration
from mockserver.core.time.clock import Clock
from mockserver.core.time.duration import spoken
from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard.addresses import asked
from mockserver.dashboard.curl import example_key
from mockserver.dashboard.rendering import Page
from mockserver.resources.section import write_instant
from mockserver.views.record import plain
from mockserver.views.workspace_records import Timer
from mockserver.views.workspaces import pending, show_timer
from mockserver.web.server import loop

#: The steps of the line of time by their ends. All steps have the same width; within a step time is linear.
_STEPS: tuple[tuple[str, timedelta], ...] = (
    ("now", timedelta()),
    ("1 min", timedelta(minutes=1)),
    ("1 h", timedelta(hours=1)),
    ("1 d", timedelta(days=1)),
    ("7 d", timedelta(days=7)),
    ("30 d", timedelta(days=30)),
    ("1 y", timedelta(days=365)),
)
_ENDS = [length for _, length in _STEPS]
#: The begin and the end of the steps in percent of the width, and the place of later timers.
_FIRST, _LAST = 4.0, 92.0
_LATER = 97.0
_WIDTH = (_LAST - _FIRST) / (len(_STEPS) - 1)
#: The number of dots in a step. Chosen: dots do not overlap on a page of 320 pixels.
_PLACES = 2


class Tick(NamedTuple):
    """A step end: label and place in percent of the width."""

    word: str
    at: float


class Dot(NamedTuple):
    """Timers due at nearly the same time: place in percent of the width, and count."""

    at: float
    number: int


def ticks() -> Sequence[Tick]:
    return [Tick(word, round(_FIRST + index * _WIDTH, 2)) for index, (word, _) in enumerate(_STEPS)]


def dots(now: datetime, moments: Iterable[datetime]) -> Sequence[Dot]:
    """Return the dots of these moments, from left to right."""
    found = Counter(_place(moment - now) for moment in moments)
    return [Dot(round(at, 2), number) for at, number in sorted(found.items())]


def _place(left: timedelta) -> float:
    for index, (begin, end) in enumerate(pairwise(_ENDS)):
        if left < end:
            share = max((left - begin) / (end - begin), 0.0)
            return _FIRST + (index + (int(share * _PLACES) + 0.5) / _PLACES) * _WIDTH
    return _LATER


#: The most timers on a page. Chosen: with a form each they stay below 60 kB.
MOST_ROWS = 25
#: The most timers on the line; later timers are counted.
_MOST_DRAWN = 500
#: The most fired timers on the page.
_MOST_FIRED = 10
#: The most calls under way to name.
_MOST_CALLS = 5


def due(workspace: Workspace, now: datetime, offset: int) -> dict[str, Any]:
    """Return one page of pending timers, and dots for the line. The workspace is open."""
    timers = workspace.state.timers
    offset = min(offset, max(timers.count - 1, 0) // MOST_ROWS * MOST_ROWS)
    drawn = [timer.moment for timer in islice(timers.soonest(), _MOST_DRAWN)]
    return {
        "lines": [_line(show_timer(workspace, timer), now) for timer in pending(workspace, offset, MOST_ROWS)],
        "number": timers.count,
        "offset": offset,
        "before": max(offset - MOST_ROWS, 0) if offset else None,
        "after": offset + MOST_ROWS if offset + MOST_ROWS < timers.count else None,
        "dots": dots(now, drawn),
        "not_drawn": timers.count - len(drawn),
    }


#: The length that the form suggests, and the most timers that a preview names.
_SUGGESTED, _MOST_NAMED = "2h30m", 5


def preview(workspace: Workspace, by: str, now: datetime) -> dict[str, Any]:
    """Return which timers are due on a move of the clock. The workspace is open.

    At most `_MOST_DRAWN` timers are counted.
    """
    try:
        until = Clock.reached(duration.parse(by.strip()), now)
    except ValueError as error:
        return {"mistake": f"{by[:100]}: {error}", "number": 0, "until": None, "lines": []}
    soonest = islice(workspace.state.timers.soonest(), _MOST_DRAWN)
    found = list(takewhile(lambda timer: timer.moment <= until, soonest))
    return {"mistake": "", "number": len(found), "until": write_instant(until), "lines": found[:_MOST_NAMED]}


def _line(row: Timer, now: datetime) -> dict[str, Any]:
    at = row.at
    return {
        "timer": plain(row), "at": write_instant(at), "ms": round(at.timestamp() * 1000), "left": spoken(at - now)
    }  # fmt: skip


PAGE = Page("clock", "Clock")

#: The buttons that advance the clock.
_USUAL = (("PT1M", "1 minute"), ("PT15M", "15 minutes"), ("PT1H", "1 hour"), ("PT12H", "12 hours"), ("P1D", "1 day"))
#: A smaller difference counts as real time.
_NEAR = timedelta(seconds=1)


@PAGE.view()
def index() -> Mapping[str, Any]:
    workspace = target.workspace()
    first = asked("offset")
    if first.number > loop.LARGE_LIST:
        loop.leave()
    clock = workspace.state.clock
    now = clock.now()
    return {
        "now": write_instant(now.replace(microsecond=0)),
        "now_ms": round(now.timestamp() * 1000),
        "frozen": clock.frozen,
        "distance": _distance(clock),
        "due": due(workspace, now, first.number),
        "ticks": ticks(),
        "under_way": {
            "number": len(workspace.jobs),
            "deliveries": [str(job.key) for job in islice(workspace.jobs, _MOST_CALLS)],
        },
        "fired": [_line(show_timer(workspace, row.timer, row), now) for row in islice(workspace.fired, _MOST_FIRED)],
        "usual": _USUAL,
        "preview": preview(workspace, request.args.get("by") or _SUGGESTED, now),
        "mistake": first.mistake,
        "key": example_key(workspace),
    }


@PAGE.view("/<identifier>", "timer.html")
def timer(identifier: str) -> Mapping[str, Any]:
    workspace = target.workspace()
    pending_timer, fired_timer = workspace.state.timers.get(identifier), workspace.fired_timer(identifier)
    if pending_timer is not None:
        row = show_timer(workspace, pending_timer)
    elif fired_timer is not None:
        row = show_timer(workspace, fired_timer.timer, fired_timer)
    else:
        raise Problem(404, "there is no such timer: it was cancelled or set again, or it has fired too long ago")
    clock = workspace.state.clock
    return {"line": _line(row, clock.now()), "frozen": clock.frozen, "instant": write_instant}


def _distance(clock: Clock) -> str:
    offset = clock.offset
    if abs(offset) < _NEAR:
        return "It shows real time."
    # Not floored: it is measured against a clock that runs.
    length = spoken(timedelta(seconds=round(offset.total_seconds())))
    return f"It is {length} {'ahead of' if offset > timedelta() else 'behind'} real time."

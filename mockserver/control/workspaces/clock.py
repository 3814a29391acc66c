"""`/_mock/clock` and `/_mock/timers`: the clock of a workspace, and its timers, pending and fired."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from flask import request
from marshmallow import ValidationError, fields, post_load, validate, validates_schema

from mockserver.control.framework import inputs
from mockserver.control.framework.call import ControlResource, listed
from mockserver.control.framework.problem import Problem, of_one, unknown
from mockserver.core.time import duration
from mockserver.core.time.clock import ClockError
from mockserver.core.time.clock import Timer as TimerRow
from mockserver.core.traffic.causes import Changed
from mockserver.core.workspaces.lifecycle import Advance as Advancing
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import Duration, Instant, Item
from mockserver.views.record import Evicted, listing
from mockserver.views.workspace_records import Advanced, Fired, Moment, Timer
from mockserver.views.workspaces import pending, show_clock, show_timer
from mockserver.web.schemas.fields import Flag, Number
from mockserver.web.server import loop
from mockserver.web.server.waiting import begun, is_waiting, wait_for

CLOCK = ControlResource("clock", "/_mock/clock")

#: How long an advance may take in real time, in seconds; chosen far above what webhook calls on the way take.
_TIMEOUT_S = 600.0
#: The name of the soonest timer; the ids of timers have colons.
_NEXT = "next"
#: How many timers the error for an unknown one lists; chosen: the one that was meant is mostly among them.
_NAMED = 10
#: The most seconds that one advance may take, a hundred years; chosen above what a test needs, so that moments stay
#: within those that `datetime` has.
_MOST_SECONDS = 3_155_760_000
#: Why a clock is not moved back, and what to do instead.
_FORWARD = "the clock moves forward only: reset the workspace, or restore a snapshot, to go back"


class ClockChange(Item):
    """A new clock time, a new frozen flag, or both."""

    now = Instant()
    frozen = Flag()

    @validates_schema
    def _check_members(self, data: dict[str, Any], **_: Any) -> None:
        if not data:
            raise ValidationError("give now, frozen or both")

    @post_load(pass_original=True)
    def _as_length(self, data: dict[str, Any], original: Mapping[str, Any], **_: Any) -> dict[str, Any]:
        """Load a relative `now` as a length, which counts from the moment at which the advance begins."""
        now = original.get("now")
        return {**data, "now": duration.parse(now)} if duration.is_duration(now) else data


class Advance(Item):
    """A clock advance: a duration, seconds, or a timer as destination."""

    by = Duration(error_messages={"negative": _FORWARD})
    seconds = Number(validate=[validate.Range(min=0, error=_FORWARD), validate.Range(max=_MOST_SECONDS)])
    #: `next`, or the id of a timer.
    to = fields.String()

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def _check_members(self, _data: object, original: Mapping[str, Any], **_: Any) -> None:
        if not original or len(original.keys() & self.fields.keys()) > 1:
            raise ValidationError("give exactly one of by, seconds and to")


@CLOCK.call("GET", answer=Moment)
def show(workspace: Workspace) -> Moment:
    """Return the time of the workspace."""
    return show_clock(workspace.state.clock)


@CLOCK.call("PUT", body=ClockChange, answer=Moment)
def change(workspace: Workspace, body: dict[str, Any]) -> Moment:
    """Freeze, thaw or set the clock; what is due on the way fires as with `advance`."""
    if "now" in body:
        _advanced(workspace, body["now"], "now")
    if body.get("frozen") is True:
        workspace.state.clock.freeze()
    elif body.get("frozen") is False:
        workspace.state.clock.thaw()
        workspace.watch()
    return show_clock(workspace.state.clock)


@CLOCK.call("GET", "/timers", query=inputs.Part, answer=listing("Timers", Timer))
def timers(workspace: Workspace, query: dict[str, Any]) -> Any:
    """List what is due on the clock, soonest first."""
    if query["offset"] + query["limit"] > loop.LARGE_LIST:
        loop.leave()
    rows = [show_timer(workspace, timer) for timer in pending(workspace, query["offset"], query["limit"])]
    return listed(rows, workspace.state.timers.count)


@CLOCK.call("POST", "/advance", body=Advance, answer=Advanced, problems=(409,))
def advance(workspace: Workspace, body: dict[str, Any]) -> Advanced:
    """Move the clock, firing each timer at its own moment, and waiting for what leaves then."""
    target = body["to"] if "to" in body else body["by"] if "by" in body else timedelta(seconds=body["seconds"])
    fired = _advanced(workspace, target, next(iter(body)))
    moment = show_clock(workspace.state.clock)
    return Advanced(moment, [Fired(row.at, row.machine, row.key, row.event) for row in fired])


def _advanced(workspace: Workspace, target: datetime | timedelta | str, member: str) -> list[Changed]:
    """Advance to a target and return the timed events passed; a text target is a timer id or `next`."""
    state, long_machines = workspace.state, workspace.parts.long_machines
    is_long = state.timers.count > loop.LARGE_WORKSPACE or (state.timers.count and state.has_many_calls)
    if is_long or any(timer.machine in long_machines for timer in state.timers.all()):
        loop.leave()
    advance = begun(request.environ, "advance", lambda: _begin(workspace, target, member))
    arrived = wait_for(request.environ, workspace, _TIMEOUT_S, lambda: [advance] if advance.step() else [])
    if not arrived and not is_waiting(request.environ):
        advance.stop()
        raise Problem(409, f"webhook calls were still under way after {_TIMEOUT_S:g} seconds")
    if advance.interrupted:
        raise Problem(409, "the workspace was reset or restored during the advance; repeat the call")
    return advance.fired()


def _begin(workspace: Workspace, target: datetime | timedelta | str, member: str) -> Advancing:
    try:
        return Advancing(workspace, _timer(workspace, target) if isinstance(target, str) else target)
    except ClockError as error:
        raise of_one(member, str(error)) from error


def _timer(workspace: Workspace, identifier: str) -> TimerRow | None:
    """Return the timer of an id, or None for `next`."""
    found = workspace.state.timers.get(identifier)
    if found is None and identifier != _NEXT:
        raise of_one("to", f"unknown timer {identifier!r:.200}; {_pending_timers(workspace)}")
    return found


def _pending_timers(workspace: Workspace) -> str:
    timers = workspace.state.timers
    named = ", ".join(timer.id for timer in islice(timers.soonest(), _NAMED))
    if not named:
        return "no timer is pending"
    return f"known: {_NEXT}, {named}" + (f" and {timers.count - _NAMED:,} more" if timers.count > _NAMED else "")


# ---------------------------------------------------------------------- timers

TIMERS = ControlResource("timers", "/_mock/timers")


@TIMERS.call("GET", query=inputs.Part, answer=listing("FiredTimers", Timer, evicted=Evicted))
def fired_timers(workspace: Workspace, query: dict[str, Any]) -> Any:
    """The timers that have fired, newest first; those that are pending are listed under `/_mock/clock/timers`."""
    found = inputs.part_of(workspace.fired, query)
    loop.leave_if_long(row.size for row in found)
    rows = [show_timer(workspace, row.timer, row) for row in found]
    return listed(rows, len(workspace.fired), evicted=workspace.fired.evicted)


@TIMERS.call("GET", "/<identifier>", answer=Timer)
def timer(workspace: Workspace, identifier: str) -> Timer:
    """One timer, pending or fired: who set it, and what followed when it fired."""
    waiting = workspace.state.timers.get(identifier)
    if waiting is not None:
        return show_timer(workspace, waiting)
    fired = workspace.fired_timer(identifier)
    if fired is None:
        raise unknown("timer", identifier, "it was cancelled or replaced, or fired too long ago")
    return show_timer(workspace, fired.timer, fired)

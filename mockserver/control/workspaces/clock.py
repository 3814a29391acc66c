"""`/_mock/clock`: show, set and advance the clock of a workspace."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from flask import Response
from marshmallow import ValidationError, fields, post_load, validate, validates_schema

from mockserver.control.framework import answers, off_loop, parameters, target
from mockserver.control.framework.problem import Problem, of_one
from mockserver.control.framework.resource import ControlResource
from mockserver.control.framework.waiting import begun, is_waiting, wait_for
from mockserver.core.time import duration
from mockserver.core.time.clock import ClockError, Timer
from mockserver.core.traffic.causes import Changed
from mockserver.core.workspaces import lifecycle as model
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.section import Duration, Instant, Item
from mockserver.views.workspaces import clock as shown
from mockserver.views.workspaces.timers import Timers, pending
from mockserver.web.schemas.fields import Flag, Number
from mockserver.web.server import loop

CLOCK = ControlResource("clock", "/_mock/clock")

#: How long an advance may take in real time, in seconds; chosen far above what webhook calls on the way take.
_TIMEOUT_S = 600.0
#: What stands for the soonest timer, whichever that is; the ids of timers have colons.
_NEXT = "next"
#: How many timers the error for an unknown one lists; chosen: the one that was meant is mostly among them.
_NAMED = 10
#: The most seconds that one advance may take, a hundred years; chosen above what a test needs, so that moments stay
#: within those that `datetime` has.
_MOST_SECONDS = 3_155_760_000
#: Why a clock is not moved back, and what to do instead.
_FORWARD = "the clock moves forward only: reset the workspace, or restore a snapshot, to go back"


class ClockChange(Item):
    """Another moment for the clock, whether it is frozen, or both."""

    now = Instant()
    frozen = Flag()

    @validates_schema
    def _check_members(self, data: dict[str, Any], **_: Any) -> None:
        if not data:
            raise ValidationError("give now, frozen or both")

    @post_load(pass_original=True)
    def _as_length(self, data: dict[str, Any], original: Mapping[str, Any], **_: Any) -> dict[str, Any]:
        """Load a relative `now` as a length: it is counted from the moment at which the advance begins."""
        now = original.get("now")
        return {**data, "now": duration.parse(now)} if duration.is_duration(now) else data


class Advance(Item):
    """How far the clock moves: by a length or by seconds of its own time, or to a timer."""

    by = Duration(error_messages={"negative": _FORWARD})
    seconds = Number(validate=[validate.Range(min=0, error=_FORWARD), validate.Range(max=_MOST_SECONDS)])
    #: `next`, or the id of a timer.
    to = fields.String()

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def _check_members(self, _data: object, original: Mapping[str, Any], **_: Any) -> None:
        if not original or len(original.keys() & self.fields.keys()) > 1:
            raise ValidationError("give exactly one of by, seconds and to")


@CLOCK.call("GET", answer=shown.Clock)
def show() -> Response:
    """What time it is in the workspace."""
    workspace = target.workspace()
    with workspace.lock:
        return answers.answer(workspace.state)


@CLOCK.call("PUT", body=ClockChange, answer=shown.Clock)
def change(body: dict[str, Any]) -> Response:
    """Freeze, thaw or set the clock; what is due on the way fires as with `advance`."""
    workspace = target.workspace()
    if "now" in body:
        _advanced(workspace, body["now"], "now")
    with workspace.lock:
        if body.get("frozen") is True:
            workspace.state.clock.freeze()
        elif body.get("frozen") is False:
            workspace.state.clock.thaw()
            workspace.watch()
        return answers.answer(workspace.state)


@CLOCK.call("GET", "/timers", query=parameters.Part, answer=Timers)
def timers(query: dict[str, Any]) -> Response:
    """What is due on the clock, soonest first."""
    workspace = target.workspace()
    if query["offset"] + query["limit"] > loop.LARGE_LIST:
        off_loop.leave()
    with workspace.lock:
        rows = pending(workspace, query["offset"], query["limit"])
        return answers.listed(rows, workspace.state.timers.count)


@CLOCK.call("POST", "/advance", body=Advance, answer=shown.Advanced, problems=(409,))
def advance(body: dict[str, Any]) -> Response:
    """Move the clock, firing each timer at its own moment, and waiting for what leaves then."""
    workspace = target.workspace()
    fired = _advanced(workspace, _target(body), next(iter(body)))
    with workspace.lock:
        return answers.answer(shown.Moved(workspace.state.clock, fired))


def _advanced(workspace: Workspace, target: datetime | timedelta | str, member: str) -> list[Changed]:
    """Advance to a target (a text: to the timer of this id, or the next one); the timed events on the way.

    Raises:
        Problem: 400, the clock cannot be set to the target, or there is no such timer; 409, the workspace was reset
            meanwhile, or its webhook calls take too long.
    """
    state = workspace.state
    if len(state.timers) > loop.LARGE_WORKSPACE or (state.timers and state.has_many_calls):
        off_loop.leave()
    advance = begun("advance", lambda: _begin(workspace, target, member))
    arrived = wait_for(workspace, _TIMEOUT_S, lambda: [advance] if advance.step() else [])
    if not arrived and not is_waiting():
        advance.stop()
        raise Problem(409, f"webhook calls were still under way after {_TIMEOUT_S:g} seconds")
    if advance.interrupted:
        raise Problem(409, "the workspace was reset or restored during the advance")
    return advance.fired()


def _begin(workspace: Workspace, target: datetime | timedelta | str, member: str) -> model.Advance:
    with workspace.lock:
        try:
            return model.Advance(workspace, _timer(workspace, target) if isinstance(target, str) else target)
        except ClockError as error:
            raise of_one(member, str(error)) from error


def _timer(workspace: Workspace, identifier: str) -> Timer | None:
    """The timer of an id, or None for the next one.

    Raises:
        Problem: 400, there is no such timer.
    """
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


def _target(data: dict[str, Any]) -> timedelta | str:
    """The length of an advance, or the id of the timer to which it goes, or `next`."""
    if "to" in data:
        target: str = data["to"]
        return target
    return data["by"] if "by" in data else timedelta(seconds=data["seconds"])

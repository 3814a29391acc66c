"""`/_mock/clock`: see, set and move a workspace's clock."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from flask import Response
from marshmallow import ValidationError, fields, validate, validates_schema

from mockserver.control import call
from mockserver.control.noun import Noun
from mockserver.control.problem import of_one
from mockserver.core.clock import ClockError
from mockserver.core.workspace import Workspace
from mockserver.resources.section import Duration, Instant, Item
from mockserver.web.fields import Flag, Number

CLOCK = Noun("clock", "/_mock/clock")

#: A hundred years.
_MOST_SECONDS = 3_155_760_000


class ClockChange(Item):
    now = Instant()
    frozen = Flag()

    @validates_schema
    def _check_members(self, data: dict[str, Any], **_: Any) -> None:
        if not data:
            raise ValidationError("give now, frozen or both")


class Advance(Item):
    by = Duration()
    seconds = Number(validate=validate.Range(min=0, max=_MOST_SECONDS))
    to = fields.String(validate=validate.Equal("next"))

    @validates_schema(pass_original=True, skip_on_field_errors=False)
    def _check_members(self, _data: object, original: Mapping[str, Any], **_: Any) -> None:
        if not original or len(original.keys() & self.fields.keys()) > 1:
            raise ValidationError("give one of by, seconds and to")


@CLOCK.call("GET", answer="Clock")
def show() -> Response:
    """What time it is in the workspace."""
    return call.answer(_described(call.workspace()))


@CLOCK.call("PUT", body=ClockChange, answer="Clock")
def change(body: dict[str, Any]) -> Response:
    """Freeze, thaw or set the clock; what is due on the way fires as with `advance`."""
    workspace = call.workspace()
    with workspace.lock:
        if "now" in body:
            _advance(workspace, body["now"], "now")
        if body.get("frozen") is True:
            workspace.clock.freeze()
        elif body.get("frozen") is False:
            workspace.clock.thaw()
        return call.answer(_described(workspace))


@CLOCK.call("POST", "/advance", body=Advance, answer="Advanced")
def advance(body: dict[str, Any]) -> Response:
    """Move the clock, firing each timer at its own moment."""
    workspace = call.workspace()
    with workspace.lock:
        fired = _advance(workspace, _target(workspace, body), next(iter(body)))
        return call.answer({**_described(workspace), "fired": fired})


def _target(workspace: Workspace, data: dict[str, Any]) -> datetime:
    now = workspace.clock.now()
    if "to" in data:
        timer = workspace.timers.next()
        return timer.moment if timer else now
    try:
        return now + (data["by"] if "by" in data else timedelta(seconds=data["seconds"]))
    except OverflowError as error:
        raise of_one(next(iter(data)), "beyond the years of the clock") from error


def _advance(workspace: Workspace, moment: datetime, member: str) -> list[dict[str, Any]]:
    try:
        happened = workspace.advance_to(moment)
    except ClockError as error:
        raise of_one(member, str(error)) from error
    return [{"at": row.at, "machine": row.machine, "key": row.key, "event": row.event} for row in happened]


def _described(workspace: Workspace) -> dict[str, Any]:
    clock = workspace.clock
    return {"now": clock.now(), "frozen": clock.frozen, "offset_s": round(clock.offset.total_seconds(), 3)}

"""The views of the clock of a workspace, and of an advance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from marshmallow import fields

from mockserver.core.time import clock
from mockserver.core.traffic.causes import Changed
from mockserver.views.base import members
from mockserver.views.base.view import View


class Moved(NamedTuple):
    """A row of `Advanced`: a clock, and the timed events that happened while it was advanced."""

    clock: clock.Clock
    fired: Sequence[Changed]


class Clock(View):
    """A clock; its row is whatever has one as `clock`: a state, or a `Moved`."""

    now = members.moment(of=lambda row: row.clock.now())
    frozen = members.flag(attribute="clock.frozen")
    offset_s = members.needed(
        fields.Float,
        about="how far it is from real time",
        of=lambda row: round(row.clock.offset.total_seconds(), 3),
    )


class Fired(View):
    at = members.moment()
    machine = members.text()
    key = members.key()
    event = members.text()


class Advanced(Clock):
    fired = members.many(Fired, "the timed events that happened on the way")

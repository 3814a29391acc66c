"""The view of a timer, pending or fired."""

from __future__ import annotations

from itertools import islice
from operator import attrgetter
from typing import NamedTuple

from marshmallow import validate

from mockserver.core.time import clock
from mockserver.core.traffic.causes import TIMER, FiredTimer, Links
from mockserver.core.workspaces.workspace import Workspace
from mockserver.views.base import members
from mockserver.views.base.view import View, listing
from mockserver.views.traffic import causes
from mockserver.views.traffic.requests import Change

#: Which part of all timers may be gone to one by one; measured: sorting takes an eighth of the time for each.
_FAR = 8
PENDING, FIRED = "pending", "fired"


class Due(NamedTuple):
    """A row of `Timer`: a timer, the name of its account, the links of its workspace, and what is known if it fired."""

    timer: clock.Timer
    account: str | None
    links: Links
    fired: FiredTimer | None = None

    @classmethod
    def of(cls, workspace: Workspace, timer: clock.Timer, fired: FiredTimer | None = None) -> Due:
        """The row of a timer of a workspace."""
        account = workspace.state.accounts.get(timer.account)
        return cls(timer, None if account is None else account.name, workspace.links, fired)


def pending(workspace: Workspace, offset: int, limit: int) -> list[Due]:
    """The timers of a workspace from `offset` on, soonest first, as rows of `Timer`."""
    there = workspace.state.timers
    # Far down the list it is quicker to sort all timers than to go to each by way of the heap.
    is_far = (offset + limit) * _FAR > there.count
    found = islice(there if is_far else there.soonest(), offset, offset + limit)
    return [Due.of(workspace, timer) for timer in found]


class Timer(View):
    """An event of an instance that is due at a moment, or was."""

    id = members.text("to which `advance` can go; an address takes it as it is", attribute="timer.id")
    state = members.text(
        validate=validate.OneOf((PENDING, FIRED)), of=lambda row: PENDING if row.fired is None else FIRED
    )
    at = members.moment("when it is due, on the workspace's clock", attribute="timer.moment")
    real_at = members.moment(
        "when it fired in real time; null while it is pending",
        allow_none=True,
        of=lambda row: None if row.fired is None else causes.real(row.fired.real_at),
    )
    machine = members.text(attribute="timer.machine")
    key = members.key(attribute="timer.key")
    event = members.text("an event of the machine, or work that leads to one", attribute="timer.event")
    account = members.text("null if it is gone", allow_none=True)
    transitions = members.many(
        Change,
        "those that it has caused, the first hundred",
        of=lambda row: () if row.fired is None else row.fired.transitions,
    )
    caused, caused_by = causes.linked(TIMER, attrgetter("timer"), attrgetter("links"))


Timers = listing(Timer, "Timers")
FiredTimers = listing(Timer, "FiredTimers", evicted=members.evicted())

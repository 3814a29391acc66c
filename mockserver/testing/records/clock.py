"""The virtual clock of a workspace."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from mockserver.testing.records.causes import Cause

__tracebackhide__ = True  # pytest shows the line of the test instead


class Fired(NamedTuple):
    """An event of a timer that was due while the clock was moved."""

    #: When the timer was due, on the workspace's clock.
    at: datetime
    #: The state machine, such as `sender`.
    machine: str
    #: The key of the instance: a sender's id, a domain's name.
    key: int | str
    event: str


class Timer(NamedTuple):
    """An event that is due at a moment of the clock."""

    #: To be given to `Clock.advance`; it stands for the event at this moment, and stays the same over a written state.
    id: str
    #: When the timer is due, on the workspace's clock.
    at: datetime
    #: The state machine, such as `sender`.
    machine: str
    #: The key of the instance: a sender's id, a domain's name.
    key: int | str
    event: str
    #: The name of the account to which the instance belongs; None: it is gone.
    account: str | None
    #: What has set the timer: the request, the delivery, the control call or another timer.
    caused_by: Sequence[Cause] = ()


class Moment(NamedTuple):
    """The time that a clock shows, and whether it is frozen."""

    now: datetime
    frozen: bool

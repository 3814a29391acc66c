"""The virtual clock of a workspace."""

from __future__ import annotations

from datetime import datetime, timedelta
from types import NoneType
from typing import Any, Unpack

from mockserver.testing.arguments import Units, refuse_unknown
from mockserver.testing.handles.link import Handle, asks
from mockserver.testing.records import Fired, Moment, Timer
from mockserver.views.record import read, read_all

__tracebackhide__ = True  # pytest shows the line of the test instead


class Clock(Handle):
    """The clock of one workspace. All moments are aware, in UTC."""

    @property
    @asks
    def now(self) -> datetime:
        """The present time in the workspace."""
        return self._moment().now

    @property
    @asks
    def frozen(self) -> bool:
        """Whether the clock moves by `advance` and `set` only."""
        return self._moment().frozen

    def advance(
        self, by: timedelta | str | None = None, *, to: Timer | str | None = None, **units: Unpack[Units]
    ) -> list[Fired]:
        """Move the clock forward, fire each timer that is due at its own moment, and return their events in order.

        Give one of: `advance(minutes=20)`, with the arguments of `timedelta`; `advance(timedelta(minutes=20))`;
        `advance("20m")` or `advance("PT20M")`, a duration; `advance(to="next")`, to the moment when the next timer is
        due; `advance(to=timer)`, to the moment when one of `timers()` is due, given as it is or by its id.
        Webhook calls that become due are waited for, so that their retries can become due as well. A frozen clock stays
        frozen.

        Raises:
            TypeError: none of these arguments is given, more than one, or an unknown unit.
            MockServerError: 400; the duration is negative or too long, or there is no such timer.
        """
        given = [body for body in (_by(by), _to(to), _of_units(units)) if body]
        if len(given) != 1 or not isinstance(by, (timedelta, str, NoneType)):
            raise TypeError("advance takes one of: a timedelta, a text such as 20m, units such as minutes=20, to=...")
        answer = self._link.post("/clock/advance", given[0])
        return read_all(Fired, answer["fired"])

    def timers(self, *, limit: int = 1000) -> list[Timer]:
        """What is due on the clock, soonest first, at most `limit` (from 1 to 1000)."""
        return read_all(Timer, self._link.items("/clock/timers", limit=limit))

    def set(self, now: datetime | str) -> None:
        """Move the clock forward to a moment, RFC 3339 or an aware datetime; each timer fires at its own moment.

        Raises:
            MockServerError: the moment is before the present time of the workspace; only `reset` moves a clock back.
        """
        self._link.put("/clock", {"now": now})

    def freeze(self) -> None:
        """Freeze the clock: it moves by `advance` and `set` only."""
        self._link.put("/clock", {"frozen": True})

    def thaw(self) -> None:
        """Let a frozen clock move with real time again."""
        self._link.put("/clock", {"frozen": False})

    def _moment(self) -> Moment:
        return read(Moment, self._link.get("/clock"))


def _by(duration: timedelta | str | None) -> dict[str, Any]:
    if duration is None:
        return {}
    return {"seconds": duration.total_seconds()} if isinstance(duration, timedelta) else {"by": duration}


def _to(timer: Timer | str | None) -> dict[str, Any]:
    if timer is None:
        return {}
    return {"to": timer.id if isinstance(timer, Timer) else timer}


def _of_units(units: Units) -> dict[str, Any]:
    refuse_unknown("advance", units, Units.__annotations__)
    return {"seconds": timedelta(**units).total_seconds()} if units else {}

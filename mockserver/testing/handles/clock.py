"""The virtual clock of a workspace."""

from __future__ import annotations

from datetime import datetime, timedelta
from difflib import get_close_matches
from types import NoneType
from typing import Any, Literal, NamedTuple, TypedDict, Unpack

from mockserver.testing.link import Link
from mockserver.testing.records import read, read_all

__tracebackhide__ = True  # pytest shows the line of the test instead


class Units(TypedDict, total=False):
    """The units of time that `Clock.advance` takes by name, which are those of `timedelta`."""

    weeks: float
    days: float
    hours: float
    minutes: float
    seconds: float
    milliseconds: float
    microseconds: float


class Fired(NamedTuple):
    """An event of a timer that was due while the clock was moved."""

    #: When the timer was due, on the workspace's clock.
    at: datetime
    #: The state machine, such as `sender`.
    machine: str
    #: The key of the instance: a sender's id, a domain's name.
    key: int | str
    event: str


class Moment(NamedTuple):
    """The time that a clock shows, and whether it is frozen."""

    now: datetime
    frozen: bool


class Clock:
    """The clock of one workspace. All moments are aware, in UTC."""

    def __init__(self, link: Link) -> None:
        self._link = link

    @property
    def now(self) -> datetime:
        """The present time in the workspace."""
        return self._moment().now

    @property
    def frozen(self) -> bool:
        """Whether the clock moves by `advance` and `set` only."""
        return self._moment().frozen

    def advance(
        self, by: timedelta | str | None = None, *, to: Literal["next"] | None = None, **units: Unpack[Units]
    ) -> list[Fired]:
        """Move the clock forward, fire each timer that is due at its own moment, and return their events in order.

        Give one of: `advance(minutes=20)`, with the arguments of `timedelta`; `advance(timedelta(minutes=20))`;
        `advance("PT20M")`, an ISO 8601 duration; `advance(to="next")`, to the moment when the next timer is due.
        Webhook calls that become due are waited for, so that their retries can become due as well. A frozen clock stays
        frozen.

        Raises:
            TypeError: none of these arguments is given, more than one, or an unknown unit.
            MockServerError: 400; the duration is negative or too long.
        """
        given = [body for body in (_by(by), {"to": to} if to else {}, _of_units(units)) if body]
        if len(given) != 1 or not isinstance(by, (timedelta, str, NoneType)):
            raise TypeError(
                "advance takes one of: a timedelta or ISO 8601 duration, units such as minutes=20, to='next'"
            )
        fired = self._link.post("/clock/advance", given[0])["fired"]
        return read_all(Fired, fired)

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


def _of_units(units: Units) -> dict[str, Any]:
    known = Units.__annotations__
    for name in units.keys() - known.keys():
        near = get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise TypeError(f"advance knows no unit {name!r}; {hint}there are {', '.join(known)}")
    return {"seconds": timedelta(**units).total_seconds()} if units else {}

"""A workspace's clock."""

from __future__ import annotations

from datetime import datetime, timedelta
from difflib import get_close_matches
from types import NoneType
from typing import Any, Literal, NamedTuple, TypedDict, Unpack

from mockserver.testing.handles.link import Link
from mockserver.testing.handles.reading import read, read_all

__tracebackhide__ = True  # pytest shows the line of the test instead


class Units(TypedDict, total=False):
    """What `advance` takes by name, as `timedelta` does."""

    weeks: float
    days: float
    hours: float
    minutes: float
    seconds: float
    milliseconds: float
    microseconds: float


class Fired(NamedTuple):
    """An event that came due while the clock was moved."""

    at: datetime
    machine: str
    key: int | str
    event: str


class Moment(NamedTuple):
    """Where a clock stands."""

    now: datetime
    frozen: bool


class Clock:
    """The clock of one workspace: see, move, freeze it. Moments carry their time zone, UTC."""

    def __init__(self, link: Link) -> None:
        self._link = link

    @property
    def now(self) -> datetime:
        """What time it is in the workspace."""
        return self._moment().now

    @property
    def frozen(self) -> bool:
        """Whether time stands still, but for what moves it by hand."""
        return self._moment().frozen

    def advance(
        self, by: timedelta | str | None = None, *, to: Literal["next"] | None = None, **units: Unpack[Units]
    ) -> list[Fired]:
        """Move the clock; what comes due on the way happens, each at its own moment, and is given back in order.

        Calls to webhooks are waited for, so that their retries follow on the way.
        One of: `advance(minutes=20)`, with the arguments of `timedelta`; `advance(timedelta(minutes=20))`;
        `advance("PT20M")`; `advance(to="next")`, to when the next timer is due. A frozen clock stays frozen.

        Raises:
            TypeError: none of these forms, more than one, or a unit that there is not.
            MockServerError: the way leads backwards, or is too long.
        """
        given = [form for form in (_by(by), {"to": to} if to else {}, _of_units(units)) if form]
        if len(given) != 1 or not isinstance(by, (timedelta, str, NoneType)):
            raise TypeError(
                "advance takes one of: a timedelta or ISO 8601 duration, units such as minutes=20, to='next'"
            )
        fired = self._link.post("/clock/advance", given[0])["fired"]
        return read_all(Fired, fired)

    def set(self, now: datetime | str) -> None:
        """Put the clock forward to a moment, RFC 3339 or a datetime with its zone; what is due on the way happens.

        Raises:
            MockServerError: the moment lies in the past of the workspace; only `reset` leads back.
        """
        self._link.put("/clock", {"now": now})

    def freeze(self) -> None:
        """Let time stand still."""
        self._link.put("/clock", {"frozen": True})

    def thaw(self) -> None:
        """Let time pass again."""
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

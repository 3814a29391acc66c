"""The timeline of deliveries: where their attempts stand on a line of the workspace's clock, and how each looks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

#: The signs stand between these percents of the width, so that none is cut at an end.
_LEFT, _RIGHT = 4.0, 96.0
#: The least that a line stands for: a second's difference is not to fill it.
_SHORTEST = timedelta(minutes=1)
#: How many of its last attempts a delivery shows on its line; chosen: more than the five that it makes by itself.
_MOST_SIGNS = 12
#: How far signs are apart, in percent, whose labels do not touch each other on a phone.
_ROOM = 14.0


class Sign(NamedTuple):
    """Something on a line: where, in percent of its width, how it looks, and what it says."""

    x: str
    #: `ok`, `refused` (a status that is no success), `silent` (no answer), `under_way` or `next`.
    look: str
    #: What stands beside it; empty where there is no room.
    label: str
    says: str


class Label(NamedTuple):
    """A text of the axis: where, in percent, how it is aligned there, and what it says."""

    x: str
    anchor: str
    text: str


class Scale:
    """Where moments of the workspace's clock stand on all lines of a page.

    A clock that has gone on for long after the last sign would press all signs together: the line of the present moment
    stands at the right end then.
    """

    def __init__(self, moments: Iterable[datetime], now: datetime) -> None:
        found = [*moments]
        self.now = now
        self.first = min(found, default=now)
        last = max(found, default=now)
        # As much again after the last sign as before it, at most.
        last = max(last, min(now, last + max(last - self.first, _SHORTEST)))
        self.last = max(last, self.first + _SHORTEST)

    def place(self, moment: datetime) -> float:
        """Where a moment stands, in percent of the width; one beyond the line stands at its end."""
        part = (moment - self.first) / (self.last - self.first)
        return _LEFT + (_RIGHT - _LEFT) * min(max(part, 0.0), 1.0)

    @property
    def is_beyond(self) -> bool:
        """Whether the present moment is later than all that the line stands for."""
        return self.now > self.last

    def axis(self) -> list[Label]:
        """The texts of the axis: its ends, and the present moment; an end that this would touch is left out."""
        at = self.place(self.now)
        found = []
        if at - _LEFT > 3 * _ROOM:
            found.append(Label("0", "start", self._written(self.first)))
        if _RIGHT - at > 3 * _ROOM:
            found.append(Label("100", "end", self._written(self.last)))
        anchor = "start" if at < 2 * _ROOM else "end" if at > 100 - 2 * _ROOM else "middle"
        x = {"start": max(at - _LEFT, 0.0), "end": min(at + _LEFT, 100.0), "middle": at}[anchor]
        found.append(Label(percent(x), anchor, f"now {self._written(self.now)}"))
        return found

    def _written(self, moment: datetime) -> str:
        """The time of a moment, with its day where the line is of several."""
        is_one_day = self.first.date() == self.last.date() == self.now.date()
        return f"{moment:%H:%M:%S}" if is_one_day else f"{moment:%d %b %H:%M}"


def percent(x: float) -> str:
    """A place on the line as SVG takes it, without its sign."""
    return f"{x:.2f}"


def moments(delivery: Mapping[str, Any]) -> Iterator[datetime]:
    """The moments of a delivery that stand on its line; it is what its view shows."""
    yield from (attempt["at"] for attempt in delivery["attempts"][-_MOST_SIGNS:])
    if delivery["next_at"] is not None:
        yield delivery["next_at"]
    if not delivery["attempts"]:
        yield delivery["created_at"]


def signs(delivery: Mapping[str, Any], scale: Scale) -> list[Sign]:
    """The signs of a delivery, oldest first; labels that would touch the one before are left out."""
    found = [_of_attempt(attempt, scale) for attempt in delivery["attempts"][-_MOST_SIGNS:]]
    if delivery["in_flight"]:
        found.append(Sign(percent(scale.place(scale.now)), "under_way", "now", "An attempt is under way"))
    if delivery["next_at"] is not None:
        at = delivery["next_at"]
        found.append(Sign(percent(scale.place(at)), "next", "next", f"Next attempt at {at:%H:%M:%S}"))
    return _with_room(found)


def _of_attempt(attempt: Mapping[str, Any], scale: Scale) -> Sign:
    status = attempt.get("status")
    look = "silent" if status is None else "ok" if 200 <= status < 300 else "refused"
    label, says = ("none", "no answer") if status is None else (str(status), str(status))
    return Sign(percent(scale.place(attempt["at"])), look, label, f"{says} at {attempt['at']:%H:%M:%S}")


def _with_room(found: Sequence[Sign]) -> list[Sign]:
    """The same signs; where two are close to each other, the later one keeps its label, as it says what holds now."""
    kept: list[Sign] = []
    free = 200.0
    for sign in reversed(found):
        at = float(sign.x)
        if free - at < _ROOM:
            sign = sign._replace(label="")  # noqa: PLW2901  # the same sign, with less to say
        else:
            free = at
        kept.append(sign)
    return kept[::-1]

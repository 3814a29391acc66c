"""The deliveries that the page lists: those that the address asks for, each with its line of the timeline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from werkzeug.datastructures import MultiDict

from mockserver.control.framework import off_loop
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.deliveries import delivery as model
from mockserver.resources.deliveries.model import RETRIES, DeliveryCriteria, select
from mockserver.views.record import plain
from mockserver.views.traffic import show_delivery

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


#: How many deliveries a page shows; the rest is counted.
MOST = 100
#: How many outcomes are told of a delivery in a list.
_OUTCOMES = 5


class Filter(NamedTuple):
    """What the address asks for, as it was typed, and what of it makes no sense."""

    webhook: str
    state: str
    event: str
    #: A sentence for each value that is left out.
    unclear: Sequence[str]

    @property
    def wanted(self) -> DeliveryCriteria:
        """What is looked for, without what makes no sense."""
        webhook = int(self.webhook) if _is_number(self.webhook) else None
        state = self.state if self.state in model.MACHINE.states else None
        return DeliveryCriteria(webhook, state, self.event or None)

    @property
    def is_set(self) -> bool:
        """Whether any deliveries are left out."""
        return self.wanted != DeliveryCriteria()


def asked(query: MultiDict[str, str]) -> Filter:
    """The filter in the query of an address."""
    webhook, state = query.get("webhook", "").strip(), query.get("state", "").strip()
    unclear = []
    if webhook and not _is_number(webhook):
        unclear.append("A webhook goes by its number, so this filter is left out.")
    if state and state not in model.MACHINE.states:
        unclear.append(
            f"A delivery is {', '.join(model.MACHINE.states[:-1])} or {model.MACHINE.states[-1]}: any state is shown."
        )
    return Filter(webhook, state, query.get("event", "").strip(), unclear)


def _is_number(text: str) -> bool:
    # Longer numbers are no ids, and Python reads no text of thousands of digits as a number.
    return text.isascii() and text.isdigit() and len(text) <= len(str(2**63))


class Line(NamedTuple):
    """A delivery in the list: what its view shows, and its signs on the timeline."""

    delivery: Mapping[str, Any]
    signs: Sequence[Sign]
    #: How its last attempts ended.
    outcomes: str


class Lines(NamedTuple):
    """The newest deliveries that are wanted, on one scale."""

    lines: Sequence[Line]
    scale: Scale
    #: How many are wanted in all, how many there are, and how many had to go as there is a limit.
    number: int
    total: int
    evicted: int


def lines(workspace: Workspace, wanted: DeliveryCriteria) -> Lines:
    """The newest deliveries that are wanted; rows are read under the lock of the workspace, which the caller holds."""
    accounts = workspace.state.accounts.values()
    total = sum(len(account.rows_of(model.Delivery)) for account in accounts)
    found = select(workspace, wanted)
    off_loop.before_showing(row.text_size for _, row in found[: MOST + 1])
    shown = [plain(show_delivery(account.name, row, workspace.links)) for account, row in found[:MOST]]
    scale = Scale((at for row in shown for at in moments(row)), workspace.state.clock.now())
    rows = [Line(row, signs(row, scale), _outcomes(row)) for row in shown]
    return Lines(rows, scale, len(found), total, workspace.state.evicted_deliveries)


def _outcomes(delivery: Mapping[str, Any]) -> str:
    attempts = delivery["attempts"]
    told = [str(attempt.get("status", "no answer")) for attempt in attempts[-_OUTCOMES:]]
    made = len(attempts) + delivery["attempts_evicted"]
    before = f"{made - len(told)} before, " if made > len(told) else ""
    return f"{before}{', '.join(told)}"


def why_dropped(workspace: Workspace, row: model.Delivery) -> str:
    """Why no further attempt of a dropped delivery is made; empty for one that is not, and where nobody knows."""
    if row.state != model.DROPPED or not row.attempts:
        return ""
    if _are_used_up(row):
        return f"{len(RETRIES) + 1} attempts have failed, and no more are made"
    status = row.attempts[-1].status
    if status is None or status == 429:
        return ""
    if status >= 500 and workspace.state.behaviour.webhook_5xx != "retry":
        return f"after {status} the service does not try again, unless behaviour.webhook_5xx is retry"
    return f"after {status} the service does not try again" if status < 500 else ""


def _are_used_up(row: model.Delivery) -> bool:
    """Whether the last attempt was the one after the longest wait: one that is called off before it, is not."""
    if row.failures < len(RETRIES) or len(row.attempts) <= len(RETRIES):
        return False
    return row.attempts[-1].at - row.attempts[-2].at >= RETRIES[-1]

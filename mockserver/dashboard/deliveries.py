"""Deliveries on the page Webhooks: filter, list and timeline."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from werkzeug.datastructures import MultiDict

from mockserver.core.state.state import Account
from mockserver.core.time.duration import spoken
from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard.names import receiver_of
from mockserver.dashboard.rows import Line, short
from mockserver.resources.deliveries import delivery as model
from mockserver.resources.deliveries.model import RETRIES, DeliveryCriteria, select
from mockserver.views import redaction
from mockserver.views.record import plain
from mockserver.views.traffic import show_delivery
from mockserver.web.server import loop

#: The range of marks in percent of the width.
_LEFT, _RIGHT = 4.0, 96.0
#: The shortest time that a line shows.
_SHORTEST = timedelta(minutes=1)
#: The most attempts of a delivery on the line. Chosen: more than the five automatic attempts.
_MOST_SIGNS = 12


class Sign(NamedTuple):
    """A timeline mark for a past or next attempt."""

    x: str
    #: `ok`, `refused` (an error status), `silent` (no answer), `under_way` or `next`.
    look: str
    says: str


class Scale:
    """One time scale shared by all deliveries on a page.

    The present moment stays at the right end if the clock is long after the last mark, so marks stay apart.
    """

    def __init__(self, moments: Iterable[datetime], now: datetime) -> None:
        found = [*moments]
        self.now = now
        self.first = min(found, default=now)
        last = max(found, default=now)
        # The time after the last mark is at most as long as the time before it.
        last = max(last, min(now, last + max(last - self.first, _SHORTEST)))
        self.last = max(last, self.first + _SHORTEST)

    def place(self, moment: datetime) -> float:
        """Return a moment's place in percent of the width, clamped to the line."""
        part = (moment - self.first) / (self.last - self.first)
        return _LEFT + (_RIGHT - _LEFT) * min(max(part, 0.0), 1.0)

    def x(self, moment: datetime) -> str:
        """Return the place of a moment for SVG."""
        return f"{self.place(moment):.2f}"

    @property
    def is_beyond(self) -> bool:
        """Whether the present moment lies right of the line."""
        return self.now > self.last

    @property
    def span(self) -> str:
        """The moments of both ends."""
        is_one_day = self.first.date() == self.last.date()
        return " to ".join(f"{end:%H:%M:%S}" if is_one_day else f"{end:%d %b %H:%M}" for end in (self.first, self.last))


def moments(delivery: Mapping[str, Any]) -> Iterator[datetime]:
    """Yield the moments of a delivery that the timeline shows."""
    yield from (attempt["at"] for attempt in delivery["attempts"][-_MOST_SIGNS:])
    if delivery["next_at"] is not None:
        yield delivery["next_at"]
    if not delivery["attempts"]:
        yield delivery["created_at"]


def signs(delivery: Mapping[str, Any], scale: Scale) -> list[Sign]:
    """Return the marks of a delivery, oldest first."""
    found = [_of_attempt(attempt, scale) for attempt in delivery["attempts"][-_MOST_SIGNS:]]
    if delivery["in_flight"]:
        found.append(Sign(scale.x(scale.now), "under_way", "An attempt is under way"))
    if delivery["next_at"] is not None:
        at = delivery["next_at"]
        found.append(Sign(scale.x(at), "next", f"Next attempt at {at:%H:%M:%S}"))
    return found


def _of_attempt(attempt: Mapping[str, Any], scale: Scale) -> Sign:
    status = attempt.get("status")
    look = "silent" if status is None else "ok" if 200 <= status < 300 else "refused"
    return Sign(scale.x(attempt["at"]), look, f"{status or 'no answer'} at {attempt['at']:%H:%M:%S}")


#: The most deliveries on a page.
MOST = 100
#: The most outcomes of a delivery in the list.
_OUTCOMES = 5


class Filter(NamedTuple):
    """The filter as typed, and its errors."""

    webhook: str
    state: str
    event: str
    #: A part of the address, the body or the number, in any case.
    text: str
    #: A sentence for each invalid value.
    unclear: Sequence[str]

    @property
    def wanted(self) -> DeliveryCriteria:
        """The valid part of the filter."""
        webhook = int(self.webhook) if _is_number(self.webhook) else None
        state = self.state if self.state in model.MACHINE.states else None
        return DeliveryCriteria(webhook, state, self.event or None)

    @property
    def is_set(self) -> bool:
        """Whether the filter excludes any deliveries."""
        return self.wanted != DeliveryCriteria() or bool(self.text)


def asked(query: MultiDict[str, str]) -> Filter:
    """Parse the filter of a query."""
    webhook, state = query.get("webhook", "").strip(), query.get("state", "").strip()
    unclear = []
    if webhook and not _is_number(webhook):
        unclear.append("A webhook goes by its number, so this filter is left out.")
    if state and state not in model.MACHINE.states:
        unclear.append(
            f"A delivery is {', '.join(model.MACHINE.states[:-1])} or {model.MACHINE.states[-1]}: any state is shown."
        )
    return Filter(webhook, state, query.get("event", "").strip(), query.get("text", "").strip(), unclear)


def _is_number(text: str) -> bool:
    # Longer numbers are no ids, and Python refuses to parse thousands of digits.
    return text.isascii() and text.isdigit() and len(text) <= len(str(2**63))


def found(workspace: Workspace, wanted: DeliveryCriteria, text: str) -> Sequence[tuple[Account, model.Delivery]]:
    """Return the matching deliveries that mention a text, newest first. The workspace is open."""
    rows, lowered = select(workspace, wanted), text.casefold()
    return [pair for pair in rows if _mentions(*pair, lowered)] if text else rows


def _mentions(account: Account, row: model.Delivery, text: str) -> bool:
    head = f"{row.id} {' '.join(row.events)} {receiver_of(account, row)}"
    return text in head.casefold() or text in row.body.decode(errors="replace").casefold()


def lines(workspace: Workspace, wanted: DeliveryCriteria, text: str = "") -> dict[str, Any]:
    """Return the newest matching deliveries on one scale. The workspace is open."""
    accounts = workspace.state.accounts.values()
    total = sum(len(account.rows_of(model.Delivery)) for account in accounts)
    matching = found(workspace, wanted, text)
    loop.leave_if_long(row.text_size for _, row in matching[: MOST + 1])
    shown = [plain(show_delivery(account.name, row, workspace.links)) for account, row in matching[:MOST]]
    scale = Scale((at for row in shown for at in moments(row)), workspace.state.clock.now())
    receivers = [receiver_of(account, row) for account, row in matching[:MOST]]
    return {
        "lines": [_line(row, receiver, scale) for row, receiver in zip(shown, receivers, strict=True)],
        "scale": scale,
        "number": len(matching),
        "total": total,
        "evicted": workspace.state.evicted_deliveries,
    }


def _line(delivery: Mapping[str, Any], receiver: str, scale: Scale) -> Line:
    events, next_at = delivery["event"], delivery["next_at"]
    event = events if isinstance(events, str) else f"batch of {len(events)}: {', '.join(events[:3])}"
    left = "" if next_at is None else f"in {spoken(next_at - scale.now)}" if next_at > scale.now else "now"
    cells = {
        "id": delivery["id"],
        "state": delivery["state"],
        "event": short(event),
        "receiver": short(redaction.plain(receiver)),
        "outcomes": "under way" if delivery["in_flight"] else _outcomes(delivery),
        "next": left and f"next {left}",
        "signs": signs(delivery, scale),
    }
    return Line(f"delivery-{delivery['id']}", cells, f"webhooks/{delivery['id']}")


def _outcomes(delivery: Mapping[str, Any]) -> str:
    attempts = delivery["attempts"]
    told = [str(attempt.get("status", "no answer")) for attempt in attempts[-_OUTCOMES:]]
    made = len(attempts) + delivery["attempts_evicted"]
    before = f"{made - len(told)} before, " if made > len(told) else ""
    return f"{before}{', '.join(told)}"


def why_dropped(workspace: Workspace, row: model.Delivery) -> str:
    """Return the reason for dropping a delivery, or an empty text if unknown or not dropped."""
    if row.state != model.DROPPED or not row.attempts:
        return ""
    was_last = row.failures >= len(RETRIES) and len(row.attempts) > len(RETRIES)
    if was_last and row.attempts[-1].at - row.attempts[-2].at >= RETRIES[-1]:
        return f"{len(RETRIES) + 1} attempts have failed, and no more are made"
    status = row.attempts[-1].status
    if status is None or status == 429:
        return ""
    if status >= 500 and workspace.state.behaviour.webhook_5xx != "retry":
        return f"after {status} the service does not try again, unless behaviour.webhook_5xx is retry"
    return f"after {status} the service does not try again" if status < 500 else ""

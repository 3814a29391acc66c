"""The deliveries that the page lists: those that the address asks for, each with its line of the timeline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from werkzeug.datastructures import MultiDict

from mockserver.control.framework import off_loop
from mockserver.core.workspaces.workspace import Workspace
from mockserver.dashboard.webhooks import timeline
from mockserver.resources.deliveries import delivery as model
from mockserver.resources.deliveries.attempts import RETRIES
from mockserver.resources.deliveries.model import Wanted, select
from mockserver.views.traffic.deliveries import Delivery, Owned

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
    def wanted(self) -> Wanted:
        """What is looked for, without what makes no sense."""
        webhook = int(self.webhook) if _is_number(self.webhook) else None
        state = self.state if self.state in model.MACHINE.states else None
        return Wanted(webhook, state, self.event or None)

    @property
    def is_set(self) -> bool:
        """Whether any deliveries are left out."""
        return self.wanted != Wanted()


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
    signs: Sequence[timeline.Sign]
    #: How its last attempts ended.
    outcomes: str


class Lines(NamedTuple):
    """The newest deliveries that are wanted, on one scale."""

    lines: Sequence[Line]
    scale: timeline.Scale
    #: How many are wanted in all, how many there are, and how many had to go as there is a limit.
    number: int
    total: int
    evicted: int


def lines(workspace: Workspace, wanted: Wanted) -> Lines:
    """The newest deliveries that are wanted; rows are read under the lock of the workspace, which the caller holds."""
    accounts = workspace.state.accounts.values()
    total = sum(len(account.rows_of(model.Delivery)) for account in accounts)
    found = select(workspace, wanted)
    off_loop.before_showing(row.text_size for _, row in found[: MOST + 1])
    shown = [Delivery.show(Owned(account.name, row, workspace.links)) for account, row in found[:MOST]]
    scale = timeline.Scale((at for row in shown for at in timeline.moments(row)), workspace.state.clock.now())
    rows = [Line(row, timeline.signs(row, scale), _outcomes(row)) for row in shown]
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

"""Which deliveries a workspace keeps: as many, and as many bytes of them, as its limits say."""

from __future__ import annotations

from bisect import bisect_left, insort
from datetime import datetime
from operator import attrgetter
from typing import Any

from mockserver.core.state.account import Account
from mockserver.core.traffic.ring import weight
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.deliveries.delivery import Delivery, call_off, size_of

#: No payload takes more than this part of the bytes of all of them.
_SHARE = 4


class Settled:
    """The ids of those calls that rest, the one that was last tried longest ago first; one record of each account.

    Not by when they have come to rest, which a state that is put back does not know.
    """

    def __init__(self) -> None:
        self._rows: list[tuple[datetime, int]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def __deepcopy__(self, memo: object) -> Settled:
        found = Settled()
        found._rows = self._rows.copy()
        return found

    def add(self, delivery: Delivery) -> None:
        """Let a call rest, which is not tried again while it does."""
        insort(self._rows, _last(delivery))

    def discard(self, delivery: Delivery) -> None:
        """Let a call rest no more, if it does."""
        place = bisect_left(self._rows, _last(delivery))
        if self._rows[place : place + 1] == [_last(delivery)]:
            del self._rows[place]

    def take(self) -> int | None:
        """The first one, which is taken out; None: there is none."""
        return self._rows.pop(0)[1] if self._rows else None


def _last(delivery: Delivery) -> tuple[datetime, int]:
    """When a call was last tried, or made if it never was; of several the one with the lowest id comes first."""
    return delivery.attempts[-1].at if delivery.attempts else delivery.created_at, delivery.id


def make_room(workspace: Workspace, account: Account) -> None:
    """Forget as many calls as there are too many: those that rest, then those that were made first."""
    while len(account.table(Delivery)) > workspace.limits.deliveries:
        _evict(workspace, account)
    while workspace.state.tally.bytes > workspace.limits.deliveries_bytes:
        _evict(workspace, _crowded(workspace, account))


def add_payload(workspace: Workspace, delivery: Delivery, event: str, payload: dict[str, Any], size: int) -> None:
    """Let a call carry one more event; where that is too large for a workspace, a short one says so in its place.

    The lists are made anew, as a workspace on trial has those of the one below.
    """
    if size > workspace.limits.deliveries_bytes // _SHARE:
        payload = {"error": f"the payload takes {size:,} bytes, more than the mock keeps of one call"}
        size = weight(payload)
    delivery.payloads, delivery.events = [*delivery.payloads, payload], [*delivery.events, event]
    delivery.carried += size


def keep(workspace: Workspace, account: Account, delivery: Delivery) -> None:
    """Count what a call takes by now, and let others go for it."""
    count(account, delivery)
    make_room(workspace, account)


def count(account: Account, delivery: Delivery) -> None:
    """Count what a call takes by now, if it is kept; a target counts for each call that knows it."""
    if account.table(Delivery).get(delivery.id) is delivery:
        before, delivery.size = delivery.size, size_of(delivery)
        account.weigh(delivery.size - before)


def _crowded(workspace: Workspace, account: Account) -> Account:
    """Whose call goes: this account's, if one rests, else that of another one in which one does."""
    if account.record(Settled):
        return account
    holding = [other for other in workspace.state.accounts.values() if other.bytes]
    return next((other for other in holding if other.record(Settled)), None) or max(holding, key=attrgetter("bytes"))


def _evict(workspace: Workspace, account: Account) -> None:
    rows, oldest = account.table(Delivery), account.record(Settled).take()
    if oldest is None:
        oldest = next(iter(rows))
    account.weigh(-rows.pop(oldest).size)
    call_off(workspace, oldest)
    workspace.state.evicted_deliveries += 1

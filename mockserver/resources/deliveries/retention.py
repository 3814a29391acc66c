"""Which deliveries a workspace keeps: no more, and no more bytes of them, than its limits say."""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass, field
from datetime import datetime
from operator import attrgetter
from typing import Any

from mockserver.core.state.state import Account
from mockserver.core.traffic.ring import weight
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.deliveries.delivery import Delivery, cancel_attempts, size_in_memory

#: One payload may take a fourth of the bytes that all deliveries may take: more would leave little for the others.
_LARGEST_SHARE = 4


@dataclass(slots=True, eq=False)
class Finished:
    """The ids of an account's finished deliveries, by the moment of their last attempt; one record per account.

    The order is not that in which they finished: a state that was loaded does not know it.
    """

    _rows: list[tuple[datetime, int]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self._rows)

    def __deepcopy__(self, memo: object) -> Finished:
        found = Finished()
        found._rows = self._rows.copy()
        return found

    def add(self, delivery: Delivery) -> None:
        """Count a delivery as finished."""
        insort(self._rows, _last(delivery))

    def discard(self, delivery: Delivery) -> None:
        """Count a delivery as finished no more; nothing happens if it is not counted."""
        index = bisect_left(self._rows, _last(delivery))
        if self._rows[index : index + 1] == [_last(delivery)]:
            del self._rows[index]

    def take(self) -> int | None:
        """Remove the delivery whose last attempt is the oldest, and return its id, or None if there is none."""
        return self._rows.pop(0)[1] if self._rows else None


def _last(delivery: Delivery) -> tuple[datetime, int]:
    """What finished deliveries are sorted by: the moment of the last attempt, else that of creation, then the id."""
    return delivery.attempts[-1].at if delivery.attempts else delivery.created_at, delivery.id


def evict_excess(workspace: Workspace, account: Account) -> None:
    """Evict deliveries until the limits hold again: finished ones first, then those that were made first.

    The limit of the number is one of each account, that of the bytes one of the workspace.
    """
    while len(account.rows_of(Delivery)) > workspace.limits.deliveries:
        _evict(workspace, account)
    while workspace.state.tally.bytes > workspace.limits.deliveries_bytes:
        _evict(workspace, _account_to_evict_from(workspace, account))


def add_payload(workspace: Workspace, delivery: Delivery, event: str, payload: dict[str, Any], size: int) -> None:
    """Add an event with its payload, which takes `size` bytes in memory, to the call of a delivery.

    A payload that is too large for the workspace is replaced by a short one that says so. The lists of the delivery
    are made anew and not appended to: a trial shares them with the workspace below it.
    """
    if size > workspace.limits.deliveries_bytes // _LARGEST_SHARE:
        payload = {"error": f"the payload takes {size:,} bytes, more than the mock keeps of one call"}
        size = weight(payload)
    delivery.payloads, delivery.events = [*delivery.payloads, payload], [*delivery.events, event]
    delivery.payloads_size += size


def keep_within_limits(workspace: Workspace, account: Account, delivery: Delivery) -> None:
    """Update the size of a delivery, and evict deliveries until the limits hold again."""
    update_size(account, delivery)
    evict_excess(workspace, account)


def update_size(account: Account, delivery: Delivery) -> None:
    """Count what a delivery takes by now, if it is still kept; a target counts once for each delivery that knows it."""
    if account.table(Delivery).get(delivery.id) is delivery:
        before, delivery.size = delivery.size, size_in_memory(delivery)
        account.weigh(delivery.size - before)


def _account_to_evict_from(workspace: Workspace, account: Account) -> Account:
    """The account itself if one of its deliveries is finished, else another one with such, else the largest one."""
    if account.record(Finished):
        return account
    holding = [other for other in workspace.state.accounts.values() if other.bytes]
    return next((other for other in holding if other.record(Finished)), None) or max(holding, key=attrgetter("bytes"))


def _evict(workspace: Workspace, account: Account) -> None:
    rows, oldest = account.table(Delivery), account.record(Finished).take()
    if oldest is None:
        oldest = next(iter(rows))
    account.weigh(-rows.pop(oldest).size)
    cancel_attempts(workspace, oldest)
    workspace.state.evicted_deliveries += 1

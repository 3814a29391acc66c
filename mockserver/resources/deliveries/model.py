"""What other resources do with deliveries: schedule one, cancel those of a webhook, change their target."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import NamedTuple

from mockserver.core.state.state import Account
from mockserver.core.traffic import causes
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.deliveries.delivery import DELIVERY, RETRYING, SCHEDULED, Delivery, Target, await_attempt
from mockserver.resources.deliveries.retention import evict_excess, keep_within_limits, update_size


def schedule(workspace: Workspace, account: Account, delivery: Delivery) -> Delivery:
    """Begin the life of a delivery, which is made at its `next_at`; returns it.

    Where the limits of the workspace are reached, others are evicted for it, or the delivery itself is.
    """
    DELIVERY.begin(workspace, account, delivery)
    workspace.link(causes.DELIVERY, delivery.id)
    keep_within_limits(workspace, account, delivery)
    if delivery.id in account.table(Delivery):
        await_attempt(workspace, account, delivery)
    return delivery


class Wanted(NamedTuple):
    """Which deliveries are looked for: to a webhook, in a state, of an event by its name; None: whichever."""

    webhook: int | None = None
    state: str | None = None
    event: str | None = None


def select(workspace: Workspace, wanted: Wanted) -> Sequence[tuple[Account, Delivery]]:
    """The deliveries of a workspace that are wanted, each with its account, newest first."""
    webhook, state, event = wanted
    found = [
        (row.id, account, row)
        for account in workspace.state.accounts.values()
        for row in account.rows_of(Delivery).values()
        if webhook in (None, row.webhook) and state in (None, row.state) and (event is None or event in row.events)
    ]
    found.sort(key=itemgetter(0), reverse=True)
    return [(account, row) for _, account, row in found]


def cancel_all(workspace: Workspace, account: Account, webhook: int) -> None:
    """Cancel all deliveries of a webhook that are not finished."""
    for row in list(account.table(Delivery).values()):
        if row.webhook == webhook and row.state in (SCHEDULED, RETRYING):
            DELIVERY.fire(workspace, account, row, "cancel")


def retarget(workspace: Workspace, account: Account, webhook: int, target: Target) -> None:
    """Send all unfinished deliveries of a webhook to its new target; past attempts keep the target that they had."""
    for row in account.table(Delivery).values():
        if row.webhook == webhook and row.state in (SCHEDULED, RETRYING) and row.target != target:
            row.attempts = [attempt._replace(target=attempt.target or row.target) for attempt in row.attempts]
            row.target = target
            update_size(account, row)
    evict_excess(workspace, account)

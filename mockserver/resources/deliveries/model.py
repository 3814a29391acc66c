"""Deliveries: what is to be sent, called off, and sent elsewhere."""

from __future__ import annotations

from mockserver.core.state.account import Account
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.deliveries.delivery import DELIVERY, RETRYING, SCHEDULED, Delivery, Target, await_attempt
from mockserver.resources.deliveries.retention import count, keep, make_room


def schedule(workspace: Workspace, account: Account, delivery: Delivery) -> Delivery:
    """Let a call be made at its moment; the settled one that was last tried longest ago goes for it, if one has to."""
    DELIVERY.begin(workspace, account, delivery)
    keep(workspace, account, delivery)
    if delivery.id in account.table(Delivery):
        await_attempt(workspace, account, delivery)
    return delivery


def cancel_all(workspace: Workspace, account: Account, webhook: int) -> None:
    """Send nothing more to a webhook that is gone."""
    for row in list(account.table(Delivery).values()):
        if row.webhook == webhook and row.state in (SCHEDULED, RETRYING):
            DELIVERY.fire(workspace, account, row, "cancel")


def retarget(workspace: Workspace, account: Account, webhook: int, target: Target) -> None:
    """What is still to be sent goes to the webhook's new address; what was sent has gone to the old one."""
    for row in account.table(Delivery).values():
        if row.webhook == webhook and row.state in (SCHEDULED, RETRYING) and row.target != target:
            row.attempts = [attempt._replace(target=attempt.target or row.target) for attempt in row.attempts]
            row.target = target
            count(account, row)
    make_room(workspace, account)

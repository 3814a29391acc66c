"""Calls for events: one for each, or one for many where the webhook is batched (contract/deliveries)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from datetime import datetime, timedelta
from operator import itemgetter
from typing import Any

from mockserver.core.state.account import Account
from mockserver.core.time.clock import LATEST
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.deliveries import model as deliveries
from mockserver.resources.deliveries.delivery import SCHEDULED, Delivery
from mockserver.resources.deliveries.retention import add_payload, keep_within_limits
from mockserver.resources.webhooks.model import OpenWindows, Webhook

#: A window collects for so long, and its calls, which all go at its end, hold at most so many events each.
BATCH_WINDOW = timedelta(minutes=5)
BATCH_SIZE = 500
_end_of = itemgetter(0)


def send(
    workspace: Workspace,
    account: Account,
    webhook: Webhook,
    event: str,
    payload: dict[str, Any],
    at: datetime,
    *,
    size: int,
) -> Delivery:
    """Give an event a call of its own or, if the webhook is batched, a place in one of its window's; gives the call.

    The payload's weight is the caller's to know, who sends the same to many.
    """
    last = _window(workspace, account, webhook, at) if webhook.batched else None
    has_room = last is not None and len(last.payloads) < BATCH_SIZE
    call = last if last is not None and has_room else _begun(workspace, account, webhook, at, last)
    add_payload(workspace, call, event, payload, size)
    if not has_room:
        return deliveries.schedule(workspace, account, call)
    keep_within_limits(workspace, account, call)
    return call


def resume(account: Account) -> None:
    """Let the windows of a state that was loaded go on collecting."""
    account.record(OpenWindows).clear()
    for row in account.table(Delivery).values():
        if row.batched and _collects(row):
            _open(account, row)


def _window(workspace: Workspace, account: Account, webhook: Webhook, at: datetime) -> Delivery | None:
    """The last call of the window in which a moment falls, of that which ends first; None, where there is none."""
    windows = account.record(OpenWindows).get(webhook.id, [])
    del windows[: bisect_right(windows, min(at, workspace.state.clock.now()), key=_end_of)]
    index = bisect_right(windows, at, key=_end_of)
    while index < len(windows) and windows[index][0] - BATCH_WINDOW <= at:
        call = account.table(Delivery).get(windows[index][1])
        if call is not None and _collects(call):
            return call
        del windows[index]
    return None


def _begun(
    workspace: Workspace, account: Account, webhook: Webhook, at: datetime, last: Delivery | None
) -> Delivery:  # fmt: skip
    """A new call: for this moment, or for the end of a window whose last call is full."""
    due = at if not webhook.batched else _end(last) if last is not None else _window_end(at)
    call = Delivery(
        workspace.state.next_id("delivery"), webhook.target, [], [], created_at=at, next_at=due, webhook=webhook.id,
        kind=webhook.type, batched=webhook.batched,
    )  # fmt: skip
    if webhook.batched:
        _open(account, call)
    return call


def _open(account: Account, call: Delivery) -> None:
    """Let a call take the place of the one of its window that is full."""
    windows, window = account.record(OpenWindows).setdefault(call.webhook or 0, []), (_end(call), call.id)
    index = bisect_left(windows, window[0], key=_end_of)
    windows[index : bisect_right(windows, window[0], lo=index, key=_end_of)] = [window]


def _end(call: Delivery) -> datetime:
    """When the window of a call ends that nobody has tried."""
    return call.next_at or _window_end(call.created_at)


def _window_end(start: datetime) -> datetime:
    """When a window ends that begins at a moment: the clock's last moment at the latest."""
    return min(start + BATCH_WINDOW, LATEST)


def _collects(call: Delivery) -> bool:
    """Whether the window of a call that is there is still open: nobody has tried it."""
    return call.state == SCHEDULED and not call.attempts and not call.in_flight

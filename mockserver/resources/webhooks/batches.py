"""The calls in which events go to a webhook: one for each, or one for many if it is batched (contract/deliveries)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from datetime import datetime, timedelta
from operator import itemgetter
from typing import Any

from mockserver.core.state.state import Account
from mockserver.core.time.clock import LATEST
from mockserver.core.traffic.causes import DELIVERY
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.deliveries import model as deliveries
from mockserver.resources.deliveries.delivery import SCHEDULED, Delivery
from mockserver.resources.deliveries.retention import add_payload, keep_within_limits
from mockserver.resources.webhooks.model import OpenWindows, Webhook

#: How long a window of a batched webhook collects events, and how many of them one call holds at most. All calls of a
#: window are made at its end.
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
    """Send an event to a webhook, in a call of its own or, if the webhook is batched, in one with others.

    `at` is the moment of the event, `size` what the payload takes in memory, in bytes: a caller with many webhooks
    weighs it once. Returns the call.
    """
    last = _open_call(workspace, account, webhook, at) if webhook.batched else None
    has_room = last is not None and len(last.payloads) < BATCH_SIZE
    call = last if last is not None and has_room else _new_call(workspace, account, webhook, at, last)
    add_payload(workspace, call, event, payload, size)
    if not has_room:
        return deliveries.schedule(workspace, account, call)
    workspace.link(DELIVERY, call.id)
    keep_within_limits(workspace, account, call)
    return call


def resume(account: Account) -> None:
    """Find the calls of a loaded account that still collect events, and let them go on."""
    account.record(OpenWindows).clear()
    for row in account.table(Delivery).values():
        if row.batched and _is_collecting(row):
            _note_open(account, row)


def _open_call(workspace: Workspace, account: Account, webhook: Webhook, at: datetime) -> Delivery | None:
    """The last call of the open window in which a moment falls, or None; of several windows, that which ends first."""
    windows = account.record(OpenWindows).get(webhook.id, [])
    del windows[: bisect_right(windows, min(at, workspace.state.clock.now()), key=_end_of)]
    index = bisect_right(windows, at, key=_end_of)
    while index < len(windows) and windows[index][0] - BATCH_WINDOW <= at:
        call = account.table(Delivery).get(windows[index][1])
        if call is not None and _is_collecting(call):
            return call
        del windows[index]
    return None


def _new_call(
    workspace: Workspace, account: Account, webhook: Webhook, at: datetime, last: Delivery | None
) -> Delivery:  # fmt: skip
    """A call without events: due at this moment, or for a batched webhook at the end of a window.

    That is the window of the last call, which is full, or a new one if there is no such call.
    """
    due = at if not webhook.batched else _end(last) if last is not None else _window_end(at)
    call = Delivery(
        workspace.state.next_id("delivery"), webhook.target, [], [], created_at=at, next_at=due, webhook=webhook.id,
        kind=webhook.type, batched=webhook.batched,
    )  # fmt: skip
    if webhook.batched:
        _note_open(account, call)
    return call


def _note_open(account: Account, call: Delivery) -> None:
    """Make a call the one that its window adds events to, instead of one that is full."""
    windows, window = account.record(OpenWindows).setdefault(call.webhook or 0, []), (_end(call), call.id)
    index = bisect_left(windows, window[0], key=_end_of)
    windows[index : bisect_right(windows, window[0], lo=index, key=_end_of)] = [window]


def _end(call: Delivery) -> datetime:
    """When the window of a call ends of which there was no attempt."""
    return call.next_at or _window_end(call.created_at)


def _window_end(start: datetime) -> datetime:
    """When a window ends that begins at a moment, the clock's last moment at the latest."""
    return min(start + BATCH_WINDOW, LATEST)


def _is_collecting(call: Delivery) -> bool:
    """Whether a call may get more events: there was no attempt yet."""
    return call.state == SCHEDULED and not call.attempts and not call.in_flight

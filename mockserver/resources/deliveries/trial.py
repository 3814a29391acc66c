"""Trials of a receiver: calls sent again, forged, duplicated, reordered or late (contract/deliveries#states)."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import urlsplit

from mockserver.core.state.state import Account
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.deliveries.delivery import Delivery, Target, update_size
from mockserver.resources.deliveries.model import DELIVERY, request_headers, request_url, schedule

FORGED, DUPLICATED, REORDERED, LATE = SENT_AS = ("forged", "duplicated", "reordered", "late")
#: What a forged call has in the place of each secret.
_WRONG = "forged"


class TrialError(ValueError):
    """A delivery cannot be sent in this way; the message says why."""


class TrialCall(NamedTuple):
    """A call of a trial: whose payload goes where, with which credentials and headers."""

    delivery: Delivery
    target: Target


def plan_calls(account: Account, delivery: Delivery, target: Target, sent_as: str) -> list[TrialCall]:
    """Return the calls of a trial in their order; `target` is what a real call of the webhook would have.

    Raises:
        TrialError: The delivery was not sent yet, a forged call would have everything that a real call has, or there
            is no second delivery to reorder.
    """
    if not _is_sent(delivery):
        raise TrialError(f"delivery {delivery.id} has no attempt yet")
    if sent_as == FORGED:
        bare = Target(request_url(target))
        if request_headers(bare) == request_headers(target):
            raise TrialError(
                f"nothing to check: {_sender(delivery)} has neither `auth` nor `headers`, "
                "so its receiver cannot tell a forged call from a real one"
            )
        return [TrialCall(delivery, bare), TrialCall(delivery, _with_wrong_secrets(target))]
    if sent_as == REORDERED:
        rows = [row for row in account.rows_of(Delivery).values() if row.webhook == delivery.webhook]
        newest = sorted((row for row in rows if row.sent_as is None and _is_sent(row)), key=lambda row: -row.id)[:2]
        if len(newest) < 2:
            raise TrialError(f"{_sender(delivery)} has one delivery only; reordered needs two")
        return [TrialCall(row, target) for row in newest]
    return [TrialCall(delivery, target)] * (2 if sent_as == DUPLICATED else 1)


def send(workspace: Workspace, account: Account, call: TrialCall, sent_as: str, last: Delivery) -> Delivery:
    """Begin the attempt of a call and return its delivery.

    The first call of a trial makes a new delivery. A further call is one more attempt of `last`, the delivery of the
    call before it, unless it has another payload.
    """
    source, target = call
    if last is not source and sent_as != REORDERED:
        last.attempts = [attempt._replace(target=attempt.target or last.target) for attempt in last.attempts]
        last.target = target
        update_size(account, last)
        DELIVERY.fire(workspace, account, last, "redeliver")
    else:
        now = workspace.state.clock.now()
        last = Delivery(
            workspace.state.next_id("delivery"), target, source.payloads, source.events, created_at=now, next_at=now,
            webhook=source.webhook, kind=source.kind, export=source.export, batched=source.batched, sent_as=sent_as,
            payloads_size=source.payloads_size,
        )  # fmt: skip
        schedule(workspace, account, last)
    workspace.catch_up()
    return last


def _is_sent(delivery: Delivery) -> bool:
    return bool(delivery.attempts)


def _sender(delivery: Delivery) -> str:
    return f"export {delivery.export}" if delivery.webhook is None else f"webhook {delivery.webhook}"


def _with_wrong_secrets(target: Target) -> Target:
    netloc = urlsplit(target.url).netloc
    wrong = f"{_WRONG}:{_WRONG}@{netloc.rpartition('@')[2]}" if "@" in netloc else netloc
    auth = None if target.auth is None else {**target.auth, **dict.fromkeys(target.auth.keys() & {"token"}, _WRONG)}
    return Target(target.url.replace(netloc, wrong, 1), auth, tuple((name, _WRONG) for name, _ in target.headers))

"""Rules of deliveries: attempts and their outcomes, retries, redeliveries, and cancelling (contract/deliveries)."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from datetime import timedelta
from operator import itemgetter
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from mockserver.core.effects import CallOutcome, OutgoingRequest
from mockserver.core.state.state import Account
from mockserver.core.text.addresses import CLIENT_HEADERS
from mockserver.core.traffic import causes
from mockserver.core.traffic.causes import Cause
from mockserver.core.traffic.ring import weight
from mockserver.core.workspaces.lifecycle import Lifecycle, dispatch
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.deliveries.delivery import (
    ATTEMPT,
    MACHINE,
    RETRYING,
    SCHEDULED,
    Attempt,
    Delivery,
    Finished,
    Target,
    await_attempt,
    cancel_attempts,
    copied,
    evict_excess,
    keep_within_limits,
    update_size,
)

#: The delays after failed attempts, of which at most four are retried (contract/deliveries).
RETRIES = (timedelta(minutes=10), timedelta(hours=1), timedelta(hours=2), timedelta(hours=8))
#: How many of its last attempts a delivery keeps; chosen: each redelivery makes five more.
KEPT_ATTEMPTS = 100
#: Recorded in September 2026 (contract/webhooks#configuration).
USER_AGENT = "Brevo-webhook/2.0 (+https://developers.brevo.com/docs/how-to-use-webhooks)"

DELIVERY = Lifecycle(
    MACHINE,
    Delivery,
    key="id",
    parse=int,
    reveal=lambda row: {"webhook": row.webhook, "url": row.target.url, "events": row.events},
)


class DeliveryCriteria(NamedTuple):
    """Selection criteria (webhook, state, event name); None matches everything."""

    webhook: int | None = None
    state: str | None = None
    event: str | None = None


def select(workspace: Workspace, criteria: DeliveryCriteria) -> Sequence[tuple[Account, Delivery]]:
    """Return deliveries matching criteria, with their accounts, newest first."""
    webhook, state, event = criteria
    found = [
        (row.id, account, row)
        for account in workspace.state.accounts.values()
        for row in account.rows_of(Delivery).values()
        if webhook in (None, row.webhook) and state in (None, row.state) and (event is None or event in row.events)
    ]
    found.sort(key=itemgetter(0), reverse=True)
    return [(account, row) for _, account, row in found]


def schedule(workspace: Workspace, account: Account, delivery: Delivery) -> Delivery:
    """Schedule a delivery for its `next_at`.

    At the limits of the workspace, other deliveries are evicted, or the delivery itself.
    """
    DELIVERY.begin(workspace, account, delivery)
    workspace.link(causes.DELIVERY, delivery.id)
    keep_within_limits(workspace, account, delivery)
    if delivery.id in account.table(Delivery):
        await_attempt(workspace, account, delivery)
    return delivery


def announce(
    workspace: Workspace, account: Account, url: str, payload: dict[str, Any], event: str, export: int | None = None
) -> None:
    """Schedule a call that tells an address of the end of a process."""
    if workspace.has_another_id("delivery"):
        number, now = workspace.state.next_id("delivery"), workspace.state.clock.now()
        call = Delivery(number, Target(url), [payload], [event], created_at=now, next_at=now, export=export)
        call.payloads_size = weight(payload)
        schedule(workspace, account, call)


def cancel_all(workspace: Workspace, account: Account, webhook: int) -> None:
    for row in _unfinished(account, webhook):
        DELIVERY.fire(workspace, account, row, "cancel")


def retarget(workspace: Workspace, account: Account, webhook: int, target: Target) -> None:
    """Set the target of all unfinished deliveries of a webhook; past attempts keep their targets."""
    for row in _unfinished(account, webhook):
        if row.target != target:
            row.attempts = [attempt._replace(target=attempt.target or row.target) for attempt in row.attempts]
            row.target = target
            update_size(account, row)
    evict_excess(workspace, account)


def _unfinished(account: Account, webhook: int) -> Iterator[Delivery]:
    for row in list(account.table(Delivery).values()):
        if row.webhook == webhook and row.state in (SCHEDULED, RETRYING):
            yield row


def request_headers(target: Target) -> list[tuple[str, str]]:
    """Return a call's headers: standard headers, credentials, and the webhook's own.

    A webhook's own header replaces another header of its name (contract/webhooks#configuration).
    """
    headers = [("Content-Type", "application/json"), ("User-Agent", USER_AGENT)]
    before, at, _ = urlsplit(target.url).netloc.rpartition("@")
    if target.auth and "token" in target.auth:
        headers.append(("Authorization", f"Bearer {target.auth['token']}"))
    elif at:
        user, _, password = before.partition(":")
        credentials = f"{unquote(user)}:{unquote(password)}"
        headers.append(("Authorization", f"Basic {b64encode(credentials.encode()).decode()}"))
    own = [row for row in target.headers if row[0].lower() not in CLIENT_HEADERS]
    names = {name.lower() for name, _ in own}
    return [*(row for row in headers if row[0].lower() not in names), *own]


def request_url(target: Target) -> str:
    """Return a call's address, moving credentials to headers."""
    netloc = urlsplit(target.url).netloc
    return target.url.replace(netloc, netloc.rpartition("@")[2], 1) if "@" in netloc else target.url


@DELIVERY.when_due(ATTEMPT)
def _attempt(workspace: Workspace, account: Account, delivery: Delivery) -> None:
    delivery.next_at, delivery.began_at = None, workspace.state.clock.now()
    _call(workspace, account, delivery)


def resume(workspace: Workspace) -> None:
    """Repeat interrupted calls of a passivated workspace, whose outcomes are unknown."""
    for account in workspace.state.accounts.values():
        for delivery in account.rows_of(Delivery).values():
            if delivery.began_at is not None and not workspace.jobs.has(MACHINE.name, delivery.id):
                with workspace.state.clock.pinned(delivery.began_at):
                    _call(workspace, account, delivery)


def _call(workspace: Workspace, account: Account, delivery: Delivery) -> None:
    target, timeout = delivery.target, workspace.state.behaviour.webhook_timeout.total_seconds()

    def write() -> OutgoingRequest:
        return OutgoingRequest(request_url(target), request_headers(target), delivery.body, timeout)

    def done(outcome: CallOutcome) -> None:
        # Looked up: the rows may have been read again meanwhile.
        owner = workspace.state.accounts.get(account.id)
        found = None if owner is None else owner.table(Delivery).get(delivery.id)
        if owner is not None and found is not None:
            with workspace.caused_by(Cause(causes.DELIVERY, found.id)):
                _record(workspace, owner, found, outcome, target)

    dispatch(workspace, workspace.jobs.begin(account.id, MACHINE.name, delivery.id), request_url(target), write, done)


def _record(workspace: Workspace, account: Account, delivery: Delivery, outcome: CallOutcome, target: Target) -> None:
    other = None if target == delivery.target else target
    delivery.attempts.append(Attempt(workspace.state.clock.now(), outcome.status, outcome.error, other))
    while len(delivery.attempts) > KEPT_ATTEMPTS:
        del delivery.attempts[0]
        delivery.attempts_evicted += 1
    update_size(account, delivery)
    is_retried = delivery.sent_as is None and delivery.failures < len(RETRIES) and _may_retry(workspace, outcome)
    event = "succeed" if outcome.is_success else "fail" if is_retried else "give_up"
    DELIVERY.fire(workspace, account, delivery, event)
    workspace.meter.add_attempt(delivery.state)
    workspace.feed.add("delivery", (account.name, copied(delivery)), delivery.size)
    evict_excess(workspace, account)


def _may_retry(workspace: Workspace, outcome: CallOutcome) -> bool:
    """Return whether an outcome allows a retry: no answer, 429, or 5xx with `behaviour.webhook_5xx: retry`.

    Redirects and impossible calls are not retried (both proposed, contract/deliveries).
    """
    if outcome.hopeless:
        return False
    if outcome.status is None or outcome.status == 429:
        return True
    return outcome.status >= 500 and workspace.state.behaviour.webhook_5xx == "retry"


@DELIVERY.on("fail")
def _retry(workspace: Workspace, account: Account, delivery: Delivery) -> None:
    delay = RETRIES[min(delivery.failures, len(RETRIES) - 1)]
    delivery.failures = min(delivery.failures + 1, len(RETRIES))
    _try_again(workspace, account, delivery, delay)


@DELIVERY.on("redeliver")
def _redeliver(workspace: Workspace, account: Account, delivery: Delivery) -> None:
    account.record(Finished).discard(delivery)
    delivery.failures = 0
    _try_again(workspace, account, delivery, timedelta())


def _try_again(workspace: Workspace, account: Account, delivery: Delivery, delay: timedelta) -> None:
    cancel_attempts(workspace, delivery.id)  # the event may be fired by hand, while an attempt is under way
    delivery.began_at, delivery.next_at = None, workspace.state.clock.after(delay)
    await_attempt(workspace, account, delivery)


@DELIVERY.on("succeed", "give_up", "cancel")
def _finish(workspace: Workspace, account: Account, delivery: Delivery) -> None:
    cancel_attempts(workspace, delivery.id)
    delivery.began_at = delivery.next_at = None
    account.record(Finished).add(delivery)

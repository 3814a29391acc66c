"""Attempts of deliveries: the request of each, what follows from its outcome, and when the next one is due
(contract/webhooks#configuration and contract/deliveries).
"""

from __future__ import annotations

from base64 import b64encode
from datetime import timedelta
from urllib.parse import unquote, urlsplit

from mockserver.core.effects import CallOutcome, OutgoingRequest
from mockserver.core.state.state import Account
from mockserver.core.text.addresses import CLIENT_HEADERS
from mockserver.core.traffic import causes
from mockserver.core.traffic.causes import Cause
from mockserver.core.workspaces.lifecycle import dispatch
from mockserver.core.workspaces.workspace import Workspace
from mockserver.resources.deliveries.delivery import (
    ATTEMPT,
    DELIVERY,
    MACHINE,
    Attempt,
    Delivery,
    Target,
    await_attempt,
    cancel_attempts,
    copied,
)
from mockserver.resources.deliveries.retention import Finished, evict_excess, update_size

#: How long after a failed attempt the next one is made: four more at most (contract/deliveries).
RETRIES = (timedelta(minutes=10), timedelta(hours=1), timedelta(hours=2), timedelta(hours=8))
#: How many of its last attempts a delivery keeps; chosen: far above the five that it makes, as each redelivery makes
#: five more.
KEPT_ATTEMPTS = 100
#: Recorded in September 2026 (contract/webhooks#configuration).
USER_AGENT = "Brevo-webhook/2.0 (+https://developers.brevo.com/docs/how-to-use-webhooks)"


def request_headers(target: Target) -> list[tuple[str, str]]:
    """The headers of a call: those of every call, a bearer token or the credentials of the address, the webhook's own.

    A header of the webhook's own replaces another one of its name (contract/webhooks#configuration).
    """
    headers = [("Content-Type", "application/json"), ("User-Agent", USER_AGENT)]
    credentials = _credentials(target.url)
    if target.auth and "token" in target.auth:
        headers.append(("Authorization", f"Bearer {target.auth['token']}"))
    elif credentials is not None:
        headers.append(("Authorization", f"Basic {b64encode(credentials.encode()).decode()}"))
    own = [row for row in target.headers if row[0].lower() not in CLIENT_HEADERS]
    names = {name.lower() for name, _ in own}
    return [*(row for row in headers if row[0].lower() not in names), *own]


def request_url(target: Target) -> str:
    """The address of a call without the credentials that it may hold, which go into a header."""
    netloc = urlsplit(target.url).netloc
    return target.url.replace(netloc, netloc.rpartition("@")[2], 1) if "@" in netloc else target.url


def _credentials(url: str) -> str | None:
    before, at, _ = urlsplit(url).netloc.rpartition("@")
    user, _, password = before.partition(":")
    return f"{unquote(user)}:{unquote(password)}" if at else None


@DELIVERY.when_due(ATTEMPT)
def _attempt(workspace: Workspace, account: Account, delivery: Delivery) -> None:
    delivery.next_at, delivery.began_at = None, workspace.state.clock.now()
    _call(workspace, account, delivery)


def resume(workspace: Workspace) -> None:
    """Make the calls once more that were under way when the workspace left the memory: their outcomes are not known."""
    for account in workspace.state.accounts.values():
        for delivery in account.rows_of(Delivery).values():
            if delivery.began_at is not None and not workspace.jobs.has(MACHINE.name, delivery.id):
                with workspace.state.clock.pinned(delivery.began_at):
                    _call(workspace, account, delivery)


def _call(workspace: Workspace, account: Account, delivery: Delivery) -> None:
    """Let the effects make the call, and record the outcome when it is known."""
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
    """Add an attempt to its delivery, at the present moment, and fire the event that follows from its outcome."""
    went = None if target == delivery.target else target
    delivery.attempts.append(Attempt(workspace.state.clock.now(), outcome.status, outcome.error, went))
    while len(delivery.attempts) > KEPT_ATTEMPTS:
        del delivery.attempts[0]
        delivery.attempts_evicted += 1
    update_size(account, delivery)
    DELIVERY.fire(workspace, account, delivery, _event_of(workspace, delivery, outcome))
    workspace.meter.add_attempt(delivery.state)
    workspace.feed.add("delivery", (account.name, copied(delivery)), delivery.size)
    evict_excess(workspace, account)


def _event_of(workspace: Workspace, delivery: Delivery, outcome: CallOutcome) -> str:
    """The event of the state machine that follows from the outcome of an attempt."""
    if outcome.is_success:
        return "succeed"
    return "fail" if delivery.failures < len(RETRIES) and _is_retried(workspace, outcome) else "give_up"


def _is_retried(workspace: Workspace, outcome: CallOutcome) -> bool:
    """Whether another attempt may follow: after 429 or no answer, and after 5xx if `behaviour.webhook_5xx` says so.

    No other follows a redirect, which is not followed itself, or a call that cannot be made at all (both proposed).
    See contract/deliveries.
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

"""Deliveries: a call to an address of a user's, tried again when it fails (ledger 3.2)."""

from __future__ import annotations

import json
from base64 import b64encode
from bisect import bisect_left, insort
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from operator import attrgetter
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from mockserver.core.effects.jobs import Outcome, OutgoingRequest
from mockserver.core.state.account import Account
from mockserver.core.state.tables import Bounded
from mockserver.core.text.header_form import OF_THE_CALL
from mockserver.core.time.state_machine import ABSENT, StateMachine
from mockserver.core.traffic.ring import weight
from mockserver.core.workspaces.lifecycle import Lifecycle
from mockserver.core.workspaces.outgoing import dispatch
from mockserver.core.workspaces.workspace import Workspace

SCHEDULED, DELIVERED, RETRYING, DROPPED = "scheduled", "delivered", "retrying", "dropped"
#: Ledger 3.2: four more attempts, each so long after the one before.
RETRIES = (timedelta(minutes=10), timedelta(hours=1), timedelta(hours=2), timedelta(hours=8))

MACHINE = StateMachine(
    "delivery",
    ("schedule", ABSENT, SCHEDULED),
    ("succeed", SCHEDULED, DELIVERED),
    ("succeed", RETRYING, DELIVERED),
    ("fail", SCHEDULED, RETRYING),
    ("fail", RETRYING, RETRYING),
    ("give_up", SCHEDULED, DROPPED),
    ("give_up", RETRYING, DROPPED),
    ("redeliver", DELIVERED, SCHEDULED),
    ("redeliver", DROPPED, SCHEDULED),
    ("redeliver", RETRYING, SCHEDULED),
    ("cancel", SCHEDULED, DROPPED),
    ("cancel", RETRYING, DROPPED),
    # What an attempt comes to, which a timer begins.
    timed=frozenset({"succeed", "fail", "give_up"}),
)
#: No payload takes more than this part of the bytes of all of them.
_SHARE = 4
#: How many attempts a delivery keeps, the last ones: redelivery makes five more each time.
KEPT_ATTEMPTS = 100
#: Recorded in September 2026 (ledger 3.1).
USER_AGENT = "Brevo-webhook/2.0 (+https://developers.brevo.com/docs/how-to-use-webhooks)"
#: What a delivery takes in memory, in bytes, and each attempt, beside all that somebody sent.
_ITSELF, _PER_ATTEMPT = 1_000, 300
#: The text of a value takes less than this part of what the value takes in memory.
_IN_WORDS = 4
#: What the timer of a delivery begins; no event of the machine, as nothing has come of it yet.
ATTEMPT = "attempt"


@dataclass(frozen=True, slots=True)
class Target:
    """Where calls go, and what they carry besides their payload."""

    url: str
    auth: dict[str, str] | None = None
    headers: tuple[tuple[str, str], ...] = ()
    #: What it takes in memory, in bytes.
    size: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", weight((self.url, self.auth, self.headers)))


class Attempt(NamedTuple):
    """One call: when, and what came of it."""

    at: datetime
    status: int | None
    error: str | None
    #: Where it went; None: where the next one would go, too.
    target: Target | None = None


@dataclass(slots=True, eq=False)
class Delivery(Bounded):
    """One call with its attempts, oldest first."""

    id: int
    target: Target
    #: What the call carries; several events of a batch.
    payloads: list[dict[str, Any]]
    #: The names of the events, as they are subscribed to.
    events: list[str]
    created_at: datetime
    next_at: datetime | None
    #: None: no webhook's, but that of an export.
    webhook: int | None = None
    #: The webhook's type.
    kind: str = ""
    export: int | None = None
    batched: bool = False
    state: str = SCHEDULED
    attempts: list[Attempt] = field(default_factory=list)
    #: How many attempts had to go for newer ones.
    attempts_evicted: int = 0
    #: How many attempts of the present round have failed; redelivery begins a new one.
    failures: int = 0
    #: The moment of the attempt that is under way.
    began_at: datetime | None = None
    #: What its payloads take in memory, in bytes, and what all of it is counted for.
    carried: int = 0
    size: int = 0

    @property
    def in_flight(self) -> bool:
        return self.began_at is not None

    @property
    def in_words(self) -> int:
        """About how many bytes it takes to show it, each attempt with all that it carried."""
        sent = sum((attempt.target or self.target).size + self.carried for attempt in self.attempts)
        return (_ITSELF + sent) // _IN_WORDS

    @property
    def body(self) -> bytes:
        """The payload of one event, or a list of those of a batch (proposed, ledger 3.2)."""
        content: Any = self.payloads if self.batched else self.payloads[0]
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), default=str)
        return text.encode(errors="replace")


def _described(delivery: Delivery) -> dict[str, Any]:
    return {"webhook": delivery.webhook, "url": delivery.target.url, "events": delivery.events}


DELIVERY = Lifecycle(MACHINE, Delivery, key="id", parse=int, reveal=_described)


def schedule(workspace: Workspace, account: Account, delivery: Delivery) -> Delivery:
    """Let a call be made at its moment; the settled one that was last tried longest ago goes for it, if one has to."""
    DELIVERY.begin(workspace, account, delivery)
    keep(workspace, account, delivery)
    if delivery.id in account.table(Delivery):
        await_attempt(workspace, account, delivery)
    return delivery


def await_attempt(workspace: Workspace, account: Account, delivery: Delivery) -> None:
    """Let the next attempt begin at its moment."""
    if delivery.next_at is not None:
        workspace.state.timers.set(delivery.next_at, account.id, MACHINE.name, delivery.id, ATTEMPT)


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
        before, delivery.size = delivery.size, _size(delivery)
        account.weigh(delivery.size - before)


def _size(delivery: Delivery) -> int:
    targets: list[Target] = []
    for target in (delivery.target, *(row.target for row in delivery.attempts)):
        if target is not None and target not in targets:
            targets.append(target)
    attempts = sum(_PER_ATTEMPT + len(row.error or "") for row in delivery.attempts)
    return _ITSELF + delivery.carried + attempts + sum(target.size for target in targets)


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
    _call_off(workspace, oldest)
    workspace.state.evicted_deliveries += 1


def _call_off(workspace: Workspace, number: int) -> None:
    """Make no further attempt, and let what comes of the one that is under way change nothing."""
    workspace.state.timers.cancel(MACHINE.name, number)
    workspace.jobs.cancel(MACHINE.name, number)


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


# ---------------------------------------------------------------------- attempts


def request_headers(target: Target) -> list[tuple[str, str]]:
    """The headers of a call: the webhook's own, a bearer token, or the credentials of its address (ledger 3.1)."""
    headers = [("Content-Type", "application/json"), ("User-Agent", USER_AGENT)]
    credentials = _credentials(target.url)
    if target.auth and "token" in target.auth:
        headers.append(("Authorization", f"Bearer {target.auth['token']}"))
    elif credentials is not None:
        headers.append(("Authorization", f"Basic {b64encode(credentials.encode()).decode()}"))
    own = [row for row in target.headers if row[0].lower() not in OF_THE_CALL]
    names = {name.lower() for name, _ in own}
    return [*(row for row in headers if row[0].lower() not in names), *own]


def request_url(target: Target) -> str:
    """The address without credentials."""
    netloc = urlsplit(target.url).netloc
    return target.url.replace(netloc, netloc.rpartition("@")[2], 1) if "@" in netloc else target.url


def _credentials(url: str) -> str | None:
    before, at, _ = urlsplit(url).netloc.rpartition("@")
    user, _, password = before.partition(":")
    return f"{unquote(user)}:{unquote(password)}" if at else None


@DELIVERY.when_due(ATTEMPT)
def _attempt(workspace: Workspace, account: Account, delivery: Delivery) -> None:
    """Let the call be made; what comes of it is told when it is known."""
    delivery.next_at, delivery.began_at = None, workspace.state.clock.now()
    target, timeout = delivery.target, workspace.state.behaviour.webhook_timeout.total_seconds()

    def write() -> OutgoingRequest:
        return OutgoingRequest(request_url(target), request_headers(target), delivery.body, timeout)

    def done(outcome: Outcome) -> None:
        _settle(workspace, account, delivery, outcome, target)

    dispatch(workspace, workspace.jobs.begin(account.id, MACHINE.name, delivery.id), request_url(target), write, done)


def _settle(workspace: Workspace, account: Account, delivery: Delivery, outcome: Outcome, target: Target) -> None:
    """Note what came of an attempt, at its own moment."""
    went = None if target == delivery.target else target
    delivery.attempts.append(Attempt(workspace.state.clock.now(), outcome.status, outcome.error, went))
    while len(delivery.attempts) > KEPT_ATTEMPTS:
        del delivery.attempts[0]
        delivery.attempts_evicted += 1
    count(account, delivery)
    DELIVERY.fire(workspace, account, delivery, _comes_to(workspace, delivery, outcome))
    workspace.meter.add_attempt(delivery.state)
    workspace.feed.add("delivery", (account.name, as_it_is(delivery)), delivery.size)
    make_room(workspace, account)


def as_it_is(delivery: Delivery) -> Delivery:
    """A call as it is at this moment, whatever becomes of it."""
    return replace(delivery, attempts=list(delivery.attempts))


def _comes_to(workspace: Workspace, delivery: Delivery, outcome: Outcome) -> str:
    """The event that an outcome is for its delivery."""
    if outcome.is_success:
        return "succeed"
    return "fail" if delivery.failures < len(RETRIES) and _is_retried(workspace, outcome) else "give_up"


def _is_retried(workspace: Workspace, outcome: Outcome) -> bool:
    """Ledger 3.2: 429 and no answer at all always, 5xx only where behaviour says so, all else never.

    That goes for a redirect as well, which is not followed, and for a call that cannot be made at all (both proposed).
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
def _begin_anew(workspace: Workspace, account: Account, delivery: Delivery) -> None:
    account.record(Settled).discard(delivery)
    delivery.failures = 0
    _try_again(workspace, account, delivery, timedelta())


def _try_again(workspace: Workspace, account: Account, delivery: Delivery, delay: timedelta) -> None:
    _call_off(workspace, delivery.id)  # an event by hand comes before the attempt that is under way
    delivery.began_at, delivery.next_at = None, workspace.state.clock.after(delay)
    await_attempt(workspace, account, delivery)


@DELIVERY.on("succeed", "give_up", "cancel")
def _rest(workspace: Workspace, account: Account, delivery: Delivery) -> None:
    _call_off(workspace, delivery.id)
    delivery.began_at = delivery.next_at = None
    account.record(Settled).add(delivery)

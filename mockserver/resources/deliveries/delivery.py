"""Deliveries: calls to users' addresses, their states, timers and retention."""

from __future__ import annotations

import json
from bisect import bisect_left, insort
from dataclasses import dataclass, field, replace
from datetime import datetime
from operator import attrgetter
from typing import Any, NamedTuple

from mockserver.core.state.state import Account
from mockserver.core.state.tables import Bounded
from mockserver.core.time.state_machine import ABSENT, StateMachine
from mockserver.core.traffic.ring import weight
from mockserver.core.workspaces.workspace import Workspace

SCHEDULED, DELIVERED, RETRYING, DROPPED = "scheduled", "delivered", "retrying", "dropped"
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
    # A timer begins an attempt, whose outcome fires one of these events.
    timed=frozenset({"succeed", "fail", "give_up"}),
)
#: The event of a delivery's timer. The state machine does not have it, as the outcome of the attempt is unknown.
ATTEMPT = "attempt"
#: The memory of a delivery and of an attempt in bytes, without content from clients and receivers; estimated.
_BASE_BYTES, _ATTEMPT_BYTES = 1_000, 300
#: The least memory for each character of a value's JSON text, in bytes.
_BYTES_PER_CHARACTER = 4
#: The largest payload, as a share of the limit for all deliveries: one fourth.
_LARGEST_SHARE = 4


@dataclass(frozen=True, slots=True)
class Target:
    """A call's address, credentials and headers."""

    url: str
    auth: dict[str, str] | None = None
    headers: tuple[tuple[str, str], ...] = ()
    #: In bytes, in memory.
    size: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", weight((self.url, self.auth, self.headers)))


class Attempt(NamedTuple):
    """An attempt's moment, and its status or error."""

    at: datetime
    status: int | None
    error: str | None
    #: None: the delivery's present target.
    target: Target | None = None


@dataclass(slots=True, eq=False)
class Delivery(Bounded):
    """A webhook call, or the announcement of an export or import; oldest attempts come first."""

    id: int
    target: Target
    #: The content of the call: one payload for each event; only a batch has several.
    payloads: list[dict[str, Any]]
    #: The names of the events as webhooks subscribe to them, one for each payload.
    events: list[str]
    created_at: datetime
    #: When the next attempt begins; None during an attempt, and if no attempt follows.
    next_at: datetime | None
    #: The id of the webhook; None: the call announces an export or import.
    webhook: int | None = None
    #: The webhook's type; empty if the call announces an export or import.
    kind: str = ""
    #: The id of the announced export; None for other calls.
    export: int | None = None
    batched: bool = False
    #: How a trial of the receiver sent it: forged, duplicated, reordered or late; None: the service has sent it.
    sent_as: str | None = None
    state: str = SCHEDULED
    attempts: list[Attempt] = field(default_factory=list)
    #: How many attempts were dropped for newer ones.
    attempts_evicted: int = 0
    #: The number of failed attempts since the delivery was created or last redelivered.
    failures: int = 0
    #: When the present attempt began, or None.
    began_at: datetime | None = None
    #: In bytes, in memory: the payloads, and the whole delivery at its last count.
    payloads_size: int = 0
    size: int = 0

    @property
    def in_flight(self) -> bool:
        return self.began_at is not None

    @property
    def text_size(self) -> int:
        """Estimated bytes as JSON, where each attempt repeats target and payloads."""
        sent = sum((attempt.target or self.target).size + self.payloads_size for attempt in self.attempts)
        return (_BASE_BYTES + sent) // _BYTES_PER_CHARACTER

    @property
    def body(self) -> bytes:
        """The call's body: one payload, or a batch's list (proposed, contract/deliveries)."""
        content: Any = self.payloads if self.batched else self.payloads[0]
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), default=str)
        return text.encode(errors="replace")


def await_attempt(workspace: Workspace, account: Account, delivery: Delivery) -> None:
    """Set the timer for the next attempt, if an attempt follows."""
    if delivery.next_at is not None:
        workspace.set_timer(delivery.next_at, account, MACHINE.name, delivery.id, ATTEMPT)


def cancel_attempts(workspace: Workspace, number: int) -> None:
    workspace.state.timers.cancel(MACHINE.name, number)
    workspace.jobs.cancel(MACHINE.name, number)


def copied(delivery: Delivery) -> Delivery:
    """Return a copy, unaffected by later attempts."""
    return replace(delivery, attempts=list(delivery.attempts))


@dataclass(slots=True, eq=False)
class Finished:
    """The ids of an account's finished deliveries, by the moment of their last attempt; one record per account.

    A loaded state does not know the order in which they finished.
    """

    _rows: list[tuple[datetime, int]] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self._rows)

    def __deepcopy__(self, memo: object) -> Finished:
        found = Finished()
        found._rows = self._rows.copy()
        return found

    def add(self, delivery: Delivery) -> None:
        insort(self._rows, _last(delivery))

    def discard(self, delivery: Delivery) -> None:
        index = bisect_left(self._rows, _last(delivery))
        if self._rows[index : index + 1] == [_last(delivery)]:
            del self._rows[index]

    def take(self) -> int | None:
        """Remove the delivery with the oldest last attempt; return its id, or None."""
        return self._rows.pop(0)[1] if self._rows else None


def _last(delivery: Delivery) -> tuple[datetime, int]:
    """Return the sort key of finished deliveries: last attempt, else creation, then the id."""
    return delivery.attempts[-1].at if delivery.attempts else delivery.created_at, delivery.id


def add_payload(workspace: Workspace, delivery: Delivery, event: str, payload: dict[str, Any], size: int) -> None:
    """Append an event with its payload (`size` bytes in memory) to a delivery.

    A payload too large for the workspace is replaced by a short error. The lists of the delivery are replaced and not
    appended to: a dry run shares them with the workspace below.
    """
    if size > workspace.limits.deliveries_bytes // _LARGEST_SHARE:
        payload = {"error": f"the payload takes {size:,} bytes, more than the mock keeps of one call"}
        size = weight(payload)
    delivery.payloads, delivery.events = [*delivery.payloads, payload], [*delivery.events, event]
    delivery.payloads_size += size


def keep_within_limits(workspace: Workspace, account: Account, delivery: Delivery) -> None:
    """Update a delivery's size, and evict deliveries beyond the limits."""
    update_size(account, delivery)
    evict_excess(workspace, account)


def update_size(account: Account, delivery: Delivery) -> None:
    """Update a kept delivery's size, counting equal targets once."""
    if account.table(Delivery).get(delivery.id) is not delivery:
        return
    targets: list[Target] = []
    for target in (delivery.target, *(row.target for row in delivery.attempts)):
        if target is not None and target not in targets:
            targets.append(target)
    attempts = sum(_ATTEMPT_BYTES + len(row.error or "") for row in delivery.attempts)
    before = delivery.size
    delivery.size = _BASE_BYTES + delivery.payloads_size + attempts + sum(target.size for target in targets)
    account.weigh(delivery.size - before)


def evict_excess(workspace: Workspace, account: Account) -> None:
    """Evict deliveries beyond the limits: finished deliveries first, then the oldest.

    The limit of the number holds for each account, the limit of the bytes for the workspace.
    """
    while len(account.rows_of(Delivery)) > workspace.limits.deliveries:
        _evict(workspace, account)
    while workspace.state.tally.bytes > workspace.limits.deliveries_bytes:
        _evict(workspace, _account_to_evict_from(workspace, account))


def _account_to_evict_from(workspace: Workspace, account: Account) -> Account:
    """Return this account or another account with finished deliveries, else the largest account."""
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

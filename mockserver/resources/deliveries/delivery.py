"""Deliveries: rows, states and timers of the calls that go to addresses of users (contract/deliveries)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

from mockserver.core.state.state import Account
from mockserver.core.state.tables import Bounded
from mockserver.core.time.state_machine import ABSENT, StateMachine
from mockserver.core.traffic.ring import weight
from mockserver.core.workspaces.lifecycle import Lifecycle
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
    # A timer begins an attempt, and its outcome is one of these.
    timed=frozenset({"succeed", "fail", "give_up"}),
)
#: About what a delivery takes in memory, and each of its attempts, besides what clients and receivers have sent.
_BASE_BYTES, _ATTEMPT_BYTES = 1_000, 300
#: A value takes at least so many bytes in memory for each character of its JSON text.
_BYTES_PER_CHARACTER = 4
#: The event of a delivery's timer. It is none of the state machine: an attempt begins, and its outcome is not known.
ATTEMPT = "attempt"


@dataclass(frozen=True, slots=True)
class Target:
    """The address to which calls go, with the credentials and headers that they have."""

    url: str
    auth: dict[str, str] | None = None
    headers: tuple[tuple[str, str], ...] = ()
    #: In bytes, in memory.
    size: int = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "size", weight((self.url, self.auth, self.headers)))


class Attempt(NamedTuple):
    """One time that a delivery was made: when, and the status that came back or the error that there was instead."""

    at: datetime
    status: int | None
    error: str | None
    #: Where it went; None: to the delivery's present target.
    target: Target | None = None


@dataclass(slots=True, eq=False)
class Delivery(Bounded):
    """One webhook call, or the call that announces an export, with its attempts, oldest first."""

    id: int
    target: Target
    #: What the call carries: one for each event; only a batch has several.
    payloads: list[dict[str, Any]]
    #: The names of the events as webhooks subscribe to them, one for each payload.
    events: list[str]
    created_at: datetime
    #: When the next attempt begins; None: one is under way, or none will be made.
    next_at: datetime | None
    #: The id of the webhook; None: the call announces an export.
    webhook: int | None = None
    #: The webhook's type; empty if the call announces an export.
    kind: str = ""
    #: The id of the export that the call announces; None: the call is a webhook's.
    export: int | None = None
    batched: bool = False
    state: str = SCHEDULED
    attempts: list[Attempt] = field(default_factory=list)
    #: How many attempts were dropped for newer ones.
    attempts_evicted: int = 0
    #: How many attempts have failed since the delivery was made or last redelivered.
    failures: int = 0
    #: When the attempt began that is under way; None: none is.
    began_at: datetime | None = None
    #: In bytes, in memory: the payloads, and the whole delivery as it was counted last.
    payloads_size: int = 0
    size: int = 0

    @property
    def in_flight(self) -> bool:
        """Whether an attempt is under way."""
        return self.began_at is not None

    @property
    def text_size(self) -> int:
        """About how many bytes the delivery takes as JSON, where each attempt has its target and payloads."""
        sent = sum((attempt.target or self.target).size + self.payloads_size for attempt in self.attempts)
        return (_BASE_BYTES + sent) // _BYTES_PER_CHARACTER

    @property
    def body(self) -> bytes:
        """The body of the call: the payload of its event, or of a batch the list of payloads (proposed).

        See contract/deliveries.
        """
        content: Any = self.payloads if self.batched else self.payloads[0]
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), default=str)
        return text.encode(errors="replace")


def _described(delivery: Delivery) -> dict[str, Any]:
    return {"webhook": delivery.webhook, "url": delivery.target.url, "events": delivery.events}


DELIVERY = Lifecycle(
    MACHINE, Delivery, key="id", parse=int, reveal=_described, registered_in=(f"{__package__}.attempts",)
)


def await_attempt(workspace: Workspace, account: Account, delivery: Delivery) -> None:
    """Set the timer that begins the next attempt, if there is to be one."""
    if delivery.next_at is not None:
        workspace.set_timer(delivery.next_at, account, MACHINE.name, delivery.id, ATTEMPT)


def size_in_memory(delivery: Delivery) -> int:
    """About how many bytes a delivery takes, with all targets that it knows; each of these counts once."""
    targets: list[Target] = []
    for target in (delivery.target, *(row.target for row in delivery.attempts)):
        if target is not None and target not in targets:
            targets.append(target)
    attempts = sum(_ATTEMPT_BYTES + len(row.error or "") for row in delivery.attempts)
    return _BASE_BYTES + delivery.payloads_size + attempts + sum(target.size for target in targets)


def cancel_attempts(workspace: Workspace, number: int) -> None:
    """Make no further attempt of the delivery with this id, and ignore the outcome of one that is under way."""
    workspace.state.timers.cancel(MACHINE.name, number)
    workspace.jobs.cancel(MACHINE.name, number)


def copied(delivery: Delivery) -> Delivery:
    """A copy of a delivery that does not change when the delivery does."""
    return replace(delivery, attempts=list(delivery.attempts))

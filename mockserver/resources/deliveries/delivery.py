"""A delivery: a call to an address of a user's, with its attempts (contract/deliveries)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NamedTuple

from mockserver.core.state.account import Account
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
    # What an attempt comes to, which a timer begins.
    timed=frozenset({"succeed", "fail", "give_up"}),
)
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
    def text_size(self) -> int:
        """About how many bytes it takes to show it, each attempt with all that it carried."""
        sent = sum((attempt.target or self.target).size + self.carried for attempt in self.attempts)
        return (_ITSELF + sent) // _IN_WORDS

    @property
    def body(self) -> bytes:
        """The payload of one event, or a list of those of a batch (proposed, contract/deliveries)."""
        content: Any = self.payloads if self.batched else self.payloads[0]
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), default=str)
        return text.encode(errors="replace")


def _described(delivery: Delivery) -> dict[str, Any]:
    return {"webhook": delivery.webhook, "url": delivery.target.url, "events": delivery.events}


DELIVERY = Lifecycle(MACHINE, Delivery, key="id", parse=int, reveal=_described)


def await_attempt(workspace: Workspace, account: Account, delivery: Delivery) -> None:
    """Let the next attempt begin at its moment."""
    if delivery.next_at is not None:
        workspace.state.timers.set(delivery.next_at, account.id, MACHINE.name, delivery.id, ATTEMPT)


def size_of(delivery: Delivery) -> int:
    targets: list[Target] = []
    for target in (delivery.target, *(row.target for row in delivery.attempts)):
        if target is not None and target not in targets:
            targets.append(target)
    attempts = sum(_PER_ATTEMPT + len(row.error or "") for row in delivery.attempts)
    return _ITSELF + delivery.carried + attempts + sum(target.size for target in targets)


def call_off(workspace: Workspace, number: int) -> None:
    """Make no further attempt, and let what comes of the one that is under way change nothing."""
    workspace.state.timers.cancel(MACHINE.name, number)
    workspace.jobs.cancel(MACHINE.name, number)


def as_it_is(delivery: Delivery) -> Delivery:
    """A call as it is at this moment, whatever becomes of it."""
    return replace(delivery, attempts=list(delivery.attempts))

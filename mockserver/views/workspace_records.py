"""The answers about workspaces: clock, state machines, DNS and OAuth apps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, NamedTuple

from mockserver.core.contract.operation import Role
from mockserver.views.record import At, Count, Mark, Shape, Status, Uuid
from mockserver.views.traffic_records import AnyMachine, Caused, CausedBy, RealAt, Transition

#: The names that `mockserver.testing.records` exports, as handles return them.
__all__ = [
    "Account", "App", "Draw", "Expectation", "Fired", "Instance", "KnownName", "Moment", "OwnedDomain", "Policy",
    "RecordState", "Records", "Timer",
]  # fmt: skip
__tracebackhide__ = True  # pytest shows the line of the test instead

# ---------------------------------------------------------------------- clock and timers


class Moment(NamedTuple):
    """The time of a clock, and whether the clock is frozen."""

    now: datetime
    frozen: bool
    offset_s: Annotated[float, "how far it is from real time"]


class Fired(NamedTuple):
    """A timer event that fired during an advance."""

    at: datetime
    machine: str
    key: int | str
    event: str


class Advanced(NamedTuple):
    moment: Annotated[Moment, Mark.FLAT]
    fired: Annotated[Sequence[Fired], "the timed events that happened on the way"]


class Timer(NamedTuple):
    """A pending or fired event of an instance."""

    id: Annotated[str, "for `advance` and addresses"]
    state: Literal["pending", "fired"]
    at: Annotated[datetime, "when it is due, on the workspace's clock"]
    real_at: Annotated[datetime | None, "when it fired in real time; null while it is pending"]
    machine: str
    key: int | str
    event: Annotated[str, "an event of the machine, or work that leads to it"]
    account: Annotated[str | None, "null if it is gone"]
    transitions: Annotated[Sequence[Transition], "caused by it, the first hundred"]
    caused: Caused
    caused_by: CausedBy


# ---------------------------------------------------------------------- state machines


class MachineTransition(NamedTuple):
    event: str
    source: Annotated[str, At("from"), "`[*]` before it is there"]
    target: Annotated[str, At("to"), "`[*]` when it is gone"]


class Machine(NamedTuple):
    name: str
    states: Sequence[str]
    timed: Annotated[Sequence[str], "the events that time brings about"]
    transitions: Sequence[MachineTransition]
    mermaid: Annotated[str, "a diagram"]


@dataclass(frozen=True, slots=True)
class Instance:
    """One instance of a state machine: a sender, a domain, a sub-account's plan.

    `secrets` are further members, which differ by machine and which the service does not show to its clients, such as
    a sender's `otp` and `otp_expires_at`.
    """

    machine: Annotated[AnyMachine, Mark.NOT_SENT]
    key: int | str
    account: str
    state: str
    allowed: Annotated[tuple[str, ...], "the events that apply"]
    secrets: Annotated[Mapping[str, Any], Mark.REST]


# ---------------------------------------------------------------------- vary


class Draw(NamedTuple):
    """A legal difference that a seed of `vary` has drawn."""

    name: str
    says: Annotated[str, "the difference in words"]
    entry: Annotated[Mapping[str, Any], "its entry of `behaviour` or `faults`"]


class Expectation(NamedTuple):
    """An expectation of the scenario; `str` returns a line."""

    expectation: Annotated[str, "in words"]
    satisfied: bool
    found: Annotated[str, "what was found"]

    def __str__(self) -> str:
        return f"{'ok' if self.satisfied else 'FAILED'}: {self.expectation} ({self.found})"


# ---------------------------------------------------------------------- DNS

RecordState = Literal["ok", "missing", "wrong", "timeout"]
Policy = Literal["none", "quarantine", "reject"]
SubdomainPolicy = Annotated[Policy, "a sub-domain has that of its registrable domain"]
FreeMail = Annotated[bool | None, Mark.OMITTED, "true: a provider of free mailboxes, which no user can have"]


class Records(NamedTuple):
    """The state of each DNS record."""

    brevo_code: RecordState
    dkim_record: RecordState
    dmarc_record: RecordState


class Dns(NamedTuple):
    """The DNS records of a domain in a workspace."""

    domain: str
    records: Annotated[Records, Mark.FLAT]
    dmarc_policy: SubdomainPolicy
    free_mail: FreeMail


class OwnedDomain(NamedTuple):
    """The domain of an account."""

    account: str
    state: Annotated[str, "of the domain"]


class KnownName(NamedTuple):
    """The DNS records of a domain, with the accounts using the domain."""

    name: Annotated[str, At("domain")]
    records: Annotated[Records, Mark.FLAT]
    dmarc_policy: SubdomainPolicy
    free_mail: FreeMail
    shown_as: Annotated[str, "the name as people write it"]
    accounts: Annotated[Sequence[OwnedDomain], "that have a domain of this name"]


# ---------------------------------------------------------------------- workspaces


class Account(NamedTuple):
    """One account of a workspace."""

    name: str
    role: Annotated[str, Shape(Role)]
    api_key: Annotated[str | None, "null where no key opens it"]


@dataclass(frozen=True)
class WorkspaceSummary:
    """A workspace with address and accounts."""

    name: str
    api_key: Annotated[str | None, "of its first account; null where no key opens it"]
    scenario: Annotated[str, "from which it was made; `document` where that came with the call"]
    url: Annotated[str, "the base address for a client of the service"]
    accounts: Sequence[Account]


class LastRequest(NamedTuple):
    id: Uuid
    at: Annotated[datetime, "on the workspace's clock"]
    real_at: RealAt
    method: str
    path: str
    operation: Annotated[str | None, "null where no operation is meant"]
    status: Annotated[Status | None, "null where the client got no HTTP answer"]


#: How a test ended.
Outcome = Literal["passed", "failed", "skipped"]


class Counts(NamedTuple):
    """The numbers of stored items, without evicted items."""

    requests: Count
    mails: Count
    deliveries: Count
    faults: Annotated[Count, "rules"]
    stubs: Count
    snapshots: Count
    rows: Annotated[Count, "what counts towards `--rows-limit`"]


class Use(NamedTuple):
    """The age, clock and contents of a workspace."""

    made_at: Annotated[datetime, "in real time"]
    clock: Moment
    last_request: Annotated[LastRequest | None, "the newest of the journal; null where that is empty"]
    counts: Counts
    label: Annotated[str | None, Mark.OMITTED, "such as the id of the test that made it"]
    outcome: Annotated[Outcome | None, Mark.OMITTED, "how that test ended"]


@dataclass(frozen=True)
class WorkspaceInUse(WorkspaceSummary):
    """A workspace with clock, counts and last request."""

    use: Annotated[Use, Mark.FLAT]


class Unreadable(NamedTuple):
    """A stored workspace that fails to load: calls get 503, and deleting works."""

    name: str
    why: str


class Revoked(NamedTuple):
    revoked: bool
    workspace: str


class KeptMoment(NamedTuple):
    name: str
    at: Annotated[datetime, "on the workspace's clock"]


class ScenarioLine(NamedTuple):
    name: str
    description: str
    stub_library: Annotated[bool | None, Mark.OMITTED, "whether it has stubs and nothing else, as `--stubs` takes"]
    error: Annotated[str | None, Mark.OMITTED, "what is wrong with its file"]


class App(NamedTuple):
    """A registered OAuth app."""

    client_id: str
    client_secret: Annotated[str | None, Mark.OMITTED, "a public app has none"]
    name: str
    redirect_uris: tuple[str, ...]
    scopes: tuple[str, ...]
    public: bool
    account: Annotated[str, "whose developers have registered it"]

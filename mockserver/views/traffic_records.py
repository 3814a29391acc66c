"""The answers about requests, e-mails, deliveries, receivers and faults, with their secrets redacted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Annotated, Any, Literal, NamedTuple
from urllib.parse import urlencode

from mockserver.core.text.messages import printable
from mockserver.views.record import At, Count, CountOfAll, Evicted, Keyword, Mark, Positive, ReadBy, Shape, Status, Uuid

#: The names that `mockserver.testing.records` exports, as handles return them.
__all__ = [
    "Arrival", "Attachment", "Attempt", "Call", "Cause", "ControlCall", "Delivery", "DeliveryState", "Exchange",
    "Finding", "InboundMail", "Mail", "Message", "Page", "Recipient", "Report", "SentAs", "Transition", "Trouble",
]  # fmt: skip
__tracebackhide__ = True  # pytest shows the line of the test instead

#: The state machines.
MachineName = Literal[
    "domain",
    "sender",
    "delivery",
    "export",
    "sub_account_plan",
    "scheduled_email",
    "oauth_grant",
    "process",
    "campaign",
]
#: The same in an answer whose schema does not list them.
AnyMachine = Annotated[MachineName, Keyword("enum", None)]
#: Names of query parameters with their values.
Query = Annotated[Mapping[str, Any], "a text each, a list where a name is there twice"]
RealAt = Annotated[datetime, "the same moment in real time"]
Body = Annotated[Any, "the value of JSON, else the text; null where there is none"]


class Cause(NamedTuple):
    """A cause or an effect, given by kind and id.

    An inbound e-mail has its uuid as id, a control call the header `X-Mock-Call` of its answer.
    """

    kind: Literal["request", "mail", "delivery", "timer", "control"]
    id: str


Caused = Annotated[
    Sequence[Cause],
    "the e-mails, deliveries and timers that it has caused, the first thousand; some may be gone by now",
]
CausedBy = Annotated[Sequence[Cause], "what has caused it, the first thousand; empty if unknown or too long ago"]


class Transition(NamedTuple):
    """A transition taken by a state machine instance."""

    at: datetime
    machine: str
    key: int | str
    event: str
    source: Annotated[str, At("from"), "`[*]` before it is there"]
    target: Annotated[str, At("to"), "`[*]` when it is gone"]
    real_at: RealAt
    caused: Annotated[Sequence[Cause], "what followed from it; of many, the last ones"]
    caused_by: CausedBy


# ---------------------------------------------------------------------- requests


def _lowered(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


class Message(NamedTuple):
    """Headers and body of a request or answer; header names are in lower case."""

    headers: Annotated[Mapping[str, str], ReadBy(_lowered), "secrets are redacted"]
    body: Body


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request with its answer; `str` returns a short text form."""

    id: Annotated[Uuid, "the answer's `sib-request-id`"]
    at: Annotated[datetime, "on the workspace's clock"]
    real_at: RealAt
    operation: Annotated[str | None, "null where no operation is meant"]
    method: str
    path: str
    query: Query
    account: Annotated[str | None, "null where the key opens none"]
    request: Message
    status: Annotated[Status | None, "null where the client got no HTTP answer"]
    answer: Message | None
    fault: Annotated[str | None, "the rule that hit"]
    held: Annotated[bool, "whether a fault holds the answer back"]
    beyond: Annotated[
        str | None,
        "how a request beyond the modelled operations was answered: refused, shaped, stubbed and so on",
    ]
    stub: Annotated[str | None, "the stub that was asked"]
    transitions: Annotated[Sequence[Mapping[str, Any]], Shape(Sequence[Transition])]
    warnings: Annotated[Sequence[str], "fields and parameters that the service ignored, and other advice"]
    reason: Annotated[str | None, "why the request was refused"]
    caused: Caused
    caused_by: CausedBy
    ms: Annotated[float, Keyword("minimum", 0.0)]

    def __str__(self) -> str:
        query = f"?{urlencode(self.query, doseq=True)}" if self.query else ""
        status = "no answer" if self.status is None else self.status
        lines = [f"{self.method} {self.path}{query} {status}", *(f"    {line}" for line in self._notes())]
        return "\n".join(lines)

    def _notes(self) -> Iterator[str]:
        if self.reason:
            yield self.reason
        if self.fault:
            yield f"fault: {self.fault}"
        for warning in self.warnings:
            yield f"warning: {warning}"


class Page(NamedTuple):
    """A page of a journal, newest exchanges first."""

    items: Sequence[Exchange]
    total: Annotated[CountOfAll, At("count")]
    evicted: Evicted


class Differing(NamedTuple):
    path: Annotated[str, "a JSON Pointer"]
    wanted: Any
    got: Any


class NearMiss(NamedTuple):
    id: Uuid
    operation: str | None
    method: str
    path: str
    differences: Annotated[Sequence[Differing], "the first hundred"]
    further: Annotated[Positive | None, Mark.OMITTED, "how many more there are, where there are more"]


class Verdict(NamedTuple):
    satisfied: bool
    matched: Count
    ids: Sequence[Uuid]
    near_misses: Annotated[Sequence[NearMiss], "the fewest differences first, where too few match"]


@dataclass(frozen=True, slots=True)
class ControlCall:
    """A recorded control call, with secrets redacted."""

    id: Annotated[Uuid, "the answer's `X-Mock-Call`"]
    at: Annotated[datetime, "when it was over, on the workspace's clock"]
    real_at: RealAt
    method: str
    path: Annotated[str, "without the name of the workspace"]
    query: Query
    body: Body
    left_out: Annotated[Positive | None, Mark.OMITTED, "the bytes of a body that was too large to keep"]
    status: Status
    transitions: Annotated[Sequence[Transition], "caused by it, the first hundred"]
    caused: Caused
    caused_by: CausedBy


#: The rules by which requests are checked for mistakes of the client.
RuleName = Literal[
    "repeated-write", "ignored-rate-limit", "first-page-only", "secret-in-url", "unverified-webhook", "unused-input",
    "no-timeout", "outdated-api",
]  # fmt: skip


class Finding(NamedTuple):
    """A mistake of the client that calls the service."""

    rule: RuleName
    message: Annotated[str, "one sentence, with the damage in numbers"]
    requests: Annotated[Sequence[Uuid], "the ids of the requests, oldest first"]
    deliveries: Annotated[Sequence[Positive], "the ids of webhook calls, of mistakes of a receiver"]
    url: Annotated[str, "the page that explains the rule and its fix"]
    subject: Annotated[str, "what the rule has found it in; accepted findings are named by it"]


TroubleKind = Literal[
    "unanswered-request", "held-request", "failed-delivery", "failed-mail", "failed-stub", "fault", "refused-request",
    "warning", "finding",
]  # fmt: skip


class Trouble(NamedTuple):
    """Something that went wrong in a workspace; `str` returns a line."""

    kind: TroubleKind
    message: str
    times: Annotated[Positive, "how often the same has happened"]
    id: Annotated[str | None, "the newest request, delivery or e-mail with this trouble"]

    def __str__(self) -> str:
        times = f" ({self.times:,} times)" if self.times > 1 else ""
        return f"{self.kind.replace('-', ' ')}: {printable(self.message)}{times}"


@dataclass(frozen=True, slots=True)
class Report:
    """What went wrong in a workspace; `str` returns a text of a few lines."""

    workspace: str
    summary: Annotated[str, "how much has happened; empty where nothing has"]
    items: Annotated[Sequence[Trouble], "by kind, and the newest last"]
    count: CountOfAll
    last: Annotated[Uuid | None, "the newest request, for `since` of a later report"]

    def __str__(self) -> str:
        more = self.count - len(self.items)
        lines = [
            f"mockserver report on workspace {self.workspace}: {self.summary or 'nothing has happened'}",
            *map(str, self.items),
        ]
        return "\n".join([*lines, f"and {more:,} more" if more else ""]).rstrip()


# ---------------------------------------------------------------------- e-mails


class Recipient(NamedTuple):
    """A recipient of an e-mail."""

    kind: Annotated[str, Keyword("enum", ("to", "cc", "bcc"))]
    email: str
    name: Annotated[str, "empty where none was given"]


class Attachment(NamedTuple):
    """An attachment of an e-mail."""

    name: str
    size: Annotated[Count | None, "in bytes; null where only `url` is known"] = None
    url: Annotated[str | None, Mark.OMITTED, "where the content is, if it was not sent"] = None


class Sending(NamedTuple):
    """The progress of sending an e-mail to a real SMTP server."""

    state: Annotated[str, Keyword("enum", ("waiting", "sent", "failed"))]
    tries: Annotated[Count, "how often it was tried"]
    error: Annotated[str | None, "what went wrong the last time"]


class Mail(NamedTuple):
    """An e-mail sent by the service."""

    id: str
    at: Annotated[datetime, "on the workspace's clock"]
    to: Annotated[str, "addresses, with commas between them"]
    cc: Annotated[Sequence[str], "addresses"] = ()
    bcc: Annotated[Sequence[str], "addresses"] = ()
    recipients: Annotated[Sequence[Recipient], "all of them, with their names"] = ()
    sender: Annotated[str, At("from")] = ""
    reply_to: str | None = None
    subject: str = ""
    text: Annotated[str, "empty where only HTML was sent"] = ""
    html: Annotated[str, "the text as a page where no HTML was sent"] = ""
    headers: Annotated[Mapping[str, str], "those that the client has given"] = MappingProxyType({})
    tags: Sequence[str] = ()
    message_id: Annotated[str, "with its angle brackets"] = ""
    template_id: Count | None = None
    params: Annotated[Mapping[str, Any], "those that the client has given"] = MappingProxyType({})
    attachments: Annotated[Sequence[Attachment], "their contents are in `.eml`"] = ()
    otp: Annotated[Count | None, "the one-time code in it"] = None
    account: Annotated[str | None, "the account that it is about"] = None
    machine: Annotated[AnyMachine | None, "the state machine that it is about"] = None
    key: int | str | None = None
    request: Annotated[str | None, "the id of the request that has caused it"] = None
    caused: Caused = ()
    caused_by: CausedBy = ()
    smtp: Annotated[
        Mapping[str, Any] | None,
        Shape(Sending),
        Mark.OMITTED,
        "its progress to the server of --smtp-url",
    ] = None


# ---------------------------------------------------------------------- webhook calls


class AttemptedCall(NamedTuple):
    method: str
    url: Annotated[str, "without credentials"]
    headers: Mapping[str, str]
    body: Any


class Attempt(NamedTuple):
    """One request of a delivery with its result."""

    at: datetime
    request: AttemptedCall
    status: Annotated[int | None, Mark.OMITTED]
    error: Annotated[str | None, Mark.OMITTED, "why there was no answer"]

    @property
    def method(self) -> str:
        """The method of the request."""
        return self.request.method

    @property
    def url(self) -> str:
        """The address without credentials, sent as header instead."""
        return self.request.url

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers of the request."""
        return self.request.headers

    @property
    def body(self) -> Any:
        """The payload: an object, or a list of objects for a batch."""
        return self.request.body


DeliveryState = Literal["scheduled", "delivered", "retrying", "dropped"]
SentAs = Literal["forged", "duplicated", "reordered", "late"]


@dataclass(frozen=True, slots=True)
class Delivery:
    """A webhook call of the service with its attempts."""

    id: Positive
    state: DeliveryState
    account: str
    webhook: Count | None
    export: Annotated[Count | None, "of the process whose file is ready"]
    event: Annotated[str | Sequence[str], "a name, or those of a batch"]
    url: str
    created_at: datetime
    next_at: Annotated[datetime | None, "when it is tried next"]
    in_flight: Annotated[bool, "whether an attempt is under way"]
    sent_as: Annotated[SentAs | None, "the trial of the receiver that sent it; null: the service"]
    attempts: Annotated[tuple[Attempt, ...], "oldest first"]
    caused: Caused
    caused_by: CausedBy
    attempts_evicted: Evicted


class Call(NamedTuple):
    """A call received by a receiver; header names are in lower case."""

    at: datetime
    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: Any


class Manner(NamedTuple):
    """How a receiver answers its calls."""

    status: Count
    delay_ms: float
    reset: bool
    times: Count | None


@dataclass(frozen=True)
class ReceiverSummary:
    """A receiver of webhook calls."""

    name: str
    answers: Manner
    answered: Annotated[Count, "how many calls were answered in this manner"]
    count: Annotated[Count, "of the calls that are kept"]
    evicted: Evicted


@dataclass(frozen=True)
class ReceiverCalls(ReceiverSummary):
    """A receiver with a page of received calls."""

    items: Annotated[Sequence[Call], "newest first"]


class Arrival(NamedTuple):
    """An inbound e-mail, and the webhook calls that it causes."""

    uuid: Uuid
    at: Annotated[datetime, At("date")]
    deliveries: tuple[Delivery, ...]


class InboundMail(NamedTuple):
    """A received e-mail, once per recipient."""

    uuid: Uuid
    at: Annotated[datetime, At("date"), "when it reached the service"]
    account: str
    sender: str
    recipient: str
    caused: Caused = ()
    caused_by: CausedBy = ()

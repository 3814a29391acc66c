"""The answers about the server, contract coverage and the fidelity of the mocked API.

The server writes most of them as plain data, which commands and files hold as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple

from mockserver.core.contract.operation import Mark as Confidence
from mockserver.views.record import At, Count, Keyword, Mark, Positive, Status

# ---------------------------------------------------------------------- index and health


class CallLine(NamedTuple):
    method: str
    path: Annotated[str, "with its parameters in braces"]
    summary: Annotated[str, At("does")]


class AnsweredAs(NamedTuple):
    """The ids of all service operations, grouped by the kind of answer."""

    specification: Annotated[Sequence[str], "the 34 operations of the specification"]
    further: Annotated[Sequence[str], "operations beside the 34: sending, contacts, received mails"]
    stubbed: Annotated[Sequence[str], "operations for which the workspace has a stub"]
    named: Annotated[Sequence[str], "operations that the mock knows by name only"]


class SmtpHealth(NamedTuple):
    server: Annotated[str, "where e-mails go"]
    sent: Count
    failed: Annotated[Count, "for good"]
    waiting: Annotated[Count, "for their turn, or for the next try"]
    last_error: str | None


class SmtpInHealth(NamedTuple):
    address: Annotated[str, "where mails are taken"]
    received: Count


class TlsHealth(NamedTuple):
    port: Annotated[Count, "where the server speaks TLS"]


class KeptHealth(NamedTuple):
    place: Annotated[str, "the file of the store, or its address without secrets"]
    bytes: Annotated[Count, "of that file and of the log beside it, or of the memory that the store has taken"]
    waiting: Annotated[Count, "how many workspaces have changed and are not written yet"]
    last_error: str | None


class Health(NamedTuple):
    """The server's health, readable without control token."""

    status: Literal["ok"]
    version: str
    scenario: Annotated[str, "of the workspace `default`"]
    workspaces: Annotated[Count, "how many there are"]
    evicted: Annotated[Count, "how many workspaces had to go for newer ones"]
    store: Annotated[str, Keyword("enum", ("memory", "sqlite", "redis"))]
    uptime_s: Annotated[float, Keyword("minimum", 0.0)]
    started: Annotated[float, "the monotonic clock of its machine when it was started; each start has another value"]
    replica: Annotated[str | None, Mark.OMITTED, "its name, where --replica is set"]
    kept: Annotated[KeptHealth | None, Mark.OMITTED, "where --store is not memory"]
    smtp: Annotated[SmtpHealth | None, Mark.OMITTED, "where --smtp-url is set"]
    smtp_in: Annotated[SmtpInHealth | None, Mark.OMITTED, "where --smtp-in is set"]
    tls: Annotated[TlsHealth | None, Mark.OMITTED, "where --tls is set"]
    public_url: Annotated[str | None, Mark.OMITTED, "where --public-url is set"]


# ---------------------------------------------------------------------- refusals


class MistakeLine(NamedTuple):
    path: Annotated[str, "a JSON Pointer into the body, or a parameter's name after a slash"]
    message: str
    line: Annotated[int | None, Mark.OMITTED, "of YAML, as a body or the member `yaml`: its line, from 1"]


class ProblemDetails(NamedTuple):
    """The body of each refusal of the control API, of the type application/problem+json (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    errors: Annotated[Sequence[MistakeLine] | None, Mark.OMITTED, Keyword("minItems", 1)]
    unreadable: Annotated[bool | None, Mark.OMITTED, "true: what was sent as YAML cannot be read as a YAML mapping"]
    state: Annotated[str | None, Mark.OMITTED, "of 409: in which state the instance is"]
    allowed: Annotated[Sequence[str] | None, Mark.OMITTED, "of 409: which events apply"]


# ---------------------------------------------------------------------- coverage

Percent = Annotated[
    float,
    Keyword("minimum", 0.0),
    Keyword("maximum", 100.0),
    "with one decimal, rounded down; 0 where nothing is counted",
]


class Total(NamedTuple):
    """The numbers of met and existing points of the contract."""

    met: Count
    of: Count


class Met(NamedTuple):
    total: Annotated[Total, Mark.FLAT]
    percent: Percent


class Totals(NamedTuple):
    operations: Met
    statuses: Met
    codes: Met
    fields: Met
    transitions: Met


class CodeMet(NamedTuple):
    natural: Annotated[Count, "answers of the service's own"]
    injected: Annotated[Count, "answers that a fault has made"]


class Unmet(NamedTuple):
    statuses: Sequence[str]
    codes: Sequence[str]
    fields: Sequence[str]


class OperationMet(NamedTuple):
    calls: Count
    statuses: Annotated[Mapping[str, int], "how often each was met"]
    codes: Mapping[str, CodeMet]
    fields: Annotated[Mapping[str, int], "how often each optional one was sent"]
    unmet: Unmet


class CalledBeyond(NamedTuple):
    calls: Count
    answered: Annotated[Mapping[str, int], "how often in which way: refused, shaped, stubbed and so on"]


class Coverage(NamedTuple):
    """The contract coverage of one workspace or of all workspaces."""

    percent: Percent
    of: Annotated[str, "what is counted, as asked for: specification, all, used, or names with commas"]
    counted: Annotated[Sequence[str], "the operations and state machines that are counted"]
    totals: Totals
    operations: Annotated[Mapping[str, OperationMet], "those that were called"]
    further: Annotated[Mapping[str, OperationMet], "the operations beside the 34 that were called; counted with of=all"]
    transitions: Annotated[Mapping[str, Mapping[str, int]], "by machine and event"]
    missing: Annotated[Sequence[str], "a sentence each, the most telling first"]
    beyond: Annotated[
        Mapping[str, CalledBeyond],
        "operations that the service has and the mock has not; no percentage counts them",
    ]


# ---------------------------------------------------------------------- the mocked API


class OperationBeyond(NamedTuple):
    operation: str
    method: str
    path: str
    status: Annotated[Status, "that of success"]
    answered: Annotated[str, Keyword("enum", ("refused", "shaped", "forwarded")), "how it is answered without a stub"]
    stubs: Annotated[Sequence[str], "the stubs of the workspace that can have its address"]


class OpenApi(NamedTuple):
    openapi: Annotated[str, Keyword("pattern", r"^(?:3\.1\.[0-9]+)$")]
    info: Mapping[str, Any]
    paths: Mapping[str, Any]
    others: Annotated[Mapping[str, Any], Mark.REST]


Programs = Annotated[Positive | None, Mark.OMITTED, "public programs that show it, where the mark is observed_in_code"]


class BoundsEvidence(NamedTuple):
    mark: Confidence
    source: str
    bounds: Annotated[Mapping[str, Any], Mark.REST]


class FieldEvidence(NamedTuple):
    place: Annotated[Literal["path", "query", "body", "answer"], At("in")]
    name: str
    mark: Confidence
    source: str
    programs: Programs
    bounds: Annotated[BoundsEvidence | None, Mark.OMITTED, "where more than its type bounds it"]


class ErrorEvidence(NamedTuple):
    status: Annotated[int, Keyword("minimum", 400)]
    code: str
    when: str
    mark: Confidence
    source: str
    programs: Programs


class Evidence(NamedTuple):
    method: str
    path: str
    source: str
    fields: Sequence[FieldEvidence]
    errors: Sequence[ErrorEvidence]
    notes: Sequence[str]


class Fidelity(NamedTuple):
    """The evidence for each field and error of the mocked API."""

    totals: Mapping[str, int]
    operations: Mapping[str, Evidence]

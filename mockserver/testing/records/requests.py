"""The journal of a workspace: the requests that it got, with their answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, NamedTuple
from urllib.parse import urlencode

from mockserver.testing.records.causes import Cause
from mockserver.testing.records.machines import Transition
from mockserver.testing.records.reading import Member

__tracebackhide__ = True  # pytest shows the line of the test instead


@dataclass(frozen=True, slots=True)
class ControlCall:
    """A call of the control API that has changed something; the values of secrets are redacted."""

    #: The header `X-Mock-Call` of its answer.
    id: str
    #: When it was over, on the workspace's clock.
    at: datetime
    #: The same moment in real time.
    real_at: datetime
    method: str
    path: str
    query: Mapping[str, Any]
    #: The value of a JSON body, or the text of another body; None: there is none, or it was too large to be kept.
    body: Any
    #: How many bytes the body had; None: it was kept.
    left_out: int | None
    status: int
    #: The transitions that the call has caused, the first hundred.
    transitions: Sequence[Transition]
    #: The e-mails, deliveries and timers that the call has caused.
    caused: Sequence[Cause]
    #: What has caused the call: nothing that the mock knows of.
    caused_by: Sequence[Cause]


def _lowered(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


class Message(NamedTuple):
    """The headers and the body of a request or an answer; the values of secrets are redacted."""

    #: The headers, whose names are in lower case.
    headers: Annotated[Mapping[str, str], Member(read=_lowered)]
    #: The value of a JSON body, or the text of another body; None: there is no body.
    body: Any


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request with its answer; `str` returns a few lines of text about it."""

    id: str
    #: When the request came, on the workspace's clock.
    at: datetime
    #: The id of the operation, such as `createSender`; None: the address is none of the API.
    operation: str | None
    method: str
    path: str
    query: Mapping[str, Any]
    #: The name of the account that the API key or token opened; None: it opened none.
    account: str | None
    request: Message
    #: When the request came, in real time.
    real_at: datetime
    #: The e-mails, deliveries and timers that the request has caused.
    caused: Sequence[Cause]
    #: What has caused the request: nothing that the mock knows of.
    caused_by: Sequence[Cause]
    #: The status of the answer; None: a fault left the client without an answer.
    status: int | None
    #: The answer; None: a fault left the client without one.
    answer: Message | None
    #: The id of the fault that has made the request go wrong; None: none has.
    fault: str | None
    #: Whether the fault holds the answer back, and the client waits for it.
    held: bool
    #: How a request was answered that no operation of the mock answers: `refused`, `shaped`, `stubbed` and so on;
    #: None: one answers it, or nothing of the service has its address.
    beyond: str | None
    #: The id of the stub that answered, or failed to; None: none was asked.
    stub: str | None
    #: The transitions of state machines that the request caused, each with `machine`, `key`, `event`, `from`,
    #: `to`, `caused`, `caused_by`.
    transitions: Sequence[Mapping[str, Any]]
    #: Sentences about what the client has sent and the service ignores.
    warnings: Sequence[str]
    #: Why the answer is no success, in a sentence; None: it is one.
    reason: str | None
    #: How long the answer took, in milliseconds of real time.
    ms: float

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
    """Some of the exchanges of a journal."""

    #: The exchanges, newest first.
    items: Sequence[Exchange]
    #: How many exchanges of the journal pass the filter, those on other pages included.
    total: Annotated[int, Member("count")]
    #: How many older exchanges were removed, because the journal's size is limited.
    evicted: int

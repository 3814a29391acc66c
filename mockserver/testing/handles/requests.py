"""The journal of a workspace: the requests that it got, with their answers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, NamedTuple
from urllib.parse import urlencode

from mockserver.testing.link import Link, path_segment
from mockserver.testing.names import OperationName
from mockserver.testing.records import Member, read

__tracebackhide__ = True  # pytest shows the line of the test instead


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
    #: The status of the answer; None: a fault left the client without an answer.
    status: int | None
    #: The answer; None: a fault left the client without one.
    answer: Message | None
    #: The id of the fault that has made the request go wrong; None: none has.
    fault: str | None
    #: How a request was answered that no operation of the mock answers: `refused`, `shaped`, `stubbed` and so on;
    #: None: one answers it, or nothing of the service has its address.
    beyond: str | None
    #: The id of the stub that answered, or failed to; None: none was asked.
    stub: str | None
    #: The transitions of state machines that the request caused, each with `machine`, `key`, `event`, `from`, `to`.
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


class Requests:
    """The journal of one workspace, newest exchange first.

    `all`, `page`, `latest` and `wait` filter by `operation`, `status`, `method`, `path` (a glob) and `fault` (the id of
    a rule). `verify` matches also by `query`, `json` (members that the body must have), `headers` and `code`; it takes
    lists of operations and methods, and as `path` also a mapping of path parameters.
    """

    def __init__(self, link: Link) -> None:
        self._link = link

    def all(self, *, limit: int = 1000, operation: OperationName | None = None, **filter_by: Any) -> list[Exchange]:
        """The exchanges that pass a filter, newest first, at most `limit` (from 1 to 1000).

        Raises:
            MockServerError: 400; there is no such filter.
        """
        return list(self.page(limit=limit, operation=operation, **filter_by).items)

    def page(self, *, limit: int = 100, offset: int = 0, **filter_by: Any) -> Page:
        """At most `limit` (from 1 to 1000) exchanges that pass a filter, after the `offset` newest ones.

        Raises:
            MockServerError: 400; there is no such filter.
        """
        found = self._link.get("/requests", limit=limit, offset=offset, **filter_by)
        return read(Page, found)

    def get(self, identifier: str) -> Exchange:
        """The exchange with an id, which is also the header `sib-request-id` of its answer.

        Raises:
            MockServerError: 404; there is no such exchange, or it was removed to make room for newer ones.
        """
        return read(Exchange, self._link.get(f"/requests/{path_segment(identifier)}"))

    def latest(self, *, operation: OperationName | None = None, **filter_by: Any) -> Exchange:
        """The newest exchange that passes a filter.

        Raises:
            LookupError: there is none; the message shows the ten newest exchanges of the journal.
            MockServerError: 400; there is no such filter.
        """
        return self.wait(0, operation=operation, **filter_by)

    def wait(self, seconds: float, *, operation: OperationName | None = None, **filter_by: Any) -> Exchange:
        """The newest exchange that passes a filter; if there is none yet, the first within `seconds` (from 0 to 30).

        Raises:
            LookupError: there was none in time; the message shows the ten newest exchanges of the journal.
            MockServerError: 400; there is no such filter.
        """
        wanted = {**({} if operation is None else {"operation": operation}), **filter_by}
        found = self._link.get("/requests", limit=1, wait=seconds, **wanted)["items"]
        if not found:
            after = f" after {seconds:g} s" if seconds else ""
            raise LookupError(f"no request{_with(wanted)}{after}; {self._last()}")
        return read(Exchange, found[0])

    def verify(
        self,
        *,
        operation: OperationName | Sequence[OperationName] | None = None,
        count: int | None = None,
        at_least: int | None = None,
        at_most: int | None = None,
        **match: Any,
    ) -> list[str]:
        """Check that so many requests match, and return their ids.

        Either `count` requests have to match, or from `at_least` to `at_most`; without any of these, at least one.
        Requests are matched as they were sent, before secrets are redacted.

        Raises:
            AssertionError: more or fewer requests match; the message shows the closest ones and how they differ.
            TypeError: both `count` and a bound are given.
            MockServerError: 400; the pattern is not valid.
        """
        match = {**({} if operation is None else {"operation": operation}), **match}
        bounds = {name: value for name, value in (("at_least", at_least), ("at_most", at_most)) if value is not None}
        if count is not None and bounds:
            raise TypeError("verify takes either count, or at_least and at_most")
        wanted = count if count is not None else bounds or {"at_least": 1}
        found = self._link.post("/requests/verify", {"match": match, "count": wanted})
        if not found["satisfied"]:
            raise AssertionError(self._unsatisfied(wanted, match, found))
        return list(found["ids"])

    def clear(self) -> None:
        """Empty the journal."""
        self._link.delete("/requests")

    def _unsatisfied(self, wanted: int | dict[str, int], match: Mapping[str, Any], found: Mapping[str, Any]) -> str:
        """Why a check of matching requests has failed."""
        summary = f"expected {_many(wanted)}{_with(match)}, found {found['matched']}"
        if found["near_misses"]:
            return "\n".join([f"{summary}; closest are", *map(_near_miss, found["near_misses"])])
        return summary if found["matched"] else f"{summary}; {self._last()}"

    def _last(self) -> str:
        """The ten newest exchanges of the journal, as the end of a message; chosen to fit on a screen."""
        lines = [f"\n  {exchange.method} {exchange.path} {exchange.status}" for exchange in self.all(limit=10)]
        return f"the journal {'shows' if lines else 'is empty'}{''.join(lines)}"


def _many(wanted: int | dict[str, int]) -> str:
    if isinstance(wanted, int):
        return f"{wanted} request{'' if wanted == 1 else 's'}"
    return f"{' and '.join(f'{name} {number}'.replace('_', ' ') for name, number in wanted.items())} requests"


def _with(match: Mapping[str, Any]) -> str:
    return f" with {', '.join(f'{name}={value!r}' for name, value in match.items())}" if match else ""


def _near_miss(miss: Mapping[str, Any]) -> str:
    rows = [
        f"    {row['path']}: wanted {_shown(row['wanted'])}, got {_shown(row['got'])}" for row in miss["differences"]
    ]
    if "further" in miss:
        rows.append(f"    and {miss['further']:,} more")
    return "\n".join([f"  {miss['method']} {miss['path']} ({miss['operation'] or 'no operation'})", *rows])


def _shown(value: Any) -> str:
    return "nothing" if value is None else json.dumps(value, ensure_ascii=False)

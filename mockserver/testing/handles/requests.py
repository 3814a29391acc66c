"""What a workspace was asked, and what it answered."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, NamedTuple
from urllib.parse import urlencode

from mockserver.testing.handles.link import Link, part
from mockserver.testing.handles.reading import Member, read
from mockserver.testing.names import OperationName

__tracebackhide__ = True  # pytest shows the line of the test instead


def _lowered(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


class Message(NamedTuple):
    """The headers and the body of a request or an answer; secrets are blotted out."""

    #: Their names are in lower case.
    headers: Annotated[Mapping[str, str], Member(read=_lowered)]
    #: The value of a JSON body, the text of another one; None if there is none.
    body: Any


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request and its answer; `str` gives it as a few lines to read."""

    id: str
    #: When, on the workspace's clock.
    at: datetime
    #: Which operation it was, such as `createSender`; None if no address of the API was met.
    operation: str | None
    method: str
    path: str
    query: Mapping[str, Any]
    #: The name of the account that the key has opened; None if it opened none.
    account: str | None
    request: Message
    #: None, as `answer` is, where a fault left the client without an answer.
    status: int | None
    answer: Message | None
    #: The id of the fault that has made it go wrong.
    fault: str | None
    #: What it has changed: `machine`, `key`, `event`, `from`, `to`.
    transitions: Sequence[Mapping[str, Any]]
    #: What the client has sent and the service ignores.
    warnings: Sequence[str]
    #: Why the answer is no success, in a sentence.
    reason: str | None
    #: How long it took, in milliseconds of real time.
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
    """A part of the journal."""

    #: Newest first.
    items: Sequence[Exchange]
    #: How many there are in all.
    total: Annotated[int, Member("count")]
    #: How many have fallen out of the journal, as it is bounded.
    evicted: int


class Requests:
    """The journal of one workspace, newest first.

    `all`, `latest` and `wait` take as a filter `operation`, `status`, `method`, `path` (a glob) and `fault` (the id of
    a rule); `verify` takes besides `query`, `json` (what the body holds at least), `headers` and `code`, lists of
    operations and methods, and for `path` a mapping of its parameters.
    """

    def __init__(self, link: Link) -> None:
        self._link = link

    def all(self, *, limit: int = 1000, operation: OperationName | None = None, **filter_by: Any) -> list[Exchange]:
        """The exchanges, newest first, at most `limit` (up to 1000).

        Raises:
            MockServerError: 400; there is no such filter.
        """
        return list(self.page(limit=limit, operation=operation, **filter_by).items)

    def page(self, *, limit: int = 100, offset: int = 0, **filter_by: Any) -> Page:
        """A part of the journal, and how much there is besides: at most `limit` (up to 1000), behind `offset`.

        Raises:
            MockServerError: 400; there is no such filter.
        """
        found = self._link.get("/requests", limit=limit, offset=offset, **filter_by)
        return read(Page, found)

    def get(self, identifier: str) -> Exchange:
        """One exchange, by its id, which is also the header `sib-request-id` of the answer.

        Raises:
            MockServerError: 404; there is none, or it has fallen out of the journal.
        """
        return read(Exchange, self._link.get(f"/requests/{part(identifier)}"))

    def latest(self, *, operation: OperationName | None = None, **filter_by: Any) -> Exchange:
        """The newest exchange of that kind.

        Raises:
            LookupError: there is none; the message shows the last ones.
            MockServerError: 400; there is no such filter.
        """
        return self.wait(0, operation=operation, **filter_by)

    def wait(self, seconds: float, *, operation: OperationName | None = None, **filter_by: Any) -> Exchange:
        """The newest exchange of that kind; if there is none yet, the first within so many seconds (at most 30).

        Raises:
            LookupError: there was none in time; the message shows the last ones.
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
        """The ids of the requests that match, if they are as many as wanted; at least one if nothing is said.

        What was sent is matched, secrets included.

        Raises:
            AssertionError: they are more or fewer; the message shows what came closest, and in what it differs.
            TypeError: both `count` and a bound are given.
            MockServerError: 400; there is no such pattern.
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
        told = f"expected {_many(wanted)}{_with(match)}, found {found['matched']}"
        if found["near_misses"]:
            return "\n".join([f"{told}; closest are", *map(_near_miss, found["near_misses"])])
        return told if found["matched"] else f"{told}; {self._last()}"

    def _last(self) -> str:
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

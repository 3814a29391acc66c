# Written by .ci/synchronous.py out of asynchronous/requests.py, where it is to be changed.
"""The journal of a workspace: the requests that it got, with their answers."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from mockserver.testing.client import path_segment
from mockserver.testing.names import OperationName
from mockserver.testing.records.reading import read
from mockserver.testing.records.requests import Exchange, Page
from mockserver.testing.synchronous.link import Link

__tracebackhide__ = True  # pytest shows the line of the test instead


class Requests:
    """The journal of one workspace, newest exchange first.

    `all`, `page`, `latest` and `wait` filter by `operation`, `status`, `code`, `method`, `path` (a glob), `fault` (the
    id of a rule), `transition` (as `sender.verify`), `field` (an optional member that was sent) and `held` (whether a
    fault holds the answer back). `verify` matches by `query`, `json` (members that the body must have) and `headers`
    instead of the last three; it takes lists of operations and methods, and as `path` also a mapping of path
    parameters.
    """

    def __init__(self, link: Link) -> None:
        self._link = link

    def all(self, *, limit: int = 1000, operation: OperationName | None = None, **filter_by: Any) -> list[Exchange]:
        """The exchanges that pass a filter, newest first, at most `limit` (from 1 to 1000).

        Raises:
            MockServerError: 400; there is no such filter.
        """
        page = self.page(limit=limit, operation=operation, **filter_by)
        return list(page.items)

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

    def answer(self, identifier: str) -> Exchange:
        """Let the answer of a request go that a fault holds, and return the request when the answer has left.

        A request that a `hang` holds gets the answer that it would have got without the fault.

        Raises:
            MockServerError: 404, there is no such exchange; 409, no fault holds its answer, or it has to wait.
        """
        return read(Exchange, self._link.post(f"/requests/{path_segment(identifier)}/answer"))

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
        found = self._link.items("/requests", limit=1, wait=seconds, **wanted)
        if not found:
            after = f" after {seconds:g} s" if seconds else ""
            last = self._last()
            raise LookupError(f"no request{_with(wanted)}{after}; {last}")
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
        if found["matched"]:
            return summary
        last = self._last()
        return f"{summary}; {last}"

    def _last(self) -> str:
        """The ten newest exchanges of the journal, as the end of a message; chosen to fit on a screen."""
        newest = self.all(limit=10)
        lines = [f"\n  {exchange.method} {exchange.path} {exchange.status}" for exchange in newest]
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

"""The journal of a workspace: the requests that it got, with their answers, and the control calls that changed it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Unpack

from mockserver.testing.arguments import Filter, Pattern
from mockserver.testing.client import path_segment
from mockserver.testing.handles.link import Handle, given
from mockserver.testing.records import ControlCall, Exchange, Page
from mockserver.views.record import read, read_all

__tracebackhide__ = True  # pytest shows the line of the test instead


class Requests(Handle):
    """The journal of one workspace, newest exchange first."""

    def all(self, *, limit: int = 1000, wait: float = 0, **filter_by: Unpack[Filter]) -> list[Exchange]:
        """Return the exchanges that pass a filter, newest first, at most `limit` (from 1 to 1000).

        If none passes yet, wait up to `wait` seconds of real time (at most 30) for the first one. The body that was
        sent is `request.body` of an exchange: `requests.all()[0].request.body`.

        Raises:
            MockServerError: 400; there is no such filter or operation.
        """
        return list(self.page(limit=limit, wait=wait, **filter_by).items)

    def page(self, *, limit: int = 100, offset: int = 0, wait: float = 0, **filter_by: Unpack[Filter]) -> Page:
        """Return at most `limit` (from 1 to 1000) exchanges that pass a filter, after the `offset` newest ones.

        If none passes yet, wait up to `wait` seconds of real time (at most 30) for the first one.

        Raises:
            MockServerError: 400; there is no such filter or operation.
        """
        found = self._link.get("/requests", limit=limit, offset=offset, wait=wait or None, **filter_by)
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

    def latest(self, **filter_by: Unpack[Filter]) -> Exchange:
        """The newest exchange that passes a filter.

        Raises:
            LookupError: there is none; the message shows the ten newest exchanges of the journal.
            MockServerError: 400; there is no such filter or operation.
        """
        return self.wait(0, **filter_by)

    def wait(self, seconds: float, **filter_by: Unpack[Filter]) -> Exchange:
        """The newest exchange that passes a filter; if there is none yet, the first within `seconds` (from 0 to 30).

        Raises:
            LookupError: there was none in time; the message shows the ten newest exchanges of the journal.
            MockServerError: 400; there is no such filter or operation.
        """
        wanted = given(filter_by)
        found = self._link.items("/requests", limit=1, wait=seconds, **wanted)
        if not found:
            after = f" after {seconds:g} s" if seconds else ""
            raise LookupError(f"no request{_with(wanted)}{after}; {self._last()}")
        return read(Exchange, found[0])

    def verify(
        self,
        *,
        count: int | None = None,
        at_least: int | None = None,
        at_most: int | None = None,
        **match: Unpack[Pattern],
    ) -> list[str]:
        """Check that so many requests match, and return their ids.

        Either `count` requests have to match, or from `at_least` to `at_most`; without any of these, at least one.
        `json` has to be a part of the body, `json_exactly` the whole body. Requests are matched as they were sent,
        before secrets are redacted.

        Raises:
            AssertionError: more or fewer requests match; the message shows the closest ones and how they differ.
            TypeError: both `count` and a bound are given.
            MockServerError: 400; the pattern is not valid.
        """
        pattern = {name: value for name, value in match.items() if name != "operation" or value is not None}
        bounds = given({"at_least": at_least, "at_most": at_most})
        if count is not None and bounds:
            raise TypeError("verify takes either count, or at_least and at_most")
        wanted = count if count is not None else bounds or {"at_least": 1}
        found = self._link.post("/requests/verify", {"match": pattern, "count": wanted})
        if not found["satisfied"]:
            raise AssertionError(self._unsatisfied(wanted, pattern, found))
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
        return f"{summary}; {self._last()}"

    def _last(self) -> str:
        """The ten newest exchanges of the journal, as the end of a message; chosen to fit on a screen."""
        newest = self.all(limit=10)
        lines = [f"\n  {exchange.method} {exchange.path} {exchange.status}" for exchange in newest]
        return f"the journal {'shows' if lines else 'is empty'}{''.join(lines)}"


class Calls(Handle):
    """The control calls that have changed something in one workspace since it was made or last reset, newest first."""

    def all(self, *, limit: int = 1000) -> list[ControlCall]:
        """The calls, newest first, at most `limit` (from 1 to 1000)."""
        return read_all(ControlCall, self._link.items("/calls", limit=limit))

    def get(self, identifier: str) -> ControlCall:
        """The call with an id.

        Raises:
            MockServerError: 404; there is no such call, or it was removed to make room for newer ones.
        """
        return read(ControlCall, self._link.get(f"/calls/{path_segment(identifier)}"))


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

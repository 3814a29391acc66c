"""A receiver of webhook calls on the mock itself, for tests that have no address of their own to be called at."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from mockserver.testing.handles.link import Link, part
from mockserver.testing.handles.reading import read_all

__tracebackhide__ = True  # pytest shows the line of the test instead


class Call(NamedTuple):
    """One call that came in."""

    #: When, on the workspace's clock.
    at: datetime
    method: str
    path: str
    #: The query as it was sent.
    query: str
    #: Their names are in lower case.
    headers: Mapping[str, str]
    #: The value of a JSON body, the text of another one; None if there is none.
    body: Any


class Receiver:
    """One receiver of a workspace; it answers 200 until it is told otherwise."""

    def __init__(self, link: Link, root: str, name: str) -> None:
        self._link = link
        self._path = f"/receivers/{part(name)}"
        self.name = name
        #: The address to be called at; the server has to reach itself by it, so it is of the server's own machine.
        self.url = f"{root}/_mock/receiver/{part(name)}"

    def __repr__(self) -> str:
        return f"Receiver({self.name!r})"

    def calls(self, *, count: int | None = None, wait: float = 0) -> list[Call]:
        """The calls that came in, newest first, at most 1000.

        With `wait`, once there is one, or `count` of them, but no later than after so many seconds (at most 30).

        Raises:
            LookupError: there are fewer than `count`; the message shows those that came.
        """
        found = self._link.get(self._path, count=count, wait=wait or None, limit=1000)
        calls = read_all(Call, found["items"])
        if count is not None and found["count"] < count:
            raise LookupError(self._too_few(count, wait, calls))
        return calls

    def answer(
        self, status: int = 200, *, delay_ms: float | None = None, reset: bool | None = None, times: int | None = None
    ) -> None:
        """Answer like this from now on, or for so many `times` and with 200 after that.

        `delay_ms` is real time; with `reset` the connection is reset instead of an answer.

        Raises:
            MockServerError: 400; no status from 200 to 599, or no good number.
        """
        given = {"status": status, "delay_ms": delay_ms, "reset": reset, "times": times}
        self._link.put(self._path, {name: value for name, value in given.items() if value is not None})

    def clear(self) -> None:
        """Forget the calls, and answer 200 again."""
        self._link.delete(self._path)

    def _too_few(self, count: int, wait: float, calls: list[Call]) -> str:
        after = f" after {wait:g} s" if wait else ""
        shown = [f"\n  {call.method} {call.path} at {call.at:%Y-%m-%d %H:%M:%S}: {call.body!r:.200}" for call in calls]
        return f"{len(calls)} of {count} calls{after}{''.join(shown)}"


def unused(link: Link) -> str:
    """A name that no receiver of the workspace has; it is taken from now on."""
    taken = {item["name"] for item in link.get("/receivers")["items"]}
    name = next(name for number in range(1, len(taken) + 2) if (name := f"receiver-{number}") not in taken)
    link.put(f"/receivers/{name}", {"status": 200})
    return name

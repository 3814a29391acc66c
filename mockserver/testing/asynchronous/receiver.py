"""A receiver of webhook calls on the mock itself, for tests without an HTTP server of their own."""

from __future__ import annotations

from mockserver.testing.asynchronous.link import Link
from mockserver.testing.client import path_segment
from mockserver.testing.records.reading import read_all
from mockserver.testing.records.receiver import Call

__tracebackhide__ = True  # pytest shows the line of the test instead


class Receiver:
    """One receiver of a workspace, which answers 200 unless `answer` is called."""

    def __init__(self, link: Link, root: str, name: str) -> None:
        self._link = link
        self._path = f"/receivers/{path_segment(name)}"
        self.name = name
        #: The address to be called, for a webhook; the server must be able to reach itself at it.
        self.url = f"{root}/_mock/receiver/{path_segment(name)}"

    def __repr__(self) -> str:
        return f"Receiver({self.name!r})"

    async def calls(self, *, count: int | None = None, wait: float = 0) -> list[Call]:
        """The calls received so far, newest first, at most 1000.

        With `wait`, wait up to so many seconds of real time (at most 30) until there are `count` calls, or one.

        Raises:
            LookupError: there are fewer than `count` calls; the message shows those that there are.
        """
        found = await self._link.get(self._path, count=count, wait=wait or None, limit=1000)
        calls = read_all(Call, found["items"])
        if count is not None and found["count"] < count:
            raise LookupError(self._too_few(count, wait, calls))
        return calls

    async def answer(
        self, status: int = 200, *, delay_ms: float | None = None, reset: bool | None = None, times: int | None = None
    ) -> None:
        """Answer calls with a status from now on; with `times`, so many calls, and later ones with 200.

        Each answer is delayed by `delay_ms` milliseconds of real time. With `reset` the connection is reset instead of
        answered.

        Raises:
            MockServerError: 400; `status` is not from 200 to 599, or another number is out of range.
        """
        given = {"status": status, "delay_ms": delay_ms, "reset": reset, "times": times}
        await self._link.put(self._path, {name: value for name, value in given.items() if value is not None})

    async def clear(self) -> None:
        """Remove all calls, and answer 200 again."""
        await self._link.delete(self._path)

    def _too_few(self, count: int, wait: float, calls: list[Call]) -> str:
        after = f" after {wait:g} s" if wait else ""
        shown = [f"\n  {call.method} {call.path} at {call.at:%Y-%m-%d %H:%M:%S}: {call.body!r:.200}" for call in calls]
        return f"{len(calls)} of {count} calls{after}{''.join(shown)}"


async def unused(link: Link) -> str:
    """A name that no receiver of the workspace has had so far; a receiver with that name is created."""
    taken = {item["name"] for item in await link.items("/receivers")}
    name = next(name for number in range(1, len(taken) + 2) if (name := f"receiver-{number}") not in taken)
    await link.put(f"/receivers/{name}", {"status": 200})
    return name

"""The deliveries of a workspace: calls to webhooks, and calls of exports; and receivers of such calls."""

from __future__ import annotations

from mockserver.testing.client import path_segment
from mockserver.testing.handles.link import Handle, Link, given
from mockserver.testing.names import WebhookEvent
from mockserver.testing.records import Call, Delivery, DeliveryState
from mockserver.views.record import read, read_all

__tracebackhide__ = True  # pytest shows the line of the test instead


class Deliveries(Handle):
    """The deliveries of one workspace, newest first."""

    def all(
        self,
        *,
        webhook: int | None = None,
        state: DeliveryState | None = None,
        event: WebhookEvent | None = None,
        wait: float = 0,
    ) -> list[Delivery]:
        """The deliveries, newest first, at most 1000; all, or those to one webhook, in one state or of one event.

        If there is none yet, wait up to `wait` seconds of real time (at most 30) for the first one.

        Raises:
            MockServerError: 400; there is no such state, or `wait` is out of range.
        """
        found = self._link.get("/deliveries", webhook=webhook, state=state, event=event, wait=wait or None, limit=1000)
        return read_all(Delivery, found["items"])

    def get(self, identifier: int) -> Delivery:
        """The delivery with an id.

        Raises:
            MockServerError: 404; there is no such delivery, or it was removed to make room for newer ones.
        """
        return read(Delivery, self._link.get(f"/deliveries/{path_segment(identifier)}"))

    def redeliver(self, identifier: int) -> Delivery:
        """Make a call again now, with retries if it fails; return the delivery as it is after the first attempt.

        Raises:
            MockServerError: 404, there is no such delivery, or it was removed to make room for newer ones; 409, an
                attempt is under way, or the first one is not due yet.
        """
        return read(Delivery, self._link.post(f"/deliveries/{path_segment(identifier)}/redeliver"))


class Receiver(Handle):
    """One receiver of a workspace, which answers 200 unless `answer` is called."""

    def __init__(self, link: Link, root: str, name: str) -> None:
        super().__init__(link)
        self._path = f"/receivers/{path_segment(name)}"
        self.name: str = name
        #: The address to be called, for a webhook; the server must be able to reach itself at it.
        self.url: str = f"{root}/_mock/receiver/{path_segment(name)}"

    def __repr__(self) -> str:
        return f"Receiver({self.name!r})"

    def calls(self, *, count: int | None = None, wait: float = 0) -> list[Call]:
        """The calls received so far, newest first, at most 1000.

        With `wait`, wait up to so many seconds of real time (at most 30) until there are `count` calls, or one.

        Raises:
            LookupError: there are fewer than `count` calls; the message shows those that there are.
        """
        found = self._link.get(self._path, count=count, wait=wait or None, limit=1000)
        calls = read_all(Call, found["items"])
        if count is not None and found["count"] < count:
            raise LookupError(self._too_few(count, wait, calls))
        return calls

    def answer(
        self, status: int = 200, *, delay_ms: float | None = None, reset: bool | None = None, times: int | None = None
    ) -> None:
        """Answer calls with a status from now on; with `times`, so many calls, and later ones with 200.

        Each answer is delayed by `delay_ms` milliseconds of real time. With `reset` the connection is reset instead of
        answered.

        Raises:
            MockServerError: 400; `status` is not from 200 to 599, or another number is out of range.
        """
        body = {"status": status, "delay_ms": delay_ms, "reset": reset, "times": times}
        self._link.put(self._path, given(body))

    def clear(self) -> None:
        """Remove all calls, and answer 200 again."""
        self._link.delete(self._path)

    def _too_few(self, count: int, wait: float, calls: list[Call]) -> str:
        after = f" after {wait:g} s" if wait else ""
        shown = [f"\n  {call.method} {call.path} at {call.at:%Y-%m-%d %H:%M:%S}: {call.body!r:.200}" for call in calls]
        return f"{len(calls)} of {count} calls{after}{''.join(shown)}"


def unused(link: Link) -> str:
    """A name that no receiver of the workspace has had so far; a receiver with that name is created."""
    taken = {item["name"] for item in link.items("/receivers")}
    name = next(name for number in range(1, len(taken) + 2) if (name := f"receiver-{number}") not in taken)
    link.put(f"/receivers/{name}", {"status": 200})
    return name

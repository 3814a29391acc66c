# Written by .ci/synchronous.py out of asynchronous/deliveries.py, where it is to be changed.
"""The deliveries of a workspace: calls to webhooks, and calls that notify of an export."""

from __future__ import annotations

from mockserver.testing.client import path_segment
from mockserver.testing.names import WebhookEvent
from mockserver.testing.records.deliveries import Delivery, State
from mockserver.testing.records.reading import read, read_all
from mockserver.testing.synchronous.link import Link

__tracebackhide__ = True  # pytest shows the line of the test instead


class Deliveries:
    """The deliveries of one workspace, newest first."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def all(
        self,
        *,
        webhook: int | None = None,
        state: State | None = None,
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

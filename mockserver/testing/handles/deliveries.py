"""The deliveries of a workspace: calls to webhooks, and calls that notify of an export."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, NamedTuple

from mockserver.testing.link import Link, path_segment
from mockserver.testing.records import Member, read, read_all

__tracebackhide__ = True  # pytest shows the line of the test instead

State = Literal["scheduled", "delivered", "retrying", "dropped"]


class Attempt(NamedTuple):
    """One request of a delivery, with its outcome."""

    #: When the request was made, on the workspace's clock.
    at: datetime
    method: Annotated[str, Member("request", "method")]
    #: The address without credentials, which are sent as a header.
    url: Annotated[str, Member("request", "url")]
    headers: Annotated[Mapping[str, str], Member("request", "headers")]
    #: The payload: an object, or for a batch a list of objects.
    body: Annotated[Any, Member("request", "body")]
    #: The HTTP status of the answer; None: there was no answer.
    status: int | None
    #: Why there was no answer; None: there was one.
    error: str | None


@dataclass(frozen=True, slots=True)
class Delivery:
    """One webhook call with its attempts, as it was when the server was asked for it."""

    id: int
    state: State
    #: The name of the account to which the delivery belongs.
    account: str
    #: The id of the webhook; None: the call notifies of an export.
    webhook: int | None
    #: The id of the export; None: the call is one of a webhook.
    export: int | None
    #: The name of the event, or for a batch the names of its events.
    event: str | Sequence[str]
    #: The address as the webhook has it, credentials included.
    url: str
    created_at: datetime
    #: When the next attempt is due, on the workspace's clock; None: an attempt is under way, or none is planned.
    next_at: datetime | None
    #: Whether an attempt is under way.
    in_flight: bool
    #: The attempts, oldest first; of more than a hundred, the last hundred.
    attempts: tuple[Attempt, ...]
    #: How many older attempts were removed.
    attempts_evicted: int


class Deliveries:
    """The deliveries of one workspace, newest first."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def all(self, *, webhook: int | None = None, state: State | None = None, wait: float = 0) -> list[Delivery]:
        """The deliveries, newest first, at most 1000; all, or those to one webhook or in one state.

        If there is none yet, wait up to `wait` seconds of real time (at most 30) for the first one.

        Raises:
            MockServerError: 400; there is no such state, or `wait` is out of range.
        """
        found = self._link.get("/deliveries", webhook=webhook, state=state, wait=wait or None, limit=1000)
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

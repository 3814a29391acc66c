"""The calls that a workspace's service makes: to webhooks, and to those who wait for an export."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, NamedTuple

from mockserver.testing.handles.link import Link, part
from mockserver.testing.handles.reading import Member, read, read_all

__tracebackhide__ = True  # pytest shows the line of the test instead

State = Literal["scheduled", "delivered", "retrying", "dropped"]


class Attempt(NamedTuple):
    """One request of a delivery, and what came of it."""

    #: When, on the workspace's clock.
    at: datetime
    method: Annotated[str, Member("request", "method")]
    #: Without credentials, which are in the headers.
    url: Annotated[str, Member("request", "url")]
    headers: Annotated[Mapping[str, str], Member("request", "headers")]
    #: The payload: an object, or a list of those of a batch.
    body: Annotated[Any, Member("request", "body")]
    #: None: there was no answer.
    status: int | None
    #: Why there was no answer.
    error: str | None


@dataclass(frozen=True, slots=True)
class Delivery:
    """One call with its attempts, as it was when it was asked for."""

    id: int
    state: State
    #: The name of the account to which it belongs.
    account: str
    #: The id of the webhook; None: it is not a webhook's.
    webhook: int | None
    #: The id of the export of which it tells; None: it tells of none.
    export: int | None
    #: The name of the event, or those of a batch.
    event: str | Sequence[str]
    #: As the webhook has it, credentials included.
    url: str
    created_at: datetime
    #: When it is tried next; None: it is under way, or rests.
    next_at: datetime | None
    #: Whether an attempt is under way.
    in_flight: bool
    #: Oldest first, at most the last hundred.
    attempts: tuple[Attempt, ...]
    #: How many attempts had to go for newer ones.
    attempts_evicted: int


class Deliveries:
    """The deliveries of one workspace, newest first."""

    def __init__(self, link: Link) -> None:
        self._link = link

    def all(self, *, webhook: int | None = None, state: State | None = None, wait: float = 0) -> list[Delivery]:
        """The deliveries, newest first, at most 1000: to one webhook, or in one state.

        If there is none yet, the first of them that comes within `wait` seconds (at most 30).

        Raises:
            MockServerError: 400; there is no such state.
        """
        found = self._link.get("/deliveries", webhook=webhook, state=state, wait=wait or None, limit=1000)
        return read_all(Delivery, found["items"])

    def get(self, identifier: int) -> Delivery:
        """One delivery.

        Raises:
            MockServerError: 404; there is none, or it had to go for newer ones.
        """
        return read(Delivery, self._link.get(f"/deliveries/{part(identifier)}"))

    def redeliver(self, identifier: int) -> Delivery:
        """Send it again now, and again later if it fails; gives it as it is when the first attempt is over.

        Raises:
            MockServerError: 409, it is under way, or its time has not come yet; 404 as for `get`.
        """
        return read(Delivery, self._link.post(f"/deliveries/{part(identifier)}/redeliver"))

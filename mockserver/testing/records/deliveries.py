"""The deliveries of a workspace: calls to webhooks, and calls that notify of an export."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, NamedTuple

from mockserver.testing.records.causes import Cause
from mockserver.testing.records.reading import Member

__tracebackhide__ = True  # pytest shows the line of the test instead


class Call(NamedTuple):
    """One call that a receiver has received."""

    #: When the call was received, on the workspace's clock.
    at: datetime
    method: str
    path: str
    #: The query as it was sent, without the question mark.
    query: str
    #: The headers, whose names are in lower case.
    headers: Mapping[str, str]
    #: The value of a JSON body, or the text of another body; None: there is no body.
    body: Any


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
    #: The timers and deliveries that the delivery has caused, such as its next attempt.
    caused: Sequence[Cause]
    #: What has caused the delivery: the request, the timer, the inbound e-mail or the control call.
    caused_by: Sequence[Cause]

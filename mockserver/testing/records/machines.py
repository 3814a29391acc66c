"""The state machines of a workspace and their instances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, NamedTuple

from mockserver.testing.names import MachineName
from mockserver.testing.records.causes import Cause
from mockserver.testing.records.reading import Member

__tracebackhide__ = True  # pytest shows the line of the test instead


@dataclass(frozen=True, slots=True)
class Instance:
    """One instance of a state machine: a sender, a domain, a sub-account's plan."""

    machine: MachineName
    key: int | str
    #: The name of the account to which the instance belongs.
    account: str
    state: str
    #: The events that apply in this state.
    allowed: tuple[str, ...]
    #: Further members, which the service does not show to its clients, such as a sender's `otp` and `otp_expires_at`.
    secrets: Mapping[str, Any]


class Transition(NamedTuple):
    """A transition that an instance has taken."""

    #: When it was taken, on the workspace's clock.
    at: datetime
    machine: str
    key: int | str
    event: str
    #: The state that it has left; `[*]` if the instance was not there before.
    source: Annotated[str, Member("from")]
    #: The state that it has led to; `[*]` if the instance is gone.
    target: Annotated[str, Member("to")]
    #: When it was taken in real time.
    real_at: datetime
    #: The e-mails, deliveries and timers that followed from it.
    caused: Sequence[Cause]
    #: What has caused it: the request, the timer, the delivery or the control call.
    caused_by: Sequence[Cause]

"""Receivers of webhook calls, for tests that have no address of their own to be called at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from mockserver.core.traffic.ring import Ring

#: More receivers than any test has.
MOST = 100

#: What a call and each of its headers take beside their texts, in bytes.
_OVERHEAD, _PER_HEADER = 500, 160


class ReceivedCall(NamedTuple):
    """One call that came in."""

    at: datetime
    method: str
    path: str
    query: str
    headers: Sequence[tuple[str, str]]
    body: bytes
    #: How many bytes of a body were too many to be kept.
    left_out: int = 0

    @property
    def size(self) -> int:
        """What it takes in memory, in bytes."""
        headers = sum(_PER_HEADER + len(name) + len(value) for name, value in self.headers)
        return _OVERHEAD + headers + len(self.body) + len(self.query) + 4 * len(self.path)

    def without_body(self) -> ReceivedCall:
        """The same, with no more of its body than how long it was."""
        return self._replace(body=b"", left_out=len(self.body))


class Manner(NamedTuple):
    """How a receiver answers, for so many calls; None: for all."""

    status: int = 200
    delay_ms: float = 0.0
    reset: bool = False
    times: int | None = None


@dataclass(slots=True, eq=False)
class Receiver:
    """What came in under one name, newest last, and how it is answered."""

    name: str
    manner: Manner = field(default_factory=Manner)
    #: How many calls have been answered in this manner.
    answered: int = 0
    #: How many of its calls are kept.
    kept: int = 0
    #: How many calls are kept no more.
    evicted: int = 0

    def manner_of_next(self) -> Manner:
        """The manner in which the next call is answered."""
        manner = self.manner
        if manner.times is not None and self.answered >= manner.times:
            return Manner()
        self.answered += 1
        return manner

    def answer_by(self, manner: Manner) -> None:
        """Answer in another manner from now on."""
        self.manner, self.answered = manner, 0


class Receivers:
    """The receivers of a workspace by name, and the calls that they got.

    The oldest calls of all go when their number or their bytes are over the limit.
    """

    def __init__(self, limit: int, bytes_limit: int) -> None:
        self._receivers: dict[str, Receiver] = {}
        self._calls = Ring[tuple[Receiver, ReceivedCall]](limit, bytes_limit)

    def __iter__(self) -> Iterator[Receiver]:
        return iter(self._receivers.values())

    def __len__(self) -> int:
        return len(self._receivers)

    def get(self, name: str) -> Receiver | None:
        """The receiver of this name, if it was called, or told how to answer."""
        return self._receivers.get(name)

    def made(self, name: str) -> Receiver | None:
        """The receiver of this name, which is there from now on; None: there are as many as there may be."""
        if name not in self._receivers and len(self) >= MOST:
            return None
        return self._receivers.setdefault(name, Receiver(name))

    def calls(self, receiver: Receiver) -> list[ReceivedCall]:
        """What a receiver got, newest first."""
        return [call for owner, call in self._calls if owner is receiver]

    def take(self, receiver: Receiver, call: ReceivedCall) -> Manner:
        """Keep a call, without its body if that is too large; gives the manner in which it is answered."""
        if call.size > self._calls.largest:
            call = call.without_body()
        receiver.kept += 1
        for owner, _ in self._calls.add((receiver, call), call.size):
            owner.kept -= 1
            owner.evicted += 1
        return receiver.manner_of_next()

    def remove(self, name: str) -> None:
        """Forget a receiver, and what it got."""
        receiver = self._receivers.pop(name, None)
        self._calls.keep(lambda row: row[0] is not receiver)

"""Receivers: addresses of the mock that take webhook calls, for tests without a server."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from mockserver.core.traffic.ring import Ring

#: The most receivers of a workspace. Chosen: more than any test has.
MOST = 100

#: The bytes of a call and of each header without their texts: measured, and rounded up.
_OVERHEAD, _PER_HEADER = 500, 160


class ReceivedCall(NamedTuple):
    at: datetime
    method: str
    path: str
    query: str
    headers: Sequence[tuple[str, str]]
    body: bytes
    #: The bytes of a body that was too large to keep, or 0.
    left_out: int = 0

    @property
    def size(self) -> int:
        headers = sum(_PER_HEADER + len(name) + len(value) for name, value in self.headers)
        return _OVERHEAD + headers + len(self.body) + len(self.query) + 4 * len(self.path)

    def without_body(self) -> ReceivedCall:
        return self._replace(body=b"", left_out=len(self.body))


class Manner(NamedTuple):
    """A receiver's answers: status, delay or reset for `times` calls, or always."""

    status: int = 200
    delay_ms: int | float = 0.0  # shown as it was given: 1 is not 1.0
    reset: bool = False
    times: int | None = None


@dataclass(slots=True, eq=False)
class Receiver:
    name: str
    manner: Manner = field(default_factory=Manner)
    #: The number of calls answered in this manner.
    answered: int = 0
    #: The numbers of kept and evicted calls.
    kept: int = 0
    evicted: int = 0

    def manner_of_next(self) -> Manner:
        """Return how to answer the next call, and count it as answered."""
        manner = self.manner
        if manner.times is not None and self.answered >= manner.times:
            return Manner()
        self.answered += 1
        return manner

    def answer_by(self, manner: Manner) -> None:
        self.manner, self.answered = manner, 0


class Receivers:
    """A workspace's receivers by name, with their calls.

    The oldest calls of all receivers are evicted when their number or their bytes exceed the limit.
    """

    def __init__(self, limit: int, bytes_limit: int) -> None:
        self._receivers: dict[str, Receiver] = {}
        self.ring = Ring[tuple[Receiver, ReceivedCall]](limit, bytes_limit)

    def __iter__(self) -> Iterator[Receiver]:
        return iter(self._receivers.values())

    def __len__(self) -> int:
        return len(self._receivers)

    def put_back_call(self, name: str, call: ReceivedCall) -> None:
        """Add a counted call read from a store."""
        self._keep(self._receivers[name], call)

    def follow(self, receivers: Iterable[Receiver]) -> None:
        """Replace receivers by saved receivers, keeping calls."""
        self._receivers = {row.name: row for row in receivers}
        self.ring.replace(lambda pair: (self._receivers.get(pair[0].name, pair[0]), pair[1]))

    def get(self, name: str) -> Receiver | None:
        """Return a called or configured receiver, or None."""
        return self._receivers.get(name)

    def made(self, name: str) -> Receiver | None:
        """Return a receiver, created on first use, or None if the limit of receivers is reached."""
        if name not in self._receivers and len(self) >= MOST:
            return None
        return self._receivers.setdefault(name, Receiver(name))

    def calls(self, receiver: Receiver) -> list[ReceivedCall]:
        """Return the kept calls of a receiver, newest first."""
        return [call for owner, call in self.ring if owner is receiver]

    def take(self, receiver: Receiver, call: ReceivedCall) -> Manner:
        """Add a call, without oversized body. Return the answer's manner."""
        if call.size > self.ring.largest:
            call = call.without_body()
        receiver.kept += 1
        self._keep(receiver, call)
        return receiver.manner_of_next()

    def _keep(self, receiver: Receiver, call: ReceivedCall) -> None:
        for owner, _ in self.ring.push((receiver, call), call.size):
            owner.kept -= 1
            owner.evicted += 1

    def remove(self, name: str) -> None:
        receiver = self._receivers.pop(name, None)
        self.ring.keep(lambda row: row[0] is not receiver)

"""What is due later, kept as data: a moment, and the event that it fires."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

Key = int | str


class Timer(NamedTuple):
    """An event of one machine's instance, due at a moment; the order of setting decides between equal moments."""

    moment: datetime
    order: int
    account: int
    machine: str
    key: Key
    event: str


class Timers:
    """The timers of one workspace, soonest first.

    A cancelled timer stays in the heap until it comes up, so that setting and cancelling never scan.
    """

    def __init__(self) -> None:
        self._heap: list[Timer] = []
        self._live: dict[tuple[str, Key], dict[str, Timer]] = {}
        self._set = 0

    def __iter__(self) -> Iterator[Timer]:
        return iter(sorted(timer for events in self._live.values() for timer in events.values()))

    def __len__(self) -> int:
        """How many instances have one."""
        return len(self._live)

    def set(self, moment: datetime, account: int, machine: str, key: Key, event: str) -> None:
        """Let an event happen at a moment; a timer for the same event of the same instance gives way."""
        timer = Timer(moment, self._set, account, machine, key, event)
        self._set += 1
        self._live.setdefault((machine, key), {})[event] = timer
        heapq.heappush(self._heap, timer)

    def cancel(self, machine: str, key: Key) -> None:
        """Forget an instance's timers."""
        self._live.pop((machine, key), None)

    def cancel_account(self, account: int) -> None:
        """Forget all that an account still had before it."""
        for timer in self:
            if timer.account == account:
                self._forget(timer)

    def next(self) -> Timer | None:
        """The soonest timer, left where it is."""
        while self._heap and not self._is_live(self._heap[0]):
            heapq.heappop(self._heap)
        return self._heap[0] if self._heap else None

    def take_due(self, now: datetime) -> Timer | None:
        """The soonest timer that is due, taken out."""
        timer = self.next()
        if timer is None or timer.moment > now:
            return None
        self._forget(timer)
        return heapq.heappop(self._heap)

    def _is_live(self, timer: Timer) -> bool:
        return self._live.get((timer.machine, timer.key), {}).get(timer.event) is timer

    def _forget(self, timer: Timer) -> None:
        events = self._live[timer.machine, timer.key]
        del events[timer.event]
        if not events:
            del self._live[timer.machine, timer.key]

"""Timers as plain data: the events that are due at moments of the clock."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

#: The key of an instance; all instances of one state machine have the same type of key.
Key = int | str
#: How many cancelled timers may stay in the heap in any case. Chosen: sweeping fewer costs more than keeping them.
_FEW = 64


class Timer(NamedTuple):
    """An event of an instance, due at a moment.

    Timers of equal moments are ordered by machine, key and event, and not by when they were set: a restored state does
    not know which was set first.
    """

    moment: datetime
    machine: str
    key: Key
    event: str
    account: int


class Timers:
    """The timers of one workspace, soonest first.

    A cancelled timer stays in the heap until it comes to the top, or until more are cancelled than live; so the cost of
    setting and cancelling hardly grows with their number.
    """

    def __init__(self, timers: Iterable[Timer] = ()) -> None:
        self._heap: list[Timer] = []
        self._live: dict[tuple[str, Key], dict[str, Timer]] = {}
        #: How many timers are not cancelled.
        self._count = 0
        #: What `next` has found last, as long as it is right.
        self._soonest: Timer | None = None
        for timer in timers:
            self._add(timer)

    def __reduce__(self) -> Any:
        return type(self), (tuple(self),)

    def __iter__(self) -> Iterator[Timer]:
        return iter(sorted(timer for events in self._live.values() for timer in events.values()))

    @property
    def held(self) -> int:
        """How many timers are in memory, cancelled ones included."""
        return len(self._heap)

    def __len__(self) -> int:
        """How many instances have a timer."""
        return len(self._live)

    def set(self, moment: datetime, account: int, machine: str, key: Key, event: str) -> None:
        """Let an event happen at a moment, in the place of an earlier timer for the same event of the instance."""
        self._add(Timer(moment, machine, key, event, account))
        self._sweep()

    def _add(self, timer: Timer) -> None:
        events = self._live.setdefault((timer.machine, timer.key), {})
        self._count += timer.event not in events
        events[timer.event] = timer
        self._soonest = None
        heapq.heappush(self._heap, timer)

    def cancel(self, machine: str, key: Key) -> None:
        """Cancel all timers of an instance."""
        self._count -= len(self._live.pop((machine, key), ()))
        self._soonest = None
        self._sweep()

    def cancel_account(self, account: int) -> None:
        """Cancel all timers of an account."""
        for timer in self:
            if timer.account == account:
                self._forget(timer)
        self._sweep()

    def next(self) -> Timer | None:
        """The soonest timer, which stays set, or None if there is none."""
        if self._soonest is not None:
            return self._soonest
        while self._heap:
            timer = self._heap[0]
            if self._is_live(timer):
                self._soonest = timer
                return timer
            heapq.heappop(self._heap)
        return None

    def take_due(self, now: datetime) -> Timer | None:
        """The soonest timer, removed, or None if none is due by `now`."""
        timer = self.next()
        if timer is None or timer.moment > now:
            return None
        self.take(timer)
        return timer

    def take(self, timer: Timer) -> None:
        """Remove a timer, which has to be the soonest: what `next` has just returned."""
        self._forget(timer)
        heapq.heappop(self._heap)

    def _is_live(self, timer: Timer) -> bool:
        return self._live.get((timer.machine, timer.key), {}).get(timer.event) is timer

    def _forget(self, timer: Timer) -> None:
        self._soonest = None
        events = self._live[timer.machine, timer.key]
        del events[timer.event]
        self._count -= 1
        if not events:
            del self._live[timer.machine, timer.key]

    def _sweep(self) -> None:
        """Drop the cancelled timers from the heap if they are more than the others."""
        if len(self._heap) > 2 * self._count + _FEW:
            self._heap = [timer for timer in self._heap if self._is_live(timer)]
            heapq.heapify(self._heap)

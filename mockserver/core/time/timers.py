"""What is due later, kept as data: a moment, and the event that it fires."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

#: Of all instances of one machine it is the same kind.
Key = int | str
#: So many cancelled timers are not worth a look.
_FEW = 64


class Timer(NamedTuple):
    """An event of one machine's instance, due at a moment.

    Between equal moments machine, key and event decide, and not which was set first: a state that is put back does not
    know that any more.
    """

    moment: datetime
    machine: str
    key: Key
    event: str
    account: int


class Timers:
    """The timers of one workspace, soonest first.

    A cancelled timer stays in the heap until it comes up, or until more of them are cancelled than live; so setting and
    cancelling cost the same however many there are.
    """

    def __init__(self, timers: Iterable[Timer] = ()) -> None:
        self._heap: list[Timer] = []
        self._live: dict[tuple[str, Key], dict[str, Timer]] = {}
        #: How many live.
        self._count = 0
        for timer in timers:
            self._add(timer)

    def __reduce__(self) -> Any:
        return type(self), (tuple(self),)

    def __iter__(self) -> Iterator[Timer]:
        return iter(sorted(timer for events in self._live.values() for timer in events.values()))

    @property
    def held(self) -> int:
        """How many are in memory, cancelled ones included."""
        return len(self._heap)

    def __len__(self) -> int:
        """How many instances have one."""
        return len(self._live)

    def set(self, moment: datetime, account: int, machine: str, key: Key, event: str) -> None:
        """Let an event happen at a moment; a timer for the same event of the same instance gives way."""
        self._add(Timer(moment, machine, key, event, account))
        self._sweep()

    def _add(self, timer: Timer) -> None:
        events = self._live.setdefault((timer.machine, timer.key), {})
        self._count += timer.event not in events
        events[timer.event] = timer
        heapq.heappush(self._heap, timer)

    def cancel(self, machine: str, key: Key) -> None:
        """Forget an instance's timers."""
        self._count -= len(self._live.pop((machine, key), ()))
        self._sweep()

    def cancel_account(self, account: int) -> None:
        """Forget all that an account still had before it."""
        for timer in self:
            if timer.account == account:
                self._forget(timer)
        self._sweep()

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
        self.take(timer)
        return timer

    def take(self, timer: Timer) -> None:
        """Take the soonest timer out."""
        self._forget(timer)
        heapq.heappop(self._heap)

    def _is_live(self, timer: Timer) -> bool:
        return self._live.get((timer.machine, timer.key), {}).get(timer.event) is timer

    def _forget(self, timer: Timer) -> None:
        events = self._live[timer.machine, timer.key]
        del events[timer.event]
        self._count -= 1
        if not events:
            del self._live[timer.machine, timer.key]

    def _sweep(self) -> None:
        """Let go of those that are cancelled, when they are more than those that live."""
        if len(self._heap) > 2 * self._count + _FEW:
            self._heap = [timer for timer in self._heap if self._is_live(timer)]
            heapq.heapify(self._heap)

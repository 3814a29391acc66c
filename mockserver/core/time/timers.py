"""Timers as plain data: the events that are due at moments of the clock."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple, Self
from urllib.parse import quote, unquote

from mockserver.core.time import version

#: The key of an instance; all instances of one state machine have the same type of key.
Key = int | str
#: How many cancelled timers may stay in the heap in any case. Chosen: sweeping fewer costs more than keeping them.
_FEW = 64
#: How an id writes the moment: in UTC, to the microsecond.
_MOMENT = "%Y%m%dT%H%M%S%fZ"
#: How many parts an id has, with dots between them.
_PARTS = 4
#: The most digits of a key that is a number: far more than those of ids, which stay within 64 bits.
_LONGEST_NUMBER = 30


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

    @property
    def id(self) -> str:
        """Machine, key, event and moment as one text, of characters that an address never encodes (RFC 3986, 2.3)."""
        key = quote(str(self.key), safe="").replace("~", "%7E").replace("%", "~")
        return f"{self.machine}.{key}.{self.event}.{written_moment(self.moment)}"


def written_moment(moment: datetime) -> str:
    """A moment as ids of timers have it; texts of moments are in the order of the moments."""
    return f"{moment.astimezone(UTC):{_MOMENT}}"


class TimerId(NamedTuple):
    """What the id of a timer says of it."""

    machine: str
    #: As text, even where it is a number.
    key: str
    event: str
    moment: datetime

    @classmethod
    def parse(cls, text: str) -> Self:
        """The parts of an id.

        Raises:
            ValueError: the text is no id of a timer.
        """
        machine, _, rest = text.partition(".")
        parts = [machine, *rest.rsplit(".", _PARTS - 2)]
        if len(parts) != _PARTS:
            raise ValueError("the id of a timer has a machine, a key, an event and a moment")
        key = unquote(parts[1].replace("~", "%"), errors="strict")
        return cls(machine, key, parts[2], datetime.strptime(parts[3], _MOMENT).replace(tzinfo=UTC))


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
        #: The version of the timers: another one if one was set or has gone.
        self.version = version.draw()
        for timer in timers:
            self._add(timer)

    def __reduce__(self) -> Any:
        return type(self), (tuple(self),)

    def __iter__(self) -> Iterator[Timer]:
        return iter(sorted(self.all()))

    def all(self) -> list[Timer]:
        """The timers in any order, which costs less."""
        return [timer for events in self._live.values() for timer in events.values()]

    def of(self, machine: str, key: Key) -> list[Timer]:
        """The timers of an instance, soonest first."""
        return sorted(self._live.get((machine, key), {}).values())

    @property
    def held(self) -> int:
        """How many timers are in memory, cancelled ones included."""
        return len(self._heap)

    def __len__(self) -> int:
        """How many instances have a timer."""
        return len(self._live)

    @property
    def count(self) -> int:
        """How many timers are set."""
        return self._count

    def soonest(self) -> Iterator[Timer]:
        """The timers, soonest first, at a cost that grows with those that are taken, and not with all there are.

        No timer may be set or cancelled meanwhile.
        """
        # The ways down the heap that are still to be gone: each leads to timers that are no sooner than its first one.
        ways = [(timer, at) for at, timer in enumerate(self._heap[:1])]
        while ways:
            timer, at = heapq.heappop(ways)
            if self._is_live(timer):
                yield timer
            for below in range(2 * at + 1, min(2 * at + 3, len(self._heap))):
                heapq.heappush(ways, (self._heap[below], below))

    def set(self, moment: datetime, account: int, machine: str, key: Key, event: str) -> Timer:
        """Let an event happen at a moment, in the place of an earlier timer for the same event of the instance."""
        timer = Timer(moment, machine, key, event, account)
        self._add(timer)
        self._sweep()
        return timer

    def get(self, text: str) -> Timer | None:
        """The timer of an id, or None if no such timer is set."""
        try:
            wanted = TimerId.parse(text)
        except ValueError:
            return None
        for key in _keys(wanted.key):
            timer = self._live.get((wanted.machine, key), {}).get(wanted.event)
            if timer is not None and timer.id == text:
                return timer
        return None

    def _add(self, timer: Timer) -> None:
        events = self._live.setdefault((timer.machine, timer.key), {})
        self._count += timer.event not in events
        events[timer.event] = timer
        self._soonest = None
        self.version = version.draw()
        heapq.heappush(self._heap, timer)

    def cancel(self, machine: str, key: Key) -> None:
        """Cancel all timers of an instance."""
        self._count -= len(self._live.pop((machine, key), ()))
        self._soonest = None
        self.version = version.draw()
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
        self.version = version.draw()
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


def _keys(text: str) -> Iterator[Key]:
    """The keys that a text can stand for: itself, and the number that it writes."""
    yield text
    if text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER:
        yield int(text)

"""The virtual clock and its timers."""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, NamedTuple, Self
from urllib.parse import quote, unquote

#: Draws the version of something that may change from now on; no two versions in one process are equal.
draw_version = count(1).__next__
#: Draws the version of a trace, such as a count of requests, which says nothing about the state of the service.
draw_trace_version = count(-1, -1).__next__
#: The moments that a clock may show. Chosen: so far from the ends of `datetime` (years 1 and 9999) that adding a time
#: zone or a lifetime never overflows.
EARLIEST = datetime(1971, 1, 1, tzinfo=UTC)
LATEST = datetime(9000, 1, 1, tzinfo=UTC)
_YEARS = f"the clock shows moments from {EARLIEST.year} to {LATEST.year} only"

#: The key of an instance; all instances of one state machine have the same type of key.
Key = int | str
#: The number of cancelled timers that may stay in the heap. Chosen: sweeping fewer costs more than keeping them.
_FEW = 64
#: The format of the moment in a timer id: in UTC, to the microsecond.
_MOMENT = "%Y%m%dT%H%M%S%fZ"
#: The most digits of a key that is a number: far more than those of ids, which stay within 64 bits.
_LONGEST_NUMBER = 30


class ClockError(ValueError):
    """A refused clock move: backwards, or outside `EARLIEST` to `LATEST`."""


def shown(moment: datetime) -> datetime:
    """Return a moment unchanged if a clock can show it."""
    if not EARLIEST <= moment <= LATEST:
        raise ClockError(_YEARS)
    return moment


class ClockSetting(NamedTuple):
    """A saved clock: offset to real time, or frozen moment."""

    #: The moment from which a scenario counts its relative instants.
    start: datetime
    offset: timedelta
    frozen_at: datetime | None


class Clock:
    """The virtual time of a workspace: real time with an offset, or one frozen moment."""

    def __init__(
        self, start: datetime | None = None, *, frozen: bool = False, real: Callable[[], float] = time.time
    ) -> None:
        self._real = real
        self._offset = timedelta()
        self._frozen_at: datetime | None = None
        self._pinned_at: datetime | None = None
        #: The moment from which a scenario counts its relative instants.
        self.start = start or self._wall()
        if start is not None:
            self._offset = start - self._wall()
        if frozen:
            self._frozen_at = self.start

    @classmethod
    def of(cls, setting: ClockSetting) -> Self:
        found = cls()
        found.start, found._offset, found._frozen_at = setting
        return found

    @property
    def setting(self) -> ClockSetting:
        """The setting to save, without a pinned moment."""
        return ClockSetting(self.start, self._offset, self._frozen_at)

    @property
    def frozen(self) -> bool:
        return self._frozen_at is not None

    @property
    def offset(self) -> timedelta:
        """The difference to real time."""
        return self.now() - self._wall()

    def now(self) -> datetime:
        """Return the present moment, in UTC."""
        fixed = self._pinned_at or self._frozen_at
        if fixed is not None:
            return fixed
        running = datetime.fromtimestamp(self._real(), UTC) + self._offset
        return min(running, LATEST)

    def after(self, length: timedelta) -> datetime:
        """Return now plus `length`, at most `LATEST`."""
        return min(self.now() + length, LATEST)

    def before(self, length: timedelta) -> datetime:
        """Return now minus `length`, at least `EARLIEST`."""
        return max(self.now() - length, EARLIEST)

    def freeze(self) -> None:
        self._frozen_at = self.now()

    def thaw(self) -> None:
        if self._frozen_at is not None:
            self._offset = self._frozen_at - self._wall()
            self._frozen_at = None

    def move_to(self, moment: datetime) -> None:
        """Show `moment` from now on, ignoring past moments."""
        moment = max(moment, self.now())
        if self._frozen_at is not None:
            self._frozen_at = moment
        else:
            self._offset = moment - self._wall()

    @staticmethod
    def reached(length: timedelta, now: datetime) -> datetime:
        """Return `now` plus `length`, unchecked.

        Raises:
            ClockError: The moment is beyond the range of `datetime`.
        """
        try:
            return now + length
        except OverflowError as error:
            raise ClockError(_YEARS) from error

    def check(self, moment: datetime, now: datetime | None = None) -> None:
        """Refuse a moment to which the clock cannot move from `now`, by default its present moment."""
        shown(moment)
        if moment < (now or self.now()):
            raise ClockError("the clock goes backwards by a reset only")

    @contextmanager
    def pinned(self, moment: datetime) -> Iterator[None]:
        """Show `moment` within a `with` block, such as a late timer's due moment."""
        before = self.pin(moment)
        try:
            yield
        finally:
            self.pin(before)

    def pin(self, moment: datetime | None) -> datetime | None:
        """Show `moment` until the next call, or the running time for None. Return the moment pinned before."""
        before, self._pinned_at = self._pinned_at, moment
        return before

    def _wall(self) -> datetime:
        return datetime.fromtimestamp(self._real(), UTC)


class Timer(NamedTuple):
    """An instance's event, due at a moment.

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
    """Return a moment in sortable timer id format."""
    return f"{moment.astimezone(UTC):{_MOMENT}}"


class TimerId(NamedTuple):
    """The parts of a timer id."""

    machine: str
    #: As text, even if the key is a number.
    key: str
    event: str
    moment: datetime

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the parts of a timer id."""
        machine, _, rest = text.partition(".")
        parts = [machine, *rest.rsplit(".", 2)]
        if len(parts) != len(cls._fields):
            raise ValueError("the id of a timer has a machine, a key, an event and a moment")
        key = unquote(parts[1].replace("~", "%"), errors="strict")
        return cls(machine, key, parts[2], datetime.strptime(parts[3], _MOMENT).replace(tzinfo=UTC))


class Timers:
    """The timers of one workspace, soonest first.

    A cancelled timer stays in the heap until it comes to the top, or until more timers are cancelled than set; so the
    cost of setting and cancelling hardly grows with their number.
    """

    def __init__(self, timers: Iterable[Timer] = ()) -> None:
        self._heap: list[Timer] = []
        self._live: dict[tuple[str, Key], dict[str, Timer]] = {}
        #: The number of timers that are set.
        self.count = 0
        #: The last result of `next` while it is right.
        self._soonest: Timer | None = None
        #: A number that changes with every change of the timers.
        self.version = draw_version()
        for timer in timers:
            self._add(timer)

    def __reduce__(self) -> Any:
        return type(self), (tuple(self),)

    def __iter__(self) -> Iterator[Timer]:
        return iter(sorted(self.all()))

    def all(self) -> list[Timer]:
        """Return all timers unordered, which costs less."""
        return [timer for events in self._live.values() for timer in events.values()]

    def of(self, machine: str, key: Key) -> list[Timer]:
        """Return the timers of an instance, soonest first."""
        return sorted(self._live.get((machine, key), {}).values())

    @property
    def held(self) -> int:
        """The number of timers in memory, including cancelled ones."""
        return len(self._heap)

    def soonest(self) -> Iterator[Timer]:
        """Yield the timers, soonest first, at a cost that grows with the yielded timers only.

        No timer may be set or cancelled meanwhile.
        """
        # The positions in the heap that are still to be visited: below each, no timer is sooner.
        ways = [(timer, at) for at, timer in enumerate(self._heap[:1])]
        while ways:
            timer, at = heapq.heappop(ways)
            if self._is_live(timer):
                yield timer
            for below in range(2 * at + 1, min(2 * at + 3, len(self._heap))):
                heapq.heappush(ways, (self._heap[below], below))

    def set(self, moment: datetime, account: int, machine: str, key: Key, event: str) -> Timer:
        """Set a timer, replacing the instance's timer for this event."""
        timer = Timer(moment, machine, key, event, account)
        self._add(timer)
        self._sweep()
        return timer

    def get(self, text: str) -> Timer | None:
        """Return the timer with this id, or None."""
        try:
            wanted = TimerId.parse(text)
        except ValueError:
            return None
        for key in _keys(wanted.key):
            timer = self._live.get((wanted.machine, key), {}).get(wanted.event)
            if timer is not None and timer.id == text:
                return timer
        return None

    def cancel(self, machine: str, key: Key) -> None:
        self.count -= len(self._live.pop((machine, key), ()))
        self._note_change()
        self._sweep()

    def cancel_account(self, account: int) -> None:
        for timer in self:
            if timer.account == account:
                self._forget(timer)
        self._sweep()

    def next(self) -> Timer | None:
        """Return the soonest timer, which stays set, or None if no timer is set."""
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
        """Remove and return the soonest timer, or return None if no timer is due by `now`."""
        timer = self.next()
        if timer is None or timer.moment > now:
            return None
        self.take(timer)
        return timer

    def take(self, timer: Timer) -> None:
        """Remove the soonest timer, which `next` has just returned."""
        self._forget(timer)
        heapq.heappop(self._heap)

    def _add(self, timer: Timer) -> None:
        events = self._live.setdefault((timer.machine, timer.key), {})
        self.count += timer.event not in events
        events[timer.event] = timer
        self._note_change()
        heapq.heappush(self._heap, timer)

    def _note_change(self) -> None:
        self._soonest = None
        self.version = draw_version()

    def _is_live(self, timer: Timer) -> bool:
        return self._live.get((timer.machine, timer.key), {}).get(timer.event) is timer

    def _forget(self, timer: Timer) -> None:
        self._note_change()
        events = self._live[timer.machine, timer.key]
        del events[timer.event]
        self.count -= 1
        if not events:
            del self._live[timer.machine, timer.key]

    def _sweep(self) -> None:
        """Drop cancelled timers once they outnumber others."""
        if len(self._heap) > 2 * self.count + _FEW:
            self._heap = [timer for timer in self._heap if self._is_live(timer)]
            heapq.heapify(self._heap)


def _keys(text: str) -> Iterator[Key]:
    yield text
    if text.isascii() and text.isdigit() and len(text) <= _LONGEST_NUMBER:
        yield int(text)

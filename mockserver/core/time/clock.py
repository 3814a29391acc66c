"""The virtual clock and its timers: every moment that a workspace shows comes from here."""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, NamedTuple, Self
from urllib.parse import quote, unquote

#: Draws the version of a thing that may change from now on; no two have the same in one process, copies neither.
draw_version = count(1).__next__


#: The moments that a clock may show. Chosen: so far from the ends of `datetime` (years 1 and 9999) that adding a time
#: zone or a lifetime never overflows.
EARLIEST = datetime(1971, 1, 1, tzinfo=UTC)
LATEST = datetime(9000, 1, 1, tzinfo=UTC)
_YEARS = f"the clock shows moments from {EARLIEST.year} to {LATEST.year} only"


class ClockError(ValueError):
    """A move that the clock refuses: into the past, or before `EARLIEST` or after `LATEST`."""


def shown(moment: datetime) -> datetime:
    """A moment, unchanged, if a clock can show it.

    Raises:
        ClockError: the moment is before `EARLIEST` or after `LATEST`.
    """
    if not EARLIEST <= moment <= LATEST:
        raise ClockError(_YEARS)
    return moment


class ClockSetting(NamedTuple):
    """What a clock shows by the real time: `offset` added to it, or one frozen moment."""

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
        """A clock that is set as another one was, whatever time has passed since then."""
        found = cls()
        found.start, found._offset, found._frozen_at = setting
        return found

    @property
    def setting(self) -> ClockSetting:
        """What the clock shows when no moment is pinned."""
        return ClockSetting(self.start, self._offset, self._frozen_at)

    @property
    def frozen(self) -> bool:
        return self._frozen_at is not None

    @property
    def offset(self) -> timedelta:
        """How far the clock is from real time."""
        return self.now() - self._wall()

    def now(self) -> datetime:
        """The present moment, in UTC."""
        fixed = self._pinned_at or self._frozen_at
        if fixed is not None:
            return fixed
        running = datetime.fromtimestamp(self._real(), UTC) + self._offset
        return min(running, LATEST)

    def after(self, length: timedelta) -> datetime:
        """The moment that is `length` after now, or `LATEST` if that is earlier."""
        return min(self.now() + length, LATEST)

    def before(self, length: timedelta) -> datetime:
        """The moment that is `length` before now, or `EARLIEST` if that is later."""
        return max(self.now() - length, EARLIEST)

    def freeze(self) -> None:
        self._frozen_at = self.now()

    def thaw(self) -> None:
        """Let a frozen clock run on from the moment that it shows."""
        if self._frozen_at is not None:
            self._offset = self._frozen_at - self._wall()
            self._frozen_at = None

    def move_to(self, moment: datetime) -> None:
        """Show `moment` from now on, frozen or running as before; a moment in the past changes nothing."""
        moment = max(moment, self.now())
        if self._frozen_at is not None:
            self._frozen_at = moment
        else:
            self._offset = moment - self._wall()

    @staticmethod
    def reached(length: timedelta, now: datetime) -> datetime:
        """The moment that is `length` after `now`, which `check` has yet to admit.

        Raises:
            ClockError: the moment is beyond the range of `datetime`.
        """
        try:
            return now + length
        except OverflowError as error:
            raise ClockError(_YEARS) from error

    def check(self, moment: datetime, now: datetime | None = None) -> None:
        """Refuse a moment that the clock cannot move to from `now`, by default its present moment.

        Raises:
            ClockError: the moment is before `now` or `EARLIEST`, or after `LATEST`.
        """
        shown(moment)
        if moment < (now or self.now()):
            raise ClockError("the clock goes backwards by a reset only")

    @contextmanager
    def pinned(self, moment: datetime) -> Iterator[None]:
        """Show `moment` within a `with` block: a timer that fires late still sees the moment at which it was due."""
        before = self.pin(moment)
        try:
            yield
        finally:
            self.pin(before)

    def pin(self, moment: datetime | None) -> datetime | None:
        """Show `moment` until another one is pinned, or None, which lets the clock go on; returns what was pinned."""
        before, self._pinned_at = self._pinned_at, moment
        return before

    def _wall(self) -> datetime:
        return datetime.fromtimestamp(self._real(), UTC)


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
        self.version = draw_version()
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
        self.version = draw_version()
        heapq.heappush(self._heap, timer)

    def cancel(self, machine: str, key: Key) -> None:
        """Cancel all timers of an instance."""
        self._count -= len(self._live.pop((machine, key), ()))
        self._soonest = None
        self.version = draw_version()
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
        self.version = draw_version()
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

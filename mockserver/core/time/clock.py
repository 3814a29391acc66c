"""The virtual clock: every moment that a workspace shows comes from here."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import NamedTuple, Self

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

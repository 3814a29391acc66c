"""Texts for the reasons of errors: moments, values, and lists of what exists; and checks of periods."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from heapq import nsmallest
from typing import Any

from mockserver.core.contract.errors import INVALID_PARAMETER, MISSING_PARAMETER
from mockserver.core.state.state import Account, State
from mockserver.core.time.clock import Clock, Key

#: The most items of a list. Chosen: so that a reason fits on a line or two.
_MOST = 5
#: The longest value, in characters. Chosen: so that a reason fits on a line or two.
_LONGEST = 80


def instant(moment: datetime) -> str:
    """Return a moment as RFC 3339 in UTC, to the second."""
    return f"{moment.astimezone(UTC).isoformat(timespec='seconds')[:19]}Z"


def clock(clock: Clock) -> str:
    """Return a sentence with the present moment of a clock."""
    return f"the workspace's clock shows {instant(clock.now())}"


def shown(value: object, longest: int = _LONGEST) -> str:
    """Return a value on one line, cut to `longest` characters; quoted if it is empty or has invisible characters."""
    text = str(value)
    if len(text) > longest:
        text = f"{text[: longest - 1]}…"
    return text if text and text.isprintable() else repr(text)


def listed(items: Iterable[object]) -> str:
    """Return the first items and the number of further items, or `none`."""
    items = list(items)
    return _some(items[:_MOST], len(items))


def nearest(numbers: Iterable[int], number: int) -> str:
    """Return the numbers nearest to `number`, in order, and the number of further ones, or `none`."""
    numbers = list(numbers)
    return _some(
        sorted(nsmallest(_MOST, _around(numbers, number), key=lambda other: abs(other - number))), len(numbers)
    )


def _around(numbers: list[int], number: int) -> list[int]:
    if sorted(numbers) != numbers:
        return numbers
    place = bisect_left(numbers, number)
    return numbers[max(place - _MOST, 0) : place + _MOST]


def _some(named: Sequence[object], total: int) -> str:
    rest = total - len(named)
    return ", ".join(map(shown, named)) + (f" and {rest} more" if rest else "") or "none"


def absent(state: State, account: Account, name: str, row: type, key: Key) -> str:
    """Return a sentence about a missing row, naming the owning account or known keys."""
    owner = next((other.name for other in state.accounts.values() if key in other.rows_of(row)), None)
    instead = f"account {owner} has it" if owner else f"it has {known(account.rows_of(row), key)}"
    return f"account {account.name} has no {name} {shown(key)} ({instead})"


def known(keys: Collection[Any], key: Key) -> str:
    return nearest(keys, key) if isinstance(key, int) else listed(keys)


def fields(names: Iterable[object]) -> str:
    """Return listed field or parameter names in backticks."""
    return listed(f"`{name}`" for name in names)


def period(start: datetime | None, end: datetime | None) -> str:
    """Return a clause with a period's start and end, if given."""
    first, last = (instant(moment) if moment else "not given" for moment in (start, end))
    return f"startDate is {first}, endDate is {last}"


def check_period(start: datetime | None, end: datetime | None, member: str = "parameter") -> None:
    """Refuse a period with one date only, or in reverse order."""
    if (start is None) is not (end is None):
        missing = f"Missing {'startDate' if start is None else 'endDate'} {member} in the request"
        raise MISSING_PARAMETER(missing).because(f"{period(start, end)}; give both or neither")
    if start is not None and end is not None and start > end:
        reason = f"startDate is after endDate: {period(start, end)}"
        raise INVALID_PARAMETER("startDate must not be after endDate").because(reason)

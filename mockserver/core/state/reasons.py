"""The words in which a refusal tells its facts: moments, values, and what is there instead of what was asked for."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from heapq import nsmallest
from typing import Any

from mockserver.core.state.account import Account
from mockserver.core.state.state import State
from mockserver.core.time.clock import Clock
from mockserver.core.time.timers import Key

#: How many of many things are named.
_MOST = 5
#: How many characters of a text that a client chose are shown.
_LONGEST = 80


def instant(moment: datetime) -> str:
    """RFC 3339 in UTC, to the second."""
    return f"{moment.astimezone(UTC).isoformat(timespec='seconds')[:19]}Z"


def clock(clock: Clock) -> str:
    """What time it is in a workspace."""
    return f"the workspace's clock shows {instant(clock.now())}"


def shown(value: object, longest: int = _LONGEST) -> str:
    """A value on one line, cut short; signs that nobody would see are escaped."""
    text = str(value)
    if len(text) > longest:
        text = f"{text[: longest - 1]}…"
    return text if text and text.isprintable() else repr(text)


def listed(items: Iterable[object]) -> str:
    """The first few items, and how many more there are."""
    items = list(items)
    return _some(items[:_MOST], len(items))


def nearest(numbers: Iterable[int], number: int) -> str:
    """The few that are nearest to a number, and how many more there are."""
    numbers = list(numbers)
    return _some(sorted(nsmallest(_MOST, numbers, key=lambda other: abs(other - number))), len(numbers))


def _some(named: Sequence[object], total: int) -> str:
    rest = total - len(named)
    return ", ".join(map(shown, named)) + (f" and {rest} more" if rest else "") or "none"


def absent(state: State, account: Account, name: str, row: type, key: Key) -> str:
    """That an account has no such row, and who has it, or which rows there are."""
    owner = next((other.name for other in state.accounts.values() if key in other.rows_of(row)), None)
    instead = f"account {owner} has it" if owner else there(account.table(row), key)
    return f"{name} {shown(key)} does not exist in account {account.name}; {instead}"


def there(keys: Collection[Any], key: Key | None = None) -> str:
    """Which keys there are; those that are near, if one has been asked for by number."""
    some = nearest(keys, key) if isinstance(key, int) else listed(keys)
    return f"there {'is only' if len(keys) == 1 else 'are'} {some}"


def period(start: datetime | None, end: datetime | None) -> str:
    """The two ends of a period, as they were given or not."""
    first, last = (instant(moment) if moment else "not given" for moment in (start, end))
    return f"startDate is {first} and endDate is {last}"

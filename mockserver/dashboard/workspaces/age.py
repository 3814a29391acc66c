"""How long ago something was, in words."""

from __future__ import annotations

from datetime import datetime

#: The units in which an age is told, the largest first, in seconds.
_UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60))


def age(since: datetime, now: datetime) -> str:
    """The time from one moment to another in its largest unit, as `3 hours`; below a minute, `less than a minute`."""
    seconds = (now - since).total_seconds()
    for unit, length in _UNITS:
        if seconds >= length:
            number = int(seconds // length)
            return f"{number} {unit}{'s' * (number != 1)}"
    return "less than a minute"

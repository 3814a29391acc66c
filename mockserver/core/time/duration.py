"""Durations such as `16m`, `1h30m` or `PT16M`, and RFC 3339 date-times, as text."""

from __future__ import annotations

import calendar
import re
from datetime import UTC, datetime, timedelta
from typing import TypeGuard

from mockserver.core.time.clock import shown

_DATE_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)", re.ASCII)


def parse_instant(text: str) -> datetime:
    """Return the moment of an RFC 3339 date-time, in UTC."""
    if not _DATE_TIME.fullmatch(text):
        raise ValueError("not an RFC 3339 date-time, such as 2026-01-15T09:00:00Z")
    try:
        moment = datetime.fromisoformat(text.upper()).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise ValueError("not an RFC 3339 date-time, such as 2026-01-15T09:00:00Z") from error
    return shown(moment)


def write_instant(moment: datetime) -> str:
    """Return a moment as RFC 3339 date-time in UTC, with fraction if necessary."""
    return moment.isoformat().replace("+00:00", "Z")


_SPOKEN_UNITS = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))


def spoken(length: timedelta) -> str:
    """Return an unsigned duration in two units: `9 min 40 s`."""
    left = int(abs(length).total_seconds())
    numbers = []
    for unit, seconds in _SPOKEN_UNITS:
        number, left = divmod(left, seconds)
        numbers.append((number, unit))
    first = next((at for at, (number, _) in enumerate(numbers) if number), len(numbers))
    return " ".join(f"{number:,} {unit}" for number, unit in numbers[first : first + 2] if number) or "less than 1 s"


def months_later(moment: datetime, months: int) -> datetime:
    """Return the moment some months later (or earlier), clipped to the month's last day."""
    index = moment.year * 12 + moment.month - 1 + months
    year, month = index // 12, index % 12 + 1
    day = min(moment.day, calendar.monthrange(year, month)[1])
    return moment.replace(year=year, month=month, day=day)


#: Examples for error messages.
EXAMPLES = "such as 16m, 1h30m, 2d or PT16M"
#: The longest duration, in characters. Chosen: far above what any duration needs.
_LONGEST = 42
_NUMBER = r"[0-9]+(?:[.,][0-9]+)?"
#: The units of the short form and the argument of `timedelta` for each, longest first.
_UNITS = {"w": "weeks", "d": "days", "h": "hours", "m": "minutes", "s": "seconds", "ms": "milliseconds"}
#: `1h30m` or `1h 30m`: each unit at most once, the longest first.
SHORT = "(?=[0-9])" + "".join(f"({_NUMBER}{unit}(?: (?=[0-9]))?)?" for unit in _UNITS)
#: ISO 8601; years and months must be zero, as they have no fixed length.
ISO = (
    rf"P(?=[0-9T])({_NUMBER}Y)?({_NUMBER}M)?({_NUMBER}W)?({_NUMBER}D)?"
    rf"(?:T(?=[0-9])({_NUMBER}H)?({_NUMBER}M)?({_NUMBER}S)?)?"
)
#: The argument of `timedelta` for each group of `ISO`.
_OF_ISO = ("", "", "weeks", "days", "hours", "minutes", "seconds")


def parse(text: str) -> timedelta:
    """Return the duration of a signed text such as `16m`, `1h30m` or `PT16M`.

    The units of the short form are w, d, h, m, s and ms, each at most once, the longest first. A space may part them.

    Raises:
        ValueError: The text is not a duration, is too long for a `timedelta`, or has years or months.
    """
    sign, unsigned = (text[0], text[1:]) if text[:1] in {"+", "-"} else ("", text)
    parts = _parts(unsigned) if len(text) <= _LONGEST else None
    if parts is None:
        raise ValueError(f"not a duration, {EXAMPLES}")
    if any(number for unit, number in parts if not unit):
        raise ValueError("years and months have no fixed length: give days")
    try:
        length = sum((timedelta(**{unit: number}) for unit, number in parts if unit), timedelta())
    except OverflowError as error:
        raise ValueError(f"too long for a duration, {EXAMPLES}") from error
    return -length if sign == "-" else length


def _parts(text: str) -> list[tuple[str, float]] | None:
    """Return a duration's numbers with units, or None."""
    for pattern, units in ((SHORT, tuple(_UNITS.values())), (ISO, _OF_ISO)):
        if found := re.fullmatch(pattern, text, re.ASCII):
            parts = zip(units, found.groups(), strict=True)
            return [(unit, float(part.rstrip("wdhmsYMWDHS ").replace(",", "."))) for unit, part in parts if part]
    return None


def is_duration(value: object) -> TypeGuard[str]:
    """Return whether a value resembles a duration, unlike moments such as `2026-01-15T09:00:00Z`."""
    return isinstance(value, str) and re.match(rf"[+-]?(P|[0-9.,]{{1,{_LONGEST}}}[a-z])", value, re.ASCII) is not None


def write(length: timedelta) -> str:
    """Return a length of time in ISO 8601, such as `PT15M`."""
    if length < timedelta():
        return f"-{write(-length)}"
    minutes, seconds = divmod(length.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    fraction = f".{length.microseconds:06d}".rstrip("0") if length.microseconds else ""
    rows = [(hours, f"{hours}H"), (minutes, f"{minutes}M"), (seconds or fraction, f"{seconds}{fraction}S")]
    time = "".join(text for number, text in rows if number)
    days = f"{length.days}D" if length.days or not time else ""
    return f"P{days}T{time}" if time else f"P{days}"

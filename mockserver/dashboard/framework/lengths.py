"""Lengths of time in words."""

from __future__ import annotations

from datetime import timedelta

_UNITS = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))


def spoken(length: timedelta) -> str:
    """A length of time, whatever its sign, by its largest unit and the next one below: `9 min 40 s`.

    Below a second it is `less than 1 s`.
    """
    left = int(abs(length).total_seconds())
    numbers = []
    for unit, seconds in _UNITS:
        number, left = divmod(left, seconds)
        numbers.append((number, unit))
    first = next((at for at, (number, _) in enumerate(numbers) if number), len(numbers))
    return " ".join(f"{number:,} {unit}" for number, unit in numbers[first : first + 2] if number) or "less than 1 s"

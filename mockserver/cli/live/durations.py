"""Lengths of time as people write them: `90s`, `15m`, `1h30m`, `2d`."""

from __future__ import annotations

from collections.abc import Callable
from math import isfinite

#: The seconds of each unit.
_UNITS = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


def seconds_of(text: str) -> float | None:
    """The seconds of a length of time such as `1h30m`; None: the text is none.

    The units are w, d, h, m, s and ms, each at most once, the longest first.
    """
    total, left, shortest = 0.0, text.strip(), float("inf")
    if not left:
        return None
    while left:
        number = _take(left, lambda sign: sign.isascii() and (sign.isdigit() or sign == "."))
        unit = _take(left[len(number) :], str.isalpha)
        length = _UNITS.get(unit)
        if length is None or length >= shortest or number.count(".") > 1 or not number.strip("."):
            return None
        total, shortest = total + float(number) * length, length
        left = left[len(number) + len(unit) :]
    return total if isfinite(total) else None


def _take(text: str, fits: Callable[[str], bool]) -> str:
    """The beginning of a text whose signs fit."""
    for place, sign in enumerate(text):
        if not fits(sign):
            return text[:place]
    return text

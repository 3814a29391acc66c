"""The number nearest to 0 that a schema allows."""

from __future__ import annotations

import math
from fractions import Fraction

from mockserver.beyond.openapi.document import LeftOutError
from mockserver.beyond.openapi.flat import Flat
from mockserver.web.schemas.json_text import INT64


def smallest_number(flat: Flat, *, whole: bool) -> int | float:
    """The number nearest to 0 within the bounds of a schema; `whole` if it has to be an integer.

    Raises:
        LeftOutError: there is none, or none that JSON on the wire holds.
    """
    step = _step(flat, whole=whole)
    low, over = _bound(flat, "minimum", "exclusiveMinimum", max)
    high, under = _bound(flat, "maximum", "exclusiveMaximum", min)
    if low is not None and (low > 0 or (low == 0 and over)):
        found = _above(low, step, over=over, high=high)
    elif high is not None and (high < 0 or (high == 0 and under)):
        found = -_above(-high, step, over=under, high=None if low is None else -low)
    else:
        found = Fraction(0)
    below = low is not None and (found < low or (over and found == low))
    if below or (high is not None and (found > high or (under and found == high))):
        raise LeftOutError("no number is within the bounds of a schema")
    return _plain(found)


def _step(flat: Flat, *, whole: bool) -> Fraction | None:
    """What the number has to be a multiple of; None: it may be any."""
    step = Fraction(1) if whole else None
    for multiple in flat.multiples:
        other = Fraction(str(multiple))
        step = other if step is None else _common(step, other)
    return step


def _common(one: Fraction, other: Fraction) -> Fraction:
    """The least common multiple of two fractions."""
    return Fraction(math.lcm(one.numerator, other.numerator), math.gcd(one.denominator, other.denominator))


def _bound(flat: Flat, including: str, excluding: str, tighter: object) -> tuple[Fraction | None, bool]:
    """A bound of a schema, and whether it is itself excluded."""
    closed, opened = flat.bounds.get(including), flat.bounds.get(excluding)
    if opened is None:
        return (None, False) if closed is None else (Fraction(str(closed)), False)
    is_open = closed is None or (opened >= closed if tighter is max else opened <= closed)
    return Fraction(str(opened if is_open else closed)), is_open


def _above(low: Fraction, step: Fraction | None, *, over: bool, high: Fraction | None) -> Fraction:
    """The least number from a bound of at least 0 on; `over`: above it."""
    if step is not None:
        count = math.ceil(low / step)
        return step * (count + 1 if over and step * count == low else count)
    if not over:
        return low
    return low + 1 if high is None or low + 1 <= high else (low + high) / 2


def _plain(number: Fraction) -> int | float:
    if number.denominator == 1 and int(number) in INT64:
        return int(number)
    if number.denominator == 1:
        raise LeftOutError("the bounds of a schema are beyond 64 bits")
    return float(number)

"""The number nearest to 0 that a schema allows."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

from mockserver.beyond.openapi.document import LeftOutError
from mockserver.beyond.openapi.flat import Flat
from mockserver.web.schemas.json_text import INT64


class _Range(NamedTuple):
    """The numbers between two bounds, of which None stands for none; an open bound is itself excluded."""

    low: Fraction | None
    is_open_below: bool
    high: Fraction | None
    is_open_above: bool

    def has(self, number: Fraction) -> bool:
        """Whether a number is within the bounds."""
        is_above = self.low is None or self.low < number or (self.low == number and not self.is_open_below)
        is_below = self.high is None or number < self.high or (self.high == number and not self.is_open_above)
        return is_above and is_below

    def mirrored(self) -> _Range:
        """The same numbers with the opposite sign."""
        low = None if self.high is None else -self.high
        return _Range(low, self.is_open_above, None if self.low is None else -self.low, self.is_open_below)


def smallest_number(flat: Flat, *, whole: bool) -> int | float:
    """The number nearest to 0 within the bounds of a schema; `whole` if it has to be an integer.

    Raises:
        LeftOutError: there is none, or none that JSON on the wire holds.
    """
    step, within = _step(flat, whole=whole), _range(flat)
    if within.has(Fraction(0)):
        return 0
    is_positive = within.low is not None and within.low >= 0
    found = _least(within, step) if is_positive else -_least(within.mirrored(), step)
    if not within.has(found):
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


def _range(flat: Flat) -> _Range:
    low, over = _bound(flat, "minimum", "exclusiveMinimum", max)
    high, under = _bound(flat, "maximum", "exclusiveMaximum", min)
    return _Range(low, over, high, under)


def _bound(flat: Flat, including: str, excluding: str, tighter: object) -> tuple[Fraction | None, bool]:
    """A bound of a schema, and whether it is itself excluded."""
    closed, opened = flat.bounds.get(including), flat.bounds.get(excluding)
    if opened is None:
        return (None, False) if closed is None else (Fraction(str(closed)), False)
    is_open = closed is None or (opened >= closed if tighter is max else opened <= closed)
    return Fraction(str(opened if is_open else closed)), is_open


def _least(within: _Range, step: Fraction | None) -> Fraction:
    """The least number of a range that begins at 0 or above; if the range is too short for it, one beyond its end."""
    low, high = within.low, within.high
    assert low is not None, "a range without a lower bound has 0, or ends before it"
    if step is not None:
        count = math.ceil(low / step)
        return step * (count + 1 if within.is_open_below and step * count == low else count)
    if not within.is_open_below:
        return low
    return low + 1 if high is None or low + 1 <= high else (low + high) / 2


def _plain(number: Fraction) -> int | float:
    if number.denominator == 1 and int(number) in INT64:
        return int(number)
    if number.denominator == 1:
        raise LeftOutError("the bounds of a schema are beyond 64 bits")
    return float(number)

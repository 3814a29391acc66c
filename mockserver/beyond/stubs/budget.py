"""Limits on the expressions of one request: steps and sizes of values."""

from __future__ import annotations

import math
from typing import Any

from jinja2 import Undefined

from mockserver.core.text.messages import shown
from mockserver.web.schemas import json_text

#: How many steps the expressions of a request may take whose body is empty. Chosen: they take some 20 milliseconds.
STEPS = 20_000
#: Additional steps per byte of the body, and their limit. Chosen: the limit takes half a second.
STEPS_A_BYTE, MOST_STEPS = 16, 800_000
#: Additional steps for each stored value of the account. Chosen: a stub may look at all of them.
STEPS_A_STORED_VALUE = 40
#: How many characters or values that are read in one go count as one step, as it takes about as long.
AT_ONCE = 32
#: The longest text that is made, in characters. Chosen: four times the longest mail that anybody writes by hand.
LONGEST_TEXT = 1_000_000
#: The most values in a value, with 32 characters of text as one. Chosen: 20,000 contacts, or the largest attachment.
MOST_HELD = 500_000
#: How many levels a value may have; `web.schemas.fields.Json` takes as many.
DEEPEST = 80

Path = tuple[str | int, ...]


class ExpressionError(Exception):
    """An expression without a value; the message is one sentence without a full stop."""

    #: The path of the stub member with the expression.
    place: Path | None = None


class BudgetError(ExpressionError):
    """An expression that exceeds the limits on steps or sizes."""


#: Marks members, items and headers to leave out.
OMIT: Any = object()


class Budget:
    """The remaining steps for a request's expressions."""

    def __init__(self, body: int = 0, stored: int = 0) -> None:
        """Set the steps by the bytes of the request body and the number of the account's stored values."""
        self._steps = self._left = STEPS + min(body * STEPS_A_BYTE + stored * STEPS_A_STORED_VALUE, MOST_STEPS)
        #: Size and depth of lists and mappings by identity; storing the value keeps its identity unique.
        self._sizes: dict[int, tuple[int, int, Any]] = {}

    def spend(self, steps: int = 1) -> None:
        """Take steps, or raise `BudgetError` if too few are left."""
        self._left -= steps
        if self._left < 0:
            raise BudgetError(f"the expressions of this request take more than {self._steps:,} steps")

    def look(self, *values: Any) -> None:
        """Take the steps for reading texts, lists and mappings, without nested values."""
        self.spend(1 + sum(len(one) for one in values if isinstance(one, str | list | dict)) // AT_ONCE)

    def look_through(self, *values: Any, times: int = 1) -> None:
        """Take the steps for reading values and all nested values, several times."""
        if times:
            self.spend(times * sum(self._size(one)[0] for one in values))

    def made(self, value: Any) -> Any:
        """Check a new value, the length of texts included, and return the value."""
        self.look(value)
        check_length(len(value) if isinstance(value, str) else 0)
        return self.checked(value)

    def checked(self, value: Any) -> Any:
        """Return a value of plain JSON data within the size limits, or raise ExpressionError."""
        size, depth = (0, 0) if value is OMIT else self._size(value)
        if size > MOST_HELD:
            raise BudgetError(f"a value is as large as {size:,} others, and may be as large as {MOST_HELD:,}")
        if depth > DEEPEST:
            raise BudgetError(f"a value is nested in {depth} levels, the limit is {DEEPEST}")
        return value

    def _size(self, value: Any) -> tuple[int, int]:
        """Return the number of values in a value, itself included, and the nesting depth.

        The recursion is bounded: JSON input has limited depth, and computed values contain only measured values.
        """
        if isinstance(value, str):
            return 1 + len(value) // AT_ONCE, 0
        if not isinstance(value, list | dict):
            _check_scalar(value)
            return 1, 0
        if found := self._sizes.get(id(value)):
            return found[:2]
        self.spend(len(value) // 2)
        size, depth = 1, 0
        if isinstance(value, dict):
            size += len(value) + sum(map(len, value)) // AT_ONCE
        for one in value.values() if isinstance(value, dict) else value:
            if isinstance(one, str):
                size += 1 + len(one) // AT_ONCE
            elif isinstance(one, list | dict):
                inner = self._size(one)
                size, depth = size + inner[0], max(depth, inner[1])
            else:
                size += 1
                _check_scalar(one)
        self._sizes[id(value)] = size, depth + 1, value
        return size, depth + 1


def check_length(length: int) -> None:
    if length > LONGEST_TEXT:
        raise BudgetError(f"a text has {length:,} characters, the limit is {LONGEST_TEXT:,}")


def _check_scalar(value: Any) -> None:
    if value is None:
        return
    if not isinstance(value, int | float):
        raise expected("a value of JSON", value)
    if (isinstance(value, int) and value not in json_text.INT64) or not math.isfinite(value):
        raise ExpressionError("a number is beyond 64 bits")


def text(value: Any) -> str:
    """Return a text value, or raise `ExpressionError` for other types."""
    if not isinstance(value, str):
        raise expected("a text", value)
    return value


def expected(wanted: str, value: Any) -> Exception:
    if isinstance(value, Undefined):
        value()  # raises Jinja's error, which says what is undefined
    return ExpressionError(f"expected {wanted}, got {shown(value)}")

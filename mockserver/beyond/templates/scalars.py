"""Filters of texts and of numbers."""

from __future__ import annotations

import math
from base64 import b64decode, b64encode
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from mockserver.beyond.templates import operators
from mockserver.beyond.templates.budget import Budget
from mockserver.beyond.templates.values import (
    TemplateError,
    in_range,
    number,
    refuse,
    text,
    whole,
)
from mockserver.core.text.domain_name import comparable
from mockserver.web.schemas import json_text

#: How many decimal places a number is rounded to at most; a double has no more.
_MOST_PLACES = 15
#: As how many steps a domain is put into A-labels, which takes up to 300 microseconds.
_STEPS_OF_A_NAME = 600


def of_text(work: Callable[[str], str]) -> Callable[[Budget, Any], str]:
    def of(budget: Budget, value: Any) -> str:
        budget.look(len(text(value)))
        made: str = budget.made(work(value))
        return made

    return of


def replace(budget: Budget, value: Any, old: str, new: str) -> str:
    """A text in which one text is replaced by another."""
    count = text(value).count(text(old))
    budget.look(len(value))
    budget.check_length(len(value) + count * max(0, len(text(new)) - len(old)))
    made: str = budget.made(value.replace(old, new))
    return made


def split(budget: Budget, value: Any, separator: str | None = None) -> list[str]:
    """The parts of a text between separators, or between blanks."""
    budget.look(len(text(value)))
    if separator is not None and not text(separator):
        raise TemplateError("a separator is empty")
    made: list[str] = budget.made(value.split(separator))
    return made


def startswith(budget: Budget, value: Any, beginning: str) -> bool:
    """Whether a text begins with another one."""
    budget.look(len(text(beginning)))
    return text(value).startswith(beginning)


def endswith(budget: Budget, value: Any, end: str) -> bool:
    """Whether a text ends with another one."""
    budget.look(len(text(end)))
    return text(value).endswith(end)


def truncate(budget: Budget, value: Any, length: int = 255) -> str:
    """The first characters of a text."""
    made: str = budget.made(text(value)[: max(0, whole(length))])
    return made


def as_text(budget: Budget, value: Any) -> str:
    """A value as it stands within a text."""
    made: str = budget.made(operators.shown(budget, value))
    return made


def tojson(budget: Budget, value: Any) -> str:
    """A value as JSON."""
    budget.look_through(operators.defined(value))
    try:
        written = json_text.write(value).decode().removesuffix("\n")
    except TypeError:
        refuse(value, "a value of JSON")
    made: str = budget.made(written)
    return made


def urlencode(budget: Budget, value: Any) -> str:
    """A text as a segment of a path or a value of a query."""
    budget.look(len(text(value)))
    made: str = budget.made(quote(value, safe=""))
    return made


def address(budget: Budget, value: Any) -> str:
    """An e-mail address in the form for comparing: in lower case, with the domain in A-labels."""
    budget.look(len(text(value)))
    if not value.isascii():
        budget.spend(_STEPS_OF_A_NAME)
    made: str = budget.made(comparable(value))
    return made


def b64_encode(budget: Budget, value: Any) -> str:
    """The base64 of a text's UTF-8."""
    budget.look(len(text(value)))
    made: str = budget.made(b64encode(value.encode()).decode())
    return made


def b64_decode(budget: Budget, value: Any) -> str:
    """The text whose UTF-8 in base64 this is."""
    budget.look(len(text(value)))
    try:
        decoded = b64decode(value, validate=True).decode()
    except ValueError as error:
        raise TemplateError("a text is no base64 of a text") from error
    made: str = budget.made(decoded)
    return made


# ---------------------------------------------------------------------- numbers


def as_int(budget: Budget, value: Any, default: Any = 0) -> Any:
    """The whole number that a text or a number stands for, or `default` if it stands for none."""
    return _as_number(budget, value, default, lambda read: int(read) if isinstance(read, str) else math.trunc(read))


def as_float(budget: Budget, value: Any, default: Any = 0.0) -> Any:
    """The number that a text or a number stands for, or `default` if it stands for none."""
    return _as_number(budget, value, default, float)


def _as_number(budget: Budget, value: Any, default: Any, work: Callable[[Any], float]) -> Any:
    if isinstance(operators.defined(value), str):
        budget.look(len(value))
    if not isinstance(value, str | int | float) or (isinstance(value, str) and not value.isascii()):
        return default
    try:
        return in_range(work(value))
    except (ValueError, OverflowError, TemplateError):
        return default


def round_(_: Budget, value: Any, precision: int = 0) -> float:
    """A number, rounded to some decimal places; without any it is a whole number."""
    places = whole(precision)
    if not -_MOST_PLACES <= places <= _MOST_PLACES:
        raise TemplateError(f"a number is rounded to {_MOST_PLACES} places at most")
    return in_range(round(number(value), places) if places else round(number(value)))


def abs_(_: Budget, value: Any) -> float:
    """A number without its sign."""
    return in_range(abs(number(value)))

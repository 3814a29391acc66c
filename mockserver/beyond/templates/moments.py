"""Filters of moments, which templates see as texts."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from mockserver.beyond.templates.budget import Budget
from mockserver.beyond.templates.values import (
    TemplateError,
    text,
)
from mockserver.core.time import duration
from mockserver.core.time.clock import Clock
from mockserver.resources.section import parse_instant

#: The parts of a moment that `date` writes.
_DIRECTIVES = frozenset("YmdHMSjyf%")


def timestamp(budget: Budget, value: Any) -> float:
    """The seconds from 1970 to a moment, which is written as RFC 3339."""
    found = _moment(budget, value).timestamp()
    return int(found) if found.is_integer() else found


def moved(budget: Budget, value: Any, by: str) -> str:
    """A moment, later by a duration such as `15m` or `PT15M`, or earlier by one such as `-P1D`."""
    budget.look(len(text(by)))
    try:
        found = Clock.reached(duration.parse(by), _moment(budget, value))
    except ValueError as error:
        raise TemplateError(f"{by!r:.80} leads to no moment: {error}") from error
    return written(found)


def date(budget: Budget, value: Any, form: str = "%Y-%m-%d") -> str:
    """A moment in UTC as a text of a form such as `%Y%m%d%H%M%S`; `%f` stands for its milliseconds."""
    moment, found = _moment(budget, value), text(form)
    budget.look(len(found))
    at, pieces = 0, []
    while (next_at := found.find("%", at)) >= 0:
        directive = found[next_at + 1 : next_at + 2]
        if directive not in _DIRECTIVES or not directive:
            raise TemplateError(f"unknown directive %{directive}; known: %{', %'.join(sorted(_DIRECTIVES))}")
        pieces += [found[at:next_at], _directed(moment, directive)]
        at = next_at + 2
    made: str = budget.made("".join([*pieces, found[at:]]))
    return made


def _directed(moment: datetime, directive: str) -> str:
    return f"{moment.microsecond // 1000:03d}" if directive == "f" else moment.strftime(f"%{directive}")


def _moment(budget: Budget, value: Any) -> datetime:
    budget.look(len(text(value)))
    try:
        return parse_instant(value)
    except ValueError as error:
        raise TemplateError(f"{value!r:.80} is {error}") from error


def isoformat(budget: Budget, value: Any) -> str:
    """A moment as RFC 3339 in UTC."""
    return written(_moment(budget, value))


def written(moment: datetime) -> str:
    """A moment as templates see it: RFC 3339 in UTC, with milliseconds."""
    return f"{moment.astimezone(UTC).isoformat(timespec='milliseconds')[:-6]}Z"

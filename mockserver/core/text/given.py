"""How error messages show the value that was given."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import date, datetime

from mockserver.core.text.spelling import cut


def counted(number: int, one: str) -> str:
    """A number with its noun: `1 e-mail`, `2 e-mails`."""
    return f"{number:,} {one if number == 1 else f'{one}s'}"


#: How many characters of a value a message shows. Chosen: to fit on a line.
_LONGEST = 60


def shown(value: object) -> str:
    """Return a value as messages show it: strings in quotes, and lists and mappings as their kind with their size.

    A string that is too long for a line is cut, and its length is added.
    """
    match value:
        case str():
            found = repr(value[:_LONGEST])
            return f"{found[:-1]}…{found[-1]} ({counted(len(value), 'character')})" if len(value) > _LONGEST else found
        case None | bool():
            return json.dumps(value)
        case list():
            return f"a list of {counted(len(value), 'item')}"
        case Mapping():
            return f"a mapping of {counted(len(value), 'key')}"
        case datetime() | date():
            return value.isoformat()
    return cut(str(value), _LONGEST)


def redacted(value: object) -> str:
    """Return a value that may be a secret as messages show it: a string or a number without its content."""
    match value:
        case str():
            return f"a string of {counted(len(value), 'character')} (redacted)"
        case int() | float() if not isinstance(value, bool):
            return "a number (redacted)"
    return shown(value)


def kind_of(value: object) -> str:
    """Return the kind of a value that was given as JSON or YAML, with its article; empty where `shown` names it."""
    match value:
        case str():
            return "a string"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case datetime() | date():
            return "a date"
    return ""


def too_many(count: int, most: float, noun: str) -> str:
    """Return the message about more of something than are allowed; `noun` is in the plural."""
    return f"too many {noun}: got {count:,}, expected at most {most:,}"

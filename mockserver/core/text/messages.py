"""Parts of error messages: the given value, and advice on an unknown name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from itertools import islice

#: The longest name to compare, in characters. Chosen: above every known name; the comparison is quadratic.
_LONGEST_NAME = 100
#: The most known names to compare. Chosen: a document may define any number, and these take some milliseconds.
_MOST_KNOWN = 400
#: The longest list of known names in a message, in characters. Chosen: a few lines of a terminal.
_LONGEST_LIST = 400
#: The most characters of a line of a report; chosen to fit on two lines of a wide terminal.
LONGEST_LINE = 240


def meant(name: object, known: Iterable[str]) -> str | None:
    """Return the most similar known name, or None."""
    import difflib  # noqa: PLC0415  # needed for refusals only

    if not isinstance(name, str) or len(name) > _LONGEST_NAME:
        return None
    folded = {other.lower(): other for other in islice(known, _MOST_KNOWN)}
    near = difflib.get_close_matches(name.lower(), folded, n=1)
    return folded[near[0]] if near else None


def nearest(name: object, known: Iterable[str]) -> str:
    """Return the end of a sentence about an unknown name: the most similar known name, or the list of known names."""
    known = list(known)
    if not known:
        return "none is known here"
    near = meant(name, known)
    if near:
        return f"did you mean {near}?"
    listed = ", ".join(sorted(known))
    kept = listed[: _LONGEST_LIST + 1].rpartition(", ")[0] if len(listed) > _LONGEST_LIST else listed
    more = listed.count(", ") - kept.count(", ")
    return f"known: {kept} and {more} more" if kept and more else f"known: {cut(listed, _LONGEST_LIST)}"


def cut(text: str, longest: int) -> str:
    """Return a text of at most `longest` characters; a longer text ends in an ellipsis."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def printable(text: object) -> str:
    """Return a value as one printable line, cut after `LONGEST_LINE` characters."""
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in cut(str(text), LONGEST_LINE + 1))


def counted(number: int, one: str) -> str:
    """Return a number with its noun: `1 e-mail`, `2 e-mails`, `2 addresses`."""
    return f"{number:,} {one}{'' if number == 1 else 'es' if one.endswith('s') else 's'}"


#: The most characters of a value in a message. Chosen: to fit on a line.
_LONGEST_VALUE = 60


def shown(value: object) -> str:
    """Return a value as messages show it: strings in quotes, and lists and mappings as their kind with their size.

    A string that is too long for a line is cut, and its length is added.
    """
    match value:
        case str():
            found = repr(value[:_LONGEST_VALUE])
            return (
                f"{found[:-1]}…{found[-1]} ({counted(len(value), 'character')})"
                if len(value) > _LONGEST_VALUE
                else found
            )
        case None | bool():
            return json.dumps(value)
        case list():
            return f"a list of {counted(len(value), 'item')}"
        case Mapping():
            return f"a mapping of {counted(len(value), 'key')}"
        case datetime() | date():
            return value.isoformat().replace("+00:00", "Z")
    return cut(str(value), _LONGEST_VALUE)


def redacted(value: object) -> str:
    """Return a possible secret's description for messages, without its content."""
    match value:
        case str():
            return f"a string of {counted(len(value), 'character')} (redacted)"
        case int() | float() if not isinstance(value, bool):
            return "a number (redacted)"
    return shown(value)


def kind_of(value: object) -> str:
    """Return a JSON or YAML value's kind with article, or an empty text."""
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
    """Return the message about an exceeded count; `noun` is plural."""
    return f"too many {noun}: got {count:,}, expected at most {most:,}"

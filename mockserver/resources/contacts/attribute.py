"""Attributes of contacts, and which values they take (contract/contacts#attributes)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from mockserver.core.state import reasons
from mockserver.core.state.state import Account
from mockserver.core.text.messages import redacted

CATEGORIES = NORMAL, TRANSACTIONAL, CATEGORY, CALCULATED, GLOBAL = (
    "normal", "transactional", "category", "calculated", "global",
)  # fmt: skip
MULTIPLE_CHOICE = "multiple-choice"
#: Attribute types by category; other categories show no type.
TYPES: Mapping[str, tuple[str, ...]] = {
    NORMAL: ("text", "date", "float", "boolean", MULTIPLE_CHOICE, "user"),
    TRANSACTIONAL: ("text", "date", "float", "id"),
    CATEGORY: ("category",),
}
#: Maximum characters of an option, and of a label or value of an enumeration (documented).
LONGEST_OPTION = 200
_DEFAULT_TYPE = "text"
#: The forms of a date, behind which a time may stand.
_DATES = ("%Y-%m-%d", "%d-%m-%Y", "%m-%d-%Y", "%d/%m/%Y", "%m/%d/%Y")
_DATE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{2}([-/])[0-9]{2}\2[0-9]{4})([T ].*)?")
_FLOAT = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?(e[+-]?[0-9]+)?", re.IGNORECASE)
_BOOLEAN = re.compile("true|false|yes|no|1|0", re.IGNORECASE)
#: The values that fit a type, as text; other types take any, but for dates.
_FITS = {"float": _FLOAT, "boolean": _BOOLEAN}


class Choice(NamedTuple):
    """A possible value of an attribute of the category `category`, as written."""

    text: str
    label: str

    @property
    def number(self) -> int:
        """The value as a number, by default 0 (documented)."""
        return int(self.text) if self.text.isascii() and self.text.isdecimal() and len(self.text) < 19 else 0  # 64 bits


@dataclass(slots=True, eq=False)
class Attribute:
    """An attribute of contacts, keyed by category and name."""

    category: str
    name: str
    #: None for the default of the category.
    type: str | None = None
    #: The formula of a calculated or global attribute.
    value: str | None = None
    enumeration: list[Choice] | None = None
    options: list[str] | None = None

    @property
    def shown_type(self) -> str | None:
        return (self.type or _DEFAULT_TYPE) if self.category in (NORMAL, TRANSACTIONAL) else None

    def fits(self, value: Any) -> bool:
        """Return whether a contact may have a value; calculated and global attributes take none."""
        if self.shown_type == MULTIPLE_CHOICE:
            return isinstance(value, list) and (not self.options or set(self.options).issuperset(value))
        if isinstance(value, list) or self.category in (CALCULATED, GLOBAL):
            return False
        if self.category == CATEGORY:
            return not self.enumeration or any(str(value) in choice for choice in self.enumeration)
        if self.shown_type == "date":
            return _is_date(str(value))
        pattern = _FITS.get(self.shown_type or "")
        return pattern is None or pattern.fullmatch(str(value)) is not None


def _is_date(text: str) -> bool:
    found = _DATE.fullmatch(text)
    return found is not None and any(_is_day(found[1], form) for form in _DATES)


def _is_day(text: str, form: str) -> bool:
    try:
        datetime.strptime(text, form)  # noqa: DTZ007  # only whether there is such a day
    except ValueError:
        return False
    return True


def misfit(account: Account, name: str, value: Any) -> str:
    """Return why a contact cannot get a value of an attribute, or an empty text if it can."""
    known = account.rows_of(Attribute)
    found = [known[category, name] for category in CATEGORIES if (category, name) in known]
    if not found:
        other = name.upper()
        hint = f" (it has {other})" if any((category, other) in known for category in CATEGORIES) else ""
        return f"attribute {reasons.shown(name)} is not in the account{hint}"
    if value in (None, "") or any(row.fits(value) for row in found):
        return ""
    types = reasons.listed(row.shown_type or row.category for row in found)
    return f"attribute {reasons.shown(name)} of type {types} does not take {redacted(value)}"

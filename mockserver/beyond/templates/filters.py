"""The filters of templates: pure functions of plain values, by their name in Jinja where it has such a filter.

Each takes the budget, the value, and the filter's arguments; it takes steps for what it looks at before it does so.
"""

from __future__ import annotations

import math
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from mockserver.beyond.templates import operators
from mockserver.beyond.templates.budget import Budget
from mockserver.beyond.templates.values import (
    TemplateError,
    Undefined,
    in_range,
    items,
    mapping,
    number,
    refuse,
    text,
    whole,
)
from mockserver.core.text.domain_name import comparable
from mockserver.core.time.clock import Clock
from mockserver.resources.section import parse_duration, parse_instant
from mockserver.web.schemas import json_text

#: How many decimal places a number is rounded to at most; a double has no more.
_MOST_PLACES = 15
#: As how many steps a domain is put into A-labels, which takes up to 300 microseconds.
_STEPS_OF_A_NAME = 600
#: The parts of a moment that `date` writes.
_DIRECTIVES = frozenset("YmdHMSjyf%")


def default(_: Budget, value: Any, default_value: Any = "", boolean: bool = False) -> Any:
    """The value, or another one if it is undefined; with `boolean`, also if it is empty, zero, false or null."""
    if isinstance(value, Undefined):
        return default_value
    return default_value if boolean and not value else value


# ---------------------------------------------------------------------- texts


def _of_text(work: Callable[[str], str]) -> Callable[[Budget, Any], str]:
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


# ---------------------------------------------------------------------- lists and mappings


def length(_: Budget, value: Any) -> int:
    """How many characters, items or members a value has."""
    if not isinstance(value, str | list | dict):
        refuse(value, "a text, a list or a mapping")
    return len(value)


def first(_: Budget, value: Any) -> Any:
    """The first item of a list, or the first character of a text."""
    return operators.member(value if isinstance(value, str) else items(value), 0, "the first of an empty list")


def last(_: Budget, value: Any) -> Any:
    """The last item of a list, or the last character of a text."""
    return operators.member(value if isinstance(value, str) else items(value), -1, "the last of an empty list")


def as_list(budget: Budget, value: Any) -> list[Any]:
    """A list as it is, the names of a mapping, or the characters of a text."""
    budget.look(len(value) if isinstance(value, str) else len(items(value)))
    made: list[Any] = budget.made(list(value))
    return made


def names(budget: Budget, value: Any) -> list[str]:
    """The names of a mapping."""
    made: list[str] = budget.made(list(mapping(value)))
    return made


def values(budget: Budget, value: Any) -> list[Any]:
    """The values of a mapping."""
    made: list[Any] = budget.made(list(mapping(value).values()))
    return made


def member_or(_: Budget, value: Any, name: str, default: Any = None) -> Any:
    """A member of a mapping, or something else if there is none."""
    found = operators.member(mapping(value), text(name), "a member")
    return default if isinstance(found, Undefined) else found


def pairs(budget: Budget, value: Any) -> list[Any]:
    """The pairs of name and value of a mapping."""
    made: list[Any] = budget.made([list(pair) for pair in mapping(value).items()])
    return made


def join(budget: Budget, value: Any, separator: str = "", attribute: str | None = None) -> str:
    """The items of a list as one text."""
    texts = [operators.shown(budget, one) for one in _members_of(budget, value, attribute)]
    budget.check_length(sum(map(len, texts)) + len(text(separator)) * max(0, len(texts) - 1))
    made: str = budget.made(separator.join(texts))
    return made


def joined_by(budget: Budget, value: Any, texts: Any) -> str:
    """The items of a list as one text, with this text between them."""
    return join(budget, texts, text(value))


def sum_(budget: Budget, value: Any, attribute: str | None = None, start: Any = 0) -> Any:
    """The sum of the items of a list."""
    found = start
    for one in _members_of(budget, value, attribute):
        found = operators.add(budget, found, one)
    return found


def min_(budget: Budget, value: Any, case_sensitive: bool = False, attribute: str | None = None) -> Any:
    """The least item of a list."""
    found = sort(budget, value, False, case_sensitive, attribute)
    return operators.member(found, 0, "the least of an empty list")


def max_(budget: Budget, value: Any, case_sensitive: bool = False, attribute: str | None = None) -> Any:
    """The greatest item of a list; of several the first."""
    found = sort(budget, value, True, case_sensitive, attribute)
    return operators.member(found, 0, "the greatest of an empty list")


def sort(
    budget: Budget,
    value: Any,
    reverse: bool = False,
    case_sensitive: bool = False,
    attribute: str | None = None,
) -> list[Any]:
    """The items of a list of texts or of numbers, or those with such a member, in order."""
    keys = _keys_of(budget, value, attribute, case_sensitive=case_sensitive)
    for key in keys:
        operators.check_order(keys[0], key)
        budget.look_through(key)
    budget.look(len(keys) * len(keys).bit_length())
    order = sorted(range(len(keys)), key=keys.__getitem__, reverse=bool(reverse))
    made: list[Any] = budget.made([items(value)[index] for index in order])
    return made


def unique(budget: Budget, value: Any, case_sensitive: bool = False, attribute: str | None = None) -> list[Any]:
    """The items of a list, each once; of those that are equal the first."""
    seen: set[str] = set()
    found = []
    keys = _keys_of(budget, value, attribute, case_sensitive=case_sensitive)
    for one, key in zip(items(value), keys, strict=True):
        written = tojson(budget, key)
        if written not in seen:
            seen.add(written)
            found.append(one)
    made: list[Any] = budget.made(found)
    return made


def _keys_of(budget: Budget, value: Any, attribute: str | None, *, case_sensitive: bool) -> list[Any]:
    """What the items of a list are compared by: as in Jinja, case makes no difference unless somebody says so."""
    found = _members_of(budget, value, attribute)
    if case_sensitive:
        return found
    return [one.lower() if isinstance(one, str) else one for one in found]


def reverse(budget: Budget, value: Any) -> Any:
    """A list or a text from its end to its beginning."""
    if isinstance(value, str):
        budget.look(len(value))
        return budget.made(value[::-1])
    budget.look(len(items(value)))
    return budget.made(items(value)[::-1])


def flatten(budget: Budget, value: Any) -> list[Any]:
    """The items of the lists of a list, one list behind the other."""
    found: list[Any] = []
    for one in items(value):
        inner = one if isinstance(one, list) else [one]
        budget.look(len(inner))
        found += inner
    made: list[Any] = budget.made(found)
    return made


def combine(budget: Budget, value: Any, other: Any, recursive: bool = False) -> dict[str, Any]:
    """A mapping with the members of another one over it; if `recursive`, mappings within it are combined, too."""
    budget.look_through(mapping(value))
    budget.look_through(mapping(other))
    made: dict[str, Any] = budget.made(_combined(value, other, deep=bool(recursive)))
    return made


def _combined(value: Mapping[str, Any], other: Mapping[str, Any], *, deep: bool) -> dict[str, Any]:
    found = {**value, **other}
    if deep:
        for name, inner in other.items():
            before = value.get(name)
            if isinstance(before, dict) and isinstance(inner, dict):
                found[name] = _combined(before, inner, deep=True)
    return found


def without(budget: Budget, value: Any, *unwanted: Any) -> Any:
    """A mapping without some members, or a list without some items; a list of them stands for its items."""
    found = flatten(budget, list(unwanted))
    if isinstance(value, dict):
        names_ = {one for one in found if isinstance(one, str)}
        budget.look(len(value))
        return budget.made({name: inner for name, inner in value.items() if name not in names_})
    plain = {_kept_apart(one) for one in found if not isinstance(one, dict | list)}
    others = [one for one in found if isinstance(one, dict | list)]
    budget.look(len(items(value)))
    kept = [one for one in items(value) if not _is_unwanted(budget, one, plain, others)]
    return budget.made(kept)


def _is_unwanted(budget: Budget, one: Any, plain: set[tuple[bool, Any]], others: list[Any]) -> bool:
    if isinstance(one, dict | list):
        return any(operators.equal(budget, one, other) for other in others)
    return _kept_apart(one) in plain


def _kept_apart(value: Any) -> tuple[bool, Any]:
    """A plain value that is equal only to those of its kind: `true` is not 1, as it is to Python."""
    return isinstance(value, bool), value


def compact(budget: Budget, value: Any) -> Any:
    """A mapping without the members that are null, or a list without the items that are."""
    if isinstance(value, dict):
        budget.look(len(value))
        return budget.made({name: inner for name, inner in value.items() if inner is not None})
    budget.look(len(items(value)))
    return budget.made([one for one in items(value) if one is not None])


def batch(budget: Budget, value: Any, size: int) -> list[Any]:
    """The items of a list in lists of so many."""
    if whole(size) < 1:
        raise TemplateError("a list is divided into lists of one item at least")
    budget.look(len(items(value)))
    made: list[Any] = budget.made([items(value)[at : at + size] for at in range(0, len(items(value)), size)])
    return made


def _members_of(budget: Budget, value: Any, attribute: str | None) -> list[Any]:
    """The items of a list, or a member of each."""
    found = items(value)
    budget.look(len(found))
    if attribute is None:
        return [operators.defined(one) for one in found]
    return [operators.defined(operators.member(one, attribute, f"member {attribute!r} of an item")) for one in found]


# ---------------------------------------------------------------------- moments


def timestamp(budget: Budget, value: Any) -> float:
    """The seconds from 1970 to a moment, which is written as RFC 3339."""
    found = _moment(budget, value).timestamp()
    return int(found) if found.is_integer() else found


def moved(budget: Budget, value: Any, by: str) -> str:
    """A moment, later by an ISO 8601 duration such as `PT15M`, or earlier by one such as `-P1D`."""
    budget.look(len(text(by)))
    try:
        found = Clock.reached(parse_duration(by), _moment(budget, value))
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
            raise TemplateError(f"%{directive} is no part of a moment; there are %{', %'.join(sorted(_DIRECTIVES))}")
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


FILTERS: Mapping[str, Callable[..., Any]] = {
    "default": default, "d": default,
    "lower": _of_text(str.lower), "upper": _of_text(str.upper), "title": _of_text(str.title),
    "capitalize": _of_text(str.capitalize), "trim": _of_text(str.strip),
    "replace": replace, "split": split, "truncate": truncate, "string": as_text, "tojson": tojson,
    "urlencode": urlencode, "address": address, "b64encode": b64_encode, "b64decode": b64_decode,
    "int": as_int, "float": as_float, "round": round_, "abs": abs_,
    "length": length, "count": length, "first": first, "last": last, "list": as_list, "items": pairs, "names": names,
    "values": values, "join": join, "sum": sum_, "min": min_, "max": max_, "sort": sort, "unique": unique,
    "reverse": reverse, "flatten": flatten, "combine": combine, "without": without, "compact": compact, "batch": batch,
    "timestamp": timestamp, "moved": moved, "date": date,
}  # fmt: skip

#: Methods of texts and mappings as Python has them, which many write instead of filters; none is looked up on a value.
METHODS: Mapping[str, Callable[..., Any]] = {
    "lower": FILTERS["lower"], "upper": FILTERS["upper"], "title": FILTERS["title"], "strip": FILTERS["trim"],
    "replace": replace, "split": split, "startswith": startswith, "endswith": endswith,
    "items": pairs, "keys": names, "values": values, "get": member_or, "join": joined_by,
    "strftime": date, "isoformat": isoformat,
}  # fmt: skip

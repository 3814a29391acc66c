"""Filters, tests and methods of expressions: Jinja's with bounded run time, and a few more.

The sandbox counts steps and measures results; operations that could create far too large values check that first.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from jinja2 import filters, pass_environment, tests
from marshmallow import ValidationError

from mockserver.beyond.stubs.budget import MOST_HELD, BudgetError, ExpressionError, check_length, expected, text
from mockserver.core.text.addresses import comparable
from mockserver.core.time import duration
from mockserver.core.time.clock import Clock
from mockserver.resources.section import parse_instant
from mockserver.web.schemas import json_text
from mockserver.web.schemas.fields import Email

#: The most decimal places for rounding, as many as a double has.
_MOST_PLACES = 15
#: The parts of a moment that `date` writes.
_PARTS = "YmdHMSjyf"
_EMAIL = Email()


def written(value: Any) -> str:
    """Return texts unchanged, and other values as JSON."""
    return value if isinstance(value, str) else tojson(value)


def tojson(value: Any) -> str:
    try:
        return json_text.write(value).decode().removesuffix("\n")
    except TypeError:
        raise expected("a value of JSON", value) from None


def _of_text(work: Callable[..., Any]) -> Callable[..., Any]:
    return lambda value, *given: work(text(value), *given)


def _replace(value: str, old: str, new: str) -> str:
    check_length(len(text(value)) + value.count(text(old)) * max(0, len(text(new)) - len(old)))
    return value.replace(old, new)


@pass_environment
def _join(environment: Any, value: Any, separator: str = "", attribute: str | None = None) -> str:
    rows = value if attribute is None else map(filters.make_attrgetter(environment, attribute), value)
    texts = [written(one) for one in rows]
    check_length(sum(map(len, texts)) + len(text(separator)) * len(texts))
    return separator.join(texts)


def _round(value: float, precision: int = 0) -> float:
    if not -_MOST_PLACES <= precision <= _MOST_PLACES:
        raise ExpressionError(f"a number is rounded to {_MOST_PLACES} places at most")
    return round(value, precision or None)


@pass_environment
def _sum(environment: Any, value: Any, attribute: str | None = None, start: float = 0) -> Any:
    if not isinstance(start, int | float):
        raise expected("a number", start)
    return filters.FILTERS["sum"](environment, value, attribute, start)


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise expected("a mapping", value)
    return value


def _get(value: Any, name: Any, default: Any = None) -> Any:
    return value[name] if name in _mapping(value) else default


def _combine(value: Any, *others: Any, recursive: bool = False) -> dict[str, Any]:
    found = dict(_mapping(value))
    for other in others:
        for name, inner in _mapping(other).items():
            before = found.get(name)
            is_deep = recursive and isinstance(before, dict) and isinstance(inner, dict)
            found[name] = _combine(before, inner, recursive=True) if is_deep else inner
    return found


def _without(value: Any, *unwanted: Any) -> Any:
    """Remove members from a mapping, or plain items from a list; lists of unwanted names are flattened."""
    names = {one for one in _flatten(list(unwanted)) if not isinstance(one, list | dict)}
    if isinstance(value, dict):
        return {name: inner for name, inner in value.items() if name not in names}
    return [one for one in value if isinstance(one, list | dict) or one not in names]


def _compact(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: inner for name, inner in value.items() if inner is not None}
    return [one for one in value if one is not None]


def _flatten(value: Any) -> list[Any]:
    rows = [one if isinstance(one, list) else [one] for one in value]
    if sum(map(len, rows)) > MOST_HELD:
        raise BudgetError(f"a list has more than {MOST_HELD:,} items")
    return [inner for row in rows for inner in row]


def _moment(value: Any) -> datetime:
    try:
        return parse_instant(text(value))
    except ValueError as error:
        raise ExpressionError(f"{value!r:.80} is {error}") from error


def moment(value: datetime) -> str:
    """Format a moment as RFC 3339 in UTC, with milliseconds."""
    return f"{value.astimezone(UTC).isoformat(timespec='milliseconds')[:-6]}Z"


def _timestamp(value: Any) -> float:
    found = _moment(value).timestamp()
    return int(found) if found.is_integer() else found


def _moved(value: Any, by: str) -> str:
    try:
        return moment(Clock.reached(duration.parse(text(by)), _moment(value)))
    except ValueError as error:
        raise ExpressionError(f"{by!r:.80} leads to no moment: {error}") from error


def _date(value: Any, form: str = "%Y-%m-%d") -> str:
    found = _moment(value)
    first, *rest = text(form).split("%")
    pieces = [first]
    for part in rest:
        if part[:1] not in _PARTS or not part:
            raise ExpressionError(f"unknown directive %{part[:1]}; known: %{', %'.join(_PARTS)}")
        pieces += [f"{found.microsecond // 1000:03d}" if part[0] == "f" else found.strftime(f"%{part[0]}"), part[1:]]
    return "".join(pieces)


def _is_email(value: Any) -> bool:
    try:
        _EMAIL.deserialize(value)
    except ValidationError:
        return False
    return True


#: Jinja filters that read their input once and create no larger value.
_OF_JINJA = ("default", "d", "length", "count", "first", "last", "reverse", "list", "int", "float", "abs", "min", "max",
             "sort", "unique", "map", "select", "reject", "selectattr", "rejectattr")  # fmt: skip
FILTERS: Mapping[str, Callable[..., Any]] = {
    **{name: filters.FILTERS[name] for name in _OF_JINJA},
    "lower": _of_text(str.lower),
    "upper": _of_text(str.upper),
    "title": _of_text(str.title),
    "capitalize": _of_text(str.capitalize),
    "trim": _of_text(str.strip),
    "replace": _replace,
    "join": _join,
    "string": written,
    "tojson": tojson,
    "urlencode": _of_text(lambda value: quote(value, safe="")),
    "round": _round,
    "sum": _sum,
    "items": lambda value: [list(pair) for pair in _mapping(value).items()],
    "address": _of_text(comparable),
    "b64encode": _of_text(lambda value: b64encode(value.encode()).decode()),
    "b64decode": _of_text(lambda value: b64decode(value, validate=True).decode()),
    "combine": _combine,
    "without": _without,
    "compact": _compact,
    "flatten": _flatten,
    "timestamp": _timestamp,
    "moved": _moved,
    "date": _date,
}
#: Methods of texts and mappings, for those who write Python: an expression calls a filter, and looks up no attribute.
METHODS: Mapping[str, Callable[..., Any]] = {
    **{name: FILTERS[name] for name in ("lower", "upper", "title", "capitalize", "replace", "items")},
    "strip": FILTERS["trim"],
    "split": _of_text(str.split),
    "startswith": _of_text(str.startswith),
    "endswith": _of_text(str.endswith),
    "get": _get,
    "keys": lambda value: list(_mapping(value)),
    "values": lambda value: list(_mapping(value).values()),
}
_TESTS_OF_JINJA = ("defined", "undefined", "none", "true", "false", "boolean", "integer", "float", "number", "string",
                   "mapping", "sequence", "even", "odd", "divisibleby", "in", "eq", "ne", "lt", "le", "gt",
                   "ge")  # fmt: skip
TESTS: Mapping[str, Callable[..., Any]] = {
    **{name: tests.TESTS[name] for name in _TESTS_OF_JINJA},  # type: ignore[misc]  # functions, which are callable
    "list": lambda value: isinstance(value, list),
    "email": _is_email,
}
#: Filters and tests that read nested values, with the steps for each nested value.
DEEP: Mapping[str, int] = {
    **dict.fromkeys(
        ("join", "string", "tojson", "sum", "combine", "without", "in", "eq", "ne", "lt", "le", "gt", "ge"), 1
    ),
    **dict.fromkeys(("min", "max", "sort", "unique"), 4),
    **dict.fromkeys(("timestamp", "moved", "date"), 20),
    **dict.fromkeys(("address", "email"), 60),
}
#: Filters for texts of any length: they do not read the text.
PASSING = frozenset({"default", "d", "length", "count"})

"""The filters of templates: pure functions of plain values, by their name in Jinja where it has such a filter.

Each takes the budget, the value, and the filter's arguments; it takes steps for what it looks at before it does so.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mockserver.beyond.templates import lists, moments, scalars
from mockserver.beyond.templates.budget import Budget
from mockserver.beyond.templates.values import Undefined


def default(_: Budget, value: Any, default_value: Any = "", boolean: bool = False) -> Any:
    """The value, or another one if it is undefined; with `boolean`, also if it is empty, zero, false or null."""
    if isinstance(value, Undefined):
        return default_value
    return default_value if boolean and not value else value


FILTERS: Mapping[str, Callable[..., Any]] = {
    "default": default,
    "d": default,
    "lower": scalars.of_text(str.lower),
    "upper": scalars.of_text(str.upper),
    "title": scalars.of_text(str.title),
    "capitalize": scalars.of_text(str.capitalize),
    "trim": scalars.of_text(str.strip),
    "replace": scalars.replace,
    "split": scalars.split,
    "truncate": scalars.truncate,
    "string": scalars.as_text,
    "tojson": scalars.tojson,
    "urlencode": scalars.urlencode,
    "address": scalars.address,
    "b64encode": scalars.b64_encode,
    "b64decode": scalars.b64_decode,
    "int": scalars.as_int,
    "float": scalars.as_float,
    "round": scalars.round_,
    "abs": scalars.abs_,
    "length": lists.length,
    "count": lists.length,
    "first": lists.first,
    "last": lists.last,
    "list": lists.as_list,
    "items": lists.pairs,
    "names": lists.names,
    "values": lists.values,
    "join": lists.join,
    "sum": lists.sum_,
    "min": lists.min_,
    "max": lists.max_,
    "sort": lists.sort,
    "unique": lists.unique,
    "reverse": lists.reverse,
    "flatten": lists.flatten,
    "combine": lists.combine,
    "without": lists.without,
    "compact": lists.compact,
    "batch": lists.batch,
    "timestamp": moments.timestamp,
    "moved": moments.moved,
    "date": moments.date,
}

#: Methods of texts and mappings as Python has them, which many write instead of filters; none is looked up on a value.
METHODS: Mapping[str, Callable[..., Any]] = {
    "lower": FILTERS["lower"],
    "upper": FILTERS["upper"],
    "title": FILTERS["title"],
    "strip": FILTERS["trim"],
    "replace": scalars.replace,
    "split": scalars.split,
    "startswith": scalars.startswith,
    "endswith": scalars.endswith,
    "items": lists.pairs,
    "keys": lists.names,
    "values": lists.values,
    "get": lists.member_or,
    "join": lists.joined_by,
    "strftime": moments.date,
    "isoformat": moments.isoformat,
}

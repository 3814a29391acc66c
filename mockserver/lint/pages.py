"""Lists of which a client has read the first page only."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any

from mockserver.core.traffic.exchange import Exchange, read_json
from mockserver.lint.finding import FIRST_PAGE_ONLY, Finding
from mockserver.lint.traffic import Traffic, ended_at, is_success, name_of, resource_of, since, words_of
from mockserver.resources.registry import API_OPERATIONS

#: The same for an operation without a limit of its own. Chosen: who asks for less wants the newest rows, or the count.
_NAMED = 10
#: The members by which requests name a row.
_NAMES = frozenset({"id", "name", "email", "companyName"})
#: How many requests after a page are looked at for one of its rows. Chosen: what was looked for is used soon.
_SOON = 100


def find_first_pages(traffic: Traffic) -> Iterator[Finding]:
    """Find lists with more rows than their first page whose next pages were never requested."""
    seen: dict[tuple[str | None, str], list[Exchange]] = {}
    for row in traffic.requests:
        if _is_paged(row.operation):
            seen.setdefault((row.account, row.path), []).append(row)
    for rows in seen.values():
        if any(_offset(row) for row in rows):
            continue
        pages = [(row, *found) for row in rows if is_success(row) and (found := _page(row)) is not None]
        # A client may ask for the count first, and then for all rows.
        if any(len(items) >= count for _, items, count in pages):
            continue
        lazy = [page for page in pages if _wants_all(page[0], len(page[1])) and not _has_found(traffic, *page[:2])]
        if lazy:
            row, items, count = max(lazy, key=lambda page: len(page[1]))
            left = count - len(items)
            message = f"{name_of(row)} answered {len(items):,} of {count:,} rows, and no further offset was asked for; "
            verb = "was" if left == 1 else "were"
            message = f"{message}{left:,} {verb} never read"
            yield Finding(FIRST_PAGE_ONLY, name_of(row), message, [row.id for row, _, _ in lazy])


def _offset(row: Exchange) -> int:
    given = row.parameters.get("offset", ["0"])[0]
    return int(given) if given.isdecimal() else 0


def _page(row: Exchange) -> tuple[list[Any], int] | None:
    """Return the rows and the `count` of a list answer, or None for other answers."""
    answer = read_json(row.answer_body)
    lists = [value for value in answer.values() if isinstance(value, list)] if isinstance(answer, dict) else []
    count = answer.get("count") if isinstance(answer, dict) else None
    return (lists[0], count) if len(lists) == 1 and isinstance(count, int) else None


def _wants_all(row: Exchange, number: int) -> bool:
    """Return whether a client's `limit` is at least the default limit.

    With `sort=desc` and a limit it asks for the newest rows.
    """
    limit = row.parameters.get("limit", [""])[0]
    if not limit:
        return number > 0
    usual = _usual_limit(row.operation or "")
    return number > 0 and limit.isdecimal() and int(limit) >= usual and row.parameters.get("sort") != ["desc"]


@cache
def _usual_limit(operation: str) -> int:
    """Return the number of rows that an operation answers if nobody names a limit."""
    default = API_OPERATIONS[operation].query_schema().fields["limit"].load_default
    return default if isinstance(default, int) else _NAMED


@cache
def _is_paged(operation: str | None) -> bool:
    found = API_OPERATIONS.get(operation or "")
    return found is not None and found.query_schema is not None and "offset" in found.query_schema().fields


def _has_found(traffic: Traffic, row: Exchange, items: list[Any]) -> bool:
    """Return whether a client has found what it read a list for.

    That is a row that an earlier request has named, such as a write whose answer was lost, or the one row of the list
    with which the client continues.
    """
    places = {
        str(item[name]).lower(): place
        for place, item in enumerate(items)
        if isinstance(item, dict)
        for name in _NAMES & item.keys()
    }
    kinds = resource_of(row), row.path.rpartition("/")[2]
    keys = {(row.account, kind, name): place for kind in kinds for name, place in places.items()}
    named = {place for key, place in keys.items() if traffic.named_at.get(key, row.real_at) < row.real_at}
    used: set[int] = set()
    for later in islice(since(traffic.requests, ended_at(row)), _SOON):
        if later.account == row.account and later.path != row.path:
            words = {*map(str, later.params.values()), *words_of(later.json)}
            used |= {places[word] for word in map(str.lower, words) if word in places}
    return 0 < len(named) < len(items) or len(used) == 1 < len(items)

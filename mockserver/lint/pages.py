"""Lists of which a client has read the first page only."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import islice
from typing import Any

from mockserver.core.traffic.exchange import Exchange, read_json
from mockserver.lint.finding import FIRST_PAGE_ONLY, Finding
from mockserver.lint.traffic import Traffic, ended_at, is_success, name_of, since
from mockserver.resources.registry import API_OPERATIONS

#: The same for an operation without a limit of its own. Chosen: who asks for less wants the newest rows, or the count.
_NAMED = 10
#: The members by which later requests name a row.
_NAMES = frozenset({"id", "name", "email"})
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
        # The largest page: a client may ask for the count first, and then for all rows.
        if not pages or any(len(items) >= count for _, items, count in pages):
            continue
        row, items, count = max(pages, key=lambda page: len(page[1]))
        if _wants_all(row, len(items)) and not _has_found(traffic, row, items):
            left = count - len(items)
            message = f"{name_of(row)} answered {len(items):,} of {count:,} rows, and no further offset was asked for; "
            verb = "was" if left == 1 else "were"
            yield Finding(FIRST_PAGE_ONLY, f"{message}{left:,} {verb} never read", [row.id for row, _, _ in pages])


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
    """Return whether the client continues with one row of a list, having found the row it searched."""
    names = [{str(item[name]) for name in _NAMES & item.keys()} for item in items if isinstance(item, dict)]
    used: set[int] = set()
    for later in islice(since(traffic.requests, ended_at(row)), _SOON):
        if later.account == row.account and later.path != row.path:
            words = {*map(str, later.params.values()), *_words(later.json)}
            used |= {index for index, name in enumerate(names) if name & words}
    return len(used) == 1 < len(items)


def _words(value: Any) -> Iterator[str]:
    """Yield the texts and numbers of a JSON value."""
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _words(inner)
    else:
        yield str(value)

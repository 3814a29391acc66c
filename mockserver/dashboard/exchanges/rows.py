"""The lines of the list: what can be told of an exchange without reading its bodies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from time import gmtime, strftime
from typing import NamedTuple

from mockserver.core.traffic.exchange import Exchange
from mockserver.core.traffic.journal import Journal
from mockserver.dashboard.exchanges.filter import Filter
from mockserver.resources.section import write_instant
from mockserver.views.traffic import redaction

#: How many exchanges the list shows; chosen: more than anybody reads, and a page of some 60 kB.
MOST = 200
#: How long a text of a line may be; the page of the request has it all.
_LONGEST = 300
#: How many texts are remembered without their secrets: most requests of a run have the same few paths and reasons.
_REMEMBERED = 2_048


class Line(NamedTuple):
    """One exchange in the list."""

    id: str
    #: The moment of the workspace's clock, whole and as the time of the day.
    at: str
    time: str
    #: The same moment in real time (UTC), as the time of the day.
    real: str
    #: The operation, or the method and the path of a request that leads to none.
    title: str
    #: The method and the path, where an operation is the title.
    address: str
    status: int | None
    reason: str
    account: str
    fault: str
    is_held: bool


class Lines(NamedTuple):
    """The newest exchanges that a filter admits."""

    shown: list[Line]
    #: How many further ones there are, and how many exchanges the journal has, and has evicted.
    further: int
    kept: int
    evicted: int


def lines(journal: Journal, wanted: Filter) -> Lines:
    """The lines of a journal; its workspace's lock is held."""
    found: Iterable[Exchange] = journal
    total = len(journal)
    if not wanted.is_empty:
        admitted = [exchange for exchange in journal if wanted.admits(exchange)]
        found, total = admitted, len(admitted)
    shown = [line(exchange) for exchange in islice(found, MOST)]
    return Lines(shown, total - len(shown), len(journal), journal.evicted)


def line(exchange: Exchange) -> Line:
    """The line of an exchange."""
    at = write_instant(exchange.at)
    address = f"{exchange.method} {_shown(exchange.path)}"
    is_named = exchange.operation is not None
    return Line(
        id=exchange.id,
        at=at,
        time=at[11:19],
        real=strftime("%H:%M:%S", gmtime(exchange.real_at)),
        title=exchange.operation or address,
        address=address if is_named else "",
        status=exchange.status,
        # What is said of a request that hangs is not yet true.
        reason=_shown(exchange.reason) if exchange.reason and not exchange.is_held else "",
        account=exchange.account or "",
        fault=exchange.fault or "",
        is_held=exchange.is_held,
    )


def _shown(text: str) -> str:
    """A text without secrets, cut to the length of a line."""
    # A long text is not remembered: those of a hostile client would fill the memory.
    return _redacted(text) if len(text) <= _LONGEST else f"{redaction.plain(text)[:_LONGEST]}…"


@lru_cache(maxsize=_REMEMBERED)
def _redacted(text: str) -> str:
    return redaction.plain(text)


def neighbours(journal: Journal, identifier: str) -> tuple[str | None, str | None]:
    """The ids of the exchanges before and after one, in time."""
    after: str | None = None
    rows: Iterator[Exchange] = iter(journal)
    for exchange in rows:
        if exchange.id == identifier:
            before = next(rows, None)
            return (None if before is None else before.id), after
        after = exchange.id
    return None, None
